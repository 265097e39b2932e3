"""Where billing periods begin, by the zone data of Python: one line for each zone, anchor and month, ZONE<tab>ANCHOR<tab>YYYY-MM<tab>UNIX SECONDS.

usage: borders.py FIRST-YEAR LAST-YEAR ZONE...  (the month after the last year ends, too)
"""
import calendar
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo


def midnight(zone, year, month, day):
    """The first instant of a date; where midnight comes twice, the second one; where it is left out, the instant that the clock jumps at."""
    either = [datetime(year, month, day, tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1)]
    return int(max(either).timestamp())


def main():
    first, last = int(sys.argv[1]), int(sys.argv[2])
    months = [(year, month) for year in range(first, last + 1) for month in range(1, 13)] + [(last + 1, 1)]
    for name in sys.argv[3:]:
        zone = ZoneInfo(name)
        for year, month in months:
            days = calendar.monthrange(year, month)[1]
            begins = [midnight(zone, year, month, day) for day in range(1, days + 1)]
            for anchor in range(1, 32):
                print(name, anchor, f"{year}-{month:02}", begins[min(anchor, days) - 1], sep="\t")


main()
