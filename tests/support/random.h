/*
 * random.h -- random numbers of properties: splitmix64.  The seed is printed; TOLLBOOK_SEED repeats a run.
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/instant.h"

static inline uint64_t
random_begin(void)
{
	const char *given = getenv("TOLLBOOK_SEED");
	uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)instant_now().us;

	printf("\n    random numbers from TOLLBOOK_SEED=%llu ", (unsigned long long)seed);
	return seed;
}

static inline uint64_t
random_next(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

#endif
