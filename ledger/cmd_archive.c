/* cmd_archive.c -- `tollbook archive write|list|verify|query|attach|detach`: old months of the ledger as files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/archive.h"
#include "ledger/archive_query.h"
#include "ledger/distribute.h"
#include "ledger/period.h"

static bool write_month(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool verify(struct run *run, struct error *err);
static bool query(struct run *run, struct error *err);
static bool attach(struct run *run, struct error *err);
static bool detach(struct run *run, struct error *err);

static const struct option_spec write_options[] = {
    {"folder", "FOLDER", "where the file goes; it must be there", 'f'},
    {"wait", "SECONDS", "how long those who rate, or read the ledger, are waited for; 60 when not given", 0},
    {0},
};

static const struct option_spec folder_options[] = {
    {"folder", "FOLDER", "where the files are, where that is not where they were written", 'f'},
    {0},
};

static const struct option_spec detach_options[] = {
    {"folder", "FOLDER", "where the files are, where that is not where they were written", 'f'},
    {"wait", "SECONDS", "how long those who rate, or read the ledger, are waited for; 60 when not given", 0},
    {0},
};

static const struct option_spec query_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {"model", "MODEL", "only this model", 'm'},
    {"id", "ID", "only events with this id", 0},
    {"from", "INSTANT", "only from then on (RFC 3339, or YYYY-MM-DD for midnight UTC)", 0},
    {"to", "INSTANT", "only before then", 0},
    {"events", NULL, "the single ledger rows, in place of sums by tenant, model and meter", 'e'},
    {0},
};

const struct command cmd_archive_write = {
    .name = "archive write",
    .summary = "move months that are closed for good out of the ledger, into compressed files with their proofs",
    .operands = "MONTH...",
    .operands_min = 1,
    .operands_max = -1,
    .options = write_options,
    .needs = NEEDS_DB,
    .example = "  tollbook archive write 2026-10 --folder /srv/archive",
    .run = write_month,
};

const struct command cmd_archive_list = {
    .name = "archive list",
    .summary = "list the months that are archived, their files, and where their rows are",
    .operands = "[MONTH]",
    .operands_max = 1,
    .options = folder_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook archive list\n  tollbook archive list 2026-10 --format json",
    .run = list,
};

const struct command cmd_archive_verify = {
    .name = "archive verify",
    .summary =
	"read archive files and compare all their rows with the proofs in the books; exit 7 where one is missing or differs",
    .operands = "[MONTH]",
    .operands_max = 1,
    .options = folder_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook archive verify\n  tollbook archive verify 2026-10 --folder /mnt/copy",
    .run = verify,
};

const struct command cmd_archive_query = {
    .name = "archive query",
    .summary = "sum up or list the usage in archive files; needs no database",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .options = query_options,
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook archive query usage-2026-10-*.tollbook.zst --tenant acme\n"
	       "  tollbook archive query usage-2026-10-*.tollbook.zst --tenant acme --id req-1 --events --format json",
    .run = query,
};

const struct command cmd_archive_attach = {
    .name = "archive attach",
    .summary = "bring the rows of an archived month back into the ledger, each batch proved",
    .operands = "MONTH",
    .operands_min = 1,
    .operands_max = 1,
    .options = folder_options,
    .needs = NEEDS_DB,
    .example = "  tollbook archive attach 2026-10\n  tollbook archive attach 2026-10 --folder /mnt/copy",
    .run = attach,
};

const struct command cmd_archive_detach = {
    .name = "archive detach",
    .summary = "let the rows of an attached month go again; its files must be there",
    .operands = "MONTH",
    .operands_min = 1,
    .operands_max = 1,
    .options = detach_options,
    .needs = NEEDS_DB,
    .example = "  tollbook archive detach 2026-10",
    .run = detach,
};

/* --- moving rows ------------------------------------------------------------------------------------ */

/* An absolute path, in the arena of the run. */
static bool
find_folder(struct run *run, const char *folder, const char **out, struct error *err)
{
	char *whole = realpath(folder, NULL);

	if (whole == NULL) {
		error_set(err, ERROR_INPUT, "there is no folder to write to: %s", strerror(errno));
		return error_at(err, folder, 0);
	}
	*out = arena_copy(&run->arena, whole, strlen(whole));
	free(whole);
	return true;
}

static bool
read_wait(const struct run *run, int64_t *wait, struct error *err)
{
	return option_number(run, "wait", 0, 86400, 60, wait, err);
}

static bool
write_month(struct run *run, struct error *err)
{
	const char *folder = option_value(run, "folder");
	int64_t wait;

	if (folder == NULL) {
		error_set(err, ERROR_USAGE, "archive write needs --folder");
		return error_hint(err, "The file takes the place of the rows: choose a disk that is backed up.");
	}
	for (int i = 0; i < run->operand_count; i++)
		if (!period_operand(run->operands[i], err))
			return false;
	if (!read_wait(run, &wait, err) || !distributed_refuse(run->db, "an archive", err) ||
	    !find_folder(run, folder, &folder, err))
		return false;
	for (int i = 0; i < run->operand_count; i++)
		if (!archive_write(run, run->operands[i], folder, wait, err))
			return false;
	return true;
}

static bool
attach(struct run *run, struct error *err)
{
	return period_operand(run->operands[0], err) && distributed_refuse(run->db, "an attached archive", err) &&
	    archive_attach(run, run->operands[0], option_value(run, "folder"), err);
}

static bool
detach(struct run *run, struct error *err)
{
	int64_t wait;

	return read_wait(run, &wait, err) && period_operand(run->operands[0], err) &&
	    archive_detach(run, run->operands[0], option_value(run, "folder"), wait, err);
}

/* --- looking at them -------------------------------------------------------------------------------- */

static bool
find_records(struct run *run, const struct archive_record **records, size_t *count, struct error *err)
{
	const char *month = run->operand_count == 0 ? "" : run->operands[0];

	return (month[0] == '\0' || period_operand(month, err)) && archive_records(run, month, ARCHIVE_ANY, records, count, err);
}

static void
add_record(struct table *table, const struct archive_record *record)
{
	table_row(table);
	table_cell(table, record->month);
	table_cell_format(table, "%lld", (long long)record->part);
	table_cell(table, record->attached ? "attached" : "archived");
	table_cell_format(table, "%lld", (long long)record->rows);
}

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"month", "month", COLUMN_TEXT}, {"part", "part", COLUMN_NUMBER},
	    {"state", "state", COLUMN_TEXT}, {"rows", "rows", COLUMN_NUMBER}, {"batches", "batches", COLUMN_NUMBER},
	    {"bytes", "bytes", COLUMN_NUMBER}, {"file", "file", COLUMN_TEXT}, {"folder", "folder", COLUMN_TEXT},
	    {"there", "there", COLUMN_TEXT}, {"sha256", "SHA-256", COLUMN_TEXT}, {"written_at", "written at", COLUMN_TEXT},
	    {"written_by", "by", COLUMN_TEXT}, {0}};
	const char *folder = option_value(run, "folder");
	const struct archive_record *records;
	struct table *table;
	size_t count;

	if (!find_records(run, &records, &count, err))
		return false;
	table = table_new(columns);
	for (size_t i = 0; i < count; i++) {
		const struct archive_record *record = &records[i];

		add_record(table, record);
		table_cell_format(table, "%lld", (long long)record->batches);
		table_cell_format(table, "%lld", (long long)record->bytes);
		table_cell(table, record->file);
		table_cell(table, folder == NULL ? record->folder : folder);
		table_cell(table, archive_is_there(archive_path(run, record, folder)) ? "yes" : "no");
		table_cell(table, record->digest);
		table_cell(table, record->written_at);
		table_cell(table, record->written_by);
	}
	table_print(table, run, "nothing is archived");
	table_free(table);
	return true;
}

/* Reads one; *why is NULL where all is as it was written.  What is wrong with a file is what is asked for, and no error. */
static bool
verify_one(struct run *run, const struct archive_record *record, const char *path, const char **why, struct error *err)
{
	const struct archive_row *row;
	struct archive_file *file;
	struct error wrong = {0};
	bool fine;

	*why = NULL;
	if (!archive_file_check(record, path, &wrong) || !archive_file_open(path, &file, &wrong)) {
		*why = arena_format(&run->arena, "%s", wrong.message);
		return true;
	}
	do
		fine = archive_file_next(file, &row, &wrong);
	while (fine && row != NULL);
	if (!fine)
		*why = arena_format(&run->arena, "%s", wrong.message);
	fine = !fine || archive_proofs_check(run, record, archive_file_totals(file), why, err);
	archive_file_close(file);
	return fine;
}

static bool
verify(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"month", "month", COLUMN_TEXT}, {"part", "part", COLUMN_NUMBER},
	    {"state", "state", COLUMN_TEXT}, {"rows", "rows", COLUMN_NUMBER}, {"file", "file", COLUMN_TEXT},
	    {"result", "result", COLUMN_TEXT}, {"difference", "difference", COLUMN_TEXT}, {0}};
	const char *folder = option_value(run, "folder");
	const struct archive_record *records;
	struct table *table;
	size_t count;
	bool fine = true;

	if (!find_records(run, &records, &count, err))
		return false;
	table = table_new(columns);
	for (size_t i = 0; fine && i < count; i++) {
		const char *path = archive_path(run, &records[i], folder), *why = NULL;

		progress(run, "reading %s", path);
		fine = verify_one(run, &records[i], path, &why, err);
		add_record(table, &records[i]);
		table_cell(table, path);
		table_cell(table, why == NULL ? "ok" : "DIFFERENT");
		table_cell(table, why);
		if (why != NULL)
			run->finding = ERROR_FINDINGS;
	}
	progress_end(run);
	if (fine)
		table_print(table, run, "nothing is archived");
	table_free(table);
	return fine;
}

static bool
query(struct run *run, struct error *err)
{
	const char *from = option_value(run, "from"), *to = option_value(run, "to");
	struct archive_query asked = {.tenant = option_text(run, "tenant"),
	    .model = option_text(run, "model"),
	    .id = option_text(run, "id"),
	    .has_from = from != NULL,
	    .has_to = to != NULL,
	    .events = option_value(run, "events") != NULL};

	if (from != NULL && !instant_option(from, &asked.from, err))
		return error_wrap(err, "--from");
	if (to != NULL && !instant_option(to, &asked.to, err))
		return error_wrap(err, "--to");
	return archive_query(run, &asked, run->operands, (size_t)run->operand_count, err);
}
