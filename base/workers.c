/* workers.c -- see workers.h. */
#include "base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

struct workers {
	pthread_t thread[WORKERS_MAX];
	size_t threads, count;
	atomic_size_t next;
	void (*work)(void *context, size_t place);
	void *context;
};

size_t
workers_default(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (size_t)processors;
}

static void *
work_on(void *context)
{
	struct workers *workers = context;

	for (size_t place; (place = atomic_fetch_add(&workers->next, 1)) < workers->count;)
		workers->work(workers->context, place);
	return NULL;
}

struct workers *
workers_begin(size_t threads, size_t count, void (*work)(void *context, size_t place), void *context)
{
	struct workers *workers = memory_new(1, sizeof *workers);

	workers->count = count;
	workers->work = work;
	workers->context = context;
	while (workers->threads < threads && workers->threads < count && workers->threads < WORKERS_MAX) {
		if (pthread_create(&workers->thread[workers->threads], NULL, work_on, workers) != 0)
			break;
		workers->threads++;
	}
	return workers;
}

void
workers_end(struct workers *workers)
{
	if (workers == NULL)
		return;
	/* Helps with what is left; does all of it where no thread could be made. */
	(void)work_on(workers);
	for (size_t i = 0; i < workers->threads; i++)
		must(pthread_join(workers->thread[i], NULL) == 0);
	free(workers);
}
