"""Which price counts: at which date, above which threshold and in which service tier, at which time of day."""
import re
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import llm_cost
from program import decimal_text, event

MILLION = 1000000

# --- price_at_date.csv -----------------------------------------------------------------------------

DATED = {"input_mtok": "input_text_uncached_tokens", "cache_read_mtok": "input_text_cache_read_tokens",
         "cache_write_mtok": "input_text_cache_write_tokens", "output_mtok": "output_text_tokens"}
FAR = 10 * MILLION


def steps_of(row):
    """(border, price for a million) for each step; the first has no border."""
    tiers = [tier.split(":") for tier in row["expected_tiers"].split(";") if tier]
    return [(0, Fraction(row["expected_base"]))] + [(int(tier[0].lstrip(">")), Fraction(tier[1])) for tier in tiers]


def sizes_of(steps):
    """(size of the request, price) on both sides of each border, and far above the last one."""
    asked = [(1000, steps[0][1])]
    for (_, below), (border, above) in zip(steps, steps[1:]):
        asked += [(border, below), (border + 1, above)]
    return asked + [(FAR, steps[-1][1])]


def dated_event(row, number, size):
    """One request of so much input, some of it of the meter that is asked about."""
    meter = DATED[row["price"]]
    quantities = {"requests": 1, meter: 1000}
    if meter == llm_cost.METERS["input"]:
        quantities[meter] = size
    else:
        quantities[llm_cost.METERS["input"]] = size - (1000 if llm_cost.side_of(meter) == llm_cost.INPUT else 0)
    return event(number, row["at_utc"], row["model"], quantities, size, provider=row["provider"])


def price_at_date(rows, prices, table):
    asked = []
    for row in rows:
        if row["price"] not in DATED:
            table.differs(row["id"], "no meter")
            continue
        asked += [(row, size, price) for size, price in sizes_of(steps_of(row))]
    events = [(row["at_utc"], dated_event(row, number, size)) for number, (row, size, _) in enumerate(asked)]
    said = {}
    for (row, size, price), quoted in zip(asked, prices.quote(events)):
        meter, faults = DATED[row["price"]], said.setdefault(row["id"], [])
        quantity = size if meter == llm_cost.METERS["input"] else 1000
        got = quoted.of_meter(meter) * MILLION / quantity
        if quoted.holds or got != price:
            faults.append("%s for a million at a size of %d, not %s %s" % (
                decimal_text(got), size, decimal_text(price), quoted.held()))
    for row_id, faults in said.items():
        table.judge(row_id, "; ".join(faults), "")


# --- rate_selection.csv ----------------------------------------------------------------------------

STANDARD = "default"


class Rates:
    """`class[>threshold][[service tier]]=rate per token`: for each service tier and class, prices for a million above borders."""

    def __init__(self, fields):
        self.of = {}
        for field in fields.split(";"):
            found = re.fullmatch(r"(\w+?)(?:>(\d+))?(?:\[(\w+)\])?=(\S+)", field)
            by_border = self.of.setdefault(found[3] or STANDARD, {}).setdefault(found[1], {})
            by_border[int(found[2] or 0)] = Fraction(found[4]) * MILLION

    def tiers(self):
        return sorted(self.of)

    def merged(self, tier, kind):
        """A service tier's borders and the standard ones together; where both have one, the tier's."""
        return {**self.of[STANDARD].get(kind, {}), **self.of[tier][kind]}

    def rules(self, model):
        rules = []
        for tier in self.tiers():
            prices = {}
            for kind in self.of[tier]:
                steps = sorted(self.merged(tier, kind).items())
                prices[llm_cost.METERS[kind]] = {"per": MILLION, "brackets": [
                    dict({"over": border} if border > 0 else {}, price=decimal_text(price)) for border, price in steps]}
            rules.append({"model": model, "service_tier": tier, "prices": prices})
        return rules


def selection_event(row, number):
    meter = llm_cost.METERS[row["price_class"]]
    quantities = {"requests": 1, llm_cost.METERS["input"]: int(row["input_tokens"]), "output_text_tokens": 1000}
    if meter == llm_cost.METERS["cache_read"]:
        quantities.update({meter: 1000, llm_cost.METERS["input"]: int(row["input_tokens"]) - 1000})
    return event(number, "2026-10-15T12:00:00Z", row["id"], quantities, int(row["input_tokens"]), service_tier=row["service_tier"])


def rate_selection(program, rows, table):
    asked_tiers = {row["service_tier"] for row in rows if row["service_tier"]}
    book = {"tollbook_prices": 1, "book": "selection", "currency": "USD", "effective": "2026-01-01T00:00:00Z",
            "free": ["requests", llm_cost.METERS["input"], "output_text_tokens"],
            "service_tiers": {tier: {"inherit": STANDARD} for tier in sorted(asked_tiers - {STANDARD})},
            "rules": [rule for row in rows for rule in Rates(row["fields"]).rules(row["id"])]}
    answers = program.quote_each(program.json(book), [selection_event(row, number) for number, row in enumerate(rows)])
    for row, quoted in zip(rows, answers):
        meter = llm_cost.METERS[row["price_class"]]
        quantity = sum(int(line["quantity"]) for line in quoted.lines if line["meter"] == meter)
        wanted = Fraction(row["expected_rate_per_token"]) * quantity
        got = quoted.of_meter(meter)
        fine = quantity > 0 and not quoted.holds and got == wanted
        table.judge(row["id"], "" if fine else "%s, not %s %s" % (decimal_text(got), decimal_text(wanted), quoted.held()), "")


# --- offpeak_windows.csv ---------------------------------------------------------------------------

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAY = 24 * 60


def minutes_of(time, offset):
    """Minutes of the day in the zone; a time that no clock shows stays as it is, so that the book is refused."""
    hour, minute = (int(part) for part in time.split(":"))
    return hour * 60 + minute if hour > 23 else (hour * 60 + minute + offset) % DAY


def clock(minutes):
    return "%02d:%02d" % divmod(minutes, 60)


def spans_of(text, offset):
    """`HH:MM-HH:MM[@days]`.  Theirs asks each side of a midnight for its day, ours for that on which it begins: so it is two."""
    hours, _, days = text.partition("@")
    start, end = (minutes_of(time, offset) for time in hours.split("-"))
    span = {"from": clock(start), "to": clock(end)}
    if days == "":
        return [span]
    first, _, last = days.partition("-")
    span["days"] = DAYS[int(first) - 1:int(last or first)]
    if start == end:
        return [{"days": span["days"]}]
    if start > end > 0:
        return [dict(span, to="00:00"), {"days": span["days"], "from": "00:00", "to": clock(end)}]
    return [span]


def window_of(row):
    at = datetime.fromisoformat(row["at"].replace("Z", "+00:00"))
    offset = at.astimezone(ZoneInfo(row["weekday_timezone"])).utcoffset() // timedelta(minutes=1)
    spans = [span for text in row["windows_utc"].split("|") for span in spans_of(text, offset)]
    return {"zone": row["weekday_timezone"], "spans": spans}


def windows_book(rows):
    """Half the price inside: a rule and a window for each row."""
    return {"tollbook_prices": 1, "book": "windows", "currency": "USD", "effective": "2025-12-01T00:00:00Z", "free": ["requests"],
            "windows": {"of " + row["id"]: window_of(row) for row in rows},
            "rules": [{"model": row["id"], "prices": {"output_text_tokens": {
                "price": "2", "per": 1, "times": [{"window": "of " + row["id"], "factor": "0.5"}]}}} for row in rows]}


def is_refused(program, row):
    code, _, said = program.run("prices", "check", program.json(windows_book([row])))
    return code != 0 and "must be a time from 00:00 to 23:45" in said


def offpeak_windows(program, rows, table):
    asked = []
    for row in rows:
        if any(int(hour) > 23 for hour in re.findall(r"(\d+):", row["windows_utc"])):
            fine = is_refused(program, row) and row["expected_off_peak"] == "0"
            table.judge(row["id"], "such a window is refused, where it is a price book's" if fine else "it is not refused",
                        "no such time" if fine else "")
        else:
            asked.append(row)
    events = [event(number, row["at"], row["id"], {"requests": 1, "output_text_tokens": 1}, 0) for number, row in enumerate(asked)]
    for row, quoted in zip(asked, program.quote_each(program.json(windows_book(asked)), events)):
        wanted = Fraction(1 if row["expected_off_peak"] == "1" else 2)
        fine = not quoted.holds and quoted.total == wanted
        table.judge(row["id"], "" if fine else "%s, not %s" % (decimal_text(quoted.total), decimal_text(wanted)), "")
