/*
 * night_sources.h -- new usage from the sources that are configured: each [source NAME] of kind kafka or files.
 *
 * What a night will take of a source is pinned in units of the step "ingest" before anything is taken of it.  A resumed run takes the
 * same, leaves out what is done, and leaves the rows that an undisturbed run leaves.
 */
#ifndef NIGHTLY_NIGHT_SOURCES_H
#define NIGHTLY_NIGHT_SOURCES_H

#include "base/config.h"
#include "ingest/intake.h"
#include "nightly/night.h"

/* The usage format that a source names, for profile_free(); *out is NULL where it names none.  False where there is no such
 * format, its description is wrong, or the source has a mapping, too. */
MUST_CHECK
bool source_profile(const struct config *config, const char *source, struct profile **out, struct error *err);

/* What is late or in the future is told by this: of a night that was missed by its instant, as it would have been told then. */
static inline struct instant
night_reading_time(const struct night *night)
{
	return night->caught_up ? night->run->now : night->read_at;
}

/* All that the night takes of one source; `memory` is what its sources share.  *sum, which is empty before, is what became of its records in this night, in all attempts
 * together; `waiting` is not used.  An error of kind AWAY or BUSY (others read the topic, the lock is lost) lets the night go on later. */
MUST_CHECK
bool night_kafka(
    struct night *night, const char *source, struct ledger_memory *memory, struct intake_result *sum, struct error *err);
MUST_CHECK
bool night_files(
    struct night *night, const char *source, struct ledger_memory *memory, struct intake_result *sum, struct error *err);
/* Pins the files of all sources of this kind, where a run has not done so: before anything is taken of any source.  Again, it does nothing. */
MUST_CHECK
bool night_files_plan(struct night *night, struct error *err);
/* The same for topics.  Two sources that are one topic are an error of kind USAGE. */
MUST_CHECK
bool night_kafka_plan(struct night *night, struct error *err);

#endif
