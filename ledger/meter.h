/*
 * meter.h -- the meter registry of meters.def, looked up by name or id.
 */
#ifndef LEDGER_METER_H
#define LEDGER_METER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decimal.h"

enum meter_id {
#define METER(id, name, side, decimals, stored_in) METER_##name = (id),
#include "ledger/meters.def"
#undef METER
	METER_LIMIT /* one more than the largest id */
};

/* Hot meters are ids 1 to METER_COLUMNS, each a column of metering.usage_event, in this order. */
enum { METER_COLUMNS = 7 };

enum meter_side { METER_SIDE_OTHER, METER_SIDE_INPUT, METER_SIDE_OUTPUT };

struct meter {
	int id;
	const char *name;
	size_t name_length;
	enum meter_side side;
	int decimals;
};

/* NULL where the name is not registered. */
const struct meter *meter_find(const char *name, size_t length);
/* `id` must be registered. */
const struct meter *meter_of(int id);
/* 10^decimals: how many stored units make one unit of the meter. */
i128 meter_scale(const struct meter *meter);
/* A stored quantity as a person reads it: "1500", or "1.25" for a meter with decimals. */
const char *meter_format(const struct meter *meter, i128 quantity, char out[DECIMAL_TEXT]);

#endif
