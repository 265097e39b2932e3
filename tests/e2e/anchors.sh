#!/usr/bin/env bash
# Contracts whose periods begin on another day than the first: no day is in two periods or in none, short months and clocks that change or
# not.  Each tenant's usage is 1.00 at the first instant of each local date and 1.00 at its last second, so an invoice says how many days it has.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# contract TENANT ZONE ANCHOR [MORE-KEYS]; file CONTRACT... > tenants.json
contract() {
	printf '{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "%s", "anchor": %s, "book": "b", "issuer": "TF", "effective": "2026-01-01"%s}' "$1" "$1" "$2" "$3" "${4:+, $4}"
}
file() {
	local IFS=,
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"%s}], "tenants": [%s]}\n' "${series:-}" "$*" >"$room/tenants.json"
}
apply() { tollbook tenant apply --quiet --as-of 2027-12-01 "$room/tenants.json"; }
# days FIRST LAST TENANT:ZONE...: two records for each local date.
days() {
	/usr/bin/python3 - "$@" <<'END'
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo
first, last = (date.fromisoformat(day) for day in sys.argv[1:3])
for tenant, name in (word.split(":") for word in sys.argv[3:]):
    def begin(day):  # midnight; the second one where it comes twice
        either = [datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(name), fold=fold) for fold in (0, 1)]
        return max(at.astimezone(timezone.utc) for at in either)
    day = first
    while day <= last:
        for at in begin(day), begin(day + timedelta(1)) - timedelta(seconds=1):
            print(f'{{"idempotency_key":"{tenant} {at:%Y%m%d%H%M%S}","tenant":"{tenant}","time":"{at:%Y-%m-%dT%H:%M:%SZ}","model":"m","input_tokens":1}}')
        day += timedelta(1)
END
}
# What a tenant was invoiced: PERIOD:DAYS, in order.
invoiced() { sql "SELECT period || ':' || total_minor / 200 FROM finance.invoice WHERE tenant = '$1' AND status = 'final' ORDER BY period" | paste -sd ' '; }
finalize() { tollbook rate --quiet --as-of "$1" && tollbook invoice draft --quiet --as-of "$1" && finds tollbook invoice finalize --quiet --as-of "$1"; }

new_database anchors
check "the books are set up" tollbook init
printf '{"tollbook_prices": 1, "book": "b", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [{"model": "m", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1}}}]}\n' >"$room/book.json"
check "a dollar a token" tollbook prices publish --quiet "$room/book.json"
all=("$(contract york1 America/New_York 1)" "$(contract berlin15 Europe/Berlin 15)" "$(contract kolkata28 Asia/Kolkata 28)" "$(contract york29 America/New_York 29)"
	"$(contract berlin30 Europe/Berlin 30)" "$(contract york31 America/New_York 31 '"grace_hours": 48')")
file "${all[@]}"
check "six contracts with six anchors are applied" apply
equal "the list has anchor and grace" "$(tollbook tenant list --format csv | tr -d '\r' | sed 1d | cut -d, -f1,6,7 | paste -sd ' ')" \
	'berlin15,15, berlin30,30, kolkata28,28, york1,1, york29,29, york31,31,48'

# From December to May of a leap year.
days 2027-12-01 2028-05-31 york1:America/New_York berlin15:Europe/Berlin kolkata28:Asia/Kolkata york29:America/New_York berlin30:Europe/Berlin \
	york31:America/New_York >"$room/days.ndjson"
check "183 days of usage come" tollbook ingest --quiet --as-of 2028-06-01T12:00:00Z "$room/days.ndjson"
check "it is invoiced a second before Berlin's 30 May begins" finalize 2028-05-29T21:59:59Z
equal "the period from 30 April has not ended" "$(invoiced berlin30)" '2027-11:29 2027-12:31 2028-01:30 2028-02:30 2028-03:31'
check "and with its midnight" finalize 2028-05-29T22:00:00Z
equal "it has" "$(invoiced berlin30)" '2027-11:29 2027-12:31 2028-01:30 2028-02:30 2028-03:31 2028-04:30'
refused "April is not closed before it has ended for New York, on 31 May, with its grace" 7 '2028-06-01T04:00:00Z' tollbook close 2028-04 --check --as-of 2028-06-01T03:59:59Z

# The series of an issuer's documents.
series=', "invoice_series": "R", "credit_note_series": "C"'
file "${all[@]}"
check "the issuer numbers in other series from now on" apply
check "the rest is invoiced on 2 July" finalize 2028-07-02T00:00:00Z
equal "New York, the 1st" "$(invoiced york1)" '2027-12:31 2028-01:31 2028-02:29 2028-03:31 2028-04:30 2028-05:31'
equal "Berlin, the 15th" "$(invoiced berlin15)" '2027-11:14 2027-12:31 2028-01:31 2028-02:29 2028-03:31 2028-04:30 2028-05:17'
equal "Kolkata, the 28th" "$(invoiced kolkata28)" '2027-11:27 2027-12:31 2028-01:31 2028-02:29 2028-03:31 2028-04:30 2028-05:4'
equal "New York, the 29th" "$(invoiced york29)" '2027-11:28 2027-12:31 2028-01:31 2028-02:29 2028-03:31 2028-04:30 2028-05:3'
equal "Berlin, the 30th" "$(invoiced berlin30)" '2027-11:29 2027-12:31 2028-01:30 2028-02:30 2028-03:31 2028-04:30 2028-05:2'
equal "New York, the 31st: the last day of February and April, and back" "$(invoiced york31)" '2027-11:30 2027-12:31 2028-01:29 2028-02:31 2028-03:30 2028-04:31 2028-05:1'
equal "each tenant's 183 days are invoiced once" \
	"$(sql "SELECT DISTINCT sum(total_minor) FROM finance.invoice WHERE status = 'final' GROUP BY tenant")" 36600
equal "no period has two invoices, and each ends where the next one begins" "$(sql "SELECT count(*) FROM (
	SELECT starts, lag(ends) OVER (PARTITION BY tenant ORDER BY starts) AS before FROM finance.invoice WHERE status = 'final') v WHERE starts <> before")" 0
check "a credit note is issued" tollbook credit-note issue TF-INV-2028-000001 --amount 1 --reason goodwill --as-of 2028-07-02T01:00:00Z --quiet
equal "documents have the series of their day, without gaps" "$(sql "SELECT split_part(number, '-', 2), count(*), max(series_number) FROM (
	SELECT number, series_number FROM finance.invoice WHERE status = 'final' UNION ALL SELECT number, series_number FROM finance.credit_note) d GROUP BY 1 ORDER BY 1" | paste -sd ' ')" \
	"C|1|1 INV|34|34 R|7|7"
series=', "invoice_series": "C", "credit_note_series": "D"'
file "${all[@]}"
refused "invoices never get a series that credit notes had" 4 'issuer TF has numbered credit notes in series C' apply
series=', "credit_note_series": "INV"'
file "${all[@]}"
refused "nor credit notes one that invoices had" 4 'issuer TF has numbered invoices in series INV' apply
series=', "invoice_series": "X", "credit_note_series": "X"'
file "${all[@]}"
refused "nor both the same" 3 'would number invoices and credit notes in one series' apply
series=', "invoice_series": "INV"'
file "${all[@]}"
check "an earlier series of invoices may come again" apply
equal "what is not stated stays" "$(sql "SELECT invoice_series, credit_note_series FROM finance.issuer")" 'INV|C'
check "applied again" apply
equal "it changes nothing" "$(sql "SELECT count(*) FROM finance.audit_log WHERE action = 'issuer apply'")" 3
check "the books are right" tollbook reconcile --quiet

# A quote from the same files, without a database.
series=
file "${all[@]}"
grep york31 "$room/days.ndjson" >"$room/york31.ndjson"
equal "a quote has the same periods" "$(tollbook prices quote --book "$room/book.json" --contract "$room/tenants.json" --tenant york31 --event "$room/york31.ndjson" --format csv |
	tr -d '\r' | awk -F, 'NR > 1 && $1 != "" && /input_text/ { print $1 }' | paste -sd ' ')" '2027-11 2027-12 2028-01 2028-02 2028-03 2028-04 2028-05'

# What is refused.
changed() { file "$(contract "$1" "$2" "$3" | sed 's/2026-01-01/2029-01-01/')"; apply; }
refused "an anchor stays" 4 'the periods of tenant york31 begin on day 31' changed york31 America/New_York 30
refused "and the place is named" 4 'tenants[0].anchor' changed york31 America/New_York 1
refused "a day that no month has" 3 'a whole number from 1 to 31' changed new UTC 32
file "$(contract york31 America/New_York 31 '"grace_hours": 72' | sed 's/2026-01-01/2029-01-01/')"
check "hours of grace may change later" apply

# Clocks that change at the midnight that a period begins with, a tenant who gets his first contract late, and one who pays without usage.
new_database clocks
check "the books are set up" tollbook init
check "and a price" tollbook prices publish --quiet "$room/book.json"
fee='"terms": {"fees": [{"name": "seat", "amount": "10"}]}, "until": "2026-04-30"'
file "$(contract havana1 America/Havana 1)" "$(contract havana8 America/Havana 8)" "$(contract pays America/New_York 31 "$fee" | sed 's/2026-01-01/2026-01-31/')"
apply() { tollbook tenant apply --quiet --as-of 2026-01-01 "$room/tenants.json"; }
check "contracts are applied" apply
{
	for at in 03:59:59 04:00:00 04:59:59 05:00:00; do usage "1 $at" havana1 "2026-11-01T${at}Z" m 1 0 0; done
	for at in 04:59:59 05:00:00; do usage "8 $at" havana8 "2026-03-08T${at}Z" m 1 0 0; done
	usage late late 2026-10-03T12:00:00Z m 1 0 0
} >"$room/clocks.ndjson"
check "usage comes" tollbook ingest --quiet --as-of 2026-11-10 "$room/clocks.ndjson"
check "and is rated" finds tollbook rate --quiet --as-of 2026-11-10
rated() { sql "SELECT period || ':' || (SELECT COALESCE(sum(amount), 0)::bigint FROM finance.charge c WHERE c.rating_id = r.rating_id) FROM finance.current_rating r WHERE tenant = '$1' ORDER BY period" | paste -sd ' '; }
equal "the first midnight of 1 November is still October: 05:00 UTC begins November" "$(rated havana1)" '2026-10:3 2026-11:1'
equal "where midnight is left out, the period begins when the clock jumps, at 05:00 UTC" "$(rated havana8)" '2026-02:1 2026-03:1'
equal "a fee is owed for each period from 31 January, 28 February and 31 March, and no sliver from 30 April" "$(rated pays)" '2026-01:10 2026-02:10 2026-03:10'
equal "without a contract, 3 October is October's" "$(rated late)" '2026-10:0'
file "$(contract late Asia/Kolkata 15)"
check "a contract from the 15th on comes" apply
check "it is rated again" finds tollbook rate --quiet --as-of 2026-11-10
equal "and is of the period from 15 September" "$(rated late)" '2026-09:1'
check "the books are right" tollbook reconcile --quiet
report
