/*
 * ledger_memory.h -- what the writers of one process share, so that the second file of many finds what the first one learned: numbers
 * of series and sources, identities booked lately, filters of the dedupe register.
 *
 * It holds for one database, and for one thread at a time.  A transaction that made series and is rolled back makes it wrong: a writer
 * that books inside of a transaction of its caller has one of its own.
 */
#ifndef LEDGER_LEDGER_MEMORY_H
#define LEDGER_LEDGER_MEMORY_H

#include "ledger/register.h"
#include "ledger/series.h"

struct ledger_memory {
	struct series_cache *series;
	struct recent_keys *recent;
	struct usage_register *reg;
};

/* `filter_mib`: how much memory the register's filters may take, in MiB; the setting register.filter_mib. */
struct ledger_memory *ledger_memory_new(int64_t filter_mib);
void ledger_memory_free(struct ledger_memory *memory);

#endif
