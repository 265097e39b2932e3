#!/usr/bin/env python3
"""The second rater against tables of other projects: tiers.csv and delta.csv, where the language has the same.

    vectors.py FOLDER

A row that is not converted is counted with its reason.
"""
import collections
import csv
import json
import os
import sys
from fractions import Fraction

import slow_rater

METER = "gpu_seconds"  # has decimals, which some rows need
OTHER_MODELS = {"amount_multiplier": "prices of amounts", "percentage": "percentages", "percentage_per_event": "percentages",
                "graduated_percentage": "percentages", "graduated_percentage_one_tier": "percentages", "graduated_one_tier": "one tier alone",
                "max_spend_discount": "caps of spend alone", "unit_conversion": "conversion of units", "per_unit_buckets": "buckets",
                "package_buckets": "buckets", "graduated_buckets": "buckets", "volume_buckets": "buckets", "flat": "fees without usage"}


class NotOurs(Exception):
    pass


def whole(text):
    value = Fraction(text)
    if value.denominator != 1 or value < 1:
        raise NotOurs("borders that are not whole units")
    return value.numerator


def price_of(model, tiers, most):
    """The row's price in the language; `most` is the largest quantity asked for."""
    steps = []
    for tier in tiers.split(";"):
        up_to, price, flat, *size = tier.split(":")
        step = {"price": price}
        if up_to != "inf":
            step["up_to"] = whole(up_to)
        if Fraction(flat) != 0:
            step["fee"] = flat
        if size:
            step["package"] = whole(size[0])
        steps.append(step)
    last = steps[-1].pop("up_to", None)  # the last step is open
    if last is not None and most > last and not model.startswith("volume"):
        raise NotOurs("a last step that ends")
    if model in ("per_unit", "package"):
        return dict(steps[0], **({} if "package" in steps[0] else {"per": 1}))
    mode = "volume" if model.startswith("volume") or model == "stairstep" else "graduated"
    return dict({"tiers": mode, "steps": steps}, **({} if "package" in steps[0] else {"per": 1}))


def cost(price, quantity):
    if quantity < 0:
        raise NotOurs("negative usage")
    book = slow_rater.Book(json.dumps({"book": "b", "currency": "USD", "effective": "2020-01-01T00:00:00Z",
                                       "rules": [{"model": "m", "prices": {METER: price}}]}))
    data = {"operation": "chat", "model": "m", "quantities": {METER: slow_rater.decimal_text(Fraction(quantity))}}
    event = {"source": "/v", "id": "1", "subject": "t", "time": "2026-10-01T00:00:00Z", "data": data}
    return slow_rater.quote([book], slow_rater.read_requests([json.dumps(event)])).total()


def tiers_row(row):
    options = dict(option.split("=") for option in row["options"].split(";") if option)
    for name in options:
        if name not in ("split",):
            raise NotOurs("option " + name)
    if row["model"] in OTHER_MODELS:
        raise NotOurs(OTHER_MODELS[row["model"]])
    quantity, prior = Fraction(row["quantity"]), Fraction(row["prior_quantity"] or 0)
    if quantity == 0 and prior == 0 and Fraction(row["expected_amount"]) != 0:
        raise NotOurs("a fee without usage")
    price = price_of(row["model"], row["tiers"], quantity + prior)
    return cost(price, quantity + prior) - cost(price, prior), Fraction(row["expected_amount"])


def cents(value):
    return Fraction((abs(value) * 200 + 1) // 2, 100) * (-1 if value < 0 else 1)


def delta_row(row, before):
    if row["options"]:
        raise NotOurs("option " + row["options"].split("=")[0])
    if row["model"] in OTHER_MODELS:
        raise NotOurs(OTHER_MODELS[row["model"]])
    quantity = Fraction(row["cumulative_quantity"])
    if quantity == 0 and Fraction(row["expected_delta"]) > 0:
        raise NotOurs("a fee without usage")
    now = cents(cost(price_of(row["model"], row["tiers"], quantity), quantity))
    booked = before.get(row["case"], Fraction(0))
    before[row["case"]] = now
    return now - booked, Fraction(row["expected_delta"])


def main():
    bad = 0
    for name in ("tiers.csv", "delta.csv"):
        agreed, left, before = 0, collections.Counter(), {}
        for row in csv.DictReader(open(os.path.join(sys.argv[1], name), encoding="utf-8", newline="")):
            try:
                got, wanted = tiers_row(row) if name == "tiers.csv" else delta_row(row, before)
            except NotOurs as reason:
                left[str(reason)] += 1
                continue
            if got == wanted:
                agreed += 1
            else:
                bad += 1
                print("%s %s: %s, wanted %s" % (name, row["id"], slow_rater.decimal_text(got), slow_rater.decimal_text(wanted)))
        print("%s: %d rows agree, %d not converted: %s" % (name, agreed, sum(left.values()), ", ".join("%s %d" % item for item in left.most_common())))
        bad += agreed < 20
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
