/*
 * pattern.h -- regular expressions (PCRE2) that cannot run away.
 *
 * Anchored at both ends, capped in length, with match, depth and heap limits.  Reaching a limit is an answer of its own: a
 * silent "no match" would let another rule price the usage.  This is the only file that knows PCRE2.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/error.h"

enum { PATTERN_BYTES = 256, SUBJECT_BYTES = 1024 };

struct pattern;

enum pattern_answer { PATTERN_NO, PATTERN_YES, PATTERN_LIMIT };

/* Compiles; *position is where a faulty pattern is wrong.  Characters are bytes of UTF-8 text taken as code points. */
MUST_CHECK
bool pattern_compile(const char *text, size_t length, struct pattern **out, size_t *position, struct error *err);
enum pattern_answer pattern_match(const struct pattern *pattern, const char *subject, size_t length);
void pattern_free(struct pattern *pattern);

#endif
