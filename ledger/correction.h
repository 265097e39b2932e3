/*
 * correction.h -- corrections and voids: which earlier row they take back.
 */
#ifndef LEDGER_CORRECTION_H
#define LEDGER_CORRECTION_H

#include "base/db.h"
#include "ledger/usage_key.h"

/* A ledger row as it is stored, enough to negate it. */
struct booked {
	struct instant time;
	int32_t series;
	int64_t context_input_tokens;     /* -1: unknown */
	const struct metered *quantities; /* in the arena of the batch */
	size_t quantity_count;
	struct bytes context; /* in that arena, or of a record of the batch; may be empty */
};

/* What a correction or void of this batch takes back. */
struct reversal {
	const struct admitted *by;
	struct booked original;
};

struct reversals {
	struct reversal *items;
	size_t count;
	bool overtaken; /* another process booked one of these corrections since the keys were probed: probe again */
};

/* For every new correction and void in `keys` (sorted by identity): finds the row it names, in this batch or in the ledger, and
 * claims it, once for ever, in metering.usage_correction.  Those that name nothing get E_REF_UNKNOWN, second ones E_REF_FORK, and
 * ADMISSION_REFUSED.  `keys` must have been probed.  The result lives in the arena. */
MUST_CHECK
bool corrections_resolve(struct db *db, struct admitted *keys, size_t count, int64_t batch_id, struct arena *arena,
    struct reversals *out, struct error *err);

#endif
