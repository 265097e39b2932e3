"""What a month comes to: tiers, packages and terms of a contract, a book and a tenant of its own for each row."""
from fractions import Fraction

from program import decimal_text, rounded

WHOLE, PARTS = "requests", "gpu_seconds"  # the second has decimals
EVENTS, BILLED = "tool_calls", "runtime_seconds"
TENANT = {"tenant": "acme", "name": "Acme Corporation", "currency": "USD", "zone": "UTC", "book": "row"}


class Bill:
    """A row of tiers.csv or delta.csv as a book and terms."""

    def __init__(self, row):
        self.model = row["model"]
        self.options = dict(option.split("=") for option in row["options"].split(";") if option)
        self.tiers = [tier.split(":") for tier in row["tiers"].split(";")]
        self.is_percent = "percentage" in self.model
        self.package = self.options.get("billing_units", self.options.get("convert_divide_by"))
        self.per = 1
        # Where a border is a fraction the book counts in thousandths of the row's unit.
        self.unit = 1000 if any("." in tier[0] for tier in self.tiers) else 1
        if self.unit > 1:
            self.per = self.unit
        if self.options.get("convert_rounding") == "none":
            self.per, self.package = int(self.package), None

    def border(self, text):
        """Borders of converted units are borders in packages of ours."""
        value = Fraction(text) * self.unit * int(self.options.get("convert_divide_by", 1))
        return int(value) + int(self.options.get("free_tier_prepended", 0))

    def step(self, tier):
        _, price, flat, *package = tier
        step = {"price": decimal_text(Fraction(price) / (100 if self.is_percent else 1))}
        if package or self.package:
            step["package"] = int(package[0] if package else self.package)
        if Fraction(flat) != 0:
            step["fee"] = flat
        return step

    def free_step(self, up_to):
        return dict({"up_to": up_to, "price": "0"}, **({"package": int(self.package)} if self.package else {}))

    def steps(self):
        """The last one is open, whatever the row says; one tier alone has steps for nothing around it."""
        only = "tier_from" in self.options
        first = int(self.options.get("free_tier_prepended", self.options.get("tier_from", 0)))
        steps = [self.free_step(first)] if first > 0 else []
        for number, tier in enumerate(self.tiers):
            border = {"up_to": self.border(tier[0])} if only or number + 1 < len(self.tiers) else {}
            steps.append(dict(border, **self.step(tier)))
        return steps + ([{"price": "0"}] if only else [])

    def price(self):
        steps = self.steps()
        per = {} if any("package" in step for step in steps) else {"per": self.per}
        if len(steps) == 1 and "fee" not in steps[0]:
            return dict(steps[0], **per)
        mode = "volume" if self.model.startswith("volume") or self.model == "stairstep" else "graduated"
        return dict({"tiers": mode, "steps": steps}, **per)

    def book(self, meter):
        prices = {meter: self.price(), BILLED: {"price": "1", "per": 1}}
        if "fixed_per_event" in self.options:
            prices[EVENTS] = {"price": self.options["fixed_per_event"], "per": 1}
        return {"tollbook_prices": 1, "book": "row", "currency": "USD", "effective": "2026-01-01T00:00:00Z",
                "rules": [{"model": "m", "prices": prices}]}

    def terms(self, meter, is_last):
        terms, allowances = {}, []
        if is_last and "min" in self.options:
            terms["minimum"] = {"amount": self.options["min"]}
        if "max" in self.options:
            terms["maximum"] = {"amount": self.options["max"]}
        if "discount_pct" in self.options:
            terms["discounts"] = [{"name": "deal", "percent": self.options["discount_pct"]}]
        if "free_units" in self.options:
            allowances.append({"name": "units", "meters": [meter], "quantity": int(self.options["free_units"])})
        if "free_events" in self.options:
            allowances.append({"name": "events", "meters": [EVENTS], "quantity": int(self.options["free_events"])})
        return dict(terms, **({"allowances": allowances} if allowances else {}))


def usage_text(usage):
    return ",".join("%s=%s" % (meter, decimal_text(quantity)) for meter, quantity in usage.items())


class Month:
    """What quantities of a row come to under its terms; `is_last`: the month is at its end."""

    def __init__(self, program, row, is_last=True):
        self.program, self.bill = program, Bill(row)
        quantity = row.get("quantity", row.get("cumulative_quantity"))
        self.meter = PARTS if "." in quantity else WHOLE
        self.options = ["--book", program.json(self.bill.book(self.meter)), "--model", "m", "--at", "2026-10-15T12:00:00Z"]
        terms = self.bill.terms(self.meter, is_last)
        if terms:
            tenants = {"issuers": [{"issuer": "TF", "name": "Token Factory"}],
                       "tenants": [dict(TENANT, issuer="TF", effective="2026-01-01", terms=terms)]}
            self.options += ["--contract", program.json(tenants), "--tenant", "acme"]

    def quote(self, quantity, more=None, prior=None):
        usage = dict({self.meter: quantity * self.bill.unit}, **(more or {}))
        before = [] if prior is None else ["--prior", usage_text({self.meter: prior * self.bill.unit})]
        quoted, = self.program.quote(*self.options, "--usage", usage_text(usage), *before)
        if quoted.holds:
            raise RuntimeError("held: " + quoted.held())
        return quoted


# --- tiers.csv -------------------------------------------------------------------------------------

def why_not_tiers(row):
    options = dict(option.split("=") for option in row["options"].split(";") if option)
    if "credits" in options:
        return "credits"
    if row["quantity"].startswith("-"):
        return "below nothing"
    if "event_min" in options:
        return "bounds of an event"
    if row["model"] == "percentage_per_event" and ("free_events" in options or "free_units" in options):
        return "free events"
    if "." in options.get("free_units", ""):
        return "part of a package"
    if options.get("package_rounding", "up") != "up" or options.get("convert_rounding", "ceiling") not in ("ceiling", "none"):
        return "packages rounded"
    if "convert_divide_by" in options and "split" in options:
        return "packages rounded"
    return ""


def due(program, row):
    options = dict(option.split("=") for option in row["options"].split(";") if option)
    month = Month(program, row, options.get("split", "last") == "last")
    parts = [Fraction(part) for part in row["quantity"].split("+")]
    prior = Fraction(row["prior_quantity"] or 0)
    if row["model"].endswith("_buckets"):
        return sum(month.quote(part).total for part in parts)
    if row["model"] == "max_spend_discount":
        quoted = month.quote(sum(parts), {BILLED: Fraction(options["already_billed"])})
        return rounded(-quoted.of_kind("maximum"), 2)
    more = {EVENTS: Fraction(options.get("events", len(parts)))} if "fixed_per_event" in options else {}
    if "already_billed" in options:
        return month.quote(sum(parts) + prior, more).total - Fraction(options["already_billed"])
    return month.quote(sum(parts), more, prior if prior != 0 else None).total


def tiers(program, rows, table):
    for row in rows:
        why = why_not_tiers(row)
        if why != "":
            table.differs(row["id"], why)
            continue
        got = due(program, row)
        # These bill lines of whole cents.
        if row["model"] == "amount_multiplier" and "." not in row["quantity"]:
            got = rounded(got, 2)
        wanted = Fraction(row["expected_amount"])
        table.judge(row["id"], "" if got == wanted else "%s, not %s" % (decimal_text(got), decimal_text(wanted)), "")


# --- delta.csv -------------------------------------------------------------------------------------

def delta(program, rows, table):
    """What the whole month comes to now, to the cent, less what was booked before."""
    booked = {}
    for row in rows:
        month = Month(program, row, row["is_final"] == "1")
        now = rounded(month.quote(Fraction(row["cumulative_quantity"])).total, 2)
        got = now - booked.get(row["case"], 0)
        booked[row["case"]] = now
        wanted = Fraction(row["expected_delta"])
        table.judge(row["id"], "" if got == wanted else "%s, not %s" % (decimal_text(got), decimal_text(wanted)), "")


# --- tax_proration.csv -----------------------------------------------------------------------------

# A month of so many days.
MONTHS = {28: "2026-02", 29: "2028-02", 30: "2026-04", 31: "2026-10"}


def prorated(program, part, whole, terms, used):
    """The charges of terms that are in force for the last `part` of a month of `whole` days."""
    first = "%s-%02d" % (MONTHS[whole], whole - part + 1)
    tenants = {"issuers": [{"issuer": "TF", "name": "Token Factory"}],
               "tenants": [dict(TENANT, issuer="TF", effective=first, terms=terms)]}
    book = {"tollbook_prices": 1, "book": "row", "currency": "USD", "effective": "2026-01-01T00:00:00Z",
            "rules": [{"model": "m", "prices": {WHOLE: {"price": "0.01", "per": 1}}}]}
    quoted, = program.quote("--book", program.json(book), "--contract", program.json(tenants), "--tenant", "acme", "--model", "m",
                            "--at", first + "T12:00:00Z", "--usage", usage_text({WHOLE: Fraction(used)}))
    return quoted


def cents(minor):
    return decimal_text(Fraction(minor) / 100)


def tax_proration(program, rows, table):
    for row in rows:
        if row["op"] == "prorate" and int(row["b"]) in MONTHS:
            terms = {"fees": [{"name": "subscription", "amount": cents(row["net_minor"]), "prorate": True}]}
            quoted = prorated(program, int(row["a"]), int(row["b"]), terms, 0)
            got = quoted.of_kind("fee")
        elif row["op"] == "min_true_up" and int(row["a"].split("/")[1]) in MONTHS:
            terms = {"minimum": {"amount": cents(row["net_minor"]), "prorate": True}}
            part, whole = row["a"].split("/")
            quoted = prorated(program, int(part), int(whole), terms, row["b"])
            got = quoted.of_kind("minimum")
        else:
            table.differs(row["id"], "tax" if row["op"] == "tax" else "no such month")
            continue
        got, wanted = rounded(got, 2) * 100, Fraction(row["expected_minor"])
        fine = got == wanted and not quoted.holds
        table.judge(row["id"], "" if fine else "%s, not %s" % (decimal_text(got), decimal_text(wanted)), "")
