/* config_file.h -- texts as files, for what reads a configuration: in memory, under a name that a process can open. */
#ifndef TESTS_SUPPORT_CONFIG_FILE_H
#define TESTS_SUPPORT_CONFIG_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct config_file {
	int file;
	char path[32];
};

static inline void
config_file_open(struct config_file *out)
{
	out->file = memfd_create("tollbook.conf", 0);
	if (out->file < 0)
		abort();
	snprintf(out->path, sizeof out->path, "/proc/self/fd/%d", out->file);
}

static inline void
config_file_write(const struct config_file *to, const void *bytes, size_t length)
{
	if (ftruncate(to->file, 0) != 0 || pwrite(to->file, bytes, length, 0) != (ssize_t)length)
		abort();
}

#endif
