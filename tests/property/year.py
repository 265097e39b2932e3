#!/usr/bin/env python3
"""A year of contracts whose periods begin on any day of the month, in zones that are hard: what the nights must have made of it.

    year.py make --from YYYY-MM-DD --nights N --out FOLDER      FOLDER/prices.json, tenants.json, usage/usage-YYYY-MM-DD.ndjson
    year.py check --from YYYY-MM-DD --nights N --lines FILE --periods FILE

It shares nothing with the program: months are counted here, and where a day begins is what Python's zoneinfo says.  Each event is a model of its
own, so that the lines of invoices say which invoices it is on.  Files for check are CSV as psql writes it: tenant, period, starts, ends,
finalized_at, model of each line of a final period invoice; tenant, period, starts, ends of each period; times in UTC as YYYY-MM-DDTHH:MM:SSZ.
"""
import argparse
import bisect
import calendar
import csv
import json
import os
import random
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ANCHORS = [1, 15, 28, 29, 30, 31]
ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]
MICROSECOND = timedelta(microseconds=1)
GRACE = 24  # where the contract says none
NIGHT = 2   # o'clock, UTC


def shown(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class Tenant:
    def __init__(self, number, first, nights):
        self.anchor, zone = ANCHORS[number % 6], ZONES[number // 6]
        self.zone = ZoneInfo(zone)
        self.name = "%s-%02d" % (zone.split("/")[-1].lower(), self.anchor)
        self.grace = {0: 0, 1: 30}.get(number % 5)
        self.row = {"tenant": self.name, "name": self.name, "issuer": "TF", "currency": "USD", "zone": zone, "book": "book",
                    "anchor": self.anchor, "effective": (first - timedelta(days=40)).isoformat()}
        if self.grace is not None:
            self.row["grace_hours"] = self.grace
        # From two months before the first night to two behind the last.
        month, self.borders, self.names = (first - timedelta(days=62)).replace(day=1), [], []
        while month < first + timedelta(days=nights + 62):
            self.borders.append(self.border(month))
            self.names.append("%04d-%02d" % (month.year, month.month))
            month = date(month.year + month.month // 12, month.month % 12 + 1, 1)

    def border(self, month):
        day = min(self.anchor, calendar.monthrange(month.year, month.month)[1])
        return datetime(month.year, month.month, day, tzinfo=self.zone).astimezone(timezone.utc)

    def period(self, at):
        return bisect.bisect_right(self.borders, at) - 1

    def due(self, period):
        return self.borders[period + 1] + timedelta(hours=GRACE if self.grace is None else self.grace)

    def events(self, first, nights):
        """One a day, and three at each border that lies in these days."""
        rng = random.Random(self.name)
        begin, end = (datetime.combine(first + timedelta(days=days), datetime.min.time(), timezone.utc) for days in (0, nights - 1))
        times = {begin + timedelta(days=day, microseconds=rng.randrange(86400 * 10 ** 6)) for day in range(nights - 1)}
        for border in self.borders:
            times |= {at for at in (border - MICROSECOND, border, border + MICROSECOND) if begin <= at < end}
        return [(self.name + "@" + at.strftime("%Y%m%dT%H%M%S.%f"), at) for at in sorted(times)]


def first_night(at):
    night = at.replace(hour=NIGHT, minute=0, second=0, microsecond=0)
    return night if night >= at else night + timedelta(days=1)


def tenants(options):
    first = date.fromisoformat(options.first)
    return [Tenant(number, first, options.nights) for number in range(len(ANCHORS) * len(ZONES))], first


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(options):
    everybody, first = tenants(options)
    os.makedirs(os.path.join(options.out, "usage"), exist_ok=True)
    write(os.path.join(options.out, "prices.json"), json.dumps({
        "tollbook_prices": 1, "book": "book", "currency": "USD", "effective": "2020-01-01T00:00:00Z", "free": ["requests"],
        "fallback": {"output_reasoning_tokens": "output_text_tokens"},
        "rules": [{"name": "all", "model_pattern": ".*", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000},
                                                                    "output_text_tokens": {"price": "2", "per": 1000}}}]}))
    write(os.path.join(options.out, "tenants.json"),
          json.dumps({"issuers": [{"issuer": "TF", "name": "TF"}], "tenants": [tenant.row for tenant in everybody]}))
    days = {first + timedelta(days=day): [] for day in range(options.nights - 1)}
    for tenant in everybody:
        for key, at in tenant.events(first, options.nights):
            days[at.date()].append(json.dumps({"idempotency_key": key, "tenant": tenant.name, "model": key, "input_tokens": 1000, "output_tokens": 0,
                                               "time": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}))
    for day, lines in days.items():
        path = os.path.join(options.out, "usage", "usage-%s.ndjson" % day)
        write(path, "".join(line + "\n" for line in lines))
        came = int(datetime.combine(day, datetime.min.time(), timezone.utc).timestamp()) + 86400 + 1800
        os.utime(path, (came, came))


def check(options):
    everybody, first = tenants(options)
    last = datetime.combine(first + timedelta(days=options.nights - 1), datetime.min.time(), timezone.utc).replace(hour=NIGHT)
    found, faults, invoices, events = {}, [], set(), 0
    with open(options.lines, encoding="utf-8", newline="") as file:
        for tenant, period, starts, ends, finalized_at, model in csv.reader(file):
            found.setdefault(model, []).append((tenant, period, starts, ends, finalized_at))
            invoices.add((tenant, period))
    periods = {}
    with open(options.periods, encoding="utf-8", newline="") as file:
        for tenant, period, starts, ends in csv.reader(file):
            periods.setdefault(tenant, []).append((starts, ends, period))
    for tenant in everybody:
        with_usage = []
        for key, at in tenant.events(first, options.nights):
            events += 1
            number = tenant.period(at)
            if not with_usage or with_usage[-1] != number:
                with_usage.append(number)
            wanted = [] if tenant.due(number) > last else [(tenant.name, tenant.names[number], shown(tenant.borders[number]),
                                                           shown(tenant.borders[number + 1]), shown(first_night(tenant.due(number))))]
            if found.pop(key, []) != wanted:
                faults.append("%s: wanted %s" % (key, wanted))
        wanted = [(shown(tenant.borders[number]), shown(tenant.borders[number + 1]), tenant.names[number])
                  for number in range(with_usage[0], with_usage[-1] + 1)]
        if with_usage != list(range(with_usage[0], with_usage[-1] + 1)) or sorted(periods.get(tenant.name, [])) != wanted:
            faults.append("%s: periods %s, wanted %s" % (tenant.name, sorted(periods.get(tenant.name, [])), wanted))
    faults += ["%s is on an invoice, and there is no such event" % key for key in found]
    print("\n".join(faults[:20]))
    print("%d events, %d invoices, %d periods, %d faults" % (events, len(invoices), sum(len(rows) for rows in periods.values()), len(faults)))
    return 1 if faults or not invoices else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["make", "check"])
    parser.add_argument("--from", dest="first", required=True)
    parser.add_argument("--nights", type=int, required=True)
    for name in ("out", "lines", "periods"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    sys.exit(make(options) if options.what == "make" else check(options))


if __name__ == "__main__":
    main()
