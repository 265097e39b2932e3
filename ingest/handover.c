/* handover.c -- see handover.h. */
#include "ingest/handover.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 2 };

struct handover {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct batch batches[BATCHES];
	struct batch *free[BATCHES], *ready[BATCHES];
	size_t free_count, ready_count;
	bool booking; /* one is being booked */
	bool ended;   /* the reading side will bring no more; `failed` says whether by an error */
	bool stopped; /* the booking side wants no more */
	bool failed;
	struct error err;
};

struct handover *
handover_new(void)
{
	struct handover *handover = memory_new(1, sizeof *handover);
	pthread_condattr_t monotonic;

	must(pthread_mutex_init(&handover->lock, NULL) == 0);
	must(pthread_condattr_init(&monotonic) == 0);
	must(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
	must(pthread_cond_init(&handover->changed, &monotonic) == 0);
	must(pthread_condattr_destroy(&monotonic) == 0);
	for (size_t i = 0; i < BATCHES; i++)
		handover->free[i] = &handover->batches[i];
	handover->free_count = BATCHES;
	return handover;
}

void
handover_free(struct handover *handover)
{
	for (size_t i = 0; i < BATCHES; i++)
		batch_release(&handover->batches[i]);
	must(pthread_cond_destroy(&handover->changed) == 0);
	must(pthread_mutex_destroy(&handover->lock) == 0);
	free(handover);
}

static void
lock(struct handover *handover)
{
	must(pthread_mutex_lock(&handover->lock) == 0);
}

static void
unlock(struct handover *handover)
{
	must(pthread_mutex_unlock(&handover->lock) == 0);
}

static void
unlock_changed(struct handover *handover)
{
	must(pthread_cond_broadcast(&handover->changed) == 0);
	unlock(handover);
}

static struct timespec
deadline_in(int wait_ms)
{
	struct timespec deadline;

	must(clock_gettime(CLOCK_MONOTONIC, &deadline) == 0);
	deadline.tv_sec += wait_ms / 1000;
	deadline.tv_nsec += wait_ms % 1000 * 1000000L;
	if (deadline.tv_nsec >= 1000000000) {
		deadline.tv_sec++;
		deadline.tv_nsec -= 1000000000;
	}
	return deadline;
}

/* Waits, with the lock held, for a change; false at the deadline. */
static bool
wait_change(struct handover *handover, int wait_ms, const struct timespec *deadline)
{
	int result = wait_ms == WAIT_FOR_EVER ? pthread_cond_wait(&handover->changed, &handover->lock)
					      : pthread_cond_timedwait(&handover->changed, &handover->lock, deadline);

	must(result == 0 || result == ETIMEDOUT);
	return result == 0;
}

static struct batch *
pop(struct batch **list, size_t *count)
{
	struct batch *first = list[0];

	(*count)--;
	memmove(list, list + 1, *count * sizeof(struct batch *));
	return first;
}

struct batch *
handover_take_free(struct handover *handover, int wait_ms)
{
	struct timespec deadline = deadline_in(wait_ms);
	struct batch *batch = NULL;

	lock(handover);
	while (handover->free_count == 0 && !handover->stopped && wait_change(handover, wait_ms, &deadline))
		continue;
	if (handover->free_count > 0 && !handover->stopped)
		batch = pop(handover->free, &handover->free_count);
	unlock(handover);
	return batch;
}

void
handover_ready(struct handover *handover, struct batch *batch)
{
	lock(handover);
	must(handover->ready_count < BATCHES);
	handover->ready[handover->ready_count++] = batch;
	unlock_changed(handover);
}

void
handover_end(struct handover *handover, const struct error *err)
{
	lock(handover);
	handover->ended = true;
	if (err != NULL) {
		handover->failed = true;
		handover->err = *err;
	}
	unlock_changed(handover);
}

bool
handover_wait_idle(struct handover *handover, int wait_ms)
{
	struct timespec deadline = deadline_in(wait_ms);
	bool idle;

	lock(handover);
	while (
	    (handover->ready_count > 0 || handover->booking) && !handover->stopped && wait_change(handover, wait_ms, &deadline))
		continue;
	idle = handover->ready_count == 0 && !handover->booking && !handover->stopped;
	unlock(handover);
	return idle;
}

bool
handover_is_stopped(struct handover *handover)
{
	bool stopped;

	lock(handover);
	stopped = handover->stopped;
	unlock(handover);
	return stopped;
}

enum handover_state
handover_take_ready(struct handover *handover, int wait_ms, struct batch **out)
{
	struct timespec deadline = deadline_in(wait_ms);
	enum handover_state state = HANDOVER_NOTHING;

	lock(handover);
	while (handover->ready_count == 0 && !handover->ended && wait_change(handover, wait_ms, &deadline))
		continue;
	if (handover->ready_count > 0) {
		*out = pop(handover->ready, &handover->ready_count);
		handover->booking = true;
		state = HANDOVER_BATCH;
	} else if (handover->ended) {
		state = HANDOVER_ENDED;
	}
	unlock(handover);
	return state;
}

void
handover_give_back(struct handover *handover, struct batch *batch)
{
	lock(handover);
	must(handover->free_count < BATCHES);
	handover->free[handover->free_count++] = batch;
	handover->booking = false;
	unlock_changed(handover);
}

void
handover_stop(struct handover *handover)
{
	lock(handover);
	handover->stopped = true;
	unlock_changed(handover);
}

bool
handover_result(const struct handover *handover, struct error *err)
{
	if (handover->failed)
		*err = handover->err;
	return !handover->failed;
}
