#!/usr/bin/env python3
"""The office at work: random things that support, finance and the nightly job do, in any order, with the real program on a real database.

    office.py --program FILE --seed N --operations N --every N --folder FOLDER

Time goes on as it does in an office; whoever acts is one of four people.  An operation may be refused, with the exit code for it; it may not
fail in any other way.  Every so often the books must reconcile, by the program and by tests/property/office.sql, which is written apart from
it.  At the end everything is settled, and what each tenant was charged for each month must be what Pricing, below, comes to from the ledger alone.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

FINE = {0, 4, 7}  # done, refused, done with something for a person to look at
PEOPLE = ["ann", "bob", "eve", "joe"]
TENANTS = {
    "sun": {"currency": "USD", "zone": "UTC", "tax": {"name": "VAT", "percent": "20"}},
    "moon": {"currency": "EUR", "zone": "America/New_York", "tax": {"name": "MwSt", "percent": "19"},
             "terms": {"adjustments": {"as": "credit_note"}, "fees": [{"name": "platform", "amount": "9.99"}]}},
    "star": {"currency": "JPY", "zone": "Asia/Tokyo", "tax": {"name": "JCT", "percent": "10"},
             "terms": {"adjustments": {"waive_below": "7"}, "discounts": [{"name": "loyal", "percent": "10"}]}},
    "dust": {"currency": "KWD", "zone": "Europe/Berlin"},
    "comet": {"currency": "USD", "zone": "UTC", "tax": {"name": "GST", "percent": "8.25"}},
}
MINOR = {"USD": 2, "EUR": 2, "JPY": 0, "KWD": 3}
SCALE = {"USD": Fraction(1), "EUR": Fraction(1), "JPY": Fraction(100), "KWD": Fraction(1, 3)}  # so that amounts are of a size everywhere
MODELS = ["flat", "steps", "held"]
METERS = {"input_text_uncached_tokens": 2, "output_text_tokens": 6}
STEP = 4000  # of the model "steps", output tokens of a month


def decimal(value, places=6):
    whole = int(value * 10 ** places)
    return "%d.%0*d" % (whole // 10 ** places, places, whole % 10 ** places)


def rounded(value, places):
    """Half away from zero."""
    scaled = abs(value) * 10 ** places
    whole = int(scaled)
    if scaled - whole >= Fraction(1, 2):
        whole += 1
    return whole if value >= 0 else -whole


class Database:
    """One psql that answers questions."""

    def __init__(self, conninfo):
        self.psql = subprocess.Popen(["psql", "-X", "-q", "-A", "-t", "-d", conninfo], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True)

    def rows(self, question):
        self.psql.stdin.write(question.rstrip().rstrip(";") + ";\n\\echo END\n")
        self.psql.stdin.flush()
        found = []
        for line in self.psql.stdout:
            line = line.rstrip("\n")
            if line == "END":
                return [row.split("|") for row in found]
            found.append(line)
        raise SystemExit("psql ended")

    def one(self, question):
        rows = self.rows(question)
        return rows[0][0] if rows else None


class Pricing:
    """What the ledger's rows cost: slow, from the rows themselves, knowing only the books that this test published."""

    def __init__(self, database, books):
        self.database, self.books = database, books  # books: currency -> [(version, effective, prices)]

    def version(self, currency, at, substitutes, model):
        for key in (model, ""):
            if key in substitutes:
                return next(book for book in self.books[currency] if book[0] == substitutes[key])
        found = None
        for book in self.books[currency]:
            if book[1] <= at:
                found = book
        return found

    def month(self, tenant, period, starts, ends, until):
        """{(kind, model, meter): (exact, minor)} of a tenant's month."""
        terms, currency = TENANTS[tenant], TENANTS[tenant]["currency"]
        substitutes = {model: int(version) for model, version in self.database.rows(
            "SELECT DISTINCT ON (s.model) s.model, v.version FROM finance.price_substitution s JOIN finance.price_book_version v USING (price_book_version_id)"
            " WHERE s.tenant = '%s' AND s.period = '%s' AND v.book = '%s' ORDER BY s.model, s.substitution_id DESC" % (tenant, period, currency.lower()))}
        usage = self.database.rows(
            "SELECT floor(extract(epoch FROM q.event_time) / 900)::bigint * 900 AS at, s.model, q.meter_id, sum(q.quantity)"
            "  FROM metering.event_quantity q JOIN metering.usage_series s USING (series_id)"
            " WHERE s.tenant = '%s' AND q.event_time >= '%s' AND q.event_time < '%s' AND q.meter_id IN (2, 6)"
            " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3" % (tenant, starts, ends))
        parts, counted = defaultdict(Fraction), Counter()
        for at, model, meter, quantity in usage:
            at, meter, quantity = datetime.fromtimestamp(int(at), timezone.utc), int(meter), int(quantity)
            if until is not None and at >= until:
                continue
            book = self.version(currency, at, substitutes, model)
            if book is None or model not in book[2]:
                continue
            prices = book[2][model][meter]
            before = counted[model, meter] if len(prices) > 1 else 0
            counted[model, meter] += quantity
            low = min(max(STEP - before, 0), quantity) if len(prices) > 1 else quantity
            for step, units in enumerate((low, quantity - low)):
                if units:
                    parts["usage", model, meter, book[0], step] += Fraction(units) * prices[step] / 1000
        if terms.get("terms", {}).get("discounts"):
            parts["discount", "", 0, 0, 0] = -sum(parts.values()) / 10
        if terms.get("terms", {}).get("fees"):
            parts["fee", "", 0, 0, 0] = Fraction("9.99")
        totals = {}
        for key, exact in parts.items():
            was = totals.get(key[:3], (Fraction(0), 0))
            totals[key[:3]] = (was[0] + exact, was[1] + rounded(exact, MINOR[currency]))
        return {key: value for key, value in totals.items() if value != (0, 0)}


class Office:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.database = Database(os.environ["TOLLBOOK_DB"])
        self.now = datetime(2026, 2, 3, 9, tzinfo=timezone.utc)
        self.number, self.did, self.codes, self.last = 0, Counter(), Counter(), []
        self.books, self.until, self.known = defaultdict(list), {}, []
        self.requests = []

    # --- doing things ---------------------------------------------------------------------------

    def day(self):
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def run(self, *words, by=None, allowed=FINE):
        command = [self.options.program, *words, "--quiet", "--as-of", self.day(), "--by", by or self.random.choice(PEOPLE)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.last = (self.last + ["%s -> %d %s" % (" ".join(command[1:]), done.returncode, done.stderr.strip().split("\n")[0])])[-25:]
        self.codes[" ".join(words[:2]) if not words[0] in ("rate", "ingest", "close", "reconcile") else words[0], done.returncode] += 1
        if done.returncode not in allowed:
            self.fail("exit code %d: %s\n%s%s" % (done.returncode, " ".join(command), done.stdout, done.stderr))
        return done

    def fail(self, why):
        print("seed %s, operation %d: %s" % (self.options.seed, self.number, why))
        print("before it:\n    " + "\n    ".join(self.last))
        raise SystemExit(1)

    def file(self, name, text):
        path = os.path.join(self.options.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def pick(self, question):
        rows = self.database.rows(question)
        return self.random.choice(rows) if rows else None

    def some(self, share):
        return self.random.random() < share

    # --- the operations -------------------------------------------------------------------------

    def usage(self):
        """Usage of today, and some that is late, up to two months."""
        lines = []
        for _ in range(self.random.randint(1, 12)):
            late = self.random.choice([0, 0, 1, 3, 20, 35, 60])
            at = self.now - timedelta(days=late, seconds=self.random.randint(0, 86000))
            if at < datetime(2026, 1, 1, tzinfo=timezone.utc):
                continue
            tenant, identity = self.random.choice(list(TENANTS)), "e%d-%d" % (self.number, len(lines))
            lines.append(self.event(tenant, identity, at, self.random.choices(MODELS, [5, 5, 1])[0], {}))
            self.known.append((tenant, identity))
        self.run("ingest", self.file("usage.ndjson", "".join(lines)))

    def event(self, tenant, identity, at, model, more):
        quantities = {"requests": 1, "input_text_uncached_tokens": self.random.randint(0, 3000), "output_text_tokens": self.random.randint(0, 1500)}
        data = {"operation": "chat", "provider": "p", "model": model, "quantities": quantities, **more}
        return json.dumps({"specversion": "1.0", "type": "tollbook.usage.v1", "source": "/gateway", "id": identity, "subject": tenant,
                           "time": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "data": data}) + "\n"

    def correction(self):
        if self.known:
            tenant, identity = self.random.choice(self.known[-400:])
            more = {"kind": "correction", "ref": {"source": "/gateway", "id": identity}}
            self.run("ingest", self.file("usage.ndjson", self.event(tenant, "c%d" % self.number, self.now, self.random.choice(MODELS), more)))

    def by_support(self):
        if self.known:
            tenant, identity = self.random.choice(self.known[-400:])
            what = ["void"] if self.some(0.5) else ["correct", "--set", "output_text_tokens=%d" % self.random.randint(0, 2000)]
            self.run("usage", what[0], tenant, "/gateway", identity, *what[1:], "--reason", "metering_error", "--ticket", "T-%d" % self.number,
                     "--request", "u%d" % self.number)

    def rate(self):
        self.run("rate")

    def draft(self):
        self.run("invoice", "draft", *(["--tenant", self.random.choice(list(TENANTS))] if self.some(0.3) else []))

    def finalize(self):
        if self.some(0.7):
            self.run("rate")
            self.run("invoice", "draft")
        self.run("invoice", "finalize", *(["--tenant", self.random.choice(list(TENANTS))] if self.some(0.3) else []))

    def publish(self, first=False, currency=None):
        """A new version of a book, from a day on that is later than that of the last one; sometimes with a price for what is held."""
        currency = currency or self.random.choice(list(MINOR))
        versions = self.books[currency]
        effective = datetime(2026, 1, 1, tzinfo=timezone.utc) if first else max(
            versions[-1][1] + timedelta(days=1), (self.now + timedelta(days=self.random.randint(-20, 9))).replace(hour=0, minute=0, second=0))
        priced = {}
        for model in MODELS:
            if model == "held" and (first or (versions and "held" not in versions[-1][2] and self.some(0.8))):
                continue
            priced[model] = {2: [self.price(currency)], 6: [self.price(currency), self.price(currency)] if model == "steps" else [self.price(currency)]}
        book = {"tollbook_prices": 1, "book": currency.lower(), "currency": currency, "effective": effective.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "free": ["requests"], "rules": [{"model": model, "prices": {
                    "input_text_uncached_tokens": {"price": decimal(prices[2][0]), "per": 1000},
                    "output_text_tokens": {"price": decimal(prices[6][0]), "per": 1000} if len(prices[6]) == 1 else
                    {"tiers": "graduated", "per": 1000, "steps": [{"up_to": STEP, "price": decimal(prices[6][0])}, {"price": decimal(prices[6][1])}]},
                }} for model, prices in priced.items()]}
        if self.run("prices", "publish", self.file("book.json", json.dumps(book)), allowed={0, 3, 4, 7}).returncode in (0, 7):
            count = int(self.database.one("SELECT count(*) FROM finance.price_book_version WHERE book = '%s'" % currency.lower()))
            if count > len(versions):
                versions.append((count, effective, priced))

    def price(self, currency):
        return Fraction(int(Fraction(self.random.randint(1, 9000), 1000) * SCALE[currency] * 10 ** 6), 10 ** 6)

    def month(self):
        row = self.pick("SELECT DISTINCT period FROM finance.rating_in_force")
        return row[0] if row else None

    def rerate(self):
        period = self.month()
        if period is None:
            return
        words = ["--period", period, "--reason", "price_error", "--ticket", "T-%d" % self.number]
        if self.some(0.5):
            words += ["--tenant", self.random.choice(list(TENANTS))]
        if self.some(0.3):
            words += ["--model", self.random.choice(MODELS)]
        if self.some(0.4):
            currency = self.random.choice(list(MINOR))
            words += ["--prices", "%s@%d" % (currency.lower(), self.random.choice(self.books[currency])[0])]
        if self.some(0.7):
            self.run("rate")
        self.run("rerate", "plan", *words)

    def decide(self):
        row = self.pick("SELECT rerate_id FROM finance.rerate ORDER BY rerate_id DESC LIMIT 5")
        if row:
            for verb in self.random.choice([["approve"], ["approve", "apply"], ["approve", "apply", "apply"], ["apply"], ["reject"]]):
                self.run("rerate", verb, row[0])

    def undo(self):
        """Usage of a month that credits paid is taken back, and the month is put right."""
        row = self.pick("SELECT c.tenant, c.period FROM finance.invoiced_period c JOIN finance.invoice v USING (invoice_id) WHERE v.credits_minor > 0")
        if row:
            for _ in range(self.random.randint(1, 3)):
                event = self.pick("SELECT e.id FROM metering.usage_event e JOIN metering.usage_series s USING (series_id) JOIN finance.billing_period p ON p.tenant = s.tenant"
                                  " WHERE p.tenant = '%s' AND p.period = '%s' AND e.event_time >= p.starts AND e.event_time < p.ends" % tuple(row))
                if event:
                    self.run("usage", "void", row[0], "/gateway", event[0], "--reason", "test_traffic", "--ticket", "T-%d" % self.number)
            self.run("rate")
            if self.run("rerate", "plan", "--period", row[1], "--tenant", row[0], "--reason", "metering_error", by="ann").returncode == 0:
                newest = self.database.one("SELECT max(rerate_id) FROM finance.rerate")
                self.run("rerate", "approve", newest, by="bob")
                self.run("rerate", "apply", newest, by="bob")

    def grant(self):
        tenant = self.random.choice(list(TENANTS))
        currency = TENANTS[tenant]["currency"]
        amount = decimal(Fraction(self.random.randint(1, self.random.choice([3000, 30000])), 100) * SCALE[currency], MINOR[currency]).rstrip(".") if MINOR[currency] else str(
            self.random.randint(1, 3000))
        kind, reason = self.random.choice([("promotional", "promotion"), ("goodwill", "goodwill"), ("prepaid", "prepaid_purchase")])
        words = [tenant, amount, "--kind", kind, "--reason", reason, "--priority", str(self.random.choice([1, 100, 100, 500]))]
        starts = self.now - timedelta(days=self.random.choice([0, 0, 10, 45]))
        words += ["--starts", starts.strftime("%Y-%m-%d")]
        if self.some(0.5):
            words += ["--expires", (starts + timedelta(days=self.random.randint(1, 70))).strftime("%Y-%m-%d")]
        if self.some(0.3):
            words += ["--model", self.random.choice(["flat", "st.*", "nothing"])]
        if self.some(0.3):
            words += ["--meter", self.random.choice(list(METERS))]
        request = "g%d" % self.number
        self.requests.append(words + ["--request", request])
        self.run("credit", "grant", *self.requests[-1])

    def grant_again(self):
        if self.requests:
            words = self.random.choice(self.requests)
            before = self.database.one("SELECT count(*) FROM finance.credit_grant")
            known = self.database.one("SELECT count(*) FROM finance.credit_grant WHERE request_id = '%s'" % words[-1])
            self.run("credit", "grant", *words)
            if known == "1" and self.database.one("SELECT count(*) FROM finance.credit_grant") != before:
                self.fail("the same request made a second grant")

    def revoke(self):
        row = self.pick("SELECT grant_id FROM finance.credit_grant")
        if row and self.some(0.3):
            self.run("credit", "revoke", row[0], "--reason", "granted_in_error")

    def expire(self):
        self.run("credit", "expire")

    def credit_note(self):
        row = self.pick("SELECT number, net_minor, minor_units, invoice_id FROM finance.invoice WHERE status = 'final'")
        if row is None:
            return
        number, net, places, invoice = row[0], int(row[1]), int(row[2]), row[3]
        line = self.pick("SELECT line FROM finance.invoice_line WHERE invoice_id = %s" % invoice)
        how = self.random.choice(["full", "line", "line", "amount", "amount", "pending"])
        if how == "amount":
            minor = self.random.randint(1, max(1, net // 3))
            words = ["--amount", decimal(Fraction(minor, 10 ** places), places) if places else str(minor)]
        elif how == "line":
            words = ["--line", line[0] if line else "1"]
        else:
            words = ["--" + how]
        self.run("credit-note", "issue", number, *words, "--reason", "dispute", "--to", self.random.choice(["balance", "refund"]), "--request",
                 "n%d" % (self.number if self.some(0.9) else self.number - 1))

    def payment(self):
        rows = self.database.rows("SELECT v.number, s.due_minor, v.currency, v.minor_units FROM finance.invoice v JOIN finance.invoice_standing s USING (invoice_id)")
        if not rows:
            return
        lines = ["reference,invoice,amount,currency,paid_on"]
        for i in range(self.random.randint(1, 3)):
            number, due, currency, places = self.random.choice(rows)
            minor = self.random.choice([int(due), max(1, int(due) // 2), int(due) + 5, 7])
            if minor > 0:
                lines.append("p%d-%d,%s,%s,%s,%s" % (self.number if self.some(0.9) else self.number - 40, i, number, decimal(
                    Fraction(minor, 10 ** int(places)), int(places)) if int(places) else minor, currency, self.now.strftime("%Y-%m-%d")))
        self.run("payment", "import", self.file("payments.csv", "\n".join(lines) + "\n"), allowed={0, 3, 4, 7})

    def uncollectible(self):
        row = self.pick("SELECT number FROM finance.invoice WHERE status = 'final'")
        if row and self.some(0.2):
            self.run("invoice", "uncollectible", row[0], "--reason", "unreachable", "--ticket", "T-%d" % self.number)

    def close(self):
        period = self.month()
        if period is None:
            return
        state = self.database.one("SELECT state FROM finance.period_state WHERE period = '%s'" % period) or "open"
        if state == "open":
            self.run("close", period, "--accept", "quarantine,holds,adjustments", "--reason", "reviewed", "--note", "by chance")
        elif self.some(0.5):
            self.run("close", period, "--reopen", "--reason", "correction_needed", "--note", "by chance")
            self.run("close", period, "--reopen", "--reason", "correction_needed", "--note", "by chance")
        else:
            self.run("close", period, "--hard", "--accept", "quarantine,holds,adjustments", "--reason", "reviewed", "--note", "by chance")

    def month_end(self):
        """What is done before a month is closed, for the oldest that is open; then it is closed."""
        row = self.database.rows("SELECT min(f.period) FROM finance.rating_in_force f WHERE NOT finance.period_is_closed(f.period)")
        if not row or not row[0][0]:
            return
        period, = row[0]
        for rerate, in self.database.rows("SELECT rerate_id FROM finance.rerate r WHERE period = '%s' AND NOT EXISTS (SELECT FROM finance.rerate_decision d"
                                          " WHERE d.rerate_id = r.rerate_id AND decision IN ('rejected', 'applied'))" % period):
            if self.run("rerate", "reject", rerate).returncode != 0:
                self.run("rerate", "apply", rerate)
        self.run("rate")
        self.run("invoice", "draft")
        self.run("invoice", "finalize")
        self.run("credit", "expire")
        self.run("close", period, "--accept", "quarantine,holds,adjustments", "--reason", "reviewed", "--note", "by chance", by="eve")

    def cancel(self):
        """A tenant leaves, once."""
        if "comet" not in self.until and self.now > datetime(2026, 4, 1, tzinfo=timezone.utc) and self.some(0.2):
            until = self.now.replace(hour=0, minute=0, second=0)
            self.contracts({"comet": until})
            self.until["comet"] = until

    def contracts(self, until):
        tenants = []
        for name, terms in TENANTS.items():
            row = {"tenant": name, "name": name.title(), "currency": terms["currency"], "zone": terms["zone"], "book": terms["currency"].lower(),
                   "issuer": "OFF", "effective": "2026-01-01"}
            row.update({key: terms[key] for key in ("tax", "terms") if key in terms})
            tenants.append(row)
            if name in until:
                at = until[name].strftime("%Y-%m-%dT%H:%M:%SZ")
                tenants.append(dict(row, effective=at, until=at))
        self.run("tenant", "apply", self.file("tenants.json", json.dumps({"issuers": [{"issuer": "OFF", "name": "The Office"}], "tenants": tenants})),
                 allowed={0})

    def time(self):
        self.now += timedelta(hours=self.random.choice([1, 7, 24, 24, 70]))

    # --- what must hold -------------------------------------------------------------------------

    def reconcile(self):
        done = self.run("reconcile", allowed={0, 7})
        if done.returncode != 0:
            self.fail("the books do not reconcile\n%s%s" % (done.stdout, done.stderr))
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "office.sql"), encoding="utf-8") as file:
            for query in file.read().split(";\n"):
                if query.strip():
                    rows = self.database.rows(query)
                    if rows:
                        self.fail("%s\n    %s" % (query.strip().split("\n")[0], "\n    ".join("|".join(row) for row in rows[:5])))

    def settle(self):
        """Everything that waits is done, by people who differ."""
        for period, in self.database.rows("SELECT period FROM finance.period_state WHERE state <> 'open'"):
            self.run("close", period, "--reopen", "--reason", "correction_needed", "--note", "at the end", by="ann")
            self.run("close", period, "--reopen", "--reason", "correction_needed", "--note", "at the end", by="bob")
        for _ in range(3):
            self.now += timedelta(days=33)
            self.run("rate")
            for period, in self.database.rows("SELECT DISTINCT period FROM finance.rating_in_force ORDER BY 1"):
                self.run("rerate", "plan", "--period", period, "--reason", "late_usage", by="ann")
                newest = self.database.one("SELECT max(rerate_id) FROM finance.rerate")
                if newest:
                    self.run("rerate", "approve", newest, by="bob")
                    self.run("rerate", "apply", newest, by="bob")
            self.run("rate")
            self.run("invoice", "draft")
            self.run("invoice", "finalize")
        self.run("credit", "expire")

    def compare(self):
        """What was booked for each month that is invoiced = what Pricing says; of the others, what is in force."""
        pricing, months = Pricing(self.database, self.books), 0
        for tenant, period, starts, ends, claim, rating in self.database.rows(
                "SELECT f.tenant, f.period, p.starts, p.ends, COALESCE(c.invoice_id, 0), f.rating_id FROM finance.rating_in_force f"
                "  JOIN finance.billing_period p USING (tenant, period) LEFT JOIN finance.invoiced_period c USING (tenant, period) WHERE f.period >= '2026-01' ORDER BY 1, 2"):  # before, nobody had a contract
            wanted = pricing.month(tenant, period, starts, ends, self.until.get(tenant))
            booked = defaultdict(lambda: (Fraction(0), 0))
            if claim == "0":
                rows = self.database.rows("SELECT kind, model, meter_id, sum(amount), sum(round(amount * 10 ^ %d)) FROM finance.charge WHERE rating_id = %s AND price <> 0 GROUP BY 1, 2, 3"
                                          % (MINOR[TENANTS[tenant]["currency"]], rating))
            else:
                rows = self.database.rows(
                    "SELECT l.kind, l.model, COALESCE(m.meter_id, 0), l.exact_amount, l.amount_minor FROM finance.invoice_line l LEFT JOIN metering.meter m ON m.name = l.meter"
                    " WHERE l.invoice_id = %s AND l.adjustment_id IS NULL UNION ALL "
                    "SELECT kind, model, meter_id, exact_amount, amount_minor FROM finance.adjustment a WHERE tenant = '%s' AND original_period = '%s'"
                    "   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)" % (claim, tenant, period))
            for kind, model, meter, exact, minor in rows:
                was = booked[kind, model, int(meter)]
                booked[kind, model, int(meter)] = (was[0] + Fraction(exact), was[1] + int(Fraction(minor)))
            booked = {key: value for key, value in booked.items() if value != (0, 0)}
            months += 1
            if booked != wanted:
                self.fail("%s of %s: booked %s, wanted %s" % (period, tenant, sorted(booked.items()), sorted(wanted.items())))
        return months

    def work(self):
        self.run("init", allowed={0})
        for currency in MINOR:
            self.publish(first=True, currency=currency)
        self.contracts({})
        shares = {self.usage: 20, self.correction: 4, self.by_support: 4, self.rate: 6, self.draft: 4, self.finalize: 7, self.publish: 2, self.rerate: 7, self.undo: 4,
                  self.decide: 8, self.grant: 5, self.grant_again: 2, self.revoke: 2, self.expire: 2, self.credit_note: 5, self.payment: 5,
                  self.uncollectible: 1, self.close: 2, self.month_end: 3, self.cancel: 1, self.time: 16}
        for self.number in range(1, self.options.operations + 1):
            operation = self.random.choices(list(shares), list(shares.values()))[0]
            self.did[operation.__name__] += 1
            operation()
            if self.number % self.options.every == 0:
                self.reconcile()
        self.reconcile()
        self.settle()
        self.reconcile()
        months = self.compare()
        counts = self.database.rows("SELECT (SELECT count(*) FROM finance.invoice WHERE status = 'final'), (SELECT count(*) FROM finance.adjustment),"
                                    " (SELECT count(*) FROM finance.credit_note), (SELECT count(*) FROM finance.credit_entry WHERE kind = 'use'),"
                                    " (SELECT count(*) FROM finance.rerate_decision WHERE decision = 'applied'), (SELECT count(*) FROM finance.payment),"
                                    " (SELECT count(*) FROM finance.credit_note WHERE scope = 'adjustments' AND credits_minor > 0)")[0]
        print("%d operations to %s: %s invoices, %s adjustments, %s credit notes, %s uses of credits, %s re-rates applied, %s payments, %s re-rates that gave credits back; %d months as priced apart"
              % ((self.options.operations, self.day()) + tuple(counts) + (months,)))
        if self.options.codes:
            for (verb, code), count in sorted(self.codes.items()):
                print("    %-24s exit %d: %d" % (verb, code, count))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--operations", type=int, required=True)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--codes", action="store_true")
    Office(parser.parse_args()).work()


if __name__ == "__main__":
    sys.exit(main())
