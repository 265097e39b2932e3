/*
 * workers.h -- a piece of work for each of many things, on several threads, while the caller does something else.
 */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stddef.h>

enum { WORKERS_MAX = 64 };

struct workers;

/* As many as the machine has processors, at most WORKERS_MAX. */
size_t workers_default(void);
/* Calls work(context, place) once for each place below `count`, on `threads` threads (at least 1), in no order that could be relied
 * on; fewer threads where the system has no more.  Ended with workers_end(). */
struct workers *workers_begin(size_t threads, size_t count, void (*work)(void *context, size_t place), void *context);
/* Waits until all is done; NULL is nothing. */
void workers_end(struct workers *workers);

#endif
