/*
 * night_documents.c -- a file for each document that was issued, and a workbook for each period that one of them is about.
 *
 *     FOLDER/invoices/ISSUER/YEAR/NUMBER.json and .txt     likewise credit-notes/
 *     FOLDER/workbooks/PERIOD.xlsx                          replaced by each night that issued something of the period
 *
 * A file that was given out is never replaced: what is found there in its place is told, and looked at by a person.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "ledger/credit_note_document.h"
#include "ledger/invoice_document.h"
#include "ledger/night_unit.h"
#include "ledger/parked.h"
#include "nightly/night.h"
#include "reports/workbook.h"

static const char step[] = "documents";

/* Columns of documents_due.sql. */
enum due_column { DUE_FOLDER, DUE_ISSUER, DUE_YEAR, DUE_NUMBER, DUE_TENANT, DUE_PERIOD, DUE_LINES };

enum {
	GROUP_DOCUMENTS = 128,  /* written together */
	GROUP_BYTES = 16 << 20, /* or as soon as they have so many */
	LOADED_LINES = 20000,   /* of invoices that are loaded together */
	FILES = 2,              /* of a document */
};

/* A document that is being written. */
struct document {
	int row;                 /* of what is due */
	const char *unit[FILES]; /* below the folder */
	char *bytes[FILES];      /* JSON, text */
	size_t length[FILES];
};

struct documents {
	struct run *run;
	const char *folder;
	struct rows due;
	struct issued_invoices *loaded;       /* of rows from `loaded_from` to before `loaded_to`, or NULL */
	int loaded_from, loaded_to, alone_to; /* before the last, each is loaded alone */
	struct document group[GROUP_DOCUMENTS];
	size_t count, bytes; /* of the group */
	struct arena arena;  /* as long as the group */
	struct text swept;   /* the folder that was looked through last */
	struct parkings failed;
	int64_t workbooks_failed;
};

static const char *
due(const struct documents *documents, int row, enum due_column column)
{
	return row_text(&documents->due, row, (int)column);
}

/* Does the night have to end here?  Anything else concerns one document alone. */
static bool
ends_night(const struct error *err)
{
	return err->kind == ERROR_AWAY || err->kind == ERROR_BUSY;
}

/* --- one document ---------------------------------------------------------------------------- */

static void
free_document(struct document *document)
{
	for (int i = 0; i < FILES; i++)
		free(document->bytes[i]);
	*document = (struct document){0};
}

static bool
is_invoice(const struct documents *documents, int row)
{
	return strcmp(due(documents, row, DUE_FOLDER), "invoices") == 0;
}

static bool
load_to(struct documents *documents, int from, int to, struct error *err)
{
	const char **numbers = memory_new((size_t)(to - from), sizeof *numbers);
	bool fine;

	for (int row = from; row < to; row++)
		numbers[row - from] = due(documents, row, DUE_NUMBER);
	fine = issued_invoices_load(documents->run, numbers, (size_t)(to - from), &documents->loaded, err);
	free(numbers);
	return fine;
}

/* Where those end that are loaded together with this one. */
static int
load_end(const struct documents *documents, int row)
{
	int64_t lines = 0;
	int to = row;

	do
		lines += row_number(&documents->due, to++, DUE_LINES);
	while (to < documents->due.count && to - row < GROUP_DOCUMENTS && is_invoice(documents, to) &&
	    lines + row_number(&documents->due, to, DUE_LINES) <= LOADED_LINES);
	return to;
}

/* An invoice, and those behind it.  Where one of them cannot be loaded, each is loaded alone, to be told which. */
static bool
load_invoices(struct documents *documents, int row, struct error *err)
{
	struct error failed = {0};

	if (documents->loaded != NULL && row < documents->loaded_to)
		return true;
	issued_invoices_free(documents->loaded);
	documents->loaded = NULL;
	documents->loaded_from = row;
	documents->loaded_to = load_end(documents, row);
	if (row >= documents->alone_to && load_to(documents, row, documents->loaded_to, &failed))
		return true;
	if (ends_night(&failed)) {
		*err = failed;
		return false;
	}
	if (row >= documents->alone_to)
		documents->alone_to = documents->loaded_to;
	documents->loaded_to = row + 1;
	return load_to(documents, row, row + 1, err);
}

static bool
write_invoice(struct documents *documents, int row, FILE *text, FILE *json, struct error *err)
{
	if (!load_invoices(documents, row, err))
		return false;
	issued_invoice_write(documents->loaded, (size_t)(row - documents->loaded_from), text, json);
	return true;
}

/* Its bytes. */
static bool
make_document(struct documents *documents, struct document *document, struct error *err)
{
	const char *number = due(documents, document->row, DUE_NUMBER);
	FILE *json = open_memstream(&document->bytes[0], &document->length[0]);
	FILE *text = open_memstream(&document->bytes[1], &document->length[1]);
	bool fine;

	must(json != NULL && text != NULL);
	fine = is_invoice(documents, document->row) ? write_invoice(documents, document->row, text, json, err)
						    : credit_note_issued(documents->run, number, text, json, err);
	must(fclose(json) == 0 && fclose(text) == 0);
	return fine;
}

static void
name_document(struct documents *documents, struct document *document)
{
	static const char *const endings[FILES] = {"json", "txt"};

	for (int i = 0; i < FILES; i++)
		document->unit[i] = arena_format(&documents->arena, "%s/%s/%s/%s.%s", due(documents, document->row, DUE_FOLDER),
		    due(documents, document->row, DUE_ISSUER), due(documents, document->row, DUE_YEAR),
		    due(documents, document->row, DUE_NUMBER), endings[i]);
}

/* One that cannot be made does not stop the others. */
static bool
add_document(struct documents *documents, int row, struct error *err)
{
	struct document *document = &documents->group[documents->count];
	struct error why = {0};

	*document = (struct document){.row = row};
	if (!make_document(documents, document, &why)) {
		free_document(document);
		if (ends_night(&why)) {
			*err = why;
			return false;
		}
		error_wrap(&why, "%s was not written", due(documents, row, DUE_NUMBER));
		say(documents->run, "%s", why.message);
		parkings_add_error(&documents->failed, due(documents, row, DUE_TENANT), due(documents, row, DUE_PERIOD), &why);
		return true;
	}
	name_document(documents, document);
	for (int i = 0; i < FILES; i++)
		documents->bytes += document->length[i];
	documents->count++;
	return true;
}

/* --- a group --------------------------------------------------------------------------------- */

/* What a killed run left in the folder of a document. */
static void
sweep(struct documents *documents, const char *path)
{
	size_t length = (size_t)(strrchr(path, '/') - path);

	if (documents->swept.length == length && strncmp(text_string(&documents->swept), path, length) == 0)
		return;
	text_clear(&documents->swept);
	text_add(&documents->swept, path, length);
	folder_sweep(text_string(&documents->swept));
}

static void
park_document(struct documents *documents, const struct document *document, const struct kept_file *file)
{
	struct error why = {0};

	error_set(&why, ERROR_STATE, "%s was not written: %s", due(documents, document->row, DUE_NUMBER), file->why);
	error_at(&why, file->path, 0);
	error_hint(&why, "Look where it is from, and move it away: what is given out is not replaced.");
	say(documents->run, "%s: %s", file->path, file->why);
	parkings_add_error(
	    &documents->failed, due(documents, document->row, DUE_TENANT), due(documents, document->row, DUE_PERIOD), &why);
}

static struct night_unit
unit_of(struct documents *documents, const struct document *document, int i, const struct kept_file *file)
{
	struct night_unit unit = {.name = document->unit[i], .digest = file->digest};
	struct text result = {0};

	text_add_format(&result, "{\"bytes\":%zu,\"number\":", file->length);
	text_add_json(&result, due(documents, document->row, DUE_NUMBER));
	text_add_string(&result, ",\"tenant\":");
	text_add_json(&result, due(documents, document->row, DUE_TENANT));
	text_add_string(&result, ",\"period\":");
	text_add_json(&result, due(documents, document->row, DUE_PERIOD));
	text_add_string(&result, "}");
	unit.result = arena_copy(&documents->arena, result.bytes, result.length);
	text_release(&result);
	return unit;
}

/* A document is done when all of its files are there. */
static size_t
add_units(struct documents *documents, const struct document *document, const struct kept_file *files, struct night_unit *units)
{
	for (int i = 0; i < FILES; i++)
		if (files[i].kept == FILE_KEPT_DIFFERENT) {
			park_document(documents, document, &files[i]);
			return 0;
		}
	for (int i = 0; i < FILES; i++)
		units[i] = unit_of(documents, document, i, &files[i]);
	return FILES;
}

static bool
record_group(struct documents *documents, const struct kept_file *files, struct error *err)
{
	struct night_unit *units = memory_new(FILES * documents->count, sizeof *units);
	size_t count = 0;
	bool fine;

	for (size_t i = 0; i < documents->count; i++)
		count += add_units(documents, &documents->group[i], &files[FILES * i], &units[count]);
	fine = night_units_done(documents->run, step, units, count, err);
	free(units);
	return fine;
}

static void
forget_group(struct documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		free_document(&documents->group[i]);
	documents->count = documents->bytes = 0;
	arena_reset(&documents->arena);
}

static bool
write_group(struct documents *documents, struct error *err)
{
	struct kept_file *files = memory_new(FILES * documents->count, sizeof *files);
	bool fine;

	for (size_t i = 0; i < documents->count; i++)
		for (size_t j = 0; j < FILES; j++) {
			const struct document *document = &documents->group[i];
			const char *path = arena_format(&documents->arena, "%s/%s", documents->folder, document->unit[j]);

			sweep(documents, path);
			files[FILES * i + j] =
			    (struct kept_file){.path = path, .bytes = document->bytes[j], .length = document->length[j]};
		}
	fine = files_keep(files, FILES * documents->count, err) && record_group(documents, files, err);
	free(files);
	forget_group(documents);
	return fine;
}

static bool
write_documents(struct documents *documents, struct error *err)
{
	struct run *run = documents->run;
	bool fine =
	    db_rows(run->db, SQL_NIGHTLY_DOCUMENTS_DUE, PARAMS(param_instant(&run->arena, run->now)), &documents->due, err);

	for (int row = 0; fine && row < documents->due.count; row++) {
		progress_count(run, "documents", row, documents->due.count);
		fine = add_document(documents, row, err);
		if (fine && (documents->count == GROUP_DOCUMENTS || documents->bytes >= GROUP_BYTES))
			fine = write_group(documents, err);
	}
	fine = fine && (documents->count == 0 || write_group(documents, err));
	progress_end(run);
	forget_group(documents);
	return fine;
}

/* --- workbooks ------------------------------------------------------------------------------- */

/* Its name in the transaction that records it: a run that lost its lock replaces nothing. */
static bool
publish_workbook(
    struct documents *documents, const char *period, const char *made, const struct workbook_result *result, struct error *err)
{
	struct run *run = documents->run;
	const char *unit = arena_format(&documents->arena, "workbooks/%s.xlsx", period);
	unsigned char digest[DIGEST_SIZE];
	const char *told;
	int64_t bytes;

	if (!file_digest(made, digest, &bytes, err))
		return false;
	told = arena_format(&documents->arena, "{\"bytes\":%lld,\"period\":\"%s\",\"cells\":%llu,\"differences\":%d}",
	    (long long)bytes, period, (unsigned long long)result->proof.cells, result->differences);
	if (db_begin(run->db, err) && night_unit_done(run, step, unit, told, digest, err) &&
	    file_rename(made, arena_format(&documents->arena, "%s/%s", documents->folder, unit), err) && db_commit(run->db, err))
		return true;
	db_rollback(run->db);
	return false;
}

/* A period that is too large for a spreadsheet has none; the others have theirs. */
static bool
write_workbook(struct documents *documents, const char *period, struct error *err)
{
	const char *made = arena_format(&documents->arena, "%s/workbooks/.tollbook-%s.xlsx", documents->folder, period);
	const struct workbook_request request = {.period = period, .tenant = "", .path = made};
	struct workbook_result result;
	struct error why = {0};

	if (workbook_make(documents->run, &request, &result, &why))
		return publish_workbook(documents, period, made, &result, err);
	if (ends_night(&why)) {
		*err = why;
		return false;
	}
	say(documents->run, "no workbook of %s: %s", period, why.message);
	documents->workbooks_failed++;
	return true;
}

static bool
is_done(const struct rows *units, const char *unit)
{
	for (int i = 0; i < units->count; i++)
		if (strcmp(row_text(units, i, NIGHT_UNIT_NAME), unit) == 0)
			return row_bool(units, i, NIGHT_UNIT_IS_DONE);
	return false;
}

static bool
write_workbooks(struct documents *documents, struct error *err)
{
	struct run *run = documents->run;
	const char *folder = arena_format(&run->arena, "%s/workbooks", documents->folder);
	struct rows periods, units = {0};
	bool fine;

	if (!db_rows(run->db, SQL_NIGHTLY_DOCUMENTS_PERIODS, PARAMS(param_number(&run->arena, run->night_run)), &periods, err))
		return false;
	folder_sweep(folder);
	fine = night_units(run, step, &units, err) &&
	    (periods.count == 0 || file_folders(arena_format(&run->arena, "%s/.", folder), err));
	for (int i = 0; fine && i < periods.count; i++) {
		const char *period = row_text(&periods, i, 0);

		arena_reset(&documents->arena);
		fine = is_done(&units, arena_format(&documents->arena, "workbooks/%s.xlsx", period)) ||
		    write_workbook(documents, period, err);
	}
	rows_release(&units);
	rows_release(&periods);
	return fine;
}

/* --- the step -------------------------------------------------------------------------------- */

/* Those that could not be written are parked, and those that could now are let go. */
static bool
settle(struct documents *documents, int64_t *parked, struct error *err)
{
	struct run *run = documents->run;

	if (db_begin(run->db, err) && parked_settle(run, PARKED_DOCUMENT, &documents->failed, parked, err) &&
	    db_commit(run->db, err))
		return true;
	db_rollback(run->db);
	return false;
}

static bool
tell(struct documents *documents, int64_t parked, struct night_told *told, struct error *err)
{
	enum { INVOICES, NOTES, WORKBOOKS, COUNT, BYTES, DIFFERENCES };
	struct run *run = documents->run;
	struct rows rows;

	if (!db_one_row(run->db, SQL_NIGHTLY_DOCUMENTS_TOLD, PARAMS(param_number(&run->arena, run->night_run)), &rows, err))
		return false;
	text_add_format(&told->line, "invoices %s, credit notes %s, workbooks %s; files %s, bytes %s",
	    row_text(&rows, 0, INVOICES), row_text(&rows, 0, NOTES), row_text(&rows, 0, WORKBOOKS), row_text(&rows, 0, COUNT),
	    row_text(&rows, 0, BYTES));
	if (documents->failed.count > 0)
		text_add_format(&told->line, "; not written: documents of %zu tenant periods", documents->failed.count);
	if (documents->workbooks_failed > 0)
		text_add_format(&told->line, "; workbooks that could not be made: %lld", (long long)documents->workbooks_failed);
	if (row_number(&rows, 0, DIFFERENCES) > 0)
		text_add_format(&told->line, "; lines of workbooks that do not agree: %s", row_text(&rows, 0, DIFFERENCES));
	text_add_format(&told->json,
	    "\"invoices\":%s,\"credit_notes\":%s,\"workbooks\":%s,\"files\":%s,\"bytes\":%s,\"differences\":%s,\"failed\":%zu,"
	    "\"workbooks_failed\":%lld",
	    row_text(&rows, 0, INVOICES), row_text(&rows, 0, NOTES), row_text(&rows, 0, WORKBOOKS), row_text(&rows, 0, COUNT),
	    row_text(&rows, 0, BYTES), row_text(&rows, 0, DIFFERENCES), documents->failed.count,
	    (long long)documents->workbooks_failed);
	told->findings = parked > 0 || documents->workbooks_failed > 0 || row_number(&rows, 0, DIFFERENCES) > 0;
	rows_release(&rows);
	return true;
}

bool
night_documents(struct night *night, struct night_told *told, struct error *err)
{
	struct documents *documents;
	int64_t parked = 0;
	bool fine;

	if (config_text(night->config, "night.documents")[0] == '\0') {
		text_add_string(&told->line, "no document folder is configured");
		return true;
	}
	documents = memory_new(1, sizeof *documents);
	documents->run = night->run;
	documents->folder = config_text(night->config, "night.documents");
	fine = write_documents(documents, err) && write_workbooks(documents, err) && settle(documents, &parked, err) &&
	    tell(documents, parked, told, err);
	rows_release(&documents->due);
	issued_invoices_free(documents->loaded);
	parkings_release(&documents->failed);
	text_release(&documents->swept);
	arena_release(&documents->arena);
	free(documents);
	return fine;
}
