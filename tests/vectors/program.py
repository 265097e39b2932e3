"""Runs the program on price books and usage, and reads exactly what it answers."""
import json
import os
import subprocess
from fractions import Fraction

INPUT, OUTPUT, OTHER = "input", "output", "other"
HELD = 7  # the exit code where something is found that has no price


def side_of(meter):
    """Which of a request's two totals a meter belongs to."""
    if not meter.endswith("_tokens"):
        return OTHER
    return INPUT if meter.startswith("input_") else OUTPUT


def decimal_text(value):
    """A fraction as decimal text, exactly."""
    value = Fraction(value)
    whole, rest = divmod(abs(value.numerator), value.denominator)
    digits = ""
    while rest != 0:
        digit, rest = divmod(rest * 10, value.denominator)
        digits += str(digit)
        if len(digits) > 40:
            raise ValueError("%s is no decimal" % value)
    return ("-" if value < 0 else "") + str(whole) + ("." + digits if digits else "")


def rounded(value, places):
    """Half away from zero, as invoices are."""
    scaled = abs(Fraction(value)) * 10 ** places
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(units, 10 ** places) * (-1 if value < 0 else 1)


def refuse_float(text):
    raise ValueError("the program printed %s, a number that is not a whole one" % text)


class Quoted:
    """One answer: its lines, and what they come to."""

    def __init__(self, answer):
        self.lines = answer["lines"]
        self.holds = answer["holds"]
        self.total = Fraction(answer["total"])

    def of_side(self, side):
        return sum((Fraction(line["amount"]) for line in self.lines if side_of(line["meter"]) == side), Fraction(0))

    def of_meter(self, meter):
        return sum((Fraction(line["amount"]) for line in self.lines if line["meter"] == meter), Fraction(0))

    def of_kind(self, kind):
        return sum((Fraction(line["amount"]) for line in self.lines if line["kind"] == kind), Fraction(0))

    def held(self):
        return ", ".join(sorted("%s of %s" % (hold["reason"], hold["meter"]) for hold in self.holds))


def event(number, time, model, quantities, context=None, **fields):
    """A canonical event.  Quantities are whole numbers, or decimal text where the meter has decimals."""
    data = {"operation": "chat", "model": model, "quantities": quantities}
    if context is not None:
        data["context_input_tokens"] = context
    data.update({name: value for name, value in fields.items() if value})
    return {"specversion": "1.0", "type": "tollbook.usage.v1", "source": "/vectors", "id": "row-%d" % number, "time": time,
            "subject": "acme", "data": data}


class Program:
    def __init__(self, path, room):
        self.path = path
        self.room = room
        self.files = 0

    def run(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, encoding="utf-8", check=False)
        return done.returncode, done.stdout, done.stderr

    def file(self, text, ending="json"):
        self.files += 1
        path = os.path.join(self.room, "%d.%s" % (self.files, ending))
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def json(self, value):
        return self.file(json.dumps(value, indent=1))

    def quote(self, *arguments):
        """The answers of a quote, one for each object that it printed.  What is held is an answer too (exit code 7)."""
        code, text, said = self.run("prices", "quote", "--format", "json", *arguments)
        if code not in (0, HELD):
            raise RuntimeError("prices quote %s: exit code %d: %s" % (" ".join(arguments), code, said))
        decoder, at, answers = json.JSONDecoder(parse_float=refuse_float), 0, []
        while at < len(text):
            answer, at = decoder.raw_decode(text, at)
            answers.append(Quoted(answer))
            while at < len(text) and text[at] in "\r\n ":
                at += 1
        return answers

    def quote_each(self, book, events):
        """An answer for each event, from one run."""
        if not events:
            return []
        path = self.file("".join(json.dumps(one) + "\n" for one in events), "ndjson")
        answers = self.quote("--book", book, "--event", path, "--each")
        if len(answers) != len(events):
            raise RuntimeError("%d events, but %d answers" % (len(events), len(answers)))
        return answers
