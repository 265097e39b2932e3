/* price_findings.c -- see price_findings.h. */
#include "rating/price_findings.h"

#include <string.h>

static void
keep_first(struct price_findings *findings, size_t line, size_t column, const char *path, const char *text)
{
	error_set(&findings->first, ERROR_INPUT, "%s", text);
	error_at(&findings->first, findings->file, line);
	error_column(&findings->first, column);
	error_field(&findings->first, path, "", 0);
}

void
price_finding_tell(void *context, bool is_error, const char *path, const char *text)
{
	struct price_findings *findings = context;
	size_t line = 0, column = 0;
	bool found = path[0] != '\0' && price_place_of(&findings->places, path, &line, &column);

	if (findings->out == NULL && is_error && findings->errors == 0)
		keep_first(findings, found ? line : 0, found ? column : 0, path, text);
	if (findings->out != NULL) {
		fprintf(findings->out, "%s:", findings->file);
		if (found)
			fprintf(findings->out, "%zu:%zu:", line, column);
		fprintf(findings->out, " %s: %s%s%s\n", is_error ? "error" : "warning", path, path[0] == '\0' ? "" : ": ", text);
	}
	findings->errors += is_error;
	findings->warnings += !is_error;
}

bool
price_findings_refuse(const struct price_findings *findings, struct error *err)
{
	if (findings->errors == 0)
		return true;
	if (findings->out == NULL) {
		*err = findings->first;
		if (findings->errors > 1)
			error_detail(err, "It is the first of %d errors.", findings->errors);
		return error_hint(err, "tollbook prices check tells them all; docs/price-books.md is the language.");
	}
	error_set(err, ERROR_INPUT, "the price book has %d errors", findings->errors);
	error_at(err, findings->file, 0);
	return error_hint(err, "Each is told above, with the path of the rule; docs/price-books.md is the language.");
}
