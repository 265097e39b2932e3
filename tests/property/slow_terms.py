#!/usr/bin/env python3
"""What a contract says beside prices, straight from the words of docs/price-books.md: the second rater's half of it.

Trial and allowances are asked before prices; discounts, commitment, minimum, maximum and fees come of what the rest costs.
"""
import json
import re
from datetime import date
from fractions import Fraction

import slow_rater


def time_of(text, zone):
    if "T" in text or "t" in text:
        return slow_rater.instant(text)
    return slow_rater.midnight(date.fromisoformat(text), zone)


class Segment:
    """A part of a period in which the terms stay the same."""

    def __init__(self, terms, zone, starts, ends, period_starts, period_ends):
        self.terms, self.zone, self.starts, self.ends = terms or {}, zone, starts, ends
        self.period_starts, self.period_ends = period_starts, period_ends
        self.left = []  # of each allowance, in smallest units
        for allowance in self.terms.get("allowances", []):
            scale = slow_rater.METERS[allowance["meters"][0]].scale
            quantity = Fraction(allowance["quantity"] * scale)
            self.left.append(int(quantity * self.share()) if allowance.get("prorate") else int(quantity))

    def share(self):
        return Fraction(self.ends - self.starts, self.period_ends - self.period_starts)

    def prorated(self, amount, is_prorated):
        return slow_rater.round18(amount * self.share()) if is_prorated else amount

    def is_trial(self, quarter):
        return "trial" in self.terms and quarter < time_of(self.terms["trial"]["until"], self.zone)

    def take(self, portion, quantity):
        """What allowances cover of a quantity."""
        taken = 0
        for i, allowance in enumerate(self.terms.get("allowances", [])):
            if covers(allowance, portion.model, portion.service_tier, portion.meter.name):
                part = min(quantity - taken, self.left[i])
                self.left[i] -= part
                taken += part
        return taken

    def bound(self, bound):
        amount = slow_rater.decimal(bound["amount"])
        for step in bound.get("ramp", []):
            if time_of(step["from"], self.zone) <= self.starts:
                amount = slow_rater.decimal(step["amount"])
        return self.prorated(amount, bound.get("prorate", False))

    def charges(self, lines, spent_before, is_last_of_window):
        """`lines`: (model, service tier, meter's name, amount) of what the usage costs, in the order of charges.  Gives the contract's
        own charges as (kind, name, amount), and what was spent."""
        found, nets = [], [list(line) for line in lines]
        for discount in self.terms.get("discounts", []):
            found.append(("discount", discount["name"], -take_off(discount, nets)))
        spent = sum((net[3] for net in nets), Fraction(0))
        total = spent
        if "commitment" in self.terms:
            commitment = self.terms["commitment"]
            amount, factor = slow_rater.decimal(commitment["amount"]), slow_rater.decimal(commitment.get("overage", "1"))
            over = max(spent_before + spent - amount, Fraction(0)) - max(spent_before - amount, Fraction(0))
            overage = slow_rater.round18(over * (factor - 1))
            found.append(("overage", "commitment", overage))
            total += overage
            if commitment.get("true_up") and is_last_of_window:
                found.append(("true_up", "commitment", max(amount - spent_before - spent, Fraction(0))))
        if "minimum" in self.terms:
            missing = max(self.bound(self.terms["minimum"]) - total, Fraction(0))
            found.append(("minimum", "minimum", missing))
            total += missing
        if "maximum" in self.terms:
            found.append(("maximum", "maximum", -max(total - self.bound(self.terms["maximum"]), Fraction(0))))
        for fee in self.terms.get("fees", []):
            found.append(("fee", fee["name"], self.fee(fee)))
        return [charge for charge in found if charge[2] != 0], spent

    def fee(self, fee):
        if "per" in fee:
            hours = Fraction(self.ends - self.starts, 4 * slow_rater.QUARTER) / {"hour": 1, "day": 24}[fee["per"]]
            each = slow_rater.round18(slow_rater.decimal(fee["quantity"]) * slow_rater.decimal(fee["price"]))
            return slow_rater.round18(each * hours)
        if fee.get("prorate"):
            return self.prorated(slow_rater.decimal(fee["amount"]), True)
        return slow_rater.decimal(fee["amount"]) if self.ends == self.period_ends else Fraction(0)


def covers(scope, model, service_tier, meter):
    return meter in scope.get("meters", [meter]) and re.fullmatch(scope.get("model_pattern", ".*"), model) is not None and \
        scope.get("service_tier", "*") in ("*", service_tier)


def take_off(discount, nets):
    """Takes a discount off what is left of each charge; gives the sum."""
    left = discount.get("amount", discount.get("cap"))
    left = None if left is None else slow_rater.decimal(left)
    taken = Fraction(0)
    for net in nets:
        if net[3] <= 0 or not covers(discount, *net[:3]):
            continue
        part = slow_rater.round18(net[3] * slow_rater.decimal(discount["percent"]) / 100) if "percent" in discount else net[3]
        if left is not None:
            part = min(part, left)
            left -= part
        net[3] -= part
        taken += part
    return taken


class Terms:
    """The contract rows of a tenant, by `effective`."""

    def __init__(self, rows, zone):
        self.zone = zone
        self.rows = sorted(((time_of(row["effective"], zone), row.get("terms")) for row in rows), key=lambda row: row[0])
        self.known = {}

    def segments(self, period):
        if period not in self.known:
            starts, ends = slow_rater.period_borders(period, self.zone)
            found = []
            for i, (effective, terms) in enumerate(self.rows):
                until = self.rows[i + 1][0] if i + 1 < len(self.rows) else ends
                first, last = max(effective, starts), min(until, ends)
                if first >= last:
                    continue
                if found and json.dumps(found[-1][0]) == json.dumps(terms):
                    found[-1][2] = last
                else:
                    found.append([terms, first, last])
            self.known[period] = [Segment(terms, self.zone, first, last, starts, ends) for terms, first, last in found]
        return self.known[period]

    def segment_at(self, period, quarter):
        return next((segment for segment in self.segments(period) if segment.starts <= quarter < segment.ends), None)

    def window(self, period, terms):
        """Of the commitment: (the periods of it that come before, is this the last of it)."""
        reset = terms.get("commitment", {}).get("reset", "never")
        year, month = int(period[:4]), int(period[5:])
        following = "%04d-%02d" % (year + month // 12, month % 12 + 1)
        mine = slow_rater.reset_window(period, reset)
        return (lambda other: other < period and slow_rater.reset_window(other, reset) == mine), \
            slow_rater.reset_window(following, reset) != mine
