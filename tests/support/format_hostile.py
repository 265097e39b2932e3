#!/usr/bin/python3
"""Hostile records for usage formats: format_hostile.py DATA ROOM NAME...

For each format that is named, the first accepted record of DATA/NAME.ndjson whose counts can be found is
spoiled in each of the ways below, all in one file that `tollbook formats try` reads.  Between the spoiled ones stands the
record as it was, which must come out as it did.  Prints a line a format: the name, how many records were spoiled, and "fine"
or what is wrong.
"""
import json
import os
import re
import subprocess
import sys

MARK = "@@COUNT@@"
LINE_LIMIT = 1 << 20


def run(*arguments):
    done = subprocess.run(["tollbook", *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


# --- where a description's paths lead in a document


def paths_of(source):
    """The paths that a part or a list of paths names."""
    if isinstance(source, str):
        return [source]
    if isinstance(source, list):
        return [path for item in source for path in paths_of(item)]
    if isinstance(source, dict):
        return paths_of(source.get("path", []))
    return []


def count_paths(description):
    sides = [description.get("input", {}), description.get("output", {})]
    totals = [path for side in sides for path in paths_of(side.get("total", []))]
    groups = [side.get(kind, {}) for side in sides for kind in ("beside", "inside", "either")]
    parts = [path for group in groups for part in group.values() for path in paths_of(part)]
    others = [path for source in description.get("counts", {}).values() for path in paths_of(source)]
    return totals + parts + others


def step_into(places, step):
    """Places are (container, key) pairs; the next ones below each of them."""
    for container, key in places:
        value = container[key]
        selected = re.fullmatch(r"\[([^=]+)=(.+)\]", step)
        if step == "[]" and isinstance(value, list):
            yield from ((value, i) for i in range(len(value)))
        elif selected and isinstance(value, list):
            chosen = (i for i, item in enumerate(value) if isinstance(item, dict) and str(item.get(selected[1])) == selected[2])
            yield from ((value, i) for i in chosen)
        elif selected and isinstance(value, dict) and str(value.get(selected[1])) == selected[2]:
            yield container, key
        elif re.fullmatch(r"\[\d+\]", step) and isinstance(value, list) and int(step[1:-1]) < len(value):
            yield value, int(step[1:-1])
        elif step == "*" and isinstance(value, dict):
            yield from ((value, name) for name in value)
        elif isinstance(value, dict) and step.replace("~1", "/").replace("~0", "~") in value:
            yield value, step.replace("~1", "/").replace("~0", "~")


def places_of(root, path):
    places = [(root, "document")]
    for step in filter(None, path.split("/")):
        places = list(step_into(places, step))
    return places


def is_count(value):
    return not isinstance(value, bool) and (isinstance(value, int) or isinstance(value, str) and re.fullmatch(r"\d+", value))


def find_count(root, description):
    """The first place of a count that is above zero."""
    tops = ["", "data"] if "specversion" in root["document"] else [""]
    for path in count_paths(description):
        for top in tops:
            for at in description.get("at", [""]):
                whole = "/".join(filter(None, [top, path[1:] if path.startswith("^") else at + "/" + path]))
                for container, key in places_of(root, whole):
                    if is_count(container[key]) and int(container[key]) > 0:
                        return container, key
    return None


# --- what is spoiled, and what is to be said of it


def spoiled(record, container, key):
    """(bytes, codes): what may be the answer; None where it is the same as to the record itself."""
    before, texts_too = container[key], isinstance(container[key], str)
    container[key] = MARK
    text = json.dumps(record["document"], separators=(",", ":"))
    container[key] = before
    quoted = json.dumps(str(key)) + ":"
    escaped = '"' + "".join(f"\\u{ord(letter):04x}" for letter in str(key)) + '":'
    plain = text.replace(f'"{MARK}"', json.dumps(before))

    def count(spelled, *codes):
        # A count that is told twice may be a conflict before it is looked at.
        return text.replace(f'"{MARK}"', spelled).encode(), codes and codes + ("E_DETAIL_CONFLICT",)

    def with_member(member):
        return plain[:1].encode() + b'"zz_unread":' + member + b"," + plain[1:].encode()

    # What is asked for stays the same, or is refused, but no number is ever another one.
    yield count("-1", "E_NEGATIVE")
    yield count("1.5", "E_NOT_INTEGER")
    yield count("0.1e0", "E_NOT_INTEGER")
    yield count("1e400", "E_RANGE")
    yield count("1" + "0" * 400, "E_RANGE")
    yield count("9007199254740993", "E_RANGE")
    yield count("9007199254740993.0", "E_RANGE")
    yield count("18446744073709551617", "E_RANGE")
    yield count(f"{before}.0")
    yield count(f"{before}e0")
    for broken in ("NaN", "Infinity", "-", "+1", "01", "1.", ".5", "0x10", "1e", "1_0", "nul", "'1'"):
        yield count(broken, "E_JSON")
    yield count("true", "E_TYPE")
    yield count("false", "E_TYPE")
    yield count('{"a":1}', "E_TYPE")
    yield count("[]", "E_TYPE")
    yield count("[1]", "E_TYPE")
    yield count('"ten"', "E_TYPE")
    yield count('"12 "', "E_TYPE")
    yield count('" 12"', "E_TYPE")
    yield count('""', "E_TYPE", "E_COUNT_NULL", "E_USAGE_MISSING")
    yield count('"\\u0661"', "E_TYPE")
    if texts_too:
        yield count('"-1"', "E_NEGATIVE")
        yield count('"1.5"', "E_NOT_INTEGER")
        yield count('"9007199254740993"', "E_RANGE")
    else:
        yield count('"1.5"', "E_TYPE", "E_NOT_INTEGER")
    for twice in (quoted, escaped):
        pair = f"{quoted}{json.dumps(before)},{twice}{json.dumps(before)}"
        yield text.replace(quoted + f'"{MARK}"', pair).encode(), ("E_DUPLICATE_KEY",)
    yield with_member(b'"\\ud800"'), ("E_UTF8",)
    yield with_member(b'"\\udc00\\ud800"'), ("E_UTF8",)
    yield with_member(b'"a\\u0000b"'), ("E_NUL",)
    yield with_member(b'"a\x00b"'), ("E_JSON", "E_NUL")
    yield with_member(b'"a\x01b"'), ("E_JSON",)
    yield with_member(b'"\xff"'), ("E_UTF8",)
    yield with_member(b'"\xc0\xaf"'), ("E_UTF8",)
    yield with_member(b'"\xed\xa0\x80"'), ("E_UTF8",)
    yield with_member(b'"\\x"'), ("E_JSON",)
    yield with_member(b"[" * 70 + b"]" * 70), ("E_DEPTH",)
    yield with_member(b"[" * 100000), ("E_DEPTH",)
    yield with_member(b'{"a":' * 100 + b"1" + b"}" * 100), ("E_DEPTH",)
    yield with_member(b'"' + b"x" * 300000 + b'"'), None
    yield with_member(b"[" + b"18446744073709551615," * 1000 + b"1e999]"), None
    yield with_member(b'"' + b"x" * LINE_LIMIT + b'"'), ("E_LINE_TOO_LONG",)
    yield plain.encode() + b"x", ("E_JSON",)
    yield plain.encode() + plain.encode(), ("E_JSON",)
    yield plain.encode()[:-1], ("E_JSON", "E_TRUNCATED")
    yield plain.encode()[: len(plain) // 2], ("E_JSON", "E_TRUNCATED")
    for other in (b"7", b'"text"', b"null", b"true"):
        yield other, ("E_NOT_OBJECT", "E_JSON", "N_NOT_USAGE")


# --- one format


def accepted_records(name, data):
    """Those that .expected says are accepted alone, with the options of `try`."""
    with open(f"{data}/{name}.expected", encoding="utf-8") as file:
        first, *lines = file.read().splitlines()
    options = re.sub(r"^# tollbook formats try \S+ \S+ *", "", first).split()
    answers = [line.split() for line in lines if line and not line.startswith("#")]
    numbers = [answer[0] for answer in answers]
    wanted = [answer[0] for answer in answers if answer[1] == "accepted"]
    with open(f"{data}/{name}.ndjson", "rb") as file:
        records = file.read().split(b"\n")
    return options, [records[int(number) - 1] for number in wanted if numbers.count(number) == 1]


def without_identity(event):
    return {key: value for key, value in event.items() if key not in ("id",)}


def judge(answers, expected):
    """Words for the first answer that is wrong, or ''."""
    whole = None
    if len(answers) != len(expected):
        return f"{len(expected)} records, {len(answers)} answers"
    for i, (answer, codes) in enumerate(zip(answers, expected)):
        said = " ".join([f"record {i + 1}:", *(answer.get(name, "") for name in ("outcome", "code", "field", "value"))])[:200]
        events = [without_identity(event) for event in answer.get("events", [])]
        whole = whole or events
        if codes and (answer["outcome"] == "accepted" or answer["code"] not in codes):
            return f"{said}, wanted {' or '.join(codes)}"
        if not codes and (answer["outcome"] != "accepted" or events != whole):
            return f"{said}, wanted as the first one"
        if answer["outcome"] != "accepted" and not answer.get("code"):
            return said + " without a code"
    return ""


def hostile(name, data, room):
    options, records = accepted_records(name, data)
    description = json.loads(run("formats", "show", name, "--json")[1])
    for raw in records:
        try:
            root = {"document": json.loads(raw)}
        except ValueError:
            continue
        place = find_count(root, description) if isinstance(root["document"], dict) else None
        if place is not None:
            break
    else:
        return 0, "no accepted record whose counts can be found"
    lines, expected = [], []
    for line, codes in [(raw, None), *spoiled(root, *place)]:
        lines += [line, raw]
        expected += [codes, None]
    path = f"{room}/{name}.ndjson"
    with open(path, "wb") as file:
        file.write(b"\n".join(lines) + b"\n")
    code, out, error = run("formats", "try", name, path, *options, "--json", "--all", "--as-of", "2026-11-05")
    os.unlink(path)
    if code != 7 or "ERROR" in error or "runtime error" in error:
        return len(lines), f"exit code {code}: {error.strip()[:300]}"
    return len(lines) // 2, judge([json.loads(line) for line in out.splitlines()], expected)


def main():
    data, room, *names = sys.argv[1:]
    for name in names:
        if not os.path.exists(f"{data}/{name}.ndjson"):
            print(name, 0, f"{data}/{name}.ndjson is missing")
            continue
        count, wrong = hostile(name, data, room)
        print(name, count, wrong or "fine")


if __name__ == "__main__":
    main()
