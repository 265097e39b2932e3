/*
 * pattern.c -- see pattern.h.
 *
 * PCRE2's own limits are so high that they are none.  For an unanchored pattern the match limit would start again at every
 * place of the subject; anchored, it bounds the whole.  No JIT: it ignores the depth limit, and names are short.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include <pcre2.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 1000, HEAP_LIMIT_KIB = 1024, NESTING_LIMIT = 32 };

struct pattern {
	pcre2_code *code;
	pcre2_match_context *context;
};

static pcre2_compile_context *
limited_compile_context(void)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);

	must(context != NULL);
	must(pcre2_set_max_pattern_length(context, PATTERN_BYTES) == 0);
	must(pcre2_set_parens_nest_limit(context, NESTING_LIMIT) == 0);
	return context;
}

bool
pattern_compile(const char *text, size_t length, struct pattern **out, size_t *position, struct error *err)
{
	pcre2_compile_context *compile = limited_compile_context();
	struct pattern *pattern = memory_new(1, sizeof *pattern);
	int code;

	*position = 0;
	pattern->code = pcre2_compile((PCRE2_SPTR)text, length,
	    PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY, &code, position,
	    compile);
	pcre2_compile_context_free(compile);
	if (pattern->code == NULL) {
		PCRE2_UCHAR message[160];

		if (pcre2_get_error_message(code, message, sizeof message) < 0)
			message[0] = '\0';
		pattern_free(pattern);
		return error_set(err, ERROR_INPUT, "not a pattern: %s at character %zu", (const char *)message, *position + 1);
	}
	pattern->context = pcre2_match_context_create(NULL);
	must(pattern->context != NULL);
	must(pcre2_set_match_limit(pattern->context, MATCH_LIMIT) == 0);
	must(pcre2_set_depth_limit(pattern->context, DEPTH_LIMIT) == 0);
	must(pcre2_set_heap_limit(pattern->context, HEAP_LIMIT_KIB) == 0);
	*out = pattern;
	return true;
}

enum pattern_answer
pattern_match(const struct pattern *pattern, const char *subject, size_t length)
{
	pcre2_match_data *data;
	int result;

	if (length > SUBJECT_BYTES)
		return PATTERN_LIMIT;
	/* Its own for each call: a book is asked by several threads. */
	data = pcre2_match_data_create(1, NULL);
	must(data != NULL);
	result = pcre2_match(pattern->code, (PCRE2_SPTR)subject, length, 0, 0, data, pattern->context);
	pcre2_match_data_free(data);
	if (result >= 0)
		return PATTERN_YES;
	/* Any other error (a limit, bad UTF-8) is "cannot say", never "no". */
	return result == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_LIMIT;
}

void
pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_match_context_free(pattern->context);
	pcre2_code_free(pattern->code);
	free(pattern);
}
