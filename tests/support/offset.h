/* offset.h -- how far a zone's clock is ahead of UTC at an instant, found by comparing the two clocks. */
#ifndef TESTS_SUPPORT_OFFSET_H
#define TESTS_SUPPORT_OFFSET_H

#include "base/zone.h"

/* Minutes; negative west of UTC. */
static int
offset_minutes(const struct zone *zone, struct instant at)
{
	struct civil local = zone_civil(zone, at), utc = zone_civil(zone_find("UTC"), at);
	int64_t days = days_from_date(local.year, local.month, local.day) - days_from_date(utc.year, utc.month, utc.day);

	return (int)days * 1440 + local.minute - utc.minute;
}

#endif
