"""What requests cost: by the lines that a source billed, and by what a price list makes of the counters that were reported."""
import json
import os
import re
from fractions import Fraction

import counters
from program import INPUT, OTHER, OUTPUT, decimal_text, event, rounded, side_of

METERS = {
    "input": "input_text_uncached_tokens",
    "cache_read": "input_text_cache_read_tokens",
    "cache_write": "input_text_cache_write_5m_tokens",
    "cache_write_1h": "input_text_cache_write_1h_tokens",
    "output": "output_text_tokens",
    "output_reasoning": "output_reasoning_tokens",
    "output_audio": "output_audio_tokens",
    "output_image": "output_image_tokens",
    "output_video": "output_video_tokens",
    "output_citation": "output_citation_tokens",
    "audio_input": "input_audio_uncached_tokens",
    "cache_audio_read_input": "input_audio_cache_read_tokens",
    "image_input": "input_image_uncached_tokens",
    "cache_image_read_input": "input_image_cache_read_tokens",
    "video_input": "input_video_uncached_tokens",
    "cache_video_read_input": "input_video_cache_read_tokens",
    "input_tool": "input_tool_use_tokens",
    "citation": "output_citation_tokens",
    "web_search": "web_search_calls",
    "request": "requests",
    "audio_second": "audio_input_seconds",
}
# The source bills citations as input; our meter of them is one of output.
SIDES = {"citation": INPUT}


class Line:
    def __init__(self, text):
        self.kind, quantity, rate, per = text.split(":")
        self.quantity, self.rate, self.per = Fraction(quantity), Fraction(rate), int(per)
        self.meter = METERS.get(self.kind)
        self.side = SIDES.get(self.kind, side_of(self.meter or ""))


def lines_of(row):
    return [Line(text) for text in row["lines"].split(";") if text]


# --- by the lines ----------------------------------------------------------------------------------

def per_of(line):
    """How a book says the units that a rate is for."""
    if line.per == 3600 and line.meter.endswith("_seconds"):
        return "hour"
    return line.per


def threshold_of(rule):
    """">272000" and "over 272000" are (272000, True), "<=272000" is (272000, False); else None."""
    found = re.fullmatch(r"(>|over |<=)(\d+)", rule)
    return None if found is None else (int(found[2]), found[1] != "<=")


def price_of(lines, row):
    """The price of a meter in the book.  Where the row says which side of a threshold it is on, the other side is dearer."""
    line, threshold = lines[0], threshold_of(row["rate_rule"])
    own, dear = {"price": decimal_text(line.rate)}, {"price": decimal_text(line.rate + 1)}
    if len(lines) > 1:
        found = re.fullmatch(r"graduated>(\d+)", row["rate_rule"])
        second = {"over": int(found[1]), "price": decimal_text(lines[1].rate)}
        return {"per": line.per, "split": "tokens", "brackets": [own, second]}
    if threshold is None or line.side == OTHER:
        return dict(own, per=per_of(line))
    border, is_over = threshold
    return {"per": line.per, "brackets": [dear, dict(own, over=border)] if is_over else [own, dict(dear, over=border)]}


def why_not_lines(row):
    """The reason why a row cannot be asked; "" where it can."""
    lines = lines_of(row)
    kinds = [line.kind for line in lines]
    if any(line.meter is None for line in lines):
        return "no meter"
    if any(line.quantity.denominator != 1 and not line.meter.endswith("_seconds") for line in lines):
        return "part of a token"
    if len(set(kinds)) != len(kinds) and not row["rate_rule"].startswith("graduated>"):
        return "two prices"
    return ""


def rule_of(row):
    by_meter = {}
    for line in lines_of(row):
        by_meter.setdefault(line.meter, []).append(line)
    prices = {meter: price_of(lines, row) for meter, lines in by_meter.items()}
    return {"model": row["id"], "prices": prices or {"requests": {"price": "0", "per": 1}}}


def event_of(row, number):
    quantities, context = {"requests": 1}, 0
    for line in lines_of(row):
        if line.meter == "requests":
            quantities["requests"] = 0
        if line.meter.endswith("_seconds"):
            quantities[line.meter] = decimal_text(line.quantity)
        else:
            quantities[line.meter] = quantities.get(line.meter, 0) + int(line.quantity)
        if side_of(line.meter) == INPUT:
            context += int(line.quantity)
    return event(number, "2026-10-15T12:00:00Z", row["id"], quantities, context)


def sums_of(row, quoted):
    """Input, output and total as the program has them, with what a source counts on another side moved there."""
    sides = {INPUT: quoted.of_side(INPUT), OUTPUT: quoted.of_side(OUTPUT)}
    for line in lines_of(row):
        if line.side != side_of(line.meter or ""):
            amount = quoted.of_meter(line.meter)
            sides[line.side] += amount
            sides[side_of(line.meter)] -= amount
    return sides[INPUT], sides[OUTPUT], quoted.total


def as_compared(row, sums):
    """`round:i/o`: the source rounds input and output before it adds them."""
    if row["compare"] == "exact":
        return sums
    places = re.fullmatch(r"round:(\d+)/(\d+)", row["compare"])
    ours, theirs = rounded(sums[0], int(places[1])), rounded(sums[1], int(places[2]))
    return ours, theirs, ours + theirs + sums[2] - sums[0] - sums[1]


def differences(row, quoted):
    """What of a row is not as asserted, in words; "" where all is."""
    said = []
    if quoted.holds:
        said.append("held: " + quoted.held())
    for name, got in zip(("input", "output", "total"), as_compared(row, sums_of(row, quoted))):
        wanted = row["expected_" + name]
        if wanted != "" and Fraction(wanted) != got:
            said.append("%s %s, not %s" % (name, decimal_text(got), wanted))
    return "; ".join(said)


def by_lines(program, rows, table):
    asked = []
    for row in rows:
        why = why_not_lines(row)
        if why != "":
            table.differs(row["id"], why)
        else:
            asked.append(row)
    book = {"tollbook_prices": 1, "book": "lines", "currency": "USD", "effective": "2025-01-01T00:00:00Z", "free": ["requests"],
            "rules": [rule_of(row) for row in asked]}
    events = [event_of(row, number) for number, row in enumerate(asked)]
    for row, quoted in zip(asked, program.quote_each(program.json(book), events)):
        table.judge(row["id"], differences(row, quoted), "")


# --- by a price list -------------------------------------------------------------------------------

class PriceList:
    """genai-prices as books of ours: the one in force at an instant."""

    def __init__(self, program, path, since):
        self.program = program
        with open(path, encoding="utf-8") as text:
            self.providers = {provider["id"]: provider for provider in json.load(text, parse_float=Fraction)}
        stem = os.path.join(program.room, "list")
        code, _, said = program.run("prices", "import", "genai-prices", path, "--all", "--effective", since, "-o", stem + ".json",
                                    "--report", stem + ".report", "--quiet")
        if code != 0:
            raise RuntimeError("prices import: " + said)
        names = sorted(name for name in os.listdir(program.room) if re.fullmatch(r"list\.\d{4}-\d\d-\d\d\.json", name))
        self.books = [(name[len("list."):-len(".json")], os.path.join(program.room, name)) for name in names]

    def has(self, provider):
        return provider in self.providers

    def book_at(self, time):
        """Dates begin at midnight UTC, so that texts compare as dates do."""
        return [path for date, path in self.books if date <= time[:10]][-1]

    def quote(self, asked):
        """`asked` are (time, event); the answers in their order, with a run for each book."""
        answers = [None] * len(asked)
        for book in sorted({self.book_at(time) for time, _ in asked}):
            chosen = [number for number, (time, _) in enumerate(asked) if self.book_at(time) == book]
            for number, quoted in zip(chosen, self.program.quote_each(book, [asked[number][1] for number in chosen])):
                answers[number] = quoted
        return answers


    def states_no_price(self, provider, model):
        """The list has the model, and no price of it."""
        models = [entry for entry in self.providers[provider]["models"] if entry["id"] == model]
        return len(models) == 1 and not models[0]["prices"]


def is_of_list(row, prices):
    """Others have prices that their tests state themselves; they are asked by their lines alone."""
    return "genai-prices" in row["source"] and row["price_key"] not in ("", "inline") and prices.has(row["provider"])


def why_not_list(row):
    try:
        counters.meters_of(row["usage"])
    except counters.NoMeter:
        return "no meter"
    except counters.Contradiction:
        return "parts above the whole"
    return ""


def why_differs(row, prices, quoted):
    """A reason that the row and the list show by themselves."""
    if quoted.holds and not quoted.lines and prices.states_no_price(row["provider"], row["price_key"]):
        return "no price"
    return ""


def list_event(row, number):
    quantities = dict({"requests": 1}, **counters.meters_of(row["usage"]))
    context = sum(count for meter, count in quantities.items() if side_of(meter) == INPUT)
    return event(number, row["at_utc"], row["model"], quantities, context, provider=row["provider"],
                 service_tier=row["service_tier"])


def by_list(rows, prices, table):
    asked = []
    for row in rows:
        if not is_of_list(row, prices):
            continue
        why = why_not_list(row)
        if why != "":
            table.differs(row["id"], why)
        else:
            asked.append(row)
    events = [(row["at_utc"], list_event(row, number)) for number, row in enumerate(asked)]
    for row, quoted in zip(asked, prices.quote(events)):
        table.judge(row["id"], differences(row, quoted), why_differs(row, prices, quoted))
