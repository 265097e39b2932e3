/* file.c -- see file.h. */
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool
file_failed(const char *path, int why, struct error *err)
{
	error_set(err, ERROR_AWAY, "the file could not be written: %s", strerror(why));
	return error_at(err, path, 0);
}

bool
file_begin(struct new_file *file, const char *path, struct error *err)
{
	*file = (struct new_file){.path = path};
	text_add_format(&file->part, "%s.part", path);
	file->stream = fopen(text_string(&file->part), "w");
	if (file->stream != NULL)
		return true;
	file_failed(path, errno, err);
	text_release(&file->part);
	return false;
}

bool
file_end(struct new_file *file, struct error *err)
{
	bool fine, closed;
	int why;

	errno = 0;
	fine = fflush(file->stream) == 0 && ferror(file->stream) == 0 && fsync(fileno(file->stream)) == 0;
	/* The stream remembers that an earlier write failed, but not why. */
	why = errno == 0 ? EIO : errno;
	closed = fclose(file->stream) == 0;
	if (fine && (!closed || rename(text_string(&file->part), file->path) != 0)) {
		fine = false;
		why = errno;
	}
	if (!fine)
		(void)remove(text_string(&file->part));
	text_release(&file->part);
	return fine || file_failed(file->path, why, err);
}

void
file_abandon(struct new_file *file)
{
	(void)fclose(file->stream);
	(void)remove(text_string(&file->part));
	text_release(&file->part);
}

bool
file_write(const char *path, const char *bytes, size_t length, struct error *err)
{
	struct new_file file;

	if (!file_begin(&file, path, err))
		return false;
	(void)fwrite(bytes, 1, length, file.stream);
	return file_end(&file, err);
}
