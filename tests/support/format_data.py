"""What records become under a usage format, beside what they should: tests/data/formats/NAME.ndjson and NAME.expected.

    format_data.py NAME...      a line for each case: "ok - SENTENCE", or "not ok - SENTENCE" and what came instead

A case is a sentence and the lines of its record, in the order of the events that it is:

    # cached tokens are inside the prompt: 100 - 40 = 60
    1 accepted - - requests=1 input_text_uncached_tokens=60 input_text_cache_read_tokens=40 output_text_tokens=5 context=100
    # a finished answer without usage is set aside
    2 quarantined E_USAGE_MISSING -

That is: the record's number, its outcome, its code, its flags, its meters, each with its value; and what else the case is about
(OTHERS below).  Meters are all of the event's, the others are those that the case names.  The first line is the command, "# tollbook
formats try NAME FILE ARGUMENTS".  A stream that is a file of its own is NAME.WORD.sse, with NAME.WORD.expected beside it.
"""
import json
import os
import re
import shlex
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(TOP, "tests", "data", "formats")
AS_OF = "2026-11-05T00:00:00Z"
COMMAND = "# tollbook formats try "

# What a case may say of an event beside its meters, and where the event has it.
OTHERS = {
    "id": ("id",), "source": ("source",), "tenant": ("subject",), "time": ("time",), "kind": ("data", "kind"),
    "ref": ("data", "ref", "id"), "operation": ("data", "operation"), "provider": ("data", "provider"),
    "model": ("data", "model"), "model_requested": ("data", "model_requested"), "base_model": ("data", "base_model"),
    "adapter": ("data", "adapter", "id"), "adapter_kind": ("data", "adapter", "kind"),
    "engine": ("data", "engine", "name"), "engine_version": ("data", "engine", "version"),
    "deployment": ("data", "deployment"), "region": ("data", "region"), "service_tier": ("data", "service_tier"),
    "speed": ("data", "speed"), "status": ("data", "status"), "finish_reason": ("data", "finish_reason"),
    "served_from": ("data", "served_from"), "started_at": ("data", "started_at"),
    "method": ("data", "measurement", "method"), "complete": ("data", "measurement", "complete"),
    "unknown": ("data", "measurement", "unknown"), "context": ("data", "context_input_tokens"),
    "reported_input": ("data", "reported", "input_tokens"), "reported_output": ("data", "reported", "output_tokens"),
    "reported_total": ("data", "reported", "total_tokens"), "project": ("data", "attribution", "project_id"),
    "api_key": ("data", "attribution", "api_key_id"), "user": ("data", "attribution", "user_id"),
    "org": ("data", "attribution", "org_id"), "end_user": ("data", "attribution", "end_user"),
    "request_id": ("data", "trace", "request_id"), "response_id": ("data", "trace", "response_id"),
    "trace_id": ("data", "trace", "trace_id"), "attempt": ("data", "trace", "attempt"),
}


def meters():
    """The names of all meters, by the registry."""
    with open(os.path.join(TOP, "ledger", "meters.def"), encoding="utf-8") as registry:
        return set(re.findall(r"^METER\(\d+, ([a-z0-9_]+),", registry.read(), re.M))


def refuse_float(text):
    raise ValueError("the program printed %s, a number that is not a whole one" % text)


def try_format(name, path, arguments=(), records=None):
    """The answers of `tollbook formats try NAME PATH`: a list of objects.  `records`: bytes for standard input."""
    command = ["tollbook", "formats", "try", name, path, "--json", "--all", "--as-of", AS_OF, *arguments]
    done = subprocess.run(command, input=records, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 7):
        raise RuntimeError("%s: exit code %d: %s" % (shlex.join(command), done.returncode, done.stderr.decode(errors="replace")))
    return [json.loads(line, parse_float=refuse_float) for line in done.stdout.splitlines() if line.strip()]


def at(event, path):
    for step in path:
        if not isinstance(event, dict) or step not in event:
            return "-"
        event = event[step]
    if isinstance(event, list):
        return ",".join(sorted(event))
    if isinstance(event, bool):
        return "true" if event else "false"
    return str(event)


class Case:
    """One sentence and the lines of its record."""

    def __init__(self, sentence):
        self.sentence = sentence
        self.record = 0
        self.lines = []

    def add(self, line, known):
        words = shlex.split(line)
        record, outcome, code, flags = words[:4]
        pairs = [word.partition("=")[::2] for word in words[4:]]
        unknown = [name for name, _ in pairs if name not in known and name not in OTHERS]
        if unknown:
            raise ValueError("%s: %s is no meter, and nothing that an event says" % (line, unknown[0]))
        self.record = int(record)
        self.lines.append({
            "outcome": outcome, "code": code, "flags": flags,
            "meters": {name: value for name, value in pairs if name in known},
            "others": {name: value for name, value in pairs if name in OTHERS},
        })


def read_cases(path):
    """The cases of a file, and the arguments that it gives to `formats try`."""
    known, cases, arguments = meters(), [], []
    with open(path, encoding="utf-8") as expected:
        for line in expected.read().splitlines():
            if line.startswith(COMMAND):
                arguments += shlex.split(line[len(COMMAND):])[2:]
            elif line.startswith("# "):
                cases.append(Case(line[2:]))
            elif line:
                cases[-1].add(line, known)
    return cases, arguments


def seen(answer, event, wanted):
    """What came, in the terms in which it was wanted."""
    return {
        "outcome": answer["outcome"], "code": answer["code"] or "-",
        "flags": ",".join(sorted(answer["flags"])) or "-",
        "meters": {name: str(value) for name, value in event["data"]["quantities"].items()} if event else {},
        "others": {name: at(event, OTHERS[name]) if event else "-" for name in wanted["others"]},
    }


def difference(case, answers):
    """None where the record is what the case says, or what is different."""
    rows = [(answer, event) for answer in answers for event in (answer["events"] or [None])]
    if len(rows) != len(case.lines):
        return "%d events, not %d: %s" % (len(rows), len(case.lines), json.dumps(answers))
    for wanted, (answer, event) in zip(case.lines, rows):
        wanted = dict(wanted, flags=",".join(sorted(wanted["flags"].split(","))))
        got = seen(answer, event, wanted)
        parts = ["%s: got %s, wanted %s" % (key, got[key], wanted[key]) for key in wanted if got[key] != wanted[key]]
        if parts:
            return "; ".join(parts) + (" (%s %s)" % (answer["field"], answer["value"]) if answer.get("field") else "")
    return None


def run(name, data, expected):
    """Prints a line for each case of one file; false where one is not as it should be."""
    cases, arguments = read_cases(expected)
    answers = try_format(name, data, arguments)
    fine = True
    for case in cases:
        problem = difference(case, [answer for answer in answers if answer["record"] == case.record])
        print("%s - %s: %s" % ("ok" if problem is None else "not ok", name, case.sentence))
        if problem is not None:
            print("    record %d: %s" % (case.record, problem))
            fine = False
    extra = sorted({answer["record"] for answer in answers} - {case.record for case in cases})
    if extra:
        print("not ok - %s: each record is described\n    nothing is said of record %d" % (name, extra[0]))
    return fine and not extra


def files_of(name):
    """The files of a format: its lines, and streams that are files of their own."""
    pattern = re.compile(re.escape(name) + r"(\.[a-z_]+)?\.(ndjson|sse|json)$")
    found = sorted(file for file in os.listdir(DATA) if pattern.fullmatch(file))
    return [(os.path.join(DATA, file), os.path.join(DATA, os.path.splitext(file)[0] + ".expected")) for file in found]


def main():
    fine = True
    for name in sys.argv[1:]:
        files = files_of(name)
        if not files:
            print("not ok - %s: there is data of this format" % name)
            fine = False
        for data, expected in files:
            fine = run(name, data, expected) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
