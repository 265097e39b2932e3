#!/usr/bin/python3
"""What `tollbook formats try --json` says, on standard input, as the lines that tests/data/formats/*.expected have:

    RECORD OUTCOME CODE FLAGS METER=QUANTITY...

CODE and FLAGS are "-" where there is none; flags have a comma between them; meters stand in the order of the registry.
Events of one record that are booked together have " + " between them.  With names as arguments (id, time, subject, model,
status ...: fields of the event, of its data, of data.trace or data.measurement) each line is RECORD NAME=VALUE... instead.
"""
import json
import re
import sys


def registry():
    with open(sys.path[0] + "/../../ledger/meters.def", encoding="utf-8") as file:
        return re.findall(r"^METER\(\d+, (\w+),", file.read(), re.MULTILINE)


def meters(event, order):
    quantities = event["data"].get("quantities", {})
    return " ".join(f"{name}={quantities[name]}" for name in sorted(quantities, key=order.index))


def fact(event, name):
    data = event["data"]
    below = ("measurement", "reported", "trace", "attribution")
    for place in (event, data, *(data.get(part, {}) for part in below)):
        if name in place:
            value = place[name]
            return ",".join(value) if isinstance(value, list) else value
    return "-"


def main():
    order, names = registry(), sys.argv[1:]
    for line in sys.stdin:
        told = json.loads(line)
        events = told.get("events", [])
        if names:
            said = " + ".join(" ".join(f"{name}={fact(event, name)}" for name in names) for event in events)
            print(told["record"], said or told.get("code", ""))
            continue
        words = [str(told["record"]), told["outcome"], told.get("code") or "-", ",".join(told.get("flags", [])) or "-"]
        print(" ".join(words + ([" + ".join(meters(event, order) for event in events)] if events else [])))


if __name__ == "__main__":
    main()
