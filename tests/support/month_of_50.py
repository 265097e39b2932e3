#!/usr/bin/env python3
"""Some weeks of usage of many tenants in many zones, one file a day: what the tests of the nightly job work with.

    month_of_50.py --out FOLDER [--seed N] [--tenants N] [--from YYYY-MM-DD] [--days N] [--events N]

writes FOLDER/prices/*.json, to be published in the order of their names; FOLDER/later/*.json, which comes on 30 October; FOLDER/tenants.json;
FOLDER/credits, a line of words for each
`tollbook credit grant`; FOLDER/usage/usage-YYYY-MM-DD.ndjson, last changed half an hour after the end of its day (UTC).  The same seed
gives the same bytes.  All of it is invented.

In it on purpose: repeats, some with another time and some a day later; one key with two contents; lines that are no records; usage that comes
days late, so late that its period is invoiced, more than 35 days late, and later than is taken; corrections and voids; models without a
price; usage of somebody without a contract; a tenant whose usage multiplies; contracts that change and that end.
"""
import argparse
import json
import os
import random
from datetime import datetime, timedelta, timezone

ZONES = ["America/New_York", "Asia/Kolkata", "America/Havana", "Australia/Lord_Howe", "Europe/Berlin", "Pacific/Apia", "Asia/Kathmandu",
         "Pacific/Chatham", "UTC", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Tokyo"]
ANCHORS = [1, 31, 30, 1, 28, 29, 15]
CURRENCIES = ["USD", "EUR", "JPY", "BHD"]
MODELS = ["atlas-2", "atlas-2-mini", "birch-70b", "cedar-3", "dune-9"]
UNPRICED = "nameless-9"
STRANGER = "nobody"
STARTS = "2026-09-01"
# In units of the currency for a million tokens; amounts differ so that minor units matter.
SCALE = {"USD": 1, "EUR": 0.9, "JPY": 150, "BHD": 0.375}


def price(value, currency):
    return ("%.6f" % (value * SCALE[currency])).rstrip("0").rstrip(".")


def per_million(value, currency):
    return {"price": price(value, currency), "per": 1000000}


def rule(model, value, currency):
    return {"model": model, "service_tier": "*",
            "prices": {"input_text_uncached_tokens": per_million(value, currency),
                       "input_text_cache_read_tokens": per_million(value / 8, currency),
                       "output_text_tokens": per_million(value * 5, currency)}}


def book(name, currency, effective, values):
    rules = [rule(model, value, currency) for model, value in values.items()]
    if "dune-9" in values:
        rules[-1]["prices"]["input_text_uncached_tokens"] = {
            "tiers": "graduated", "per": 1000000,
            "steps": [{"up_to": 400000, "price": price(9, currency)}, {"price": price(6.3, currency)}]}
    return {"tollbook_prices": 1, "book": name, "currency": currency, "effective": effective, "free": ["requests"], "rules": rules}


def books():
    values = {"atlas-2": 31.7, "atlas-2-mini": 4.19, "birch-70b": 7.77, "cedar-3": 12.5, "dune-9": 9}
    for number, currency in enumerate(CURRENCIES):
        yield "%d-std-%s" % (number, currency.lower()), book("std-" + currency.lower(), currency, "2026-01-01T00:00:00Z", values)
    yield "5-std-usd-newer", book("std-usd", "USD", "2026-10-11T00:00:00Z", dict(values, **{"cedar-3": 10.9, "birch-70b": 8.01}))
    yield "6-deal-usd", book("deal-usd", "USD", "2026-01-01T00:00:00Z", {"atlas-2": 27.3})


def later_book():
    return book("std-eur", "EUR", "2026-11-01T00:00:00Z", {"atlas-2": 33, "atlas-2-mini": 4, "birch-70b": 7, "cedar-3": 12, "dune-9": 9.5})


# --- contracts ---------------------------------------------------------------------------------
def amount(value, currency):
    return ("%.3f" % (value * SCALE[currency])).rstrip("0").rstrip(".") if currency == "BHD" else \
        ("%d" % (value * SCALE[currency])) if currency == "JPY" else ("%.2f" % (value * SCALE[currency]))


def terms(number, currency):
    found = {}
    if number % 4 == 1:
        found["minimum"] = {"amount": amount(40, currency), "prorate": True}
    if number % 4 == 2:
        found["allowances"] = [{"name": "included", "meters": ["input_text_uncached_tokens"], "quantity": 150000}]
    if number % 5 == 0:
        found["fees"] = [{"name": "platform", "amount": amount(19.5, currency), "prorate": True}]
    if number % 7 == 3:
        found["discounts"] = [{"name": "launch", "percent": "7.5"}]
    if number % 11 == 8:
        found["fees"] = found.get("fees", []) + [{"name": "warm floor", "quantity": "1", "price": amount(0.05, currency), "per": "hour"}]
    return found


def contract(number):
    currency = CURRENCIES[(number + number // 12) % 4]
    row = {"tenant": name(number), "name": "Tenant %d" % number, "issuer": "TF" if number % 6 != 5 else "TFX", "currency": currency,
           "zone": ZONES[number % 12], "book": "std-" + currency.lower(), "effective": STARTS,
           "anchor": ANCHORS[(number + number // 12) % 7]}
    if currency == "USD" and number % 3 == 0:
        row["override"] = "deal-usd"
    if number % 3 == 1:
        row["tax"] = {"name": "VAT", "percent": ["19", "20", "8.875", "10"][number % 4]}
    if number % 8 == 3:
        row["grace_hours"] = [0, 48, 6][number % 3]
    if terms(number, currency):
        row["terms"] = terms(number, currency)
    return row


def name(number):
    return "tenant-%02d" % number


def contracts(count):
    rows = [contract(number) for number in range(count)]
    for row in list(rows):
        number = int(row["tenant"][-2:])
        if number % 13 == 6:  # another contract from the middle of October on
            later = dict(row, effective="2026-10-19", name=row["name"] + " (new)")
            later["terms"] = {"discounts": [{"name": "loyal", "percent": "12"}]}
            rows.append(later)
        if number % 17 == 12:
            row["until"] = "2026-10-24"
    return {"issuers": [{"issuer": "TF", "name": "Token Factory"},
                        {"issuer": "TFX", "name": "Token Factory Abroad", "invoice_series": "RE", "credit_note_series": "GU"}],
            "tenants": rows}


def credits_of(count):
    for number in range(0, count, 6):
        currency = contract(number)["currency"]
        yield [name(number), amount(15 + number, currency), "promotional", "promotion", "2026-09-02", "2026-11-02"]
    for number in range(4, count, 9):
        yield [name(number), amount(400, contract(number)["currency"]), "prepaid", "prepaid_purchase", "2026-09-02", "never"]


# --- usage -------------------------------------------------------------------------------------
def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"


class Usage:
    def __init__(self, options):
        self.rng = random.Random("month of 50, %s" % options.seed)
        self.tenants, self.events = options.tenants, options.events
        self.place, self.day_before, self.to_correct = 0, [], []

    def tenant(self, day):
        # The last one multiplies in the second half of October; half of the others bring most of the usage.
        if day >= datetime(2026, 10, 16, tzinfo=timezone.utc) and self.rng.random() < 0.10:
            return name(self.tenants - 1)
        number = int(self.tenants * self.rng.random() ** 1.6)
        return name(0 if number == self.tenants - 1 and self.rng.random() < 0.9 else number)

    def at(self, day):
        return day + timedelta(microseconds=self.rng.randrange(86400 * 10 ** 6))

    def draw(self, day):
        rng = self.rng
        self.place += 1
        tenant, model = self.tenant(day), rng.choice(MODELS)
        if rng.random() < 0.002:
            tenant = STRANGER
        if tenant in (name(3), name(self.tenants // 2)) and rng.random() < 0.01:
            model = UNPRICED
        at = self.at(day)
        chance = rng.random()
        if chance < 0.004:  # days late, and sometimes its period is invoiced
            at -= timedelta(days=rng.randint(1, 18))
        elif chance < 0.0045:
            at -= timedelta(days=rng.randint(36, 50))
        elif chance < 0.0047:
            at -= timedelta(days=rng.randint(500, 600))
        given = rng.randrange(200, 30000)
        return ["call-%07d" % self.place, tenant, stamp(at), model, given, given * rng.randrange(0, 9) // 10, rng.randrange(1, 2500)]

    def canonical(self, row, kind=None, ref=None):
        key, tenant, at, model, given, cached, output = row
        data = {"operation": "chat", "provider": "self", "model": model,
                "quantities": {"requests": 1, "input_text_uncached_tokens": given - cached, "input_text_cache_read_tokens": cached,
                               "output_text_tokens": output}}
        if kind is not None:
            data = dict(data, kind=kind, ref={"source": "/gw/eu-1", "id": ref})
        if kind == "void":
            data = {"kind": kind, "ref": data["ref"], "quantities": {}}
        return json.dumps({"specversion": "1.0", "type": "tollbook.usage.v1", "source": "/gw/eu-1", "id": key, "subject": tenant,
                           "time": at, "data": data})

    @staticmethod
    def short(row):
        key, tenant, at, model, given, cached, output = row
        return json.dumps({"idempotency_key": key, "tenant": tenant, "time": at, "model": model, "input_tokens": given,
                           "cached_input_tokens": cached, "output_tokens": output})

    def write(self, row):
        return self.canonical(row) if int(row[0][-1]) % 2 == 0 else self.short(row)

    def put_right(self, day):
        """A correction or a void of something of the last days, each corrected once."""
        old = self.to_correct.pop(self.rng.randrange(len(self.to_correct)))
        new = list(old)
        new[0], new[2], new[6] = old[0] + "-again", stamp(self.at(day)), old[6] + 7
        return self.canonical(new, self.rng.choice(["correction", "correction", "void"]), old[0])

    def day(self, day):
        rng = self.rng
        rows = [self.draw(day) for _ in range(int(self.events * rng.uniform(0.8, 1.2)))]
        lines = [self.write(row) for row in rows]
        for _ in range(1 + len(rows) // 500):
            lines.append(self.put_right(day)) if len(self.to_correct) > 20 else None
        for _ in range(1 + len(rows) // 100):  # repeats, of the day and of the day before
            row = list(rng.choice(rows + self.day_before[:len(rows) // 4]))
            if rng.random() < 0.3:
                row[2] = stamp(self.at(day))
            lines.append(self.write(row))
        conflict = list(rng.choice(rows))
        conflict[6] += 1
        lines += [self.write(conflict), '{"tenant": "cut off', ""]
        rng.shuffle(lines)
        self.day_before = rows
        self.to_correct += [row for row in rows if int(row[0][-1]) % 2 == 0 and row[1] != STRANGER and rng.random() < 0.02]
        return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--tenants", type=int, default=50)
    parser.add_argument("--from", dest="first", default="2026-09-25")
    parser.add_argument("--days", type=int, default=42)
    parser.add_argument("--events", type=int, default=10000)
    options = parser.parse_args()
    for folder in ("prices", "later", "usage"):
        os.makedirs(os.path.join(options.out, folder), exist_ok=True)

    def write(path, text, came):
        path, at = os.path.join(options.out, path), int(came.timestamp()) * 10 ** 9
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, ns=(at, at))
    at_first = datetime(2026, 9, 9, tzinfo=timezone.utc)
    for title, content in books():
        write("prices/%s.json" % title, json.dumps(content, indent=1) + "\n", at_first)
    write("later/7-std-eur-newer.json", json.dumps(later_book(), indent=1) + "\n", datetime(2026, 10, 30, 12, tzinfo=timezone.utc))
    write("tenants.json", json.dumps(contracts(options.tenants), indent=1) + "\n", at_first)
    write("credits", "".join(" ".join(words) + "\n" for words in credits_of(options.tenants)), at_first)
    usage = Usage(options)
    for number in range(options.days):
        day = datetime.fromisoformat(options.first).replace(tzinfo=timezone.utc) + timedelta(days=number)
        write("usage/usage-%s.ndjson" % day.strftime("%Y-%m-%d"), "\n".join(usage.day(day)) + "\n", day + timedelta(days=1, minutes=30))


if __name__ == "__main__":
    main()
