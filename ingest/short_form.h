/*
 * short_form.h -- the short form's algebra: totals that include their parts, to meters that are disjoint.
 *
 * input_tokens includes the cached and the cache-written ones and output_tokens the reasoning ones, as in the usage block
 * that most APIs send.  A part above its total is refused, never cut to fit.
 */
#ifndef INGEST_SHORT_FORM_H
#define INGEST_SHORT_FORM_H

#include "ingest/event_draft.h"

enum short_field {
#define SHORT_FIELD(name, kind) SHORT_##name,
#include "ingest/short_fields.def"
#undef SHORT_FIELD
	SHORT_FIELDS
};

enum short_kind { SHORT_KIND_KEY, SHORT_KIND_TIME, SHORT_KIND_COUNT, SHORT_KIND_TEXT, SHORT_KIND_WORD };

/* The values of a record, by field; only those whose bit in `stated` is set. */
struct short_form {
	struct json_value values[SHORT_FIELDS];
	uint32_t stated;
};

extern const struct draft_names short_form_names;

/* SHORT_FIELDS where the short form has no such field. */
enum short_field short_field_find(struct bytes name);
const char *short_field_name(enum short_field field);
enum short_kind short_field_kind(enum short_field field);

/* Fills a draft begun with short_form_names.  Null and empty texts are not stated, a null count is E_COUNT_NULL.  With
 * `time_read` the caller has seen to the time. */
void short_form_fill(struct draft *draft, const struct short_form *form, bool time_read);

#endif
