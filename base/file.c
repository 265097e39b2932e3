/* file.c -- see file.h. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

bool
file_write(const char *path, const char *bytes, size_t length, struct error *err)
{
	struct text part = {0};
	FILE *file;
	bool fine, closed;
	int why;

	text_add_format(&part, "%s.part", path);
	file = fopen(text_string(&part), "w");
	fine = file != NULL && fwrite(bytes, 1, length, file) == length && fflush(file) == 0 && fsync(fileno(file)) == 0;
	why = errno;
	closed = file == NULL || fclose(file) == 0;
	if (fine && (!closed || rename(text_string(&part), path) != 0)) {
		fine = false;
		why = errno;
	}
	if (!fine && file != NULL)
		(void)remove(text_string(&part));
	text_release(&part);
	if (fine)
		return true;
	error_set(err, ERROR_AWAY, "the file could not be written: %s", strerror(why));
	return error_at(err, path, 0);
}
