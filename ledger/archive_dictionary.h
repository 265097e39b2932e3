/*
 * archive_dictionary.h -- what the numbers in archived rows stand for: series, and the producers that events came from.
 */
#ifndef LEDGER_ARCHIVE_DICTIONARY_H
#define LEDGER_ARCHIVE_DICTIONARY_H

#include "base/digest.h"
#include "base/memory.h"
#include "ledger/series.h"

/* Under which names files have the fields of a series: those of the columns of metering.usage_series. */
extern const char *const archive_series_names[SERIES_FIELDS];

/* What the numbers in rows stand for; each list in rising order of numbers. */
struct archive_dictionary {
	struct archive_series {
		int32_t number;
		struct bytes field[SERIES_FIELDS];
	} * series;
	size_t series_count, series_room;
	struct archive_source {
		int32_t number;
		struct bytes name;
	} * sources;
	size_t source_count, source_room;
	struct arena arena; /* the texts */
};

/* Adds one, whose number is greater than those before; the texts are copied.  False where it is not greater. */
MUST_CHECK
bool archive_dictionary_series(struct archive_dictionary *dictionary, int32_t number, const struct bytes field[SERIES_FIELDS]);
MUST_CHECK
bool archive_dictionary_source(struct archive_dictionary *dictionary, int32_t number, struct bytes name);
/* NULL where it is not there. */
const struct archive_series *archive_series_find(const struct archive_dictionary *dictionary, int32_t number);
const struct archive_source *archive_source_find(const struct archive_dictionary *dictionary, int32_t number);
void archive_dictionary_release(struct archive_dictionary *dictionary);
/* The identity that an event has by its tenant, its source and its id. */
struct id128 archive_identity(const struct archive_series *series, const struct archive_source *source, struct bytes id);

#endif
