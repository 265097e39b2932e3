/* intake.c -- see intake.h. */
#include "ingest/intake.h"

#include <pthread.h>
#include <string.h>

enum { BATCHES = 3 };

/* Every batch is at each moment in one place: free, being filled, ready, or being booked. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct batch *free[BATCHES], *ready[BATCHES];
	size_t free_count, ready_count;
	bool ended;   /* the reader will bring no more; *failed says whether by an error */
	bool stopped; /* the booking side wants no more */
	bool failed;
	struct error err;
};

struct reading {
	struct queue queue;
	struct reader *reader;
	struct intake_limits limits;
};

static void
queue_init(struct queue *queue, struct batch *batches)
{
	*queue = (struct queue){.free_count = BATCHES};
	must(pthread_mutex_init(&queue->lock, NULL) == 0);
	must(pthread_cond_init(&queue->changed, NULL) == 0);
	for (size_t i = 0; i < BATCHES; i++)
		queue->free[i] = &batches[i];
}

static struct batch *
pop(struct batch **list, size_t *count)
{
	struct batch *first = list[0];

	(*count)--;
	memmove(list, list + 1, *count * sizeof *list);
	return first;
}

/* A batch to fill, or NULL when the booking side has stopped. */
static struct batch *
take_free(struct queue *queue)
{
	struct batch *batch = NULL;

	must(pthread_mutex_lock(&queue->lock) == 0);
	while (queue->free_count == 0 && !queue->stopped)
		must(pthread_cond_wait(&queue->changed, &queue->lock) == 0);
	if (!queue->stopped)
		batch = pop(queue->free, &queue->free_count);
	must(pthread_mutex_unlock(&queue->lock) == 0);
	return batch;
}

/* A batch to book, or NULL at the end. */
static struct batch *
take_ready(struct queue *queue)
{
	struct batch *batch = NULL;

	must(pthread_mutex_lock(&queue->lock) == 0);
	while (queue->ready_count == 0 && !queue->ended)
		must(pthread_cond_wait(&queue->changed, &queue->lock) == 0);
	if (queue->ready_count > 0)
		batch = pop(queue->ready, &queue->ready_count);
	must(pthread_mutex_unlock(&queue->lock) == 0);
	return batch;
}

static void
put(struct queue *queue, struct batch **list, size_t *count, struct batch *batch)
{
	must(pthread_mutex_lock(&queue->lock) == 0);
	must(*count < BATCHES);
	list[(*count)++] = batch;
	must(pthread_cond_broadcast(&queue->changed) == 0);
	must(pthread_mutex_unlock(&queue->lock) == 0);
}

static void
end(struct queue *queue, const struct error *err)
{
	must(pthread_mutex_lock(&queue->lock) == 0);
	queue->ended = true;
	if (err != NULL) {
		queue->failed = true;
		queue->err = *err;
	}
	must(pthread_cond_broadcast(&queue->changed) == 0);
	must(pthread_mutex_unlock(&queue->lock) == 0);
}

static void
stop(struct queue *queue)
{
	must(pthread_mutex_lock(&queue->lock) == 0);
	queue->stopped = true;
	must(pthread_cond_broadcast(&queue->changed) == 0);
	must(pthread_mutex_unlock(&queue->lock) == 0);
}

/* Fills until a limit or the end. */
static bool
fill(struct reading *reading, struct batch *batch, bool *at_end, struct error *err)
{
	batch_reset(batch);
	while (batch->count < reading->limits.records && batch->arena.bytes < reading->limits.bytes) {
		struct record *record = batch_add(batch);

		if (!reader_next(reading->reader, &batch->arena, record, at_end, err)) {
			batch->count--;
			return false;
		}
		if (*at_end) {
			batch->count--;
			break;
		}
		batch->next_position = reader_position(reading->reader);
		batch->format = reader_format(reading->reader);
	}
	return true;
}

static void *
read_all(void *context)
{
	struct reading *reading = context;
	struct queue *queue = &reading->queue;
	struct error err = {0};
	struct batch *batch;
	bool at_end = false, fine = true;

	while (fine && !at_end && (batch = take_free(queue)) != NULL) {
		fine = fill(reading, batch, &at_end, &err);
		batch_close(batch);
		/* What was read before a failure is whole records, and counts. */
		if (batch->count > 0)
			put(queue, queue->ready, &queue->ready_count, batch);
	}
	end(queue, fine ? NULL : &err);
	return NULL;
}

/* The fate of records that only a reader has seen. */
static void
count_parsed(struct batch *batch, struct batch_counts *counts)
{
	*counts = (struct batch_counts){.records = (int64_t)batch->count};
	for (size_t i = 0; i < batch->count; i++) {
		struct record *record = &batch->records[i];

		record->outcome = record->reason == REASON_NONE ? OUTCOME_ACCEPTED : reason_outcome(record->reason);
		counts->accepted += record->outcome == OUTCOME_ACCEPTED;
		counts->ignored += record->outcome == OUTCOME_IGNORED;
		counts->quarantined += record->outcome == OUTCOME_QUARANTINED;
		counts->rejected += record->outcome == OUTCOME_REJECTED;
	}
}

static void
add_counts(struct intake_result *result, const struct batch *batch, const struct batch_counts *counts)
{
	struct batch_counts *sum = &result->counts;

	sum->records += counts->records;
	sum->accepted += counts->accepted;
	sum->duplicates += counts->duplicates;
	sum->restamped += counts->restamped;
	sum->ignored += counts->ignored;
	sum->quarantined += counts->quarantined;
	sum->rejected += counts->rejected;
	sum->set_aside_before += counts->set_aside_before;
	sum->ledger_rows += counts->ledger_rows;
	result->batches++;
	for (size_t i = 0; i < batch->count; i++)
		result->reasons[batch->records[i].reason]++;
}

static bool
book_all(struct run *run, struct queue *queue, struct ledger_writer *writer, intake_watch *watch, void *context,
    struct intake_result *result, struct error *err)
{
	struct batch *batch;

	while ((batch = take_ready(queue)) != NULL) {
		struct batch_counts counts;
		int64_t batch_id;

		if (run->dry_run)
			count_parsed(batch, &counts);
		else if (!batch_append(writer, batch, run->now, &counts, &batch_id, err))
			return false;
		add_counts(result, batch, &counts);
		if (watch != NULL && !watch(context, batch, err))
			return false;
		progress(
		    run, "%lld records, %lld accepted", (long long)result->counts.records, (long long)result->counts.accepted);
		put(queue, queue->free, &queue->free_count, batch);
	}
	if (queue->failed) {
		*err = queue->err;
		return false;
	}
	return true;
}

bool
intake_file(struct run *run, const char *path, const struct reader_options *options, struct intake_limits limits,
    intake_watch *watch, void *context, struct intake_result *result, struct error *err)
{
	struct reading reading = {.limits = limits};
	struct batch batches[BATCHES] = {0};
	struct ledger_writer writer = {0};
	pthread_t thread;
	bool fine;

	*result = (struct intake_result){0};
	if (!reader_open(path, options, &reading.reader, err))
		return false;
	if (!run->dry_run && !ledger_writer_open(&writer, run->db, "file", path, run->now, run->by, err)) {
		reader_close(reading.reader);
		return false;
	}
	queue_init(&reading.queue, batches);
	must(pthread_create(&thread, NULL, read_all, &reading) == 0);
	fine = book_all(run, &reading.queue, &writer, watch, context, result, err);
	progress_end(run);
	stop(&reading.queue);
	must(pthread_join(thread, NULL) == 0);
	result->waiting = reader_waiting(reading.reader);
	if (fine && !run->dry_run)
		fine = ledger_writer_finish(&writer, run->now, err);
	reader_close(reading.reader);
	for (size_t i = 0; i < BATCHES; i++)
		batch_release(&batches[i]);
	ledger_writer_release(&writer);
	must(pthread_cond_destroy(&reading.queue.changed) == 0);
	must(pthread_mutex_destroy(&reading.queue.lock) == 0);
	return fine;
}
