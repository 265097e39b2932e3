#!/usr/bin/env python3
"""Tables of usage with expected results, priced by the program itself.

    run.py --program FILE --tables FOLDER --list FILE --room FOLDER TABLE=N...

FOLDER has the tables as files NAME.csv, --list is the price list genai-prices, and the room is an empty folder for books and events.
TABLE=N: at least N rows of it must be as asserted.  Numbers are read and compared exactly.
"""
import argparse
import csv
import os
import sys

import bills
import choices
import llm_cost
from program import Program
from reasons import REASONS


class Table:
    """What became of the rows of a table."""

    def __init__(self):
        self.passed = 0
        self.by_reason = {}
        self.wrong = []

    def differs(self, row_id, reason):
        self.by_reason.setdefault(REASONS[reason], []).append(row_id)

    def judge(self, row_id, said, reason):
        """`said`: what is not as asserted, "" where all is; `reason`: why, where that is known."""
        if said == "":
            self.passed += 1
        elif reason != "":
            self.differs(row_id, reason)
        else:
            self.wrong.append((row_id, said))

    def rows(self):
        return self.passed + len(self.wrong) + sum(len(ids) for ids in self.by_reason.values())


def rows_of(folder, name):
    with open(os.path.join(folder, name + ".csv"), encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def run_all(program, folder, list_file):
    """(name, what is asked, table) for each of them."""
    cost, dataset, dated = (rows_of(folder, name) for name in ("llm_cost", "llm_cost_dataset", "price_at_date"))
    since = min(row["at_utc"][:10] for row in cost + dataset + dated if row["at_utc"] != "")
    prices = llm_cost.PriceList(program, list_file, since)
    asked = [
        ("llm_cost", "its lines as a rule and an event", llm_cost.by_lines, (program, cost)),
        ("llm_cost-list", "the counters, by the imported price list", llm_cost.by_list, (cost, prices)),
        ("llm_cost_dataset", "its lines as a rule and an event", llm_cost.by_lines, (program, dataset)),
        ("llm_cost_dataset-list", "the counters, by the imported price list", llm_cost.by_list, (dataset, prices)),
        ("price_at_date", "on both sides of each threshold, by the imported price list", choices.price_at_date, (dated, prices)),
        ("rate_selection", "brackets and service tiers", choices.rate_selection, (program, rows_of(folder, "rate_selection"))),
        ("offpeak_windows", "a window and a factor", choices.offpeak_windows, (program, rows_of(folder, "offpeak_windows"))),
        ("tiers", "a book and a tenant's terms", bills.tiers, (program, rows_of(folder, "tiers"))),
        ("delta", "a book and a tenant's terms, month by month so far", bills.delta, (program, rows_of(folder, "delta"))),
        ("tax_proration", "a tenant's terms for a part of a month", bills.tax_proration, (program, rows_of(folder, "tax_proration"))),
    ]
    for name, what, run, arguments in asked:
        table = Table()
        run(*arguments, table)
        yield name, what, table


def report(name, what, table, least):
    """Says what is proved; false where it is not."""
    fine = not table.wrong and table.passed >= least
    print("%s - %s: %d of %d rows are as asserted (%s)" % ("ok" if fine else "not ok", name, table.passed, table.rows(), what))
    for row_id, said in table.wrong:
        print("    %s: %s" % (row_id, said))
    if table.passed < least:
        print("    at least %d were expected" % least)
    return fine


def show(done):
    print("%-22s %5s %7s  %s" % ("table", "rows", "passed", "differing, by reason"))
    for name, table in done:
        reasons = [("%d %s: %s" % (len(ids), reason, " ".join(ids))) for reason, ids in table.by_reason.items()] or [""]
        for number, reason in enumerate(reasons):
            head = (name, table.rows(), table.passed) if number == 0 else ("", "", "")
            print(("%-22s %5s %7s  %s" % (head + (reason,))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "tables", "list", "room"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("least", nargs="*", metavar="TABLE=N")
    options = parser.parse_args()
    least, done, failed = dict(pair.split("=") for pair in options.least), [], False
    for name, what, table in run_all(Program(options.program, options.room), options.tables, options.list):
        failed |= not report(name, what, table, int(least.pop(name, 0)))
        done.append((name, table))
    show(done)
    for name in least:
        print("not ok - there is no table %s" % name)
    return 1 if failed or least else 0


if __name__ == "__main__":
    sys.exit(main())
