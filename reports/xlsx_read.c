/*
 * xlsx_read.c -- see xlsx_read.h; the only file that knows libzip and expat.
 *
 * Quirks kept here: zip_fread() tells of a wrong checksum only at the end of a part, so parts are always read to
 * their end.  Expat hands text over in pieces, and goes on calling back after a handler gave up unless told to
 * stop; the handlers therefore look at `stopped` first.
 */
#include "reports/xlsx_read.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/memory.h"

enum { PIECE = 64 * 1024 };

struct sheet_part {
	const char *name, *relation, *part;
};

struct xlsx {
	zip_t *zip;
	const char *path;
	struct sheet_part sheet[XLSX_SHEETS_MAX];
	size_t sheets;
	const char **shared; /* by index */
	size_t shared_count, shared_capacity;
	struct arena arena;
};

/* One part on its way through expat. */
struct reading {
	struct xlsx *xlsx;
	XML_Parser parser;
	struct error *err;
	bool stopped;      /* with err set */
	struct text *into; /* where character data goes, or NULL */
	struct text value, formula;
	/* sheets */
	xlsx_cell_seen *seen;
	void *context;
	struct xlsx_cell cell;
	bool in_cell, shared_cell, has_value;
	int64_t last_row;
	int last_column;
};

static void
stop(struct reading *reading)
{
	reading->stopped = true;
	(void)XML_StopParser(reading->parser, XML_FALSE);
}

static void
stop_with(struct reading *reading, const char *what)
{
	error_set(reading->err, ERROR_INPUT, "%s", what);
	stop(reading);
}

static const char *
attribute(const char **attributes, const char *name)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static void
take_text(void *context, const XML_Char *bytes, int length)
{
	struct reading *reading = context;

	if (reading->stopped || reading->into == NULL)
		return;
	if (reading->into->length + (size_t)length > XLSX_CELL_BYTES_MAX)
		stop_with(reading, "a cell of the workbook is longer than the limit");
	else
		text_add(reading->into, bytes, (size_t)length);
}

static void
refuse_doctype(void *context, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id, int internal)
{
	(void)name, (void)system_id, (void)public_id, (void)internal;
	stop_with(context, "a part of the workbook declares a document type");
}

/* --- parts ----------------------------------------------------------------------------------- */

static bool
zip_trouble(zip_file_t *file, const char *part, struct error *err)
{
	return error_set(err, ERROR_INPUT, "part \"%s\" of the workbook is damaged: %s", part, zip_file_strerror(file));
}

static bool
xml_trouble(struct reading *reading, const char *part, struct error *err)
{
	if (reading->stopped)
		return false;
	return error_set(err, ERROR_INPUT, "part \"%s\" of the workbook is not whole XML: %s, line %llu", part,
	    XML_ErrorString(XML_GetErrorCode(reading->parser)), (unsigned long long)XML_GetCurrentLineNumber(reading->parser));
}

static bool
read_pieces(struct reading *reading, zip_file_t *file, const char *part, struct error *err)
{
	uint64_t total = 0;
	zip_int64_t got;

	do {
		void *buffer = XML_GetBuffer(reading->parser, PIECE);

		if (buffer == NULL)
			return xml_trouble(reading, part, err);
		got = zip_fread(file, buffer, PIECE);
		if (got < 0)
			return zip_trouble(file, part, err);
		total += (uint64_t)got;
		if (total > XLSX_PART_BYTES_MAX)
			return error_set(err, ERROR_RANGE, "part \"%s\" of the workbook is larger than the limit", part);
		if (XML_ParseBuffer(reading->parser, (int)got, got == 0) != XML_STATUS_OK || reading->stopped)
			return xml_trouble(reading, part, err);
	} while (got > 0);
	return true;
}

static bool
read_part(struct reading *reading, const char *part, XML_StartElementHandler start, XML_EndElementHandler end, struct error *err)
{
	zip_file_t *file = zip_fopen(reading->xlsx->zip, part, 0);
	bool fine;

	if (file == NULL)
		return error_set(
		    err, ERROR_INPUT, "part \"%s\" of the workbook cannot be read: %s", part, zip_strerror(reading->xlsx->zip));
	reading->parser = XML_ParserCreate("UTF-8");
	reading->err = err;
	must(reading->parser != NULL);
	XML_SetUserData(reading->parser, reading);
	XML_SetElementHandler(reading->parser, start, end);
	XML_SetCharacterDataHandler(reading->parser, take_text);
	XML_SetStartDoctypeDeclHandler(reading->parser, refuse_doctype);
	fine = read_pieces(reading, file, part, err);
	XML_ParserFree(reading->parser);
	text_release(&reading->value);
	text_release(&reading->formula);
	if (zip_fclose(file) != 0 && fine)
		fine = error_set(err, ERROR_INPUT, "part \"%s\" of the workbook is damaged", part);
	return fine;
}

static bool
is_sheet(const struct xlsx *xlsx, const char *part)
{
	for (size_t i = 0; i < xlsx->sheets; i++)
		if (xlsx->sheet[i].part != NULL && strcmp(xlsx->sheet[i].part, part) == 0)
			return true;
	return false;
}

bool
xlsx_check_parts(struct xlsx *xlsx, struct error *err)
{
	zip_int64_t count = zip_get_num_entries(xlsx->zip, 0);

	if (count < 0 || count > XLSX_PARTS_MAX)
		return error_set(err, ERROR_INPUT, "the workbook has more parts than the limit");
	for (zip_uint64_t i = 0; i < (zip_uint64_t)count; i++) {
		struct reading reading = {.xlsx = xlsx};
		const char *part = zip_get_name(xlsx->zip, i, 0);

		if (part == NULL)
			return error_set(err, ERROR_INPUT, "the workbook has a part without a name");
		if (!is_sheet(xlsx, part) && !read_part(&reading, part, NULL, NULL, err))
			return false;
	}
	return true;
}

/* --- which sheets there are ------------------------------------------------------------------ */

static void
see_sheet(void *context, const XML_Char *element, const XML_Char **attributes)
{
	struct reading *reading = context;
	struct xlsx *xlsx = reading->xlsx;
	const char *name = attribute(attributes, "name"), *relation = attribute(attributes, "r:id");

	if (reading->stopped || strcmp(element, "sheet") != 0)
		return;
	if (name == NULL || relation == NULL || strlen(name) > XLSX_NAME_MAX || xlsx->sheets >= XLSX_SHEETS_MAX) {
		stop_with(reading, "the list of sheets is not usable");
		return;
	}
	xlsx->sheet[xlsx->sheets++] = (struct sheet_part){.name = arena_copy(&xlsx->arena, name, strlen(name)),
	    .relation = arena_copy(&xlsx->arena, relation, strlen(relation))};
}

static void
see_relation(void *context, const XML_Char *element, const XML_Char **attributes)
{
	struct reading *reading = context;
	struct xlsx *xlsx = reading->xlsx;
	const char *id = attribute(attributes, "Id"), *target = attribute(attributes, "Target");

	if (reading->stopped || strcmp(element, "Relationship") != 0 || id == NULL || target == NULL)
		return;
	if (strlen(target) > XLSX_NAME_MAX) {
		stop_with(reading, "a part's name is longer than the limit");
		return;
	}
	for (size_t i = 0; i < xlsx->sheets; i++)
		if (strcmp(xlsx->sheet[i].relation, id) == 0)
			xlsx->sheet[i].part = target[0] == '/' ? arena_copy(&xlsx->arena, target + 1, strlen(target) - 1)
							       : arena_format(&xlsx->arena, "xl/%s", target);
}

static void
begin_shared(void *context, const XML_Char *element, const XML_Char **attributes)
{
	struct reading *reading = context;

	(void)attributes;
	if (strcmp(element, "si") == 0)
		text_clear(&reading->value);
	else if (strcmp(element, "t") == 0)
		reading->into = &reading->value;
	else if (strcmp(element, "rPh") == 0)
		reading->in_cell = true; /* how to pronounce it: no part of the text */
	if (reading->in_cell)
		reading->into = NULL;
}

static void
end_shared(void *context, const XML_Char *element)
{
	struct reading *reading = context;
	struct xlsx *xlsx = reading->xlsx;

	reading->into = NULL;
	if (strcmp(element, "rPh") == 0)
		reading->in_cell = false;
	if (reading->stopped || strcmp(element, "si") != 0)
		return;
	if (xlsx->arena.bytes + reading->value.length > XLSX_SHARED_BYTES_MAX) {
		stop_with(reading, "the shared strings are larger than the limit");
		return;
	}
	xlsx->shared =
	    (const char **)memory_grow(xlsx->shared, &xlsx->shared_capacity, xlsx->shared_count + 1, sizeof *xlsx->shared);
	xlsx->shared[xlsx->shared_count++] = arena_copy(&xlsx->arena, text_string(&reading->value), reading->value.length);
}

static bool
read_index(struct xlsx *xlsx, struct error *err)
{
	struct reading sheets = {.xlsx = xlsx}, relations = {.xlsx = xlsx}, shared = {.xlsx = xlsx};

	if (!read_part(&sheets, "xl/workbook.xml", see_sheet, NULL, err) ||
	    !read_part(&relations, "xl/_rels/workbook.xml.rels", see_relation, NULL, err))
		return false;
	for (size_t i = 0; i < xlsx->sheets; i++)
		if (xlsx->sheet[i].part == NULL)
			return error_set(err, ERROR_INPUT, "sheet \"%s\" has no part in the workbook", xlsx->sheet[i].name);
	return zip_name_locate(xlsx->zip, "xl/sharedStrings.xml", 0) < 0 ||
	    read_part(&shared, "xl/sharedStrings.xml", begin_shared, end_shared, err);
}

bool
xlsx_open(const char *path, struct xlsx **out, struct error *err)
{
	struct xlsx *xlsx = memory_new(1, sizeof *xlsx);
	int code = 0;

	xlsx->path = arena_copy(&xlsx->arena, path, strlen(path));
	xlsx->zip = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code);
	if (xlsx->zip == NULL) {
		zip_error_t trouble;

		zip_error_init_with_code(&trouble, code);
		error_set(err, ERROR_INPUT, "the workbook cannot be opened: %s", zip_error_strerror(&trouble));
		zip_error_fini(&trouble);
	} else if (read_index(xlsx, err)) {
		*out = xlsx;
		return true;
	}
	error_at(err, path, 0);
	xlsx_close(xlsx);
	return false;
}

void
xlsx_close(struct xlsx *xlsx)
{
	if (xlsx == NULL)
		return;
	if (xlsx->zip != NULL)
		zip_discard(xlsx->zip);
	free(xlsx->shared);
	arena_release(&xlsx->arena);
	free(xlsx);
}

size_t
xlsx_sheet_count(const struct xlsx *xlsx)
{
	return xlsx->sheets;
}

const char *
xlsx_sheet_name(const struct xlsx *xlsx, size_t sheet)
{
	must(sheet < xlsx->sheets);
	return xlsx->sheet[sheet].name;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Reads "K17"; false where it is no cell of a spreadsheet. */
static bool
read_reference(const char *text, int64_t *row, int *column)
{
	*row = *column = 0;
	for (; *text >= 'A' && *text <= 'Z' && *column < 16384; text++)
		*column = *column * 26 + (*text - 'A' + 1);
	for (; *text >= '0' && *text <= '9' && *row < 1048577; text++)
		*row = *row * 10 + (*text - '0');
	--*row, --*column;
	return *text == '\0' && *row >= 0 && *row < 1048576 && *column >= 0 && *column < 16384;
}

static void
begin_cell(struct reading *reading, const char **attributes)
{
	const char *reference = attribute(attributes, "r"), *type = attribute(attributes, "t");
	struct xlsx_cell *cell = &reading->cell;

	*cell = (struct xlsx_cell){.kind = XLSX_NUMBER};
	if (reference == NULL || !read_reference(reference, &cell->row, &cell->column)) {
		stop_with(reading, "a cell without a usable place");
		return;
	}
	if (cell->row < reading->last_row || (cell->row == reading->last_row && cell->column <= reading->last_column)) {
		stop_with(reading, "cells are out of order");
		return;
	}
	reading->last_row = cell->row;
	reading->last_column = cell->column;
	reading->shared_cell = type != NULL && strcmp(type, "s") == 0;
	if (type != NULL && strcmp(type, "b") == 0)
		cell->kind = XLSX_BOOLEAN;
	else if (type != NULL && strcmp(type, "e") == 0)
		cell->kind = XLSX_FAULT;
	else if (type != NULL && strcmp(type, "n") != 0)
		cell->kind = XLSX_TEXT;
	reading->in_cell = true;
	reading->has_value = false;
	text_clear(&reading->value);
	text_clear(&reading->formula);
}

static void
begin_sheet_element(void *context, const XML_Char *element, const XML_Char **attributes)
{
	struct reading *reading = context;

	if (reading->stopped)
		return;
	if (strcmp(element, "c") == 0) {
		begin_cell(reading, attributes);
	} else if (reading->in_cell && (strcmp(element, "v") == 0 || strcmp(element, "t") == 0)) {
		reading->into = &reading->value;
		reading->has_value = true;
	} else if (reading->in_cell && strcmp(element, "f") == 0) {
		reading->into = &reading->formula;
	}
}

static int
hex_value(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* The code of an escape _xHHHH_ at the start of the text, or -1. */
static int
escape_code(const char *at)
{
	int code = 0;

	if (at[0] != '_' || at[1] != 'x')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_value(at[i]);

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return at[6] == '_' ? code : -1;
}

/* Undoes the escapes in place: UTF-8 of one code takes less room than its escape. */
static void
unescape(struct text *text)
{
	char *from = text->bytes, *to = text->bytes;

	while (*from != '\0') {
		int code = escape_code(from);

		if (code <= 0) {
			*to++ = *from++;
			continue;
		}
		from += 7;
		if (code >= 0x800)
			*to++ = (char)(0xe0 | code >> 12);
		if (code >= 0x80)
			*to++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
		*to++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
	}
	*to = '\0';
	text->length = (size_t)(to - text->bytes);
}

static bool
find_shared(struct reading *reading)
{
	char *end;
	unsigned long index = strtoul(text_string(&reading->value), &end, 10);

	if (*end != '\0' || end == reading->value.bytes || index >= reading->xlsx->shared_count) {
		stop_with(reading, "a cell names a shared string that is not there");
		return false;
	}
	text_clear(&reading->value);
	text_add_string(&reading->value, reading->xlsx->shared[index]);
	return true;
}

static void
end_cell(struct reading *reading)
{
	reading->in_cell = false;
	if (!reading->has_value && reading->formula.length == 0)
		return;
	if (reading->shared_cell && !find_shared(reading))
		return;
	(void)text_string(&reading->value);
	if (reading->cell.kind == XLSX_TEXT)
		unescape(&reading->value);
	reading->cell.value = text_string(&reading->value);
	reading->cell.formula = text_string(&reading->formula);
	if (!reading->seen(reading->context, &reading->cell, reading->err))
		stop(reading);
}

static void
end_sheet_element(void *context, const XML_Char *element)
{
	struct reading *reading = context;

	reading->into = NULL;
	if (!reading->stopped && reading->in_cell && strcmp(element, "c") == 0)
		end_cell(reading);
}

bool
xlsx_read_sheet(struct xlsx *xlsx, size_t sheet, xlsx_cell_seen *seen, void *context, struct error *err)
{
	struct reading reading = {.xlsx = xlsx, .seen = seen, .context = context, .last_row = -1};

	must(sheet < xlsx->sheets);
	if (read_part(&reading, xlsx->sheet[sheet].part, begin_sheet_element, end_sheet_element, err))
		return true;
	error_wrap(err, "sheet \"%s\"", xlsx->sheet[sheet].name);
	return error_at(err, xlsx->path, 0);
}
