/* workbook_file.c -- see workbook_file.h. */
#include "reports/workbook_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "reports/xlsx_read.h"

/* What a cell is to hold, as it stands in the record.  Behind it come the number, where its kind has one, and the
 * texts.  Without gaps: a record of a million rows is a large file. */
struct meant {
	uint32_t row, text_length, formula_length;
	uint16_t column;
	uint8_t sheet, kind;
};
_Static_assert(XLSX_SHEETS_MAX - 1 <= UINT8_MAX && XLSX_COLUMNS - 1 <= UINT16_MAX, "a place fits struct meant");

struct workbook_file {
	struct xlsx_output *output;
	FILE *record;
	struct text target, parent, folder, path, record_path;
	const char *sheet_names[XLSX_SHEETS_MAX];
	size_t sheets;
	struct arena arena;
};

/* The comparison in progress: `next` is the first cell of the record not seen yet. */
struct proving {
	struct workbook_file *file;
	uint8_t sheet;
	struct meant next;
	i128 number;
	struct text text, formula;
	bool ended;
	struct workbook_proof *proof;
	int64_t last_row;
};

static bool
file_trouble(const struct workbook_file *file, const char *what, struct error *err)
{
	int code = errno;
	struct statvfs space;

	error_set(err, ERROR_AWAY, "%s: %s", what, strerror(code));
	error_at(err, file->target.bytes, 0);
	if (statvfs(file->parent.bytes, &space) == 0)
		error_detail(
		    err, "%llu MiB are free there.", (unsigned long long)(space.f_bavail * (space.f_frsize / 1024) / 1024));
	return error_hint(
	    err, "Name a file in a folder that can be written and has room for the workbook unpacked: about 3 KB a row.");
}

/* --- begin and end --------------------------------------------------------------------------- */

static void
name_parts(struct workbook_file *file, const char *target)
{
	const char *slash = strrchr(target, '/');

	text_add_string(&file->target, target);
	if (slash == NULL)
		text_add_string(&file->parent, ".");
	else
		text_add(&file->parent, target, slash == target ? 1 : (size_t)(slash - target));
	text_add_format(&file->folder, "%s/.tollbook-XXXXXX", file->parent.bytes);
}

static bool
refuse_folder(const struct workbook_file *file, struct error *err)
{
	struct stat found;

	if (stat(file->target.bytes, &found) != 0 || S_ISREG(found.st_mode))
		return true;
	error_set(err, ERROR_USAGE, "the workbook cannot take the place of what is there: it is no file");
	error_at(err, file->target.bytes, 0);
	return error_hint(err, "Name a file, for example %s/workbook.xlsx.", file->parent.bytes);
}

bool
workbook_file_open(const char *target, const char *title, struct instant created, struct workbook_file **out, struct error *err)
{
	struct workbook_file *file = memory_new(1, sizeof *file);
	struct xlsx_output_options options = {.title = title, .created = created};

	name_parts(file, target);
	if (!refuse_folder(file, err))
		goto failed;
	if (mkdtemp(file->folder.bytes) == NULL) {
		text_clear(&file->folder);
		file_trouble(file, "no workbook can be made there", err);
		goto failed;
	}
	text_add_format(&file->path, "%s/workbook.xlsx", file->folder.bytes);
	text_add_format(&file->record_path, "%s/record", file->folder.bytes);
	file->record = fopen(file->record_path.bytes, "w+xe");
	if (file->record == NULL) {
		file_trouble(file, "no workbook can be made there", err);
		goto failed;
	}
	options.path = file->path.bytes;
	options.folder = file->folder.bytes;
	if (!xlsx_output_open(&options, &file->output, err))
		goto failed;
	*out = file;
	return true;
failed:
	workbook_file_release(file);
	return false;
}

/* Removes the folder and what is in it: the two files, and what the library may have left. */
static void
remove_folder(struct workbook_file *file)
{
	DIR *folder = file->folder.length == 0 ? NULL : opendir(file->folder.bytes);
	const struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
	(void)closedir(folder);
	(void)rmdir(file->folder.bytes);
}

void
workbook_file_release(struct workbook_file *file)
{
	if (file == NULL)
		return;
	xlsx_output_discard(file->output);
	if (file->record != NULL)
		(void)fclose(file->record);
	remove_folder(file);
	text_release(&file->target);
	text_release(&file->parent);
	text_release(&file->folder);
	text_release(&file->path);
	text_release(&file->record_path);
	arena_release(&file->arena);
	free(file);
}

const char *
workbook_file_path(const struct workbook_file *file)
{
	return file->path.bytes;
}

/* --- writing --------------------------------------------------------------------------------- */

bool
workbook_file_sheet(struct workbook_file *file, const struct xlsx_sheet *sheet, struct error *err)
{
	must(file->sheets < XLSX_SHEETS_MAX);
	file->sheet_names[file->sheets++] = arena_copy(&file->arena, sheet->name, strlen(sheet->name));
	return xlsx_output_sheet(file->output, sheet, err);
}

static bool
has_number(enum cell_kind kind)
{
	return kind == CELL_NUMBER || kind == CELL_FORMULA_NUMBER;
}

static bool
record_cell(struct workbook_file *file, int64_t row, size_t column, const struct cell *cell)
{
	const char *text = cell->text == NULL ? "" : cell->text;
	const char *formula = cell->formula == NULL ? "" : cell->formula + 1; /* without its "=" */

	struct meant meant = {.row = (uint32_t)row,
	    .text_length = (uint32_t)strlen(text),
	    .formula_length = (uint32_t)strlen(formula),
	    .column = (uint16_t)column,
	    .sheet = (uint8_t)(file->sheets - 1),
	    .kind = (uint8_t)cell->kind};

	return fwrite(&meant, sizeof meant, 1, file->record) == 1 &&
	    (!has_number(cell->kind) || fwrite(&cell->number.e18, sizeof cell->number.e18, 1, file->record) == 1) &&
	    fwrite(text, 1, meant.text_length, file->record) == meant.text_length &&
	    fwrite(formula, 1, meant.formula_length, file->record) == meant.formula_length;
}

bool
workbook_file_row(struct workbook_file *file, const struct cell *cells, size_t count, struct error *err)
{
	int64_t row = xlsx_output_rows(file->output);

	if (!xlsx_output_row(file->output, cells, count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (cells[i].kind != CELL_EMPTY && !record_cell(file, row, i, &cells[i]))
			return file_trouble(file, "the record of the workbook's cells could not be written", err);
	return true;
}

bool
workbook_file_chart(struct workbook_file *file, const struct xlsx_chart *chart, struct error *err)
{
	return xlsx_output_chart(file->output, chart, err);
}

int64_t
workbook_file_rows(const struct workbook_file *file)
{
	return xlsx_output_rows(file->output);
}

static bool
sync_path(const struct workbook_file *file, const char *path, int flags, struct error *err)
{
	int fd = open(path, flags | O_CLOEXEC);
	bool fine = fd >= 0 && fsync(fd) == 0;

	if (!fine)
		file_trouble(file, "the workbook could not be written to the disk", err);
	if (fd >= 0 && close(fd) != 0 && fine)
		fine = file_trouble(file, "the workbook could not be written to the disk", err);
	return fine;
}

bool
workbook_file_write(struct workbook_file *file, struct error *err)
{
	struct xlsx_output *output = file->output;

	file->output = NULL;
	if (!xlsx_output_close(output, err))
		return error_at(err, file->target.bytes, 0);
	return sync_path(file, file->path.bytes, O_RDONLY, err);
}

bool
workbook_file_publish(struct workbook_file *file, struct error *err)
{
	if (rename(file->path.bytes, file->target.bytes) != 0)
		return file_trouble(file, "the finished workbook could not be put in its place", err);
	return sync_path(file, file->parent.bytes, O_RDONLY | O_DIRECTORY, err);
}

bool
workbook_file_finish(struct workbook_file *file, struct workbook_proof *proof, struct error *err)
{
	return workbook_file_write(file, err) && workbook_file_prove(file, proof, err) && workbook_file_publish(file, err);
}

/* --- reading back ---------------------------------------------------------------------------- */

static bool
load_text(FILE *record, struct text *text, size_t length)
{
	text_clear(text);
	text->bytes = memory_grow(text->bytes, &text->capacity, length + 1, 1);
	text->length = fread(text->bytes, 1, length, record);
	text->bytes[text->length] = '\0';
	return text->length == length;
}

/* Loads the next cell of the record. */
static bool
load_next(struct proving *proving, struct error *err)
{
	FILE *record = proving->file->record;
	size_t got = fread(&proving->next, 1, sizeof proving->next, record);

	if (got == 0 && feof(record) != 0) {
		proving->ended = true;
		return true;
	}
	proving->number = 0;
	if (got == sizeof proving->next &&
	    (!has_number(proving->next.kind) || fread(&proving->number, sizeof proving->number, 1, record) == 1) &&
	    load_text(record, &proving->text, proving->next.text_length) &&
	    load_text(record, &proving->formula, proving->next.formula_length))
		return true;
	errno = ferror(record) != 0 ? errno : EIO;
	return file_trouble(proving->file, "the record of the workbook's cells could not be read back", err);
}

static bool
refuse(const struct proving *proving, int64_t row, int column, const char *what, struct error *err)
{
	char name[CELL_NAME];

	error_set(
	    err, ERROR_AWAY, "the workbook read back is not what was written: cell %s %s", cell_name(row, column, name), what);
	return error_at(err, proving->file->target.bytes, 0);
}

static bool
same_number(i128 e18, const struct xlsx_cell *cell)
{
	struct error err;
	struct decimal number;

	return cell->kind == XLSX_NUMBER && cell_number_parse(cell->value, strlen(cell->value), &number, &err) &&
	    number.e18 == e18;
}

static bool
same_value(const struct proving *proving, const struct xlsx_cell *cell)
{
	if (strcmp(cell->formula, proving->formula.bytes) != 0)
		return false;
	if (has_number(proving->next.kind))
		return same_number(proving->number, cell);
	return cell->kind == XLSX_TEXT && strcmp(cell->value, proving->text.bytes) == 0;
}

static bool
compare_cell(void *context, const struct xlsx_cell *cell, struct error *err)
{
	struct proving *proving = context;
	const struct meant *meant = &proving->next;
	bool here = !proving->ended && meant->sheet == proving->sheet;
	char wanted[DECIMAL_TEXT];

	if (here && (meant->row < cell->row || (meant->row == cell->row && meant->column < cell->column)))
		return refuse(proving, meant->row, meant->column, "is missing", err);
	if (!here || meant->row != cell->row || meant->column != cell->column)
		return refuse(proving, cell->row, cell->column, "was never written", err);
	if (!same_value(proving, cell)) {
		refuse(proving, cell->row, cell->column, "differs", err);
		error_detail(err, "Written was \"%.200s\".",
		    proving->text.length > 0 ? proving->text.bytes : decimal_format((struct decimal){proving->number}, wanted));
		return error_field(err, "cell", cell->value, strlen(cell->value));
	}
	proving->proof->cells++;
	proving->proof->rows += cell->row != proving->last_row;
	proving->last_row = cell->row;
	return load_next(proving, err);
}

static bool
prove_sheet(struct proving *proving, struct xlsx *xlsx, size_t sheet, struct error *err)
{
	const char *name = proving->file->sheet_names[sheet];

	if (strcmp(xlsx_sheet_name(xlsx, sheet), name) != 0)
		return error_set(err, ERROR_AWAY, "the workbook read back has a sheet \"%s\" in place of \"%s\"",
		    xlsx_sheet_name(xlsx, sheet), name);
	proving->sheet = (uint8_t)sheet;
	proving->last_row = -1;
	if (!xlsx_read_sheet(xlsx, sheet, compare_cell, proving, err))
		return false;
	if (!proving->ended && proving->next.sheet == proving->sheet) {
		refuse(proving, proving->next.row, proving->next.column, "is missing", err);
		return error_wrap(err, "sheet \"%s\"", name);
	}
	proving->proof->sheets++;
	return true;
}

static bool
prove_sheets(struct proving *proving, struct xlsx *xlsx, struct error *err)
{
	if (xlsx_sheet_count(xlsx) != proving->file->sheets)
		return error_set(err, ERROR_AWAY, "the workbook read back has %zu sheets in place of %zu", xlsx_sheet_count(xlsx),
		    proving->file->sheets);
	if (!xlsx_check_parts(xlsx, err) || !load_next(proving, err))
		return false;
	for (size_t i = 0; i < proving->file->sheets; i++)
		if (!prove_sheet(proving, xlsx, i, err))
			return false;
	must(proving->ended);
	return true;
}

bool
workbook_file_prove(struct workbook_file *file, struct workbook_proof *proof, struct error *err)
{
	struct proving proving = {.file = file, .proof = proof};
	struct xlsx *xlsx;
	bool fine;

	*proof = (struct workbook_proof){0};
	if (fflush(file->record) != 0 || fseek(file->record, 0, SEEK_SET) != 0)
		return file_trouble(file, "the record of the workbook's cells could not be written", err);
	fine = xlsx_open(file->path.bytes, &xlsx, err);
	if (fine) {
		fine = prove_sheets(&proving, xlsx, err);
		xlsx_close(xlsx);
	}
	text_release(&proving.text);
	text_release(&proving.formula);
	if (fine)
		return true;
	/* The reader knows it as bad input; for the operator it is a file that the disk did not take. */
	err->kind = ERROR_AWAY;
	error_at(err, file->target.bytes, 0);
	return error_hint(err, "Nothing was put in place.  The disk may be full; make room and run again.");
}
