/* meter.c -- see meter.h. */
#include "ledger/meter.h"

#include <string.h>

static const struct meter meters[METER_LIMIT] = {
#define METER(id, name, side, decimals, stored_in) [id] = {id, #name, sizeof(#name) - 1, METER_SIDE_##side, decimals},
#include "ledger/meters.def"
#undef METER
};

const struct meter *
meter_find(const char *name, size_t length)
{
	for (int id = 1; id < METER_LIMIT; id++)
		if (meters[id].name_length == length && memcmp(meters[id].name, name, length) == 0)
			return &meters[id];
	return NULL;
}

const struct meter *
meter_of(int id)
{
	must(id > 0 && id < METER_LIMIT);
	return &meters[id];
}

i128
meter_scale(const struct meter *meter)
{
	i128 scale = 1;

	for (int i = 0; i < meter->decimals; i++)
		scale *= 10;
	return scale;
}

const char *
meter_format(const struct meter *meter, i128 quantity, char out[DECIMAL_TEXT])
{
	struct error err;
	struct decimal value;
	i128 e18;

	if (meter->decimals == 0)
		return integer_format(quantity, out);
	/* 10^9 billionths a unit, 10^18 in a decimal: beyond 1.7e29 billionths only the bare number is left. */
	if (__builtin_mul_overflow(quantity, meter_scale(meter), &e18))
		return integer_format(quantity, out);
	value.e18 = e18;
	must(decimal_round(value, meter->decimals, ROUND_DOWN, &value, &err));
	return decimal_format(value, out);
}
