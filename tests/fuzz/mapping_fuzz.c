/*
 * mapping_fuzz.c -- any bytes as a mapping, up to the first NUL, and behind it as rows of CSV.
 */
#include <string.h>

#include "ingest/mapping.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

static void
check_record(const struct record *record)
{
	const struct usage_event *event = &record->event;

	must(record->field != NULL && record->value.length <= 128);
	if (record->reason != REASON_NONE)
		return;
	must(event->kind == EVENT_USAGE && event->quantity_count > 0);
	must(key_check(event->source) == REASON_NONE && key_check(event->id) == REASON_NONE);
	must(key_check(event->series[SERIES_TENANT]) == REASON_NONE);
	for (size_t i = 0; i < event->quantity_count; i++) {
		must(event->quantities[i].quantity >= 0);
		must(i == 0 || event->quantities[i - 1].meter < event->quantities[i].meter);
	}
}

/* Each line as a row, by the mapping and by what it is when written down: both must say the same. */
static void
read_rows(struct mapping *mapping, const char *rows, size_t length)
{
	struct event_rules rules = event_rules_default((struct instant){INT64_C(1793836800000000)});
	struct arena arena = {0};
	struct mapping again;
	struct error err;
	const char *text = mapping_format(mapping, &arena);

	must(mapping_parse(text, strlen(text), "again", &again, &err));
	while (length > 0) {
		const char *end = memchr(rows, '\n', length);
		size_t line = end == NULL ? length : (size_t)(end - rows);
		struct record first, second;

		mapping_row_parse(mapping, &rules, rows, line, &arena, &first);
		mapping_row_parse(&again, &rules, rows, line, &arena, &second);
		check_record(&first);
		must(first.reason == second.reason);
		must(memcmp(&first.event.content, &second.event.content, sizeof first.event.content) == 0);
		length -= end == NULL ? line : line + 1;
		rows += end == NULL ? line : line + 1;
	}
	mapping_release(&again);
	arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	const char *json = (const char *)input, *split = size == 0 ? NULL : memchr(json, '\0', size);
	size_t length = split == NULL ? size : (size_t)(split - json);
	const char *rows = split == NULL ? "" : split + 1;
	size_t rows_length = split == NULL ? 0 : size - length - 1;
	struct mapping mapping;
	struct error err;

	if (!mapping_parse(json, length, "fuzz", &mapping, &err))
		return 0;
	if (mapping.header) {
		struct csv_row *header = csv_row_new(mapping.delimiter);
		const char *end = memchr(rows, '\n', rows_length);
		size_t line = end == NULL ? rows_length : (size_t)(end - rows) + 1;

		csv_row_begin(header, &mapping.arena, NULL);
		if (csv_row_feed(header, rows, line) != CSV_ROW_WHOLE || !mapping_bind(&mapping, header, "fuzz", &err))
			rows = NULL;
		csv_row_free(header);
		rows_length -= line;
		rows = rows == NULL ? NULL : rows + line;
	}
	if (rows != NULL)
		read_rows(&mapping, rows, rows_length);
	mapping_release(&mapping);
	return 0;
}
