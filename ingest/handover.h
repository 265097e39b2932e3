/*
 * handover.h -- batches between the thread that reads and the thread that books.
 *
 * Every batch is at each moment in one place: free, being filled, ready, or being booked.  The reading side touches no
 * database while a batch is ready or being booked; once handover_wait_idle() has returned true it may, until it hands over
 * the next one.
 */
#ifndef INGEST_HANDOVER_H
#define INGEST_HANDOVER_H

#include "ledger/batch.h"

struct handover;

struct handover *handover_new(void);
void handover_free(struct handover *handover);

/* The reading side. */

enum { WAIT_FOR_EVER = -1 };
/* A batch to fill, as it was when it was given back; NULL when none was given back in `wait_ms`, or the booking side has stopped. */
struct batch *handover_take_free(struct handover *handover, int wait_ms);
/* A batch to be booked. */
void handover_ready(struct handover *handover, struct batch *batch);
/* There will be no more batches; `err` says why where it is not the end of the input, or is NULL. */
void handover_end(struct handover *handover, const struct error *err);
/* Waits until all that was handed over is booked; false when the booking side has stopped. */
bool handover_wait_idle(struct handover *handover, int wait_ms);
bool handover_is_stopped(struct handover *handover);

/* The booking side. */

enum handover_state { HANDOVER_BATCH, HANDOVER_NOTHING, HANDOVER_ENDED };
enum handover_state handover_take_ready(struct handover *handover, int wait_ms, struct batch **out);
/* A batch that is booked. */
void handover_give_back(struct handover *handover, struct batch *batch);
/* No more batches are wanted. */
void handover_stop(struct handover *handover);
/* After HANDOVER_ENDED: false, with the error, where the reading side ended with one. */
MUST_CHECK
bool handover_result(const struct handover *handover, struct error *err);

#endif
