/*
 * metrics.h -- what is measured, in the text format of Prometheus (exposition format 0.0.4): for a file that the node exporter's
 * textfile collector reads.
 */
#ifndef BASE_METRICS_H
#define BASE_METRICS_H

#include "base/memory.h"

/* A label of a sample. */
struct metric_label {
	const char *name, *value;
};

/* The lines before the samples of a metric; `type` is "gauge" or "counter". */
void metric_begin(struct text *out, const char *name, const char *type, const char *help);
/* A sample; `value` is decimal text.  Labels are escaped. */
void metric_sample(struct text *out, const char *name, const struct metric_label *labels, size_t count, const char *value);

#endif
