/*
 * spend.h -- what each tenant has spent so far, for whoever enforces quotas and budgets: a message for each, to a Kafka topic.
 *
 * docs/formats.md says what is in a message.  Its time is run->now; two of the same books and the same time are the same bytes.
 */
#ifndef REPORTS_SPEND_H
#define REPORTS_SPEND_H

#include "base/kafka.h"

struct spend_result {
	size_t published;     /* tenants */
	int waiting_count;    /* tenants that are not: their periods wait to be rated */
	struct text waiting;  /* their names, as members of a JSON array, in the order of their bytes */
	int64_t rating_run;   /* up to which the figures are true */
	int64_t batches;      /* that are in them */
	int64_t batches_left; /* that no rating run has summed yet */
};

/* Sends the messages and waits until the brokers have them.  `period` (YYYY-MM) is told too, be it invoiced; "": none.  Books that
 * do not agree, and a topic that is not compacted, are errors of kind STATE; another one who publishes to the topic of kind BUSY; after
 * one of kind AWAY some tenants may have their new figure.  *result is for spend_result_release(), whatever is returned. */
MUST_CHECK
bool spend_publish(struct run *run, const struct kafka_settings *kafka, const char *topic, const char *period,
    struct spend_result *result, struct error *err);
/* Writes the messages to standard output instead, one a line. */
MUST_CHECK
bool spend_print(struct run *run, const char *period, struct spend_result *result, struct error *err);
void spend_result_release(struct spend_result *result);

#endif
