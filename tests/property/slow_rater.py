#!/usr/bin/env python3
"""The second rater: slow, and obviously right.

It prices each request on its own, straight from the words of docs/price-books.md, with whole numbers and fractions alone.  It shares
no code with the program; of the program's files it reads the registry of meters (names, numbers, sides, decimals).

    slow_rater.py --self-test                   cases whose results were computed by hand
    slow_rater.py --book FILE [--with FILE]... [--zone ZONE] --event FILE [--each]
                                                what `tollbook prices quote ... --format json` says, without its details
"""
import argparse
import json
import os
import re
import sys
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUARTER = 15 * 60 * 1000000  # of an hour, in microseconds
DEPTH = 4  # how often an inheritance may be followed by another
SOURCES = 128  # rules that one request may lead to; more are not decided


class Meter:
    def __init__(self, number, name, side, decimals):
        self.number, self.name, self.side, self.scale = number, name, side, 10 ** decimals

    def place(self):
        """Where its tokens lie in the row of its side of a request: cache reads, cache writes, the rest; then by number."""
        return (0 if "_cache_read_" in self.name else 1 if "_cache_write_" in self.name else 2, self.number)


def read_meters():
    text = open(os.path.join(TOP, "ledger", "meters.def"), encoding="utf-8").read()
    found = re.findall(r"^METER\((\d+), (\w+), (\w+), (\d+), \w+\)", text, re.M)
    return {name: Meter(int(number), name, side, int(decimals)) for number, name, side, decimals in found}


METERS = read_meters()


# --- numbers ------------------------------------------------------------------------------------

def round18(value):
    """Half to even at the 18th decimal; round() of a fraction is half to even."""
    return Fraction(round(value * 10 ** 18), 10 ** 18)


def decimal(text):
    if not isinstance(text, str):
        raise ValueError("%r is not decimal text" % (text,))
    return Fraction(text)


def decimal_text(value):
    """Plain decimal text of a number that has at most 18 decimals."""
    scaled = value * 10 ** 18
    assert scaled.denominator == 1, value
    whole, part = divmod(abs(scaled.numerator), 10 ** 18)
    text = "%d.%018d" % (whole, part)
    return ("-" if scaled < 0 else "") + text.rstrip("0").rstrip(".")


# --- time ---------------------------------------------------------------------------------------

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(text):
    """RFC 3339 to microseconds since 1970; further digits are cut."""
    got = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)", text)
    if got is None:
        raise ValueError("%r is not a time" % text)
    day, clock, part, offset = got.groups()
    at = datetime.fromisoformat(day + "T" + clock + ("+00:00" if offset in "Zz" else offset))
    return (at - EPOCH) // timedelta(microseconds=1) + int(((part or "") + "000000")[:6])


def local(at, zone):
    return (EPOCH + timedelta(microseconds=at)).astimezone(ZoneInfo(zone))


def midnight(day, zone):
    """When a local day begins, found by walking over the quarters of an hour.  Where 00:00 comes twice it is the second one; where it
    is left out, the first instant of the day."""
    at = (datetime(day.year, day.month, day.day, tzinfo=timezone.utc) - EPOCH) // timedelta(microseconds=1) - 16 * 4 * QUARTER
    quarters = [at + i * QUARTER for i in range(32 * 4)]
    zeros = [q for q in quarters if local(q, zone).date() == day and local(q, zone).strftime("%H:%M") == "00:00"]
    return zeros[-1] if zeros else next(q for q in quarters if local(q, zone).date() == day)


def month_begins(year, month, zone, known={}):
    if (year, month, zone) not in known:
        known[year, month, zone] = midnight(date(year, month, 1), zone)
    return known[year, month, zone]


def period_borders(period, zone):
    year, month = int(period[:4]), int(period[5:])
    return month_begins(year, month, zone), month_begins(year + month // 12, month % 12 + 1, zone)


def period_of(at, zone):
    here = local(at, zone)
    if at >= month_begins(here.year, here.month, zone):
        return here.strftime("%Y-%m")
    return (here.date().replace(day=1) - timedelta(days=1)).strftime("%Y-%m")


def reset_window(period, reset):
    """The name of what a counter counts within."""
    year, month = period.split("-")
    return {"month": period, "quarter": "%s-q%d" % (year, (int(month) + 2) // 3), "year": year, "never": ""}[reset]


WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def window_holds(window, at):
    """True where the quarter of an hour that begins at `at` is in the window."""
    here = local(at, window["zone"])
    clock, today = here.strftime("%H:%M"), here.date()
    for span in window["spans"]:
        start, end = span.get("from", "00:00"), span.get("to", "00:00")

        def begins_on(day):
            dates = span.get("dates")
            return WEEKDAYS[day.weekday()] in span.get("days", WEEKDAYS) and \
                (dates is None or dates[0] <= day.isoformat() <= dates[1])

        if start == end:
            inside = begins_on(today)
        elif start < end:
            inside = begins_on(today) and start <= clock < end
        else:
            inside = begins_on(today) and start <= clock or begins_on(today - timedelta(days=1)) and clock < end
        if inside:
            return True
    return False


# --- usage --------------------------------------------------------------------------------------

# In the order in which usage of one quarter of an hour counts.
FIELDS = ["model", "base_model", "service_tier", "adapter_kind", "adapter", "provider", "operation", "region", "speed",
          "deployment", "project", "api_key"]
ALWAYS = FIELDS[:3]  # the others only where a book of the contract asks for them


class Request:
    """One usage event: what it is attributed to, how large it is, and what was used, in smallest units."""

    def __init__(self, identity, tenant, at, fields, engine, tags, context, quantities):
        self.identity, self.tenant, self.at = identity, tenant, at
        self.quarter = at - at % QUARTER
        self.fields = fields  # "" where not stated
        self.engine, self.tags = engine, tags
        self.quantities = {METERS[name]: count for name, count in quantities.items()}
        side = {name: [m for m in self.quantities if m.side == name] for name in ("INPUT", "OUTPUT")}
        if context is None and side["INPUT"]:
            context = sum(self.quantities[m] for m in side["INPUT"])
        # The whole input may be unknown; the others are sums of what was reported.
        self.size = {"input": context, "output": sum(self.quantities[m] for m in side["OUTPUT"]),
                     "uncached_input": sum(self.quantities[m] for m in side["INPUT"] if "_cache_read_" not in m.name)}

    def taken_back(self):
        """The same request with all quantities negative."""
        other = Request.__new__(Request)
        other.__dict__.update(self.__dict__)
        other.quantities = {m: -count for m, count in self.quantities.items()}
        return other


def smallest_units(name, value):
    scaled = Fraction(value) * METERS[name].scale
    assert scaled.denominator == 1 and scaled >= 0, (name, value)
    return scaled.numerator


def short_request(record):
    def count(key):
        return record.get(key)

    quantities, context = {}, None
    if count("input_tokens") is not None:
        cached, written = count("cached_input_tokens"), count("cache_write_tokens")
        context = record["input_tokens"]
        quantities["input_text_uncached_tokens"] = context - (cached or 0) - (written or 0)
        if cached is not None:
            quantities["input_text_cache_read_tokens"] = cached
        if written is not None:
            quantities["input_text_cache_write_tokens"] = written
    if count("output_tokens") is not None:
        quantities["output_text_tokens"] = record["output_tokens"] - (count("reasoning_tokens") or 0)
        if count("reasoning_tokens") is not None:
            quantities["output_reasoning_tokens"] = record["reasoning_tokens"]
    quantities["requests"] = record.get("requests", 1)
    fields = {name: record.get(name) or "" for name in FIELDS}
    fields["service_tier"] = fields["service_tier"] or "default"
    fields["operation"] = fields["operation"] or "chat"
    return Request((record.get("source", "/short"), record["idempotency_key"]), record["tenant"], instant(record["time"]), fields,
                   "", {}, context, quantities)


def canonical_request(record):
    data = record["data"]
    attribution, adapter = data.get("attribution") or {}, data.get("adapter") or {}
    fields = {name: data.get(name) or "" for name in FIELDS}
    fields["service_tier"] = fields["service_tier"] or "default"
    fields["adapter_kind"], fields["adapter"] = adapter.get("kind") or "", adapter.get("id") or ""
    fields["project"], fields["api_key"] = attribution.get("project_id") or "", attribution.get("api_key_id") or ""
    engine = data.get("engine") or ""
    if isinstance(engine, dict):
        engine = engine.get("name") or ""
    quantities = {name: smallest_units(name, value) for name, value in data.get("quantities", {}).items()}
    return Request((record["source"], record["id"]), record["subject"], instant(record["time"]), fields, engine,
                   attribution.get("tags") or {}, data.get("context_input_tokens"), quantities)


def read_requests(lines):
    """The requests that lines of events come to: a void takes its original back, a correction replaces it, under its time."""
    requests, known = [], {}
    for line in lines:
        if not line.strip():
            continue
        record = json.loads(line)
        if "idempotency_key" in record:
            request = short_request(record)
        else:
            request = canonical_request(record)
            kind = record["data"].get("kind", "usage")
            if kind != "usage":
                reference = record["data"]["ref"]
                original = known[(request.tenant, reference["source"], reference["id"])]
                requests.append(original.taken_back())
                if kind == "void":
                    continue
                request.at, request.quarter = original.at, original.quarter
        known[(request.tenant,) + request.identity] = request
        requests.append(request)
    return requests


# --- price books --------------------------------------------------------------------------------

UNITS = {("second", "minute"): 60, ("second", "hour"): 3600, ("hour", "hour"): 1, ("hour", "day"): 24}


def per_of(value, meter):
    if isinstance(value, str):
        return UNITS[("hour" if meter.name.endswith("hours") else "second", value)]
    return value


class Step:
    def __init__(self, node, per, meter):
        self.up_to = node["up_to"] * meter.scale if "up_to" in node else None
        self.price, self.fee = decimal(node["price"]), decimal(node.get("fee", "0"))
        self.in_packages = "package" in node
        self.per = node["package"] if self.in_packages else per


class Steps:
    """How units of one meter cost: flat, graduated or volume."""

    def __init__(self, node, per, meter):
        self.mode = node.get("tiers", "flat")
        per = per_of(node.get("per", per), meter)
        self.steps = [Step(step, per, meter) for step in node.get("steps", [node])]
        self.counts = self.mode != "flat" or self.steps[0].in_packages


class Price:
    """A value of "prices"."""

    def __init__(self, node, meter, outer=None):
        per = node.get("per", None if outer is None else outer.get("per"))
        self.subject = None
        self.brackets = []  # the least size that each is for, and its steps
        if "brackets" in node:
            self.subject = "part" if node.get("split") == "tokens" else node.get("subject", "input")
            for bracket in node["brackets"]:
                least = bracket["over"] + 1 if "over" in bracket else bracket.get("from", 0)
                self.brackets.append((least, Steps(bracket, per, meter)))
        else:
            self.brackets.append((0, Steps(node, per, meter)))
        counter = (outer or node).get("counter", {})
        self.scope, self.group, self.reset = counter.get("scope", "rule"), counter.get("group"), counter.get("reset", "month")
        self.times = [(entry["window"], decimal(entry["factor"]) if "factor" in entry else None,
                       None if "factor" in entry else Price(entry, meter, node)) for entry in node.get("times", [])]

    def all(self):
        return [self] + [own for _, _, own in self.times if own is not None]


# What a rule is matched by, beside patterns and tags.
MATCHED = FIELDS + ["engine"]


class Rule:
    def __init__(self, node):
        self.node = node
        self.prices = {METERS[name]: Price(price, METERS[name]) for name, price in node.get("prices", {}).items()}
        self.fallback = {METERS[a]: METERS[b] for a, b in node.get("fallback", {}).items()}
        self.inherit = node.get("inherit")
        self.is_exact = "model" in node
        matches = {key: node[key] for key in MATCHED + ["model_pattern", "base_model_pattern", "tags"] if key in node}
        self.identity = ("name", node["name"]) if "name" in node else ("match", json.dumps(matches, sort_keys=True))

    def matches(self, subject):
        for key in MATCHED:
            wanted, got = self.node.get(key, "default" if key == "service_tier" else None), subject[key]
            if wanted is None:
                continue
            if wanted == "*":
                if got == "" and key != "service_tier":
                    return False
            elif wanted != got:
                return False
        for key, of in (("model_pattern", "model"), ("base_model_pattern", "base_model")):
            if key in self.node and not re.fullmatch(self.node[key], subject[of]):
                return False
        return all(subject["tags"].get(key) == value for key, value in self.node.get("tags", {}).items())


class Book:
    def __init__(self, document, find=None, version=0):
        node = json.loads(document, parse_float=decimal) if isinstance(document, str) else document
        self.name, self.currency, self.version = node["book"], node["currency"], version
        self.label = "%s@%d" % (self.name, version) if version else self.name
        self.effective = instant(node["effective"])
        self.rules = [Rule(rule) for rule in node["rules"]]
        self.free = {METERS[name] for name in node.get("free", [])}
        self.fallback = {METERS[a]: METERS[b] for a, b in node.get("fallback", {}).items()}
        self.aliases, self.own_windows = node.get("aliases", {}), node.get("windows", {})
        self.service_tiers = node.get("service_tiers", {})
        self.base, self.base_factor = None, Fraction(1)
        if "extends" in node:
            self.base = find(node["extends"]["book"], node["extends"]["version"])
            self.base_factor = decimal(node["extends"].get("factor", "1"))

    def layers(self):
        """This book and those it extends, each with the factors of its prices, innermost first."""
        book, factors, found = self, [], []
        while book is not None:
            found.append((book, list(reversed(factors))))
            factors = factors + [book.base_factor]
            book = book.base
        return found

    def holds(self, rule):
        return any(rule in book.rules for book, _ in self.layers())

    def number(self, rule):
        """Rules are counted from 1, those of an extended book behind the book's own."""
        return [other for book, _ in self.layers() for other in book.rules].index(rule) + 1

    def window(self, name):
        book = self
        while name not in book.own_windows:
            book = book.base
        return book.own_windows[name]

    def known_as(self, model):
        """By the aliases of this book, else of one that it extends; one step."""
        for book, _ in self.layers():
            if model in book.aliases:
                return book.aliases[model]
            prefixes = [key for key in book.aliases if key.endswith("*") and model.startswith(key[:-1])]
            if prefixes:
                return book.aliases[max(prefixes, key=len)]
        return model

    def tier_inherits(self, tier):
        """The entry of a service tier, of this book or else of one that it extends."""
        return next((book.service_tiers[tier] for book, _ in self.layers() if tier in book.service_tiers), None)

    def rule_for(self, subject, passed):
        """Of this book alone; a rule whose prices are just being looked for elsewhere is passed by."""
        for exact in (True, False):
            for rule in self.rules:
                if rule.is_exact == exact and rule not in passed and rule.matches(subject):
                    return rule
        return None

    def fields(self):
        """What the rules of this book and of those it extends ask for, of FIELDS."""
        return {name for book, _ in self.layers() for rule in book.rules for name in FIELDS if name in rule.node}

    def distinctions(self):
        """What this book and those it extends tell requests apart by: boundaries of sizes, engines, tags."""
        found = {"input": set(), "uncached_input": set(), "output": set(), "part": set(), "engine": set(), "tag": set()}
        for book, _ in self.layers():
            for rule in book.rules:
                for price in [p for own in rule.prices.values() for p in own.all()]:
                    if price.subject is not None:
                        found[price.subject].update(least for least, _ in price.brackets if least > 0)
                if "engine" in rule.node:
                    found["engine"].add("")
                found["tag"].update(rule.node.get("tags", {}))
        return found


# --- which price --------------------------------------------------------------------------------

class Adjustment:
    """On the way from a rule to the usage: x factor, then + plus."""

    def __init__(self, factor, plus=None):
        self.factor = factor
        self.plus = {METERS[name]: (decimal(node["price"]), per_of(node["per"], METERS[name])) for name, node in (plus or {}).items()}

    def price(self, value, meter, per):
        value = round18(value * self.factor)
        if meter in self.plus:
            price, for_units = self.plus[meter]
            value += round18(price * per / for_units)
        return value

    def fee(self, value):
        return round18(value * self.factor)


class Source:
    """A rule that may have a price, and what is done to its prices, innermost first.  The factors of books that extend the one it
    stands in are applied once: `extended` says that they are."""

    def __init__(self, book, rule, adjustments=(), extended=False):
        self.book, self.rule, self.adjustments, self.extended = book, rule, list(adjustments), extended

    def then(self, adjustment):
        return Source(self.book, self.rule, self.adjustments + [adjustment], self.extended)

    def by_books(self, factors):
        more = [] if self.extended else [Adjustment(factor) for factor in factors]
        return Source(self.book, self.rule, self.adjustments + more, True)


class Choice:
    """The rules that are asked for the price of a request, in order, among books (an override before the contract's book)."""

    def __init__(self, books, subject):
        self.books = books
        self.layers = [book for top in books for book, _ in top.layers()]
        self.sources = self.asked(subject, 0, [])

    def asked(self, subject, depth, passed):
        found = []
        for top in self.books:
            named = dict(subject, model=top.known_as(subject["model"]))
            for book, factors in top.layers():
                found += [source.by_books(factors) for source in self.asked_of(top, book, named, depth, passed)]
        return found

    def asked_of(self, top, book, subject, depth, passed):
        found, rule = [], book.rule_for(subject, passed)
        if rule is not None:
            found += self.asked_of_rule(book, rule, subject, depth, passed)
        entry = top.tier_inherits(subject["service_tier"])
        if entry is not None and depth < DEPTH:
            adjustment = Adjustment(decimal(entry.get("factor", "1")))
            other = dict(subject, service_tier=entry["inherit"])
            found += [source.then(adjustment) for source in self.asked_of(top, book, other, depth + 1, passed)]
        return found

    def asked_of_rule(self, book, rule, subject, depth, passed):
        found, passed = [Source(book, rule)], passed + [rule]
        if rule.inherit is None or depth >= DEPTH:
            return found
        origin, inherited = rule.inherit["from"], []
        if origin != "base_model" and "rule" in origin:
            # A rule that names itself means those of its name that stand below it.
            is_below = rule.node.get("name") != origin["rule"]
            for holder, factors in [layer for top in self.books for layer in top.layers()]:
                for other in holder.rules if is_below else []:
                    if other.node.get("name") == origin["rule"] and other not in passed:
                        inherited += [source.by_books(factors) for source in self.asked_of_rule(holder, other, subject, depth + 1, passed)]
                is_below = is_below or holder is book
        else:
            model = subject["base_model"] if origin == "base_model" else origin["model"]
            if model != "":
                bare = dict(subject, model=model, base_model="", adapter_kind="", adapter="")
                inherited = self.asked(bare, depth + 1, passed)
        adjustment = Adjustment(decimal(rule.inherit.get("factor", "1")), rule.inherit.get("plus"))
        return found + [source.then(adjustment) for source in inherited]

    def fallback(self, meter):
        """The meter named by the first layer that has one for it: a rule of it that is asked, else the book."""
        for book in self.layers:
            for place in [source.rule for source in self.sources if source.book is book] + [book]:
                if meter in place.fallback:
                    return place.fallback[meter]
        return None

    def answer(self, meter):
        """(source, the meter priced as); (None, meter) where it is free; or a text: the reason to hold it."""
        if not self.sources:
            return "no_rule"
        if len(self.sources) > SOURCES:
            return "pattern_limit"
        asked = meter
        for _ in range(DEPTH):
            for source in self.sources:
                if asked in source.rule.prices:
                    return source, asked
            asked = self.fallback(asked)
            if asked is None:
                break
        if any(meter in book.free for book in self.layers):
            return None, meter
        return "no_price"


# --- rating -------------------------------------------------------------------------------------

class Portion:
    """What was used of one meter in one quarter of an hour, alike in all that counts; and how it is priced."""

    def __init__(self, request, meter, part, sizes, books):
        self.quarter, self.model, self.service_tier = request.quarter, request.fields["model"], request.fields["service_tier"]
        self.meter, self.quantity, self.books = meter, 0, books
        subject = dict(request.fields, engine=request.engine, tags=request.tags)
        self.source = self.price = self.steps = self.held = None
        self.time_factor, self.priced_as = Fraction(1), meter
        answer = Choice(books, subject).answer(meter)
        if isinstance(answer, str):
            self.held = answer
            return
        self.source, self.priced_as = answer
        if self.source is None:
            return
        self.price = self.source.rule.prices[self.priced_as]
        for window, factor, own in self.price.times:
            if window_holds(self.source.book.window(window), request.quarter):
                self.price, self.time_factor = own or self.price, Fraction(1) if factor is None else factor
                break
        size = part if self.price.subject == "part" else 0 if self.price.subject is None else sizes[self.price.subject]
        if size is None:
            self.held = "no_context"
            return
        self.steps = [steps for least, steps in self.price.brackets if size >= least][-1]

    def effective(self, step):
        value = round18(step.price * self.time_factor)
        for adjustment in self.source.adjustments:
            value = adjustment.price(value, self.priced_as, step.per)
        return value

    def fee(self, step):
        value = round18(step.fee * self.time_factor)
        for adjustment in self.source.adjustments:
            value = adjustment.fee(value)
        return value

    def counter(self, period):
        """What its steps count over."""
        price, window = self.price, reset_window(period, self.price.reset)
        over = {"rule": (self.source.book.name, self.source.rule.identity, self.priced_as.number),
                "model": (self.model, self.priced_as.number),
                "group": (self.priced_as.scale, price.group),
                "contract": (self.priced_as.scale,)}[price.scope]
        return (price.scope, price.reset, window) + over

    def same_price(self, other):
        def told(portion):
            source = portion.source
            return (portion.held, portion.priced_as, portion.time_factor, id(portion.steps),
                    source and (source.book, source.rule, [(a.factor, a.plus) for a in source.adjustments]))
        return told(self) == told(other)


def parts_of(request, meter, boundaries):
    """The tokens of a meter by their place in the row of their side: (the greatest boundary at or below the place, tokens)."""
    if meter.side == "OTHER" or not boundaries:
        return [(0, request.quantities[meter])]
    sign = -1 if request.quantities[meter] < 0 else 1
    row = sorted((m for m in request.quantities if m.side == meter.side), key=Meter.place)
    before = sum(abs(request.quantities[m]) for m in row[:row.index(meter)])
    first, last = before + 1, before + abs(request.quantities[meter])  # the places it takes, counted from 1
    borders = [0] + sorted(boundaries)
    found = []
    for i, least in enumerate(borders):
        most = borders[i + 1] - 1 if i + 1 < len(borders) else last
        tokens = min(last, most) - max(first, least) + 1
        if tokens > 0:
            found.append((least, sign * tokens))
    return found


def class_of(request, part, distinctions):
    """By what requests alike in all else are put in order."""
    def at(kind, size):
        return -1 if size is None or not distinctions[kind] else max([0] + [b for b in distinctions[kind] if b <= size])

    tags = {key: request.tags[key] for key in sorted(request.tags) if key in distinctions["tag"]}
    return (at("input", request.size["input"]), at("uncached_input", request.size["uncached_input"]),
            at("output", request.size["output"]), part if distinctions["part"] else -1,
            (request.engine if distinctions["engine"] else "").encode(), json.dumps(tags).encode())


class Lines:
    """Charges: what is the same but for its time is one."""

    def __init__(self):
        self.lines = {}
        self.packed = set()  # (period, price, per) where packages of volume prices are shared: on which line each is, is open

    def add(self, period, kind, portion, tier, price, per, quantity, billed):
        book = rule = None
        if portion.source is not None:
            # Named is the book that was asked, also where the rule stands in one that it extends.
            asked = next(book for book in portion.books if book.holds(portion.source.rule))
            book, rule = asked.label, asked.number(portion.source.rule)
        key = (period, kind, portion.model, portion.service_tier, portion.meter.name, portion.priced_as.name, book, rule, tier, price, per)
        line = self.lines.setdefault(key, [0, 0])
        line[0] += quantity
        line[1] += billed

    def amounts(self):
        for key, (quantity, billed) in self.lines.items():
            scale = METERS[key[4]].scale
            if quantity == 0 and billed == 0:
                continue
            yield key, Fraction(quantity, scale), Fraction(billed, scale), round18(key[9] * Fraction(billed, scale) / key[10])


def packages(step, already, quantity, scale):
    """What is billed of a quantity that comes after `already`: itself, or the packages that it begins, in units."""
    if not step.in_packages:
        return quantity
    size = step.per * scale

    def begun(units):
        return -(-units // size)

    return (begun(already + quantity) - begun(already)) * size


class Result:
    def __init__(self, currency):
        self.currency, self.charges, self.holds = currency, Lines(), {}
        self.included = {}  # quantities of trials and allowances

    def total(self):
        return sum((amount for _, _, _, amount in self.charges.amounts()), Fraction(0))

    def hold(self, period, portion, reason, quantity):
        key = (period, portion.model, portion.service_tier, portion.meter.name, reason)
        self.holds[key] = self.holds.get(key, 0) + Fraction(quantity, portion.meter.scale)

    def document(self):
        names = ["period", "kind", "model", "service_tier", "meter", "priced_as", "book", "rule", "tier", "price", "per"]
        lines = []
        for key, quantity, billed, amount in self.charges.amounts():
            line = dict(zip(names, key))
            line["price"] = decimal_text(line["price"])
            line.update(quantity=decimal_text(quantity), billed=decimal_text(billed), amount=decimal_text(amount))
            lines.append(line)
        holds = [dict(zip(["period", "model", "service_tier", "meter", "reason"], key), quantity=decimal_text(quantity))
                 for key, quantity in sorted(self.holds.items()) if quantity != 0]
        return {"currency": self.currency, "total": decimal_text(self.total()), "lines": lines, "holds": holds}


class Rater:
    """Rates the usage of one tenant.  `books_at(quarter)` gives the books asked then, an override before the contract's book, or a
    text, the reason to hold all; `distinctions_at(quarter)` what tells requests apart then; `fields` what any version asks for."""

    def __init__(self, currency, zone, books_at, distinctions_at, fields, terms=None):
        self.fields = [name for name in FIELDS if name in ALWAYS or name in fields]  # usage counts in the order of these
        self.terms = terms  # what the contract says beside prices
        self.zone, self.books_at, self.distinctions_at = zone, books_at, distinctions_at
        self.positions = {}  # of the counters, in smallest units
        self.entered = set()  # steps whose fee is charged
        self.result = Result(currency)

    def rate(self, requests):
        months = {}
        for request in requests:
            months.setdefault(period_of(request.quarter, self.zone), []).append(request)
        for period in sorted(months):
            self.rate_month(period, months[period])
        return self.result

    def rate_month(self, period, requests):
        volume, self.before = [], dict(self.positions)
        for portion in self.portions(requests):
            self.include(period, portion)
            if portion.quantity == 0:
                continue
            if portion.held is not None:
                self.result.hold(period, portion, portion.held, portion.quantity)
            elif portion.source is None:
                self.result.charges.add(period, "usage", portion, 0, Fraction(0), 1, portion.quantity, portion.quantity)
            else:
                self.charge(period, portion, volume)
        self.settle(period, volume)

    def include(self, period, portion):
        """What costs nothing because the contract says so: it is asked before prices."""
        segment = None if self.terms is None else self.terms.segment_at(period, portion.quarter)
        if segment is None or portion.quantity == 0:
            return
        trial = segment.is_trial(portion.quarter)
        taken = portion.quantity if trial else segment.take(portion, portion.quantity)
        key = (period, "trial" if trial else "allowance", portion.model, portion.service_tier, portion.meter.name)
        if taken != 0:
            self.result.included[key] = self.result.included.get(key, 0) + Fraction(taken, portion.meter.scale)
        portion.quantity -= taken

    def portions(self, requests):
        """In the order in which usage counts; what is alike is summed first."""
        found = {}
        for request in requests:
            distinctions, books = self.distinctions_at(request.quarter), self.books_at(request.quarter)
            names = tuple(request.fields[name].encode() for name in self.fields)
            for meter in request.quantities:
                for part, tokens in parts_of(request, meter, distinctions["part"]):
                    key = (request.quarter, names, class_of(request, part, distinctions), meter.number)
                    portion = self.priced(request, meter, part, books)
                    assert key not in found or found[key].same_price(portion), "alike, but priced apart: %r" % (key,)
                    found.setdefault(key, portion).quantity += tokens
        return [found[key] for key in sorted(found)]

    def priced(self, request, meter, part, books):
        if isinstance(books, str):
            portion = Portion.__new__(Portion)
            portion.quarter, portion.model, portion.service_tier = request.quarter, request.fields["model"], request.fields["service_tier"]
            portion.meter, portion.quantity, portion.held = meter, 0, books
            portion.source, portion.priced_as, portion.time_factor, portion.steps = None, meter, Fraction(1), None
            return portion
        return Portion(request, meter, part, request.size, books)

    def charge(self, period, portion, volume):
        """What would cost less than nothing is held: of a graduated price the part that its step costs, else all."""
        steps = portion.steps
        negative = [step for step in steps.steps if portion.effective(step) < 0]
        if negative:
            self.result.hold(period, portion, "negative_price", portion.quantity)
        elif steps.counts and steps.mode != "volume":
            self.charge_steps(period, portion)
        elif steps.mode == "volume":
            volume.append((self.count(period, portion)[0], portion))
        else:
            self.add(period, portion, steps.steps[0], 0, portion.quantity, portion.quantity)

    def charge_steps(self, period, portion):
        assert portion.quantity > 0, "more is taken back than was used"
        counter, already = self.count(period, portion)
        below = 0
        for i, step in enumerate(portion.steps.steps):
            above = step.up_to if step.up_to is not None else already + portion.quantity
            first, last = max(already, below), min(already + portion.quantity, above)
            if first < last:
                self.add(period, portion, step, i + 1, last - first, packages(step, first - below, last - first, portion.meter.scale))
                self.charge_fee(period, portion, counter, step, i + 1)
            below = above

    def count(self, period, portion):
        """Adds to the counter: (its name, where it was)."""
        counter = portion.counter(period)
        already = self.positions.get(counter, 0)
        self.positions[counter] = already + portion.quantity
        return counter, already

    def add(self, period, portion, step, tier, quantity, billed):
        self.result.charges.add(period, "usage", portion, tier, portion.effective(step), step.per, quantity, billed)

    def charge_fee(self, period, portion, counter, step, tier):
        if step.fee != 0 and (counter, tier) not in self.entered:
            self.entered.add((counter, tier))
            self.result.charges.add(period, "tier_fee", portion, tier, portion.fee(step), 1, 0, portion.meter.scale)

    def settle(self, period, volume):
        """Volume prices: which step it is shows when the month is counted."""
        packed = {}
        for counter, portion in volume:
            before, steps, scale = self.before.get(counter, 0), portion.steps.steps, portion.meter.scale
            reached = volume_step(steps, self.positions[counter])
            step, already = steps[reached], packed.get(counter, before)
            packed[counter] = already + portion.quantity
            billed = packages(step, already, portion.quantity, scale)
            self.add(period, portion, step, reached + 1, portion.quantity, billed)
            if step.in_packages:
                self.result.charges.packed.add((period, portion.effective(step), step.per))
            fee = portion.fee(step)
            if before > 0:  # months before have charged the fee of the step that they reached
                fee -= portion.fee(steps[volume_step(steps, before)])
            if fee != 0 and (counter, period) not in self.entered:
                self.result.charges.add(period, "tier_fee", portion, reached + 1, fee, 1, 0, scale)
            self.entered.add((counter, period))


def volume_step(steps, total):
    reached = 0
    while steps[reached].up_to is not None and total > steps[reached].up_to:
        reached += 1
    return reached


def distinctions_of(books):
    """What requests are told apart by where all of these books are in force."""
    together = {kind: set() for kind in ("input", "uncached_input", "output", "part", "engine", "tag")}
    for book in books:
        for kind, told in book.distinctions().items():
            together[kind] |= told
    return together


def fields_of(books):
    return {name for book in books for name in book.fields()}


def quote(books, requests, zone="UTC", asked=None, terms=None):
    """`books`: all there are; `asked`: those that price, an override before the contract's book; by default the first one."""
    asked = asked or [books[0]]
    together = distinctions_of(books)
    return Rater(asked[0].currency, zone, lambda quarter: asked, lambda quarter: together, fields_of(books), terms).rate(requests)


def read_books(files):
    """Books from files; each may extend another of them."""
    nodes = {}
    for file in files:
        node = json.load(open(file, encoding="utf-8"), parse_float=decimal)
        nodes[node["book"]] = node
    made = {}

    def find(name, version):
        if name not in made:
            made[name] = Book(nodes[name], find)
        return made[name]

    return [find(name, 0) for name in nodes]


# --- hand-made cases ----------------------------------------------------------------------------

def self_test():
    cases = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hand_cases.json"), encoding="utf-8"))
    failed = 0
    for case in cases["cases"]:
        found = hand_case(cases["books"], case)
        good = found == case["wanted"]
        failed += not good
        print("%s - by hand: %s" % ("ok" if good else "not ok", case["says"]))
        if not good:
            print("    got:    %s\n    wanted: %s" % (json.dumps(found), json.dumps(case["wanted"])))
    return failed


def hand_case(shared_books, case):
    """{"total", and what else `wanted` asks for: "amounts" by "meter/tier/price", "holds" by "meter/reason"}"""
    nodes = dict(shared_books)
    made = {}

    def complete(name, node):
        return dict({"tollbook_prices": 1, "book": name, "currency": "USD", "effective": "2020-01-01T00:00:00Z"}, **node)

    if "book" in case:
        nodes["case"] = case["book"]

    def find(name, version):
        if name not in made:
            made[name] = Book(json.dumps(complete(name, nodes[name])), find)
        return made[name]

    asked = [find(name, 0) for name in case.get("asked", ["case"])]
    requests = read_requests([json.dumps(hand_event(event, i)) for i, event in enumerate(case["events"])])
    result = quote(asked, requests, case.get("zone", "UTC"), asked)
    found = {"total": decimal_text(result.total())}
    if "amounts" in case["wanted"]:
        found["amounts"] = {}
        for key, quantity, billed, amount in result.charges.amounts():
            name = "%s/%s/%s" % (key[4], key[8], decimal_text(key[9]))
            found["amounts"][name] = decimal_text(Fraction(found["amounts"].get(name, "0")) + amount)
    if "holds" in case["wanted"]:
        found["holds"] = {"%s/%s" % (key[3], key[4]): decimal_text(quantity) for key, quantity in result.holds.items()}
    return found


def hand_event(event, number):
    """[time, model, {meter: count}, {more of data}] or a whole event."""
    if isinstance(event, dict):
        return event
    time, model, quantities = event[:3]
    data = dict({"operation": "chat", "model": model, "quantities": quantities}, **(event[3] if len(event) > 3 else {}))
    return {"specversion": "1.0", "type": "tollbook.usage.v1", "source": "/hand", "id": str(number), "time": time, "subject": "t",
            "data": data}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--book")
    parser.add_argument("--with", dest="others", action="append", default=[])
    parser.add_argument("--zone", default="UTC")
    parser.add_argument("--event")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return 1 if self_test() else 0
    books = read_books([options.book] + options.others)
    requests = read_requests(open(options.event, encoding="utf-8"))
    for group in ([[request] for request in requests] if options.each else [requests]):
        print(json.dumps(quote(books, group, options.zone).document(), indent=None if options.each else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
