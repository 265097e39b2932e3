/*
 * archive_merge.c -- see archive_merge.h.
 *
 * A file is opened when the first of its batches is due, and closed behind its last row: months follow each other, so that few are open at a
 * time.
 */
#include "ledger/archive_merge.h"

#include <stdlib.h>

enum source_state { SOURCE_WAITS, SOURCE_OPEN, SOURCE_ENDED };

struct merge_source {
	const struct archive_record *record;
	const char *path;
	enum source_state state;
	struct archive_file *file;
	const struct archive_row *row; /* at hand */
};

struct archive_merge {
	struct merge_source *sources;
	size_t count;
	size_t missing;
	const char *first_missing;
	struct rows lacking; /* batches with rows in those */
	int lacking_at;
};

/* Adds the files that can be read; the others as an array into `ids`. */
static void
find_files(struct run *run, struct archive_merge *merge, const struct archive_record *records, size_t count, struct text *ids,
    verify_differs *differs, void *context)
{
	for (size_t i = 0; i < count; i++) {
		const char *path = archive_path(run, &records[i], NULL);
		bool there = archive_is_there(path);
		struct error wrong;

		if (there && archive_file_check(&records[i], path, &wrong)) {
			merge->sources[merge->count++] = (struct merge_source){.record = &records[i], .path = path};
			continue;
		}
		if (there)
			differs(context, "not the file that was written: archive", records[i].file);
		text_add_format(ids, "%s%s", merge->missing == 0 ? "" : ",", records[i].id);
		if (merge->missing++ == 0)
			merge->first_missing = records[i].file;
	}
}

bool
archive_merge_open(struct run *run, verify_differs *differs, void *context, struct archive_merge **out, struct error *err)
{
	struct archive_merge *merge = memory_new(1, sizeof *merge);
	const struct archive_record *records;
	struct text ids = {0};
	size_t count;
	bool fine = archive_records(run, "", ARCHIVE_OUT, &records, &count, err);

	if (fine) {
		merge->sources = memory_new(count, sizeof *merge->sources);
		text_add_string(&ids, "{");
		find_files(run, merge, records, count, &ids, differs, context);
		text_add_string(&ids, "}");
		fine = db_rows(run->db, SQL_LEDGER_ARCHIVED_ELSEWHERE, PARAMS(text_string(&ids)), &merge->lacking, err);
	}
	text_release(&ids);
	*out = merge;
	if (!fine)
		archive_merge_close(merge);
	return fine;
}

/* The source whose next row, or first batch, comes first; NULL where all have ended. */
static struct merge_source *
first_source(struct archive_merge *merge)
{
	struct merge_source *first = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		struct merge_source *source = &merge->sources[i];
		int64_t batch = source->row == NULL ? source->record->first_batch : source->row->batch;
		int64_t first_batch = first == NULL ? 0 : first->row == NULL ? first->record->first_batch : first->row->batch;

		if (source->state == SOURCE_ENDED)
			continue;
		/* One that waits is opened before rows of the same batch are given. */
		if (first == NULL || batch < first_batch ||
		    (batch == first_batch &&
			(source->row == NULL || (first->row != NULL && archive_row_compare(source->row, first->row) < 0))))
			first = source;
	}
	return first;
}

static bool
advance(struct merge_source *source, struct error *err)
{
	if (source->state == SOURCE_WAITS && !archive_file_open(source->path, &source->file, err))
		return false;
	source->state = SOURCE_OPEN;
	if (!archive_file_next(source->file, &source->row, err))
		return false;
	if (source->row != NULL)
		return true;
	source->state = SOURCE_ENDED;
	archive_file_close(source->file);
	source->file = NULL;
	return true;
}

bool
archive_merge_before(
    struct archive_merge *merge, const struct archive_row *limit, archive_merge_row *row, void *context, struct error *err)
{
	for (;;) {
		struct merge_source *source = first_source(merge);

		if (source == NULL)
			return true;
		if (source->state == SOURCE_WAITS) {
			if (limit != NULL && source->record->first_batch > limit->batch)
				return true;
		} else {
			if (limit != NULL && archive_row_compare(source->row, limit) >= 0)
				return true;
			row(context, source->row, archive_file_bytes(source->file));
		}
		if (!advance(source, err))
			return false;
	}
}

bool
archive_merge_lacks(struct archive_merge *merge, int64_t batch)
{
	while (merge->lacking_at < merge->lacking.count && row_number(&merge->lacking, merge->lacking_at, 0) < batch)
		merge->lacking_at++;
	return merge->lacking_at < merge->lacking.count && row_number(&merge->lacking, merge->lacking_at, 0) == batch;
}

size_t
archive_merge_missing(const struct archive_merge *merge, const char **first)
{
	*first = merge->first_missing;
	return merge->missing;
}

void
archive_merge_close(struct archive_merge *merge)
{
	if (merge == NULL)
		return;
	for (size_t i = 0; i < merge->count; i++)
		archive_file_close(merge->sources[i].file);
	free(merge->sources);
	if (merge->lacking.result != NULL)
		rows_release(&merge->lacking);
	free(merge);
}
