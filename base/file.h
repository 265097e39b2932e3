/*
 * file.h -- whole files: under their final name only when they are complete.
 *
 * They are written to `path`.part beside it: readers see the old content or the new one, never a part.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/digest.h"
#include "base/memory.h"

/* Writes `path` anew. */
MUST_CHECK
bool file_write(const char *path, const char *bytes, size_t length, struct error *err);

/* A file that is written bit by bit, with stdio, to `stream`; the stream remembers a write that failed. */
struct new_file {
	const char *path; /* borrowed */
	FILE *stream;
	struct text part; /* its name until it is complete */
};
MUST_CHECK
bool file_begin(struct new_file *file, const char *path, struct error *err);
/* The same, alone: who else begins it, before the stream is closed, gets BUSY.  What a process left that was killed is written over. */
MUST_CHECK
bool file_begin_alone(struct new_file *file, const char *path, struct error *err);
/* Gives it its name; or, where a write failed, takes it away. */
MUST_CHECK
bool file_end(struct new_file *file, struct error *err);
/* Takes it away. */
void file_abandon(struct new_file *file);

/* The SHA-256 of a whole file, and its length.  Errors: INPUT where it is not there or may not be read; else AWAY. */
MUST_CHECK
bool file_digest(const char *path, unsigned char digest[DIGEST_SIZE], int64_t *bytes, struct error *err);

/* Gives a file that is on the disk another name in the same folder, in the place of what has it; the folder is synced. */
MUST_CHECK
bool file_rename(const char *from, const char *to, struct error *err);

/* --- files that are given out: once there, they never change ----------------------------------- */

enum file_kept {
	FILE_KEPT_NEW,      /* written */
	FILE_KEPT_SAME,     /* it was there, with these bytes */
	FILE_KEPT_DIFFERENT /* something else was there, and is left alone; `why` says what */
};

struct kept_file {
	const char *path; /* all but kept, why and digest are the caller's */
	const char *bytes;
	size_t length;
	unsigned char digest[DIGEST_SIZE]; /* SHA-256 of the bytes */
	enum file_kept kept;
	const char *why;   /* a constant, or NULL */
	struct text place; /* its temporary name */
};

/* Makes files be there with these bytes, and on the disk: all are written beside their places, then synced, read back and compared,
 * then get their names, so that a group costs little more than one.  Folders are made as needed, with mode 0755.  Files of the same
 * folder should stand together.
 * An error, always of kind AWAY, leaves some of them there and others not: the same call again goes on. */
MUST_CHECK
bool files_keep(struct kept_file *files, size_t count, struct error *err);
/* Makes the folders that the path of a file leads through, where they are not there, with mode 0755.  Errors: AWAY. */
MUST_CHECK
bool file_folders(const char *path, struct error *err);
/* Removes what processes that were killed left in a folder under names that only tollbook gives (".tollbook-..."): files, and folders
 * of files.  Nobody else may be writing there.  A folder that is not there is fine. */
void folder_sweep(const char *path);

#endif
