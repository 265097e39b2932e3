#!/usr/bin/env bash
# Adjustments on invoices: on the next draft as far as its sum stays at or above zero, else they wait; alone where there is no next invoice.
# (The adjustments are written by hand here; tests/e2e/rerate.sh has real ones.)
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# A cent a token, 20 % tax.  tenants "NAME [UNTIL]"...
tenants() {
	printf '{"tollbook_prices": 1, "book": "b", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [{"model": "m", "prices": {"input_text_uncached_tokens": {"price": "0.01", "per": 1}}}]}\n' >"$room/book.json"
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"b\", \"issuer\": \"TF\", \"effective\": \"2026-01-01\"%s, \"tax\": {\"name\": \"VAT\", \"percent\": \"20\"}}", \
			(NR > 1 ? ", " : ""), $1, $1, ($2 == "" ? "" : ", \"until\": \"" $2 "\"") } END { print "]}" }' >"$room/tenants.json"
	tollbook prices publish --quiet "$room/book.json" && tollbook tenant apply --quiet "$room/tenants.json"
}
# adjust TENANT CENTS TIME: a difference in what the tenant was charged for October.
adjust() {
	sql "WITH r AS (INSERT INTO finance.rerate (period, tenant, model, reason, ticket, note, second_person, planned_at, planned_by)
	     VALUES ('2026-10', '$1', '', 'price_error', 'T-1', '', false, '$3', 'tester') RETURNING rerate_id)
	     INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id, new_rating_id,
	       price_book_version_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome, booked_at, booked_by)
	     SELECT r.rerate_id, '$1', '2026-10', 'USD', 2, 'usage', 'm', 'default', (SELECT meter_id FROM metering.meter WHERE name = 'input_text_uncached_tokens'), f.rating_id, f.rating_id,
	       1, 0, $2 / 100.0, $2, '2026-10-20', '2026-10-20', 'price_error', 'T-1', 'next_invoice', '$3', 'tester'
	       FROM r, finance.rating_in_force f WHERE f.tenant = '$1' AND f.period = '2026-10'"
}
draft() { tollbook invoice draft --quiet --as-of "$@" --format csv | tr -d '\r' | sed 1d; }
finalize() { tollbook invoice finalize --quiet --as-of "$@" --format csv | tr -d '\r' | sed 1d; }
lines() { sql "SELECT l.amount_minor, l.adjustment_id FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id) WHERE v.tenant = '$1' AND v.period <> '2026-10' ORDER BY l.line" | tr '\n' ' '; }
waiting() { sql "SELECT amount_minor FROM finance.adjustment_waiting WHERE tenant = '$1' ORDER BY adjustment_id" | tr '\n' ' '; }

new_database adjusted
check "the books are set up" tollbook init
check "four tenants, two of whom leave at the end of October" tenants 'stays' 'idle' 'gone 2026-11-01' 'owed 2026-11-01'
for tenant in stays idle gone owed; do usage "$tenant-1" $tenant 2026-10-20T12:00:00Z m 2000 0 0; done >"$room/usage.ndjson"
usage stays-2 stays 2026-11-20T12:00:00Z m 500 0 0 >>"$room/usage.ndjson"
check "each used 20.00 in October, one 5.00 in November" tollbook ingest --quiet --as-of 2026-12-01 "$room/usage.ndjson"
check "it is rated" tollbook rate --quiet --as-of 2026-11-02
check "and drafted" tollbook invoice draft --as-of 2026-11-02 --period 2026-10
check "October is invoiced" tollbook invoice finalize --as-of 2026-11-02 --period 2026-10
check "later October is adjusted: +2.00, -4.00, -9.00 and nothing" \
	eval 'adjust stays 200 2026-11-10; adjust stays -400 2026-11-10; adjust stays -900 2026-11-10; adjust stays 0 2026-11-10'
check "and +2.00 for two others, -2.00 for the last" eval 'adjust idle 200 2026-11-10; adjust gone 200 2026-11-10; adjust owed -200 2026-11-10'

# On the next draft.
equal "5.00 + 2.00 - 4.00: what does not fit waits" "$(draft 2026-12-01 --tenant stays | tail -n 1)" 'stays,2026-11,4,3.00,0.60,3.60,USD,draft'
equal "what is to pay comes first" "$(lines stays)" '500| 200|1 0|4 -400|2 '
equal "a line names original period, reason and price version" "$(tollbook invoice show stays:2026-11 | awk '$1 == 2 { sub(/.*2026-10/, "2026-10"); print }')" '2026-10, re-rated: price_error, b v1'
equal "programs get the adjustment" "$(tollbook invoice show stays:2026-11 --format csv | tr -d '\r' | awk -F, 'NR == 3 { print $NF }')" 1
equal "drafted again it is the same" "$(draft 2026-12-01 --tenant stays | tail -n 1) $(lines stays)" 'stays,2026-11,4,3.00,0.60,3.60,USD,draft 500| 200|1 0|4 -400|2 '
check "another one comes afterwards" adjust stays 100 2026-12-01
check "the -4.00 and the -9.00 are settled by a credit note" tollbook credit-note issue "$(sql "SELECT number FROM finance.invoice WHERE tenant = 'stays' AND status = 'final'")" --pending --reason price_error --ticket T-2 --as-of 2026-12-01
refused "the draft that had one of them is gone" 0 'no drafts in scope' tollbook invoice finalize --as-of 2026-12-01 --tenant stays
equal "drafted again it has what waits: 5.00 + 2.00 + 1.00" "$(draft 2026-12-01 --tenant stays | tail -n 1)" 'stays,2026-11,4,8.00,1.60,9.60,USD,draft'
check "one on the draft is settled behind its back" sql "INSERT INTO finance.adjustment_dropped SELECT 4, max(credit_note_id) FROM finance.credit_note"
refused "the draft is refused" 7 'an adjustment on it was settled elsewhere' tollbook invoice finalize --as-of 2026-12-01 --tenant stays
equal "and drafted again without it" "$(draft 2026-12-01 --tenant stays | tail -n 1)" 'stays,2026-11,3,8.00,1.60,9.60,USD,draft'
check "another one after the draft" adjust stays -50 2026-12-01
equal "does not stand in its way" "$(finalize 2026-12-01 --tenant stays)" 'TF-INV-2026-000005,stays,2026-11,8.00,0.00,1.60,9.60,0.00,USD,final'
equal "and waits" "$(waiting stays)" '-50 '

# Alone.
equal "who left gets an invoice of adjustments at once, with tax" "$(draft 2026-12-01 --tenant gone | tail -n 1)" 'gone,2026-12,1,2.00,0.40,2.40,USD,draft of adjustments'
equal "who is owed something does not: a credit note settles it" "$(draft 2026-12-01 --tenant owed | tail -n 1)" 'owed,2026-12,,,,,,what waits is owed to the tenant: tollbook credit-note issue NUMBER --pending'
equal "who stays waits for the next invoice until the month has ended" "$(draft 2026-11-30 --tenant idle | tail -n 1)" 'idle,2026-10,,,,,,invoiced already'
equal "and then gets one of adjustments" "$(draft 2026-12-01 --tenant idle | tail -n 1)" 'idle,2026-12,1,2.00,0.40,2.40,USD,draft of adjustments'
equal "its month need not have ended" "$(finalize 2026-12-01 --tenant gone)" 'TF-INV-2026-000006,gone,2026-12,2.00,0.00,0.40,2.40,0.00,USD,final'
equal "it claims no period" "$(sql "SELECT count(*) FROM finance.invoiced_period WHERE tenant = 'gone'")" 1
usage idle-3 idle 2026-12-01T00:00:00Z m 100 0 0 >"$room/usage.ndjson"
check "usage comes before the other's is final" eval 'tollbook ingest --quiet --as-of 2026-12-02 "$room/usage.ndjson" && tollbook rate --quiet --as-of 2026-12-02'
equal "drafted again they go on the draft of the new month" "$(draft 2026-12-02 --tenant idle | tail -n 1)" 'idle,2026-12,2,3.00,0.60,3.60,USD,draft'
equal "and there is no other" "$(sql "SELECT string_agg(kind, ',') FROM finance.invoice WHERE tenant = 'idle' AND status = 'draft'")" period
check "final in January" tollbook invoice finalize --as-of 2027-01-02 --tenant idle

# An invoice of adjustments that is credited in full: they wait again.
equal "nothing waits" "$(waiting gone)" ''
check "its invoice is credited in full" tollbook credit-note issue TF-INV-2026-000006 --full --reason dispute --ticket T-3 --as-of 2027-01-03
equal "the adjustment waits again" "$(waiting gone)" '200 '
equal "a workbook has both kinds, and agrees" "$(tollbook report workbook --period 2026-12 --as-of 2027-01-03 --quiet -o "$room/w.xlsx" >/dev/null; echo $?)" 0
digests() { tollbook reconcile --as-of 2027-01-03 --format csv 2>/dev/null | tr -d "\r" | grep digests; }
equal "what invoices say is what was finalized" "$(digests | grep -c 'invoices recomputed')|$(digests | grep 'invoices recomputed' | grep -c ok)" '1|1'

# By whom the period was invoiced, and at what tax; not by whoever invoices the tenant since.
moved() {
	printf '{"issuers": [{"issuer": "TG", "name": "Token Garage"}], "tenants": [{"tenant": "moves", "name": "moves", "currency": "USD", "zone": "UTC", "book": "b", "issuer": "TG", "effective": "2026-11-01", "tax": {"name": "GST", "percent": "10"}}]}' >"$room/moved.json"
	tollbook tenant apply --quiet --as-of 2027-01-04 "$room/moved.json"
}
check "two more tenants" tenants moves shut
{ usage moves-1 moves 2026-10-20T12:00:00Z m 2000 0 0; usage moves-2 moves 2026-11-20T12:00:00Z m 500 0 0; usage shut-1 shut 2026-10-20T12:00:00Z m 2000 0 0; } >"$room/usage.ndjson"
check "one has another issuer and another tax from November on" moved
check "their usage comes" eval 'tollbook ingest --quiet --as-of 2027-01-04 "$room/usage.ndjson" && tollbook rate --quiet --as-of 2027-01-04'
equal "October: 20.00 and 20 % tax" "$(draft 2027-01-04 --tenant moves --period 2026-10)" 'moves,2026-10,1,20.00,4.00,24.00,USD,draft'
check "is invoiced" tollbook invoice finalize --quiet --as-of 2027-01-04 --tenant moves --period 2026-10
check "and adjusted" adjust moves 200 2027-01-04
equal "the other issuer's November is without it" "$(draft 2027-02-01 --tenant moves --period 2026-11)" 'moves,2026-11,1,5.00,0.50,5.50,USD,draft'
equal "it is invoiced alone, at 20 %" "$(draft 2027-02-01 --tenant moves --period 2027-02)" 'moves,2027-02,1,2.00,0.40,2.40,USD,draft of adjustments'
check "they are final" finalize 2027-02-01 --tenant moves
equal "each by its issuer" "$(sql "SELECT period, issuer, net_minor, tax_minor FROM finance.invoice WHERE tenant = 'moves' ORDER BY period" | tr '\n' ' ')" '2026-10|TF|2000|400 2026-11|TG|500|50 2027-02|TF|200|40 '

# Of a month that was closed before it was invoiced there is nothing but adjustments, and no invoice of the month to wait for.
check "October is closed" sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-10', 'soft', 'reviewed', '', '', 'eve', '2027-01-05')"
check "all of the last one's October is booked as an adjustment" adjust shut 2000 2027-01-05
equal "it waits a month for usage, and is then invoiced alone" "$(draft 2027-02-01 --tenant shut | tail -n 1)" 'shut,2027-02,1,20.00,4.00,24.00,USD,draft of adjustments'
report
