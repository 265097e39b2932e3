/*
 * time_window.h -- named times of use, "weekdays from 16:30 to 00:30 in UTC"; docs/price-books.md is the language.
 *
 * A window is a union of spans, on the clock and calendar of its zone. Where the clock is changed, a span is as long as its clock
 * times make it: 01:00 to 03:00 lasts one hour in the night that has no 02:00, and three in the one that has it twice.
 */
#ifndef RATING_TIME_WINDOW_H
#define RATING_TIME_WINDOW_H

#include "base/document.h"
#include "base/instant.h"

enum { WINDOW_SPANS_MAX = 64 };

struct time_window;

/* Reads {"zone": "UTC", "spans": [{"days": ["mon"], "from": "16:30", "to": "00:30", "dates": ["2026-12-24", "2026-12-26"]}]}
 * that stands at `path`.  The window lives in the arena, with a copy of `name`, which the caller has checked.  `from` equal to
 * `to`, or neither of them, is the whole calendar day, 00:00 to 24:00. */
MUST_CHECK
bool time_window_read(const struct document *document, json_t *value, const char *path, const char *name, struct arena *arena,
    struct time_window **out);

const char *time_window_name(const struct time_window *window);

/* Whether any span holds the instant.  A span over midnight belongs to the day and date that it begins on. */
bool time_window_contains(const struct time_window *window, struct instant at);

/* "Mon-Fri 16:30-00:30 UTC"; spans are parted by semicolons.  Into the arena. */
const char *time_window_describe(const struct time_window *window, struct arena *arena);

#endif
