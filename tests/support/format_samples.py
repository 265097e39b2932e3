"""The shared samples of usage, each read under its format, beside the events that are expected of it.

    format_samples.py FOLDER [NAME...]     FOLDER has NAME.expected.json and the sample that it is about

    format_samples.py FOLDER --write ROOM  writes the records as they are read, what `ingest` is to be given with them, and the outcomes
                                           that a ledger is to come to: ROOM/NAME.ndjson, NAME.arguments, NAME.outcomes;
                                           of samples whose repeats, conflicts or several events need a ledger

A table of formats at the end: records, what became of them, and how many are as expected.  A record whose expected result is not
what tollbook makes, for a reason, stands in EXCEPTIONS: it counts as an exception and must differ exactly as it says there.  What
only a ledger tells (a duplicate, a conflict of keys) is accepted here; --write is for comparing it in a ledger.

Everything that is expected of an event must be there and be the same.  An event may say more of its trace, and of what was reported,
if its meters add up to that.

Payloads of models and engines come as a gateway would capture them: in a CloudEvent with the context's source, subject, capture id
and time.  Rows and events of other systems come bare, with --field and --constant for what the context says of them.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from format_data import try_format  # noqa: E402

# What the comparison is about: names, and where an event has them.
COMPARED = (
    ("source",), ("id",), ("time",), ("subject",), ("data", "kind"), ("data", "operation"), ("data", "provider"),
    ("data", "model"), ("data", "base_model"), ("data", "adapter"), ("data", "engine"), ("data", "deployment"), ("data", "region"),
    ("data", "service_tier"), ("data", "speed"), ("data", "status"), ("data", "served_from"),
    ("data", "measurement", "method"), ("data", "measurement", "complete"), ("data", "measurement", "unknown"),
    ("data", "context_input_tokens"), ("data", "quantities"), ("data", "reported"), ("data", "attribution"), ("data", "trace"),
)
MAY_SAY_MORE = (("data", "reported"), ("data", "trace"))
# What is the same said or unsaid.
USUAL = {("data", "kind"): "usage", ("data", "service_tier"): "default", ("data", "status"): "completed",
         ("data", "served_from"): "model", ("data", "measurement", "complete"): True}

# Formats whose samples are bare rows or events; the rest is captured in a CloudEvent.
BARE = {
    "dynamo.request_trace", "anthropic.batch_results", "envoy_ai_gateway.access_log", "kong.ai_log", "helicone.request_response",
    "langfuse.observations", "litellm.spend_logs", "litellm.standard_logging", "metronome.usage", "openmeter.tokens",
    "otel.gen_ai.span",
}
# Samples that are no payloads of a format: the canonical event's own, and messages of Kafka, which other tests read.
OTHER_TESTS = ("tollbook-canonical", "nasty-lines", "cloudevents-structured", "cloudevents-kafka")
DIALECTS = {"dynamo.request_trace.v1": "dynamo.request_trace"}
OUTCOMES = {"accept": "accepted", "accept_flagged": "accepted", "duplicate": "accepted", "ignored": "ignored",
            "quarantine": "quarantined", "reject": "rejected"}
NEVER_THERE = "(not there)"

# (sample, record): what differs and why.  Facts are the last steps of COMPARED, or "flags", "code".
NO_COST = "what a call cost elsewhere is no usage and is not kept"
ONE_METER = "how large the whole prompt was is not known of an event of one meter, and the event says so"
EXCEPTIONS = {
    ("openai-chat", 7): (["unknown"], "completion_tokens_details is missing, so reasoning is unknown, as in record 6"),
    ("openrouter-chat", 1): (["reported"], NO_COST),
    ("openrouter-chat", 2): (["reported"], NO_COST),
    ("litellm-spendlogs", 3): (["reported"], "the answer was replayed and has no tokens: its old counts are reported of another call"),
    ("litellm-standard-logging", 1): (["attribution"], "a format has no path for tags, whose names are the operator's"),
    ("openmeter", 1): (["context_input_tokens", "flags"], ONE_METER),
    ("openmeter", 2): (["flags"], ONE_METER),
    ("openmeter", 3): (["context_input_tokens", "flags"], ONE_METER),
    ("openmeter", 4): (["context_input_tokens", "flags"], ONE_METER),
}
LEDGERS = ("E_KEY_CONFLICT",)
# What a ledger makes of a record, where that is not what is expected.
LEDGER_EXCEPTIONS = {
    ("litellm-spendlogs", 2): ("accepted -", "the repeated id is another tenant's: tenant, source and id together are the identity, so both are billed"),
}


def load(folder, name):
    with open(os.path.join(folder, name + ".expected.json"), encoding="utf-8") as file:
        expected = json.load(file)
    with open(os.path.join(folder, expected["sample"]), "rb") as file:
        data = file.read()
    whole = not expected["sample"].endswith(".ndjson")
    return expected, [data] if whole else data.splitlines()


def format_of(context):
    dialect = context["dialect"]
    dialect = dialect[: -len(".stream")] if dialect.endswith(".stream") else dialect
    return DIALECTS.get(dialect, dialect)


def payload_of(raw):
    """A JSON object as it stands; anything else, such as a stream, as text."""
    try:
        json.loads(raw)
        return raw.decode()
    except ValueError:
        return json.dumps(raw.decode())


def capture_id(context, index, raw):
    if "capture_ids" in context:
        return context["capture_ids"][index]
    payload = json.loads(raw)
    return payload.get("response", payload)["id"]


def captured(context, index, raw):
    """A record as a gateway of ours would write it."""
    event = {"specversion": "1.0", "type": "example.capture", "source": context["source"], "subject": context["subject"],
             "id": capture_id(context, index, raw), "time": context["observed_at"]}
    models = context.get("request_models")
    if models or "session_model" in context:
        event["model"] = models[index] if models else context["session_model"]
    if "deployment" in context:
        event["deployment"] = context["deployment"]
    if "stream_closed" in context:
        event["closed"] = "clean" if context["stream_closed"] == "clean" else "client"
    head = json.dumps(event)[:-1]
    return ("%s, \"data\": %s}" % (head, payload_of(raw).replace("\n", " "))).encode()


def own_description(name, context, index):
    """What an operator would say of this source beside the format, or None."""
    options = context.get("options", {})
    own = {}
    if "adapters" in context:
        own["adapters"] = context["adapters"]
    details = options.get("prompt_tokens_details_enabled", options.get("cache_report"))
    if isinstance(details, list):
        details = details[index]
    if details is not None:
        own["input"] = {"inside": {"cache_read": {
            "path": "usage/prompt_tokens_details/cached_tokens", "absent": "zero" if details else "unknown"}}}
    if "provider_map" in context:
        own["fields"] = {"provider": {"words": context["provider_map"]}}
    return dict(own, tollbook_format=1, format="sample", extends=name) if own else None


# Where the context says in words what a payload has elsewhere.
PLACES = {"attribute tenant.id": None, 'traceId + "/" + spanId': None, "x-request-id set by the proxy, client value not kept": "x-request-id"}


def arguments_of(name, context):
    """--field and --constant for what the context says of rows."""
    words = []
    if "source" in context:
        words += ["--constant", "source=" + context["source"]]
    for field, said in (("tenant", context.get("subject_from")), ("id", context.get("id_from"))):
        if said is None or " by request_id" in said or " replays it" in said:
            continue
        place = PLACES[said] if said in PLACES else said.replace(".", "/")
        if place is not None:
            words += ["--field", "%s=%s" % (field, place)]
    if "subject" in context:
        words += ["--constant", "tenant=" + context["subject"]]
    if "batch_id" in context:
        words += ["--constant", "batch=" + context["batch_id"], "--constant", "time=" + context["observed_at"]]
    return words


def line_of(name, context, index, raw):
    """A record on one line, as it is read."""
    return raw.replace(b"\n", b" ") if name in BARE else captured(context, index, raw)


def answers_of(name, context, records):
    """What `formats try` makes of each record, as a list of lists.  Records that are read by one description are read at once."""
    arguments = arguments_of(name, context) if name in BARE else ()
    found, groups = [[] for _ in records], {}
    for index in range(len(records)):
        groups.setdefault(json.dumps(own_description(name, context, index)), []).append(index)
    for own, indexes in groups.items():
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(own)
            file.flush()
            lines = b"".join(line_of(name, context, index, records[index]) + b"\n" for index in indexes)
            for answer in try_format(file.name if own != "null" else name, "-", arguments, lines):
                found[indexes[answer["record"] - 1]].append(answer)
    return found


def is_for_a_ledger(results):
    """It has what a ledger alone can tell, or several events of one record."""
    return any(result["outcome"] == "duplicate" or result.get("code") in LEDGERS or len(result.get("events", [])) > 1
               for result in results)


def write(room, sample, expected, records):
    """What a ledger is to be given, and the outcomes that it is to come to."""
    context = expected["context"]
    name = format_of(context)
    if not is_for_a_ledger(expected["results"]):
        return
    with open(os.path.join(room, sample + ".ndjson"), "wb") as file:
        file.write(b"".join(line_of(name, context, index, raw) + b"\n" for index, raw in enumerate(records)))
    with open(os.path.join(room, sample + ".arguments"), "w", encoding="utf-8") as file:
        file.write("\n".join(["--format", name] + (arguments_of(name, context) if name in BARE else [])) + "\n")
    with open(os.path.join(room, sample + ".outcomes"), "w", encoding="utf-8") as file:
        for result in expected["results"]:
            outcome = "duplicate" if result["outcome"] == "duplicate" else OUTCOMES[result["outcome"]]
            words = "%s %s" % (outcome, result.get("code", "-") or "-")
            known = LEDGER_EXCEPTIONS.get((sample, result["record"]))
            if known is not None:
                print("exception: %s record %d is %s, not %s: %s" % (sample, result["record"], known[0], words, known[1]))
                words = known[0]
            file.write("%d %s\n" % (result["record"], words))


def fact(event, path):
    for step in path:
        if not isinstance(event, dict) or step not in event:
            return USUAL.get(path, NEVER_THERE)
        event = event[step]
    return sorted(event) if isinstance(event, list) else event


def says_more(event, path, got, want):
    """Beside all that is wanted, the event has only what is right in any case."""
    want = {} if want == NEVER_THERE else want
    if got == NEVER_THERE or any(got.get(name) != value for name, value in want.items()):
        return False
    counts = {side: sum(value for name, value in event["data"]["quantities"].items()
                        if name.startswith(side) and name.endswith("_tokens")) for side in ("input", "output")}
    sums = {"input_tokens": counts["input"], "output_tokens": counts["output"], "total_tokens": sum(counts.values())}
    return path[-1] == "trace" or all(got[name] == sums.get(name) for name in got if name not in want)


def same_times(value):
    """A time is one whatever its zeros."""
    if isinstance(value, str) and value.endswith("Z") and "." in value:
        return value[:-1].rstrip("0").rstrip(".") + "Z"
    return value


def differences(expected, answers):
    """Facts that differ: name, what came, what was wanted."""
    outcome = "accepted" if expected.get("code") in LEDGERS else OUTCOMES[expected["outcome"]]
    events = [event for answer in answers for event in answer["events"]]
    flags = sorted({flag for answer in answers for flag in answer["flags"]})
    found = []
    outcomes = sorted({answer["outcome"] for answer in answers})
    if outcomes != [outcome]:
        found.append(("outcome", outcomes, outcome))
    codes = sorted({answer["code"] for answer in answers} - {""})
    code = expected.get("code", "")
    wanted = [code] if code.startswith(("E_", "N_")) and code not in LEDGERS else []
    if codes != wanted:
        found.append(("code", codes, wanted))
    if expected["outcome"] == "duplicate" or expected.get("code") in LEDGERS:
        return found
    if flags != sorted(expected.get("flags", [])):
        found.append(("flags", flags, sorted(expected.get("flags", []))))
    if len(events) != len(expected.get("events", [])):
        return found + [("events", len(events), len(expected.get("events", [])))]
    for number, (event, wanted) in enumerate(zip(events, expected.get("events", []))):
        for path in COMPARED:
            got, want = same_times(fact(event, path)), same_times(fact(wanted, path))
            if got != want and not (path in MAY_SAY_MORE and says_more(event, path, got, want)):
                found.append(("%s%s" % (path[-1], "" if len(events) == 1 else " of event %d" % number), got, want))
    return found


class Row:
    """A line of the table."""

    def __init__(self, name):
        self.name = name
        self.counts = dict.fromkeys(("accepted", "quarantined", "ignored", "rejected"), 0)
        self.records = self.fine = self.excepted = 0

    def words(self):
        return "%-30s %7d %8d %11d %7d %8d %11d %9d" % (
            self.name, self.records, self.counts["accepted"], self.counts["quarantined"], self.counts["ignored"],
            self.counts["rejected"], self.fine, self.excepted)


def judge(sample, expected, answers, row):
    """Adds one record to its row; a list of lines where it is not as it should be."""
    found = differences(expected, answers)
    row.records += 1
    for outcome in {answer["outcome"] for answer in answers}:
        row.counts[outcome] += 1
    why = EXCEPTIONS.get((sample, expected["record"]))
    if why is None and not found:
        row.fine += 1
        return []
    names = sorted(name for name, _, _ in found)
    if why is not None and names == sorted(why[0]):
        row.excepted += 1
        print("exception: %s record %d differs in %s: %s" % (sample, expected["record"], ", ".join(names), why[1]))
        return []
    lines = ["%s record %d: %s: got %s, wanted %s" % (sample, expected["record"], *one) for one in found]
    return lines + (["%s record %d is an exception that differs in %s" % (sample, expected["record"], why[0])] if why else [])


def main():
    folder, only, room = sys.argv[1], sys.argv[2:], None
    if only[:1] == ["--write"]:
        room, only = only[1], []
    samples = sorted(name[: -len(".expected.json")] for name in os.listdir(folder) if name.endswith(".expected.json"))
    rows, bad = {}, []
    for sample in samples:
        if sample in OTHER_TESTS or (only and sample not in only):
            continue
        expected, records = load(folder, sample)
        if room is not None:
            write(room, sample, expected, records)
            continue
        name = format_of(expected["context"])
        row = rows.setdefault(name, Row(name))
        for result, answers in zip(expected["results"], answers_of(name, expected["context"], records)):
            bad += judge(sample, result, answers, row)
    if room is not None:
        return 0
    print("%-30s %7s %8s %11s %7s %8s %11s %9s" % (
        "format", "records", "accepted", "quarantined", "ignored", "rejected", "as expected", "exception"))
    for name in sorted(rows):
        print(rows[name].words())
    print("\n".join(bad))
    print("%d records, %d as expected, %d exceptions, %d wrong" % (
        sum(row.records for row in rows.values()), sum(row.fine for row in rows.values()),
        sum(row.excepted for row in rows.values()), len({line.split(":")[0] for line in bad})))
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
