/* file.c -- see file.h. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".tollbook-" /* also of the folders that workbooks are made in */

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

/* Whoever had the lock before may have given the file another name, or taken it away. */
static bool
lock_alone(int fd, const char *path)
{
	struct stat own, named;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &own) != 0)
		return false;
	if (lstat(path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino)
		return true;
	errno = EWOULDBLOCK;
	return false;
}

bool
file_begin_alone(struct new_file *file, const char *path, struct error *err)
{
	int fd, why;

	*file = (struct new_file){.path = path};
	text_add_format(&file->part, "%s.part", path);
	fd = open(text_string(&file->part), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd >= 0 && lock_alone(fd, text_string(&file->part)) && ftruncate(fd, 0) == 0)
		file->stream = fdopen(fd, "w");
	if (file->stream != NULL)
		return true;
	why = errno;
	if (fd >= 0)
		(void)close(fd);
	if (why == EWOULDBLOCK) {
		error_set(err, ERROR_BUSY, "somebody else is writing the file");
		error_at(err, text_string(&file->part), 0);
	} else {
		file_failed(path, why, err);
	}
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

/* --- reading --------------------------------------------------------------------------------- */

/* What is not mended by trying again needs somebody who puts the path or its rights right. */
static enum error_kind
kind_of(int why)
{
	static const int wrong[] = {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ELOOP, EISDIR, EEXIST, ENAMETOOLONG};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (why == wrong[i])
			return ERROR_INPUT;
	return ERROR_AWAY;
}

static bool
read_failed(const char *path, int why, struct error *err)
{
	error_set(err, kind_of(why), "the file could not be read: %s", strerror(why));
	return error_at(err, path, 0);
}

/* The rest of an open file. */
static bool
digest_rest(int fd, unsigned char out[DIGEST_SIZE], int64_t *bytes)
{
	enum { PIECE = 1 << 16 };
	struct digest *digest = digest_new();
	char *piece = memory_new(PIECE, 1);
	ssize_t got;

	digest_begin(digest);
	*bytes = 0;
	while ((got = read(fd, piece, PIECE)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		digest_bytes(digest, piece, (size_t)got);
		*bytes += got;
	}
	digest_end(digest, out);
	digest_free(digest);
	free(piece);
	return got == 0;
}

bool
file_digest(const char *path, unsigned char digest[DIGEST_SIZE], int64_t *bytes, struct error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool fine;
	int why;

	if (fd < 0)
		return read_failed(path, errno, err);
	fine = digest_rest(fd, digest, bytes);
	why = errno;
	(void)close(fd);
	return fine || read_failed(path, why, err);
}

/* --- folders --------------------------------------------------------------------------------- */

static bool
folder_failed(const char *path, const char *what, int why, struct error *err)
{
	error_set(err, kind_of(why), "the folder could not be %s: %s", what, strerror(why));
	return error_at(err, path, 0);
}

static bool
folder_sync(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), why;
	bool fine = fd >= 0 && fsync(fd) == 0;

	why = errno;
	if (fd >= 0)
		(void)close(fd);
	return fine || folder_failed(path, "written to the disk", why, err);
}

/* The folder that a path is in. */
static void
folder_of(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/');

	text_clear(out);
	if (slash == NULL)
		text_add_string(out, ".");
	else
		text_add(out, path, slash == path ? 1 : (size_t)(slash - path));
}

static bool
is_folder(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool
folder_make(const char *path, struct error *err)
{
	struct text above = {0};
	bool fine;

	if (is_folder(path))
		return true;
	folder_of(path, &above);
	fine = strcmp(text_string(&above), path) == 0 || folder_make(text_string(&above), err);
	if (fine && mkdir(path, 0755) != 0 && !(errno == EEXIST && is_folder(path)))
		fine = folder_failed(path, "made", errno, err);
	fine = fine && folder_sync(text_string(&above), err);
	text_release(&above);
	return fine;
}

bool
file_folders(const char *path, struct error *err)
{
	struct text folder = {0};
	bool fine;

	folder_of(path, &folder);
	fine = folder_make(text_string(&folder), err);
	text_release(&folder);
	return fine;
}

/* An entry of a folder: a file, or a folder of files. */
static void
remove_entry(int folder, const char *name)
{
	const struct dirent *entry;
	DIR *inside;
	int fd;

	if (unlinkat(folder, name, 0) == 0)
		return;
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	inside = fd < 0 ? NULL : fdopendir(fd);
	if (inside == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(inside)) != NULL)
		(void)unlinkat(fd, entry->d_name, 0);
	(void)closedir(inside);
	(void)unlinkat(folder, name, AT_REMOVEDIR);
}

void
folder_sweep(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL)
		if (strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) == 0)
			remove_entry(dirfd(folder), entry->d_name);
	(void)closedir(folder);
}

bool
file_rename(const char *from, const char *to, struct error *err)
{
	struct text folder = {0};
	bool fine = rename(from, to) == 0 || file_failed(to, errno, err);

	folder_of(to, &folder);
	fine = fine && folder_sync(text_string(&folder), err);
	text_release(&folder);
	return fine;
}

/* --- files that are given out ---------------------------------------------------------------- */

static bool
keep_failed(const struct kept_file *file, const char *what, int why, struct error *err)
{
	error_set(err, kind_of(why), "the file could not be %s: %s", what, strerror(why));
	error_at(err, file->path, 0);
	return error_hint(err, "See that the folder can be written, and that the disk has room; then run again.");
}

static bool
has_bytes(const struct kept_file *file, int fd)
{
	unsigned char digest[DIGEST_SIZE];
	int64_t bytes;

	return digest_rest(fd, digest, &bytes) && bytes == (int64_t)file->length &&
	    memcmp(digest, file->digest, DIGEST_SIZE) == 0;
}

/* What is there already is not followed, should it be a link: it would be another file. */
static bool
look(struct kept_file *file, struct error *err)
{
	int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat found;

	file->kept = FILE_KEPT_NEW;
	file->why = NULL;
	if (fd < 0 && errno == ENOENT)
		return true;
	file->kept = FILE_KEPT_DIFFERENT;
	if (fd < 0) {
		if (errno != EACCES && errno != ELOOP && errno != ENXIO)
			return keep_failed(file, "looked at", errno, err);
		file->why = "what is there cannot be read";
		return true;
	}
	if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
		file->why = "what is there is not a file";
	else if (has_bytes(file, fd))
		file->kept = FILE_KEPT_SAME;
	else
		file->why = "a file with other bytes is there";
	(void)close(fd);
	return true;
}

/* No name is taken twice: a process that was thought dead may still be writing under its own. */
static bool
take_place(struct kept_file *file, const char *folder, struct error *err)
{
	unsigned char random[8];
	char hex[2 * sizeof random + 1];

	if (getentropy(random, sizeof random) != 0)
		return keep_failed(file, "named", errno, err);
	text_add_format(&file->place, "%s/%s%s", folder, TEMPORARY, digest_hex(random, sizeof random, hex));
	return true;
}

static bool
write_bytes(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t put = write(fd, bytes, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		bytes += put;
		length -= (size_t)put;
	}
	return true;
}

static bool
write_beside(struct kept_file *file, const char *folder, struct error *err)
{
	bool fine;
	int fd, why;

	if (!take_place(file, folder, err))
		return false;
	fd = open(text_string(&file->place), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return keep_failed(file, "begun", errno, err);
	fine = write_bytes(fd, file->bytes, file->length);
	why = errno;
	/* The disk gets all files of a group to write before the first is waited for: then one commit of the file system's journal is
	 * enough for them. */
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	if (close(fd) != 0 && fine) {
		fine = false;
		why = errno;
	}
	return fine || keep_failed(file, "written", why, err);
}

/* What is read back comes from the disk: once it is written there, the page cache may forget it. */
static bool
sync_and_compare(struct kept_file *file, struct error *err)
{
	int fd = open(text_string(&file->place), O_RDONLY | O_CLOEXEC), why;
	bool fine = fd >= 0 && fsync(fd) == 0, same = false;

	why = errno;
	if (fine) {
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		same = has_bytes(file, fd);
	}
	if (fd >= 0)
		(void)close(fd);
	if (!fine)
		return keep_failed(file, "written to the disk", why, err);
	return same || keep_failed(file, "written: what is read back is not what was written", EIO, err);
}

/* Never in the place of another one; where the file system has no such renaming, look() has seen that there is none. */
static bool
give_name(struct kept_file *file, struct error *err)
{
	const char *place = text_string(&file->place);

	if (renameat2(AT_FDCWD, place, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0 ||
	    ((errno == EINVAL || errno == ENOSYS) && rename(place, file->path) == 0)) {
		text_clear(&file->place);
		return true;
	}
	if (errno != EEXIST)
		return keep_failed(file, "given its name", errno, err);
	return look(file, err);
}

static bool
keep_all(struct kept_file *files, size_t count, struct text *folder, struct error *err)
{
	struct text here = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < count; i++) {
		folder_of(files[i].path, &here);
		if (strcmp(text_string(&here), text_string(folder)) != 0) {
			fine = folder_make(text_string(&here), err);
			text_clear(folder);
			text_add(folder, here.bytes, here.length);
		}
		fine = fine && look(&files[i], err) &&
		    (files[i].kept != FILE_KEPT_NEW || write_beside(&files[i], text_string(folder), err));
	}
	for (size_t i = 0; fine && i < count; i++)
		fine = files[i].kept != FILE_KEPT_NEW || sync_and_compare(&files[i], err);
	for (size_t i = 0; fine && i < count; i++)
		fine = files[i].kept != FILE_KEPT_NEW || give_name(&files[i], err);
	text_release(&here);
	return fine;
}

/* Those that were there too: whoever gave them their names may have been killed before this. */
static bool
sync_folders(const struct kept_file *files, size_t count, struct error *err)
{
	struct text here = {0}, last = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < count; i++) {
		folder_of(files[i].path, &here);
		if (last.length > 0 && strcmp(text_string(&here), text_string(&last)) == 0)
			continue;
		fine = folder_sync(text_string(&here), err);
		text_clear(&last);
		text_add(&last, here.bytes, here.length);
	}
	text_release(&here);
	text_release(&last);
	return fine;
}

bool
files_keep(struct kept_file *files, size_t count, struct error *err)
{
	struct digest *digest = digest_new();
	struct text folder = {0};
	bool fine;

	for (size_t i = 0; i < count; i++) {
		files[i].place = (struct text){0};
		digest_begin(digest);
		digest_bytes(digest, files[i].bytes, files[i].length);
		digest_end(digest, files[i].digest);
	}
	digest_free(digest);
	fine = keep_all(files, count, &folder, err) && sync_folders(files, count, err);
	for (size_t i = 0; i < count; i++) {
		if (files[i].place.length > 0)
			(void)unlink(text_string(&files[i].place));
		text_release(&files[i].place);
	}
	text_release(&folder);
	return fine;
}
