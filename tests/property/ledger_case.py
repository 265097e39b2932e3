#!/usr/bin/env python3
"""Random usage of several tenants for the whole way through the ledger, and what the second rater says it costs.

    ledger_case.py make --seed TEXT --case N --out FOLDER     books, contracts, and the events in several orders and files
    ledger_case.py compare --folder FOLDER --charges FILE --holds FILE
                                                               rows that PostgreSQL wrote as JSON, one on a line
"""
import argparse
import copy
import json
import os
import random
import sys
from fractions import Fraction

import generate
import run_cases
import slow_rater
import slow_terms

TENANTS = ["acme", "bolt", "cato", "dodo"]
ORDERS = 3
SECOND = ["2025-11-02T06:15:00Z", "2026-03-08T05:45:00Z", "2026-04-04T15:30:00Z", "2026-06-30T18:15:00Z"]  # when a new version begins

ENDS = ["2026-01-01", "2026-03-08T10:15:00Z", "2026-07-15"]
CHANGES = ["2025-11-01", "2025-12-31T10:00:00Z", "2026-03-08T10:30:00Z", "2026-04-01", "2026-06-30T23:45:00Z",
           "2026-07-02"]


def make(options):
    rng = random.Random("ledger %s/%s" % (options.seed, options.case))
    case = generate.Case(options.seed, options.case, without=set(options.without.split(",")))
    days = [day for day in generate.DAYS if day >= "2025-10-05"]  # usage that is not too late for the ledger
    case.usage.days = rng.sample(days, 4)
    events = case.usage.events(options.events, TENANTS)
    books = {book["book"]: book for book in case.books}
    second = copy.deepcopy(books["prices"])
    second["effective"] = rng.choice(SECOND)
    new_prices(rng, second)
    os.makedirs(options.out, exist_ok=True)
    order = [name for name in ("base", "override") if name in books] + ["prices"]
    for name in order:
        write(options.out, name + ".json", json.dumps(books[name], indent=1))
    write(options.out, "prices_2.json", json.dumps(second, indent=1))
    write(options.out, "order", "\n".join(order) + "\n")
    contracts = case.contract(TENANTS)
    for row in contracts["tenants"]:
        row["zone"] = rng.choice(generate.ZONES)
        if rng.random() < 0.3:
            row.pop("override", None)
        row.pop("terms", None)
        if "terms" in case.features and rng.random() < 0.8:
            row["terms"] = case.contracts.terms()
    contracts["tenants"].pop()  # one tenant has no contract
    for row in contracts["tenants"]:
        if options.late:
            row.update(issuer="TF", effective="2025-10-01")
            if rng.random() < 0.3:
                row["until"] = rng.choice(ENDS)
    for row in rng.sample(contracts["tenants"], 2):
        later = dict(row, effective=rng.choice(SECOND))
        if "terms" in case.features:
            later["terms"] = case.contracts.terms()
        later.pop("override", None)
        if later.get("until", "9") <= later["effective"]:
            later.pop("until")
        contracts["tenants"].append(later)
    if options.late:
        changes = []
        for row in rng.sample(contracts["tenants"][:3], rng.randint(0, 2)):
            last = max(other["effective"] for other in contracts["tenants"] if other["tenant"] == row["tenant"])
            change = dict(row, effective=rng.choice([time for time in CHANGES if time[:10] > last[:10]]))
            change.pop("until", None)
            if rng.random() < 0.4:
                change["until"] = "2026-07-14T12:15:00Z"
            if "terms" in case.features and rng.random() < 0.7:
                change["terms"] = case.contracts.terms()
            changes.append(change)
        if changes:
            write(options.out, "tenants_2.json", json.dumps({"tenants": changes}, indent=1))
        contracts["issuers"] = [{"issuer": "TF", "name": "Token Factory"}]
    write(options.out, "tenants.json", json.dumps(contracts, indent=1))
    write(options.out, "events.ndjson", "".join(json.dumps(event) + "\n" for event in events))
    for number in range(1, ORDERS + 1):
        deal(rng, events, options.out, number)


def new_prices(rng, book):
    """The next version: one or two prices are others, all that is matched stays."""
    for rule in rng.sample(book["rules"], min(2, len(book["rules"]))):
        for price in rule.get("prices", {}).values():
            if "price" in price:
                price["price"] = rng.choice(["7", "0.03", "0"])
            elif "steps" in price:
                price["steps"][0]["price"] = "0.5"
                # With a fee it would be open whether a step whose border moved was entered.
                if len(price["steps"]) > 1 and "fee" not in json.dumps(price) and rng.random() < 0.5:
                    price["steps"][0]["up_to"] = max(1, price["steps"][0]["up_to"] // 2)


def deal(rng, events, folder, number):
    """The events in an order of their own (what takes back behind what it takes back), some of them twice, in several files."""
    places = {event.get("id"): i for i, event in enumerate(events)}
    weight = []
    for i, event in enumerate(events):
        reference = event.get("data", {}).get("ref")
        at = rng.random() if number > 1 else Fraction(i)
        weight.append(at if reference is None else max(at, weight[places[reference["id"]]]))
    lines = [json.dumps(events[i]) + "\n" for i in sorted(range(len(events)), key=lambda i: (weight[i], i))]
    lines += [line for line in lines if rng.random() < 0.1]  # again
    count = 1 if number == 1 else rng.randint(3, 6)
    borders = sorted(rng.sample(range(1, len(lines)), count - 1))
    for i, (start, end) in enumerate(zip([0] + borders, borders + [len(lines)])):
        write(folder, "order_%d.part_%d.ndjson" % (number, i + 1), "".join(lines[start:end]))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


class Published:
    """All versions of all books; of each the newest that is in force."""

    def __init__(self, folder):
        self.versions = {}
        for name in read(folder, "order").split() + ["prices_2"]:
            document = read(folder, name + ".json")
            known = self.versions.setdefault(json.loads(document)["book"], [])
            known.append(slow_rater.Book(document, lambda book, version: self.versions[book][version - 1], len(known) + 1))

    def in_force(self, name, at):
        found = [book for book in self.versions.get(name, []) if book.effective <= at]
        return found[-1] if found else None

    def distinctions(self, at):
        return slow_rater.distinctions_of([book for known in self.versions.values() for book in known if book.effective <= at])


def slow_tenant(published, rows, requests):
    """`rows`: the tenant's contracts, by effective."""
    zone = rows[0]["zone"] if rows else "UTC"
    terms = slow_terms.Terms(rows, zone)

    def books_at(quarter):
        if not rows:
            return "unknown_tenant"
        contract = [row for row in rows if slow_terms.time_of(row["effective"], zone) <= quarter][-1]
        names = ([contract["override"]] if "override" in contract else []) + [contract["book"]]
        found = [published.in_force(name, quarter) for name in names]
        return [book for book in found if book is not None]

    named = {row[key] for row in rows for key in ("override", "book") if key in row}
    fields = slow_rater.fields_of([book for name in named for book in published.versions.get(name, [])])
    return slow_rater.Rater("USD", zone, books_at, published.distinctions, fields, terms).rate(requests), terms


def json_lines(file):
    with open(file, encoding="utf-8") as rows:
        return [json.loads(row, parse_float=Fraction) for row in rows if row.strip()]


def quote_form(charges, holds):
    """Rows of the database as `tollbook prices quote` says them."""
    numbers = {meter.number: meter for meter in slow_rater.METERS.values()}
    names = {number: meter.name for number, meter in numbers.items()} | {0: ""}

    def units(row, name):
        scale = numbers[row["meter_id"]].scale if row["meter_id"] else 1
        value = row["quantity"] if row[name] is None else row[name]  # billed is stated where it is not the quantity
        return slow_rater.decimal_text(Fraction(value) / scale)

    lines = []
    for row in charges:
        line = {name: row[name] for name in ("period", "kind", "model", "service_tier", "rule", "tier", "per")}
        line.update({name: slow_rater.decimal_text(Fraction(row[name])) for name in ("price", "amount")})
        line.update({name: units(row, name) for name in ("quantity", "billed")})
        line.update(meter=names[row["meter_id"]], priced_as=names[row["priced_as"]], book=row["label"],
                    at=slow_rater.instant(row["first_interval"]), detail="%s, contract %s" % (row["detail"], row["contract_id"]))
        lines.append(line)
    held = [dict({name: row[name] for name in ("period", "model", "service_tier", "reason")}, meter=names[row["meter_id"]],
                 quantity=units(row, "quantity")) for row in holds]
    total = sum((Fraction(line["amount"]) for line in lines), Fraction(0))
    return {"currency": "USD", "total": slow_rater.decimal_text(total), "lines": lines, "holds": held}


def compare(options):
    published = Published(options.folder)
    contracts = json.loads(read(options.folder, "tenants.json"))["tenants"]
    requests = slow_rater.read_requests(read(options.folder, "events.ndjson").splitlines())
    charges, holds = json_lines(options.charges), json_lines(options.holds)
    charges.sort(key=lambda row: row["ordinal"])
    differ = lines = 0
    for tenant in TENANTS:
        rows = [row for row in contracts if row["tenant"] == tenant]
        mine, terms = slow_tenant(published, rows, [request for request in requests if request.tenant == tenant])
        theirs = quote_form([row for row in charges if row["tenant"] == tenant], [row for row in holds if row["tenant"] == tenant])
        lines += len(theirs["lines"]) + len(theirs["holds"])
        for text in run_cases.compare(mine, theirs, terms)[:run_cases.SHOWN]:
            differ += 1
            print("%s: %s" % (tenant, text))
    print("%d charges and holds compared" % lines)
    return 1 if differ or lines == 0 else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["make", "compare"])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--case", type=int, default=1)
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--out")
    parser.add_argument("--late", action="store_true")
    parser.add_argument("--without", default="")
    parser.add_argument("--folder")
    parser.add_argument("--charges")
    parser.add_argument("--holds")
    options = parser.parse_args()
    return make(options) if options.verb == "make" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
