#!/usr/bin/env python3
"""`tollbook prices quote` and the second rater over random cases; what they say is compared to the 18th decimal.

    run_cases.py --program FILE --seed TEXT --cases N [--first N] --keep FOLDER [--without FEATURE,...] [--only FEATURE,...]

A case that differs is told with its seed and number, and its files stay in FOLDER.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction

import generate
import slow_rater
import slow_terms

SHOWN = 8  # differences of a case
WORST = 10  # cases that are told at full length


def slow_books(case):
    nodes, made = {book["book"]: book for book in case.books}, {}

    def find(name, version):
        if name not in made:
            made[name] = slow_rater.Book(json.dumps(nodes[name]), find)
        return made[name]

    every = [find(book["book"], 0) for book in case.books]
    return every, ([made["override"]] if case.override else []) + [made["prices"]]


OWN = ("discount", "overage", "true_up", "minimum", "maximum", "fee")  # kinds of charges that belong to no usage


def slow_terms_of(case):
    return slow_terms.Terms(case.contract()["tenants"], case.zone) if case.has_contract else None


def slow_answers(case, each):
    every, asked = slow_books(case)
    requests = slow_rater.read_requests(json.dumps(event) for event in case.events)
    for group in ([[request] for request in requests] if each else [requests]):
        yield slow_rater.quote(every, group, case.zone, asked, slow_terms_of(case))


def quick_answers(program, folder, case, each):
    command = [program, "prices", "quote", "--book", os.path.join(folder, "prices.json")]
    for book in case.books[1:]:
        command += ["--with", os.path.join(folder, book["book"] + ".json")]
    if case.has_contract:
        command += ["--contract", os.path.join(folder, "tenants.json"), "--tenant", "acme"]
    command += ["--event", os.path.join(folder, "events.ndjson"), "--format", "json"] + (["--each"] if each else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in (0, 7):
        raise ValueError("exit code %d: %s" % (done.returncode, done.stderr.strip()))
    reader, text, found = json.JSONDecoder(parse_float=refuse), done.stdout.strip(), []
    while text:
        document, end = reader.raw_decode(text)
        found.append(document)
        text = text[end:].strip()
    return found


def refuse(text):
    raise ValueError("%s is a number, where decimal text is wanted" % text)


def per_number(value, meter):
    words = {"second": 1, "minute": 60, "hour": 1 if meter.endswith("hours") else 3600, "day": 24}
    return words.get(value) or int(value)


def compare(mine, theirs, terms=None):
    """A list of differences, as text."""
    said = []
    compare_included(mine.included, theirs["lines"], said)
    compare_terms(terms, theirs["lines"], said)
    if mine.currency != theirs["currency"]:
        said.append("currency %s, wanted %s" % (theirs["currency"], mine.currency))
    priced = [line for line in theirs["lines"] if line["kind"] in ("usage", "tier_fee")]
    compare_lines(mine.charges, priced, said)
    holds = collections.Counter()
    for hold in theirs["holds"]:
        holds[tuple(hold[name] for name in ("period", "model", "service_tier", "meter", "reason"))] += Fraction(hold["quantity"])
    wanted = {key: quantity for key, quantity in mine.holds.items() if quantity != 0}
    for key in sorted(set(holds) | set(wanted)):
        if holds.get(key, 0) != wanted.get(key, 0):
            said.append("hold %s: %s, wanted %s" % ("/".join(key), holds.get(key), wanted.get(key)))
    total = sum(Fraction(line["amount"]) for line in theirs["lines"])
    if total != Fraction(theirs["total"]):
        said.append("its total %s is not the sum of its lines, %s" % (theirs["total"], slow_rater.decimal_text(total)))
    paid = sum(Fraction(line["amount"]) for line in priced)
    off = abs(paid - mine.total())
    if off > (0 if len(priced) == len(list(mine.charges.amounts())) else Fraction(len(priced), 10 ** 18)):
        said.append("usage costs %s, wanted %s" % (slow_rater.decimal_text(paid), slow_rater.decimal_text(mine.total())))
    return said


def compare_included(wanted, theirs, said):
    got = collections.Counter()
    for line in theirs:
        if line["kind"] in ("trial", "allowance"):
            got[tuple(line[name] for name in ("period", "kind", "model", "service_tier", "meter"))] += Fraction(line["quantity"])
            if Fraction(line["amount"]) != 0:
                said.append("it should cost nothing: %s" % json.dumps(line))
    for key in sorted(set(got) | set(wanted)):
        if got.get(key, 0) != wanted.get(key, 0):
            said.append("%s: %s, wanted %s" % ("/".join(key), got.get(key), wanted.get(key)))


def compare_terms(terms, theirs, said):
    """What a contract adds, computed from the charges of usage as they are and in their order; those are compared elsewhere."""
    spent = {}
    for period in sorted({line["period"] for line in theirs}):
        wanted = []
        for segment in terms.segments(period) if terms is not None else []:
            lines = [(line["model"], line["service_tier"], line["meter"], Fraction(line["amount"])) for line in theirs
                     if line["period"] == period and line["kind"] in ("usage", "tier_fee") and in_segment(line, segment)]
            earlier, is_last = terms.window(period, segment.terms)
            before = sum((amount for other, amount in spent.items() if other == period or earlier(other)), Fraction(0))
            charges, paid = segment.charges(lines, before, is_last and segment.ends == segment.period_ends)
            if "commitment" in (segment.terms or {}):
                spent[period] = spent.get(period, Fraction(0)) + paid
            wanted += [(kind, amount) for kind, _, amount in charges]
        got = [(line["kind"], Fraction(line["amount"])) for line in theirs if line["period"] == period and line["kind"] in OWN]
        if sorted(got) != sorted(wanted):
            said.append("%s: the contract adds %s, wanted %s" % (period, listed(got), listed(wanted)))


def in_segment(line, segment):
    return "at" not in line or segment.starts <= line["at"] < segment.ends


def listed(charges):
    return ", ".join("%s %s" % (kind, slow_rater.decimal_text(amount)) for kind, amount in sorted(charges)) or "nothing"


def compare_lines(mine, theirs, said):
    wanted, got, told = {}, {}, {}
    free = {(key[0], key[2], key[3], key[4]) for key in mine.lines if key[7] is None}
    for key, quantity, billed, amount in mine.amounts():
        key = settled(key, free, mine.packed)
        old = wanted.get(key, (0, 0, 0))
        wanted[key] = (old[0] + quantity, old[1] + billed, old[2] + amount)
    for line in theirs:
        price, per = Fraction(line["price"]), per_number(line["per"], line["meter"])
        quantity, billed, amount = (Fraction(line[name]) for name in ("quantity", "billed", "amount"))
        if line["kind"] in ("usage", "tier_fee") and amount != slow_rater.round18(billed * price / per):
            said.append("the amount of a line is not billed x price / per: %s" % json.dumps(line))
        key = settled((line["period"], line["kind"], line["model"], line["service_tier"], line["meter"], line["priced_as"],
                       line.get("book"), line["rule"], line["tier"], price, per), free, mine.packed)
        old = got.get(key, (0, 0, 0))
        got[key] = (old[0] + quantity, old[1] + billed, old[2] + amount)
        detail = (line["model"], line["service_tier"], line["meter"], line.get("book"), line["rule"], line["per"],
                  line.get("detail"))
        if line["kind"] == "usage" and detail in told.setdefault(key, []):
            said.append("two lines of one thing: %s" % json.dumps(line))
        told.setdefault(key, []).append(detail)
    for key in sorted(set(wanted) | set(got), key=str):
        one, other = got.get(key), wanted.get(key)
        # Lines that differ in their details alone are rounded each for itself, which was checked above.
        if one and other and len(told[key]) > 1 and one[:2] == other[:2]:
            continue
        if one != other:
            said.append("%s\n      got    %s\n      wanted %s" % ("/".join(shown(part) for part in key), values(one), values(other)))


def settled(key, free, packed):
    """A fee belongs to a step, and a package of a volume price to all that fills it, whatever usage is named with it; a meter that is
    free has no rule."""
    period, kind, model, service_tier, meter, priced_as, book, rule, tier, price, per = key
    if kind == "tier_fee":
        return (period, kind, "", "", "", "", book, rule, tier, price, 1)
    if (period, price, per) in packed:
        return (period, kind, "", "", "", priced_as, book, rule, tier, price, per)
    if (period, model, service_tier, meter) in free and price == 0:
        return (period, kind, model, service_tier, meter, "", "", None, 0, price, 1)
    return key


def shown(part):
    return slow_rater.decimal_text(part) if isinstance(part, Fraction) else str(part)


def values(found):
    return "no line" if found is None else "quantity %s, billed %s, amount %s" % tuple(shown(Fraction(value)) for value in found)


def run_case(program, case, folder):
    case.write(folder)
    for each in (False, True):
        theirs, said = quick_answers(program, folder, case, each), []
        mine = list(slow_answers(case, each))
        if len(mine) != len(theirs):
            return ["%d answers, wanted %d%s" % (len(theirs), len(mine), ", each event on its own" if each else "")]
        for number, (one, other) in enumerate(zip(mine, theirs)):
            said += ["event %d alone: %s" % (number + 1, text) if each else text for text in compare(one, other, slow_terms_of(case))]
        if said:
            return said
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--keep", required=True)
    parser.add_argument("--without", default="")
    parser.add_argument("--only")
    options = parser.parse_args()
    without = set(filter(None, options.without.split(","))) | {"reversals"}  # a quote takes none; ledger.sh has them
    only = None if options.only is None else set(filter(None, options.only.split(",")))
    failed, blamed, tried = 0, collections.Counter(), collections.Counter()
    for number in range(options.first, options.first + options.cases):
        case = generate.Case(options.seed, number, without, only)
        folder = os.path.join(options.keep, "%s-%d" % (options.seed, number))
        tried.update(case.features)
        try:
            said = run_case(options.program, case, folder)
        except (ValueError, KeyError, AssertionError, subprocess.TimeoutExpired) as fault:
            said = ["%s: %s" % (type(fault).__name__, fault)]
        if not said:
            shutil.rmtree(folder)
            continue
        failed += 1
        blamed.update(case.features)
        if failed <= WORST:
            print("seed %s, case %d (%s), files in %s" % (options.seed, number, " ".join(sorted(case.features)), folder))
            for text in said[:SHOWN]:
                print("    " + text)
    print("%d cases, %d differ" % (options.cases, failed))
    if failed:
        print("what cases that differ have in them: %s" % ", ".join("%s %d of %d" % (f, blamed[f], tried[f]) for f, _ in blamed.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
