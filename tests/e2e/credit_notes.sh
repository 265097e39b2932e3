#!/usr/bin/env bash
# Credit notes: in full, by line, by amount; never more than the invoice and all of it in the end; paid money to the balance or back; a full one
# releases the period, its credits and its adjustments, once.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
as_of=2026-11-05T00:00:00Z

# --- the books -------------------------------------------------------------------------------------
# A thousand tokens of any model cost 1.
publish() {
	local model rules=
	for model in a b c d; do rules+="${rules:+, }{\"model\": \"$model\", \"prices\": {\"input_text_uncached_tokens\": {\"price\": \"1\", \"per\": 1000}}}"; done
	printf '{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [%s]}\n' "$rules" >"$room/book.json"
	tollbook prices publish --quiet --as-of 2026-09-01 "$room/book.json"
}
vat='"tax": {"name": "VAT", "percent": "20"}'
# contracts "TENANT REST-OF-THE-OBJECT"...
contracts() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ rest = $0; sub(/^[^ ]+ ?/, "", rest)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"list\", \"issuer\": \"TF\", \"effective\": \"2026-01-01\"%s}", \
			(NR > 1 ? ", " : ""), $1, $1, (rest == "" ? "" : ", " rest) } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet --as-of 2026-09-01 "$room/tenants.json"
}
# used TENANT MONTH-DAY MODEL TOKENS; ids differ by file and line.
used() { usage ID "$1" "2026-$2T12:00:00Z" "$3" "$4" 0 0; }
books() {
	local file
	file=$(mktemp "$room/usage.XXXXXX")
	awk -v name="${file##*.}" '{ sub(/"idempotency_key":"ID"/, "\"idempotency_key\":\"" name "-" NR "\""); print }' >"$file"
	ingest "$file"
}
four() { for pair in a:68330 b:68330 c:57500 d:85000; do used "$1" 10-20 "${pair%:*}" "${pair#*:}"; done; }
draft() { tollbook invoice draft --quiet --as-of "$as_of" --format csv "$@" | tr -d '\r' | sed 1d; }
# invoiced TENANT PERIOD: rated, drafted and finalized; its number.
invoiced() {
	finds rate >&2 && draft --tenant "$1" --period "$2" >/dev/null &&
		tollbook invoice finalize --quiet --as-of "$as_of" --format csv --tenant "$1" --period "$2" | tr -d '\r' | sed 1d | cut -d, -f1
}
issue() { tollbook credit-note issue --quiet --as-of "$as_of" --reason "${reason:-goodwill}" --format csv "$@" | tr -d '\r' | sed 1d; }
# note NUMBER ARGUMENTS...: net, credits, tax, total, to the balance, to be refunded; or how it was refused.
note() { issue "$@" 2>&1 | cut -d, -f3-6,8,9; }
notes() { sql "SELECT count(*), COALESCE(sum(net_minor), 0), COALESCE(sum(credits_minor), 0), COALESCE(sum(tax_minor), 0), COALESCE(sum(total_minor), 0) FROM finance.credit_note WHERE invoice_number = '$1'"; }
invoice_sums() { sql "SELECT net_minor, credits_minor, tax_minor, total_minor FROM finance.invoice WHERE number = '$1'"; }
standing() { sql "SELECT s.standing, s.due_minor FROM finance.invoice_standing s JOIN finance.invoice v USING (invoice_id) WHERE v.number = '$1'"; }
# What is left of each line, and of what credits paid of it.
line_rests() {
	sql "SELECT string_agg(l.amount_minor - COALESCE(n.amount, 0) || ':' || COALESCE(u.amount, 0) - COALESCE(n.credits, 0), ' ' ORDER BY l.line)
	       FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id)
	       LEFT JOIN LATERAL (SELECT sum(amount_minor) AS amount, sum(credits_minor) AS credits FROM finance.credit_note_line n WHERE n.invoice_id = l.invoice_id AND n.line = l.line) n ON true
	       LEFT JOIN LATERAL (SELECT sum(amount_minor) AS amount FROM finance.credit_use_line u WHERE u.invoice_id = l.invoice_id AND u.line = l.line) u ON true
	      WHERE v.number = '$1'"
}
pays() { printf 'reference,invoice,amount,currency,paid_on\n%s,%s,%s,USD,2026-11-04\n' "$@" >"$room/paid.csv"; tollbook payment import --quiet --as-of "$as_of" "$room/paid.csv"; }
balance() { sql "SELECT COALESCE((SELECT balance_after FROM finance.balance_entry WHERE tenant = '$1' ORDER BY place DESC LIMIT 1), 0)"; }
credit_left() { sql "SELECT balance_after FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE g.tenant = '$1' ORDER BY e.grant_id, e.place DESC LIMIT 1"; }
put_right() {
	local id
	id=$(tollbook rerate plan --quiet --as-of "$as_of" --format csv --period "$2" --tenant "$1" --reason "${3:-late_usage}" | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
	[ -n "$id" ] && tollbook rerate approve --quiet --as-of "$as_of" --by eve "$id" && tollbook rerate apply --quiet --as-of "$as_of" "$id"
}
# Adjustments, oldest first: of the period, amount, what became of it.
adjustments() {
	sql "SELECT string_agg(a.original_period || ' ' || a.amount_minor || CASE WHEN a.reverses IS NOT NULL THEN ' takes back' ELSE '' END || CASE
		WHEN EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id) THEN ' dropped'
		WHEN EXISTS (SELECT FROM finance.adjustment_waiting w WHERE w.adjustment_id = a.adjustment_id) THEN ' waits'
		WHEN EXISTS (SELECT FROM finance.credit_note_line n WHERE n.adjustment_id = a.adjustment_id) THEN ' credited' ELSE ' billed' END, ', ' ORDER BY a.adjustment_id)
	       FROM finance.adjustment a WHERE a.tenant = '$1' AND a.amount_minor <> 0"
}
# What a tenant has to pay in the end, before tax: its invoices, less their credit notes.
billed_in_all() {
	sql "SELECT COALESCE((SELECT sum(net_minor) FROM finance.invoice WHERE tenant = '$1' AND status = 'final'), 0)
	          - COALESCE((SELECT sum(net_minor) FROM finance.credit_note WHERE tenant = '$1'), 0)"
}

new_database credit_notes
check "the books are set up" tollbook init
check "a price book is published" publish
check "contracts, most with 20 % tax" contracts "lines $vat" "amounts $vat" "cents $vat" "paid $vat" "back $vat" "credit $vat" "race $vat" "late $vat" "other $vat" "less $vat" "ended $vat" \
	"policy $vat, \"terms\": {\"adjustments\": {\"as\": \"credit_note\"}}" "whole $vat, \"terms\": {\"adjustments\": {\"as\": \"credit_note\"}}" drafted \
	"deal $vat, \"terms\": {\"discounts\": [{\"name\": \"deal\", \"percent\": \"10\"}]}" "free $vat, \"terms\": {\"discounts\": [{\"name\": \"all\", \"percent\": \"100\"}]}"
check "usage of October" finds books <<<"$(
	for tenant in lines amounts paid back race; do four $tenant; done
	for model in a b c d; do used cents 10-20 $model 30; done
	used credit 10-20 a 60000; used credit 10-20 b 40000
	used deal 10-20 a 100000; used deal 10-20 b 50000; used free 10-20 a 1000; used drafted 10-20 a 1000)"

# --- by line ---------------------------------------------------------------------------------------
lines=$(invoiced lines 2026-10)
equal "the invoice: 279.16 and 20 % of it" "$(invoice_sums "$lines")" '27916|0|5583|33499'
equal "68.33 and its tax" "$(note "$lines" --line 1)" '68.33,0.00,13.67,82.00,0.00,0.00'
equal "68.33 again" "$(note "$lines" --line 2)" '68.33,0.00,13.67,82.00,0.00,0.00'
equal "57.50" "$(note "$lines" --line 3)" '57.50,0.00,11.50,69.00,0.00,0.00'
refused "a line that is credited has nothing left" 4 'line 3 of TF-INV-2026-000001 has nothing left' issue "$lines" --line 3
refused "more than is left of one" 4 'line 4 of TF-INV-2026-000001 has 85.00 USD left to be credited: the amount is more' issue "$lines" --line 4=85.01
refused "an unknown one" 4 'TF-INV-2026-000001 has no line 5' issue "$lines" --line 5
refused "one twice" 2 'line 4 is given twice' issue "$lines" --line 4=1 --line 4=2
refused "no decimals that the currency has not" 2 'USD has 2 decimals' issue "$lines" --line 4=1.001
equal "the last takes what is left of the tax: 16.99" "$(note "$lines" --line 4)" '85.00,0.00,16.99,101.99,0.00,0.00'
equal "the four come to the invoice exactly" "$(notes "$lines")" '4|27916|0|5583|33499'
equal "nothing of it is due" "$(standing "$lines")" 'credited|0'
refused "and nothing more is credited" 4 'would come to more than the invoice' issue "$lines" --amount 0.01
equal "their numbers are a series of their own, without gap" "$(sql "SELECT string_agg(number, ' ' ORDER BY number) FROM finance.credit_note")" \
	'TF-CRN-2026-000001 TF-CRN-2026-000002 TF-CRN-2026-000003 TF-CRN-2026-000004'
shown=$(tollbook credit-note show TF-CRN-2026-000004)
equal "one says which invoice it is over, and of when" "$(head -n 1 <<<"$shown")" 'CREDIT NOTE TF-CRN-2026-000004 over invoice TF-INV-2026-000001 of 2026-11-05'
equal "and at which rate tax goes back" "$(grep '^tax' <<<"$shown")" 'tax       16.99 USD, VAT 20 %'
equal "they are listed" "$(tollbook credit-note list --tenant lines --format csv | tr -d '\r' | sed 1d | cut -d, -f1,10 | head -n 1)" 'TF-CRN-2026-000001,82.00'

# --- by amount; the same request; roles --------------------------------------------------------------
amounts=$(invoiced amounts 2026-10)
equal "100 is spread over four lines in proportion" "$(note "$amounts" --amount 100 --request ask-1)" '100.00,0.00,20.00,120.00,0.00,0.00'
equal "by largest remainder" "$(sql "SELECT string_agg(l.amount_minor::text, ' ' ORDER BY place) FROM finance.credit_note_line l JOIN finance.credit_note n USING (credit_note_id) WHERE request_id = 'ask-1'")" '2448 2447 2060 3045'
equal "asked for again, it is the same credit note" "$(issue "$amounts" --amount 100 --request ask-1 | cut -d, -f1,6)" 'TF-CRN-2026-000005,120.00'
refused "the request with another amount is refused" 4 '"amount" differs' issue "$amounts" --amount 99 --request ask-1
refused "or for another thing" 4 '"what is credited" differs' issue "$amounts" --full --request ask-1
refused "or another invoice" 4 '"the invoice" differs' issue "$lines" --amount 100 --request ask-1
equal "one note came of all that" "$(notes "$amounts")" '1|10000|0|2000|12000'
refused "above what is left" 4 'It has 179.16 USD left before tax' issue "$amounts" --amount 179.17
equal "a dry run shows what it would be" "$(note "$amounts" --amount 179.16 --dry-run)" '179.16,0.00,35.83,214.99,0.00,0.00'
equal "and leaves nothing behind" "$(notes "$amounts")" '1|10000|0|2000|12000'
refused "a reason for something else is refused" 2 'the reason "bankruptcy" is not for credit_note' tollbook credit-note issue "$amounts" --as-of "$as_of" --reason bankruptcy --amount 1
refused "without saying what" 2 'takes one of --full, --line, --amount and --pending' issue "$amounts"
refused "a date before the invoice" 4 'nothing of it is booked on 2026-11-04' tollbook credit-note issue "$amounts" --as-of 2026-11-04 --reason goodwill --amount 1
printf '{"roles": [{"role": "support", "members": ["ann"], "limits": [{"currency": "USD", "per_grant": "12", "per_day": "20"}]}, {"role": "finance", "members": ["tester", "eve"], "unlimited": true}], "approval": [{"currency": "USD", "above": "1000000"}]}\n' >"$room/roles.json"
check "support may give 12 at once and 20 a day, with tax" tollbook role apply --quiet --as-of "$as_of" "$room/roles.json"
refused "10.01 and tax is above it" 4 'ann may give 12.00 USD at once, not 12.01' issue "$amounts" --amount 10.01 --by ann
check "10 is not" issue "$amounts" --amount 10 --by ann --ticket T-1
refused "10 more is, for this day" 4 'ann may give 20.00 USD a day' issue "$amounts" --amount 10 --by ann
equal "the audit log has before and after" "$(sql "SELECT before, after, ticket FROM finance.audit_log WHERE who = 'ann' AND action = 'credit-note issue'")" \
	'due 214.99 USD, 179.16 USD before tax left to be credited|TF-CRN-2026-000006 over 12.00 USD (amount), due 202.99 USD|T-1'

cents=$(invoiced cents 2026-10)
equal "four lines of 0.03 and 0.02 of tax" "$(invoice_sums "$cents")" '12|0|2|14'
for _ in 1 2 3 4 5 6 7 8 9 10 11; do issue "$cents" --amount 0.01 >/dev/null; done
equal "eleven notes of a cent, whose tax is nothing" "$(notes "$cents")" '11|11|0|0|11'
equal "the twelfth takes all of it" "$(note "$cents" --amount 0.01)" '0.01,0.00,0.02,0.03,0.00,0.00'
equal "together they are the invoice" "$(notes "$cents")" '12|12|0|2|14'

# --- lines below zero, invoices of zero, drafts --------------------------------------------------------
deal=$(invoiced deal 2026-10)
equal "150 less a tenth" "$(invoice_sums "$deal")" '13500|0|2700|16200'
refused "the discount alone would raise the invoice" 4 'a line that takes something off is credited only together with others' issue "$deal" --line 3
refused "the lines without it are more than the invoice" 4 'would come to more than the invoice' issue "$deal" --line 1 --line 2
equal "a line with its part of the discount" "$(note "$deal" --line 1 --line 3=-10)" '90.00,0.00,18.00,108.00,0.00,0.00'
equal "half of the rest, the discount with it" "$(note "$deal" --amount 22.50)" '22.50,0.00,4.50,27.00,0.00,0.00'
equal "the rest in full" "$(note "$deal" --full)" '22.50,0.00,4.50,27.00,0.00,0.00'
equal "every line has come to nothing" "$(line_rests "$deal")" '0:0 0:0 0:0'
free=$(invoiced free 2026-10)
equal "an invoice of zero" "$(invoice_sums "$free")" '0|0|0|0'
refused "has nothing to be credited" 4 'would come to more than the invoice' issue "$free" --amount 0.01
equal "but in full, with nothing" "$(note "$free" --full)" '0.00,0.00,0.00,0.00,0.00,0.00'
equal "which releases its period" "$(sql "SELECT count(*) FROM finance.invoiced_period WHERE tenant = 'free'")" 0
check "a draft is made" draft --tenant drafted
refused "a draft is not credited" 4 'there is no final invoice "drafted:2026-10"' issue drafted:2026-10 --full
refused "nor what is not there" 4 'there is no final invoice "TF-INV-2026-999999"' issue TF-INV-2026-999999 --full

# --- what was paid -------------------------------------------------------------------------------------
paid=$(invoiced paid 2026-10) back=$(invoiced back 2026-10)
check "300 of 334.99 are paid" pays bank-1 "$paid" 300
equal "a note of 20 lowers what is due" "$(note "$paid" --amount 16.67)" '16.67,0.00,3.33,20.00,0.00,0.00'
equal "14.99 are still due" "$(standing "$paid")" 'partly_paid|1499'
equal "of 24 more, 9.01 had been paid: to the balance" "$(note "$paid" --amount 20)" '20.00,0.00,4.00,24.00,9.01,0.00'
equal "nothing is due" "$(standing "$paid")" 'paid|0'
equal "the rest in full goes to the balance too" "$(note "$paid" --full)" '242.49,0.00,48.50,290.99,290.99,0.00'
equal "which has what was paid" "$(balance paid)" 30000
check "another is paid wholly" pays bank-2 "$back" 334.99
equal "its money is to be paid back" "$(reason=wrong_party note "$back" --full --to refund)" '279.16,0.00,55.83,334.99,0.00,334.99'
equal "nothing of it is on the balance" "$(balance back)" 0
refused "in full twice is refused" 4 "$back is credited in full by" issue "$back" --full
refused "and any other note after it" 4 "$back is credited in full by" issue "$back" --amount 1
again=$(invoiced paid 2026-10)
equal "the released period is invoiced again, with another number" "$(sql "SELECT count(DISTINCT number), min(net_minor), max(net_minor) FROM finance.invoice WHERE tenant = 'paid' AND status = 'final'")" '2|27916|27916'
equal "the balance pays it as far as it goes" "$(standing "$again") $(balance paid)" 'partly_paid|3499 0'

# --- two people at once --------------------------------------------------------------------------------
race=$(invoiced race 2026-10)
# at_once ARGUMENTS...: three of them; their exit codes, sorted.
at_once() {
	local i asked=()
	for i in 1 2 3; do
		{ code=0; issue "$race" "$@" >"$room/race-$i" 2>&1 || code=$?; echo "$code" >"$room/code-$i"; } &
		asked+=($!)
	done
	wait "${asked[@]}"
	sort "$room"/code-[123] | tr '\n' ' '
}
equal "three ask for 150 of 279.16 at once: one gets it" "$(at_once --amount 150)" '0 4 4 '
equal "never more" "$(notes "$race")" '1|15000|0|3000|18000'
equal "the same request three times at once: three times the same answer" "$(at_once --amount 10 --request race-1) $(cut -d, -f1 "$room"/race-[123] | sort -u | wc -l)" '0 0 0  1'
equal "and one note" "$(notes "$race")" '2|16000|0|3200|19200'
equal "in full three times at once: once" "$(at_once --full)" '0 4 4 '
equal "that is all of the invoice" "$(notes "$race")" '3|27916|0|5583|33499'
refused "the database itself refuses more" 1 'would come to more than the invoice' sql "INSERT INTO finance.credit_note (request_id, invoice_id, scope, number, issuer, series_year, series_number, invoice_number, invoice_date, tenant, issuer_name, tenant_name, currency, minor_units, net_minor, credits_minor, tax_name, tax_percent, tax_minor, total_minor, balance_minor, refund_minor, reason, ticket, note, issued_on, issued_at, issued_by, content_digest)
	SELECT 'x', invoice_id, 'amount', 'X', issuer, series_year, 999, number, issued_on, tenant, issuer_name, tenant_name, currency, minor_units, 1, 0, tax_name, tax_percent, 0, 1, 0, 0, 'goodwill', '', '', issued_on, finalized_at, 'tester', content_digest FROM finance.invoice WHERE number = '$race'"

# --- credits --------------------------------------------------------------------------------------------
check "a credit of 70 for October" tollbook credit grant credit 70 --quiet --as-of "$as_of" --kind promotional --reason promotion --starts 2026-10-01
credit=$(invoiced credit 2026-10)
equal "100, of which it pays 70, and tax on the rest" "$(invoice_sums "$credit")" '10000|7000|600|3600'
equal "a tenth of it: 7 go back to the credit" "$(note "$credit" --amount 10)" '10.00,7.00,0.60,3.60,0.00,0.00'
equal "which has them" "$(credit_left credit)" 700
check "18 are paid" pays bank-3 "$credit" 18
equal "in full: all of the rest goes back, and 18 of money to the balance" "$(reason=dispute note "$credit" --full)" '90.00,63.00,5.40,32.40,18.00,0.00'
equal "the credit is whole again" "$(credit_left credit)" 7000
equal "every line has come to nothing, of money and of credits" "$(line_rests "$credit")" '0:0 0:0'
credit=$(invoiced credit 2026-10)
equal "invoiced again, it pays again, once" "$(invoice_sums "$credit") $(credit_left credit)" '10000|7000|600|3600 0'
equal "and the balance pays 18 of the rest" "$(standing "$credit")" 'partly_paid|1800'
for _ in 1 2 3; do note "$credit" --amount 33.33; done >/dev/null
equal "three notes of a third and a cent: nothing is left" "$(note "$credit" --amount 0.01 >/dev/null; notes "$credit")" '4|10000|7000|600|3600'
equal "all of it went back" "$(credit_left credit) $(line_rests "$credit")" '7000 0:0 0:0'

# --- adjustments ------------------------------------------------------------------------------------------
# Two tenants with 100 in October, 5 more that came late, and 10 in November, whose invoice has the 5; in the end each owes 115.
check "usage of October" finds books <<<"$(used late 10-20 a 100000; used other 10-20 a 100000
	event less-1 less 2026-10-20T12:00:00Z a 80000 0; event less-2 less 2026-10-20T13:00:00Z a 20000 0; event less-3 less 2026-10-20T14:00:00Z b 10000 0
	for tenant in policy whole; do event $tenant-1 $tenant 2026-10-20T12:00:00Z a 80000 0; event $tenant-2 $tenant 2026-10-20T13:00:00Z a 20000 0; done
	used ended 10-20 a 10000)"
check "a credit that pays one of them wholly" tollbook credit grant whole 100 --quiet --as-of "$as_of" --kind promotional --reason promotion --starts 2026-10-01
policy=$(invoiced policy 2026-10) whole=$(invoiced whole 2026-10) ended=$(invoiced ended 2026-10)
late=$(invoiced late 2026-10) other=$(invoiced other 2026-10) less=$(invoiced less 2026-10)
check "late usage, and a void" finds books <<<"$(used late 10-20 a 5000; used other 10-20 a 5000; void less-4 less-2 less 2026-10-20T13:00:00Z
	for tenant in policy whole; do void $tenant-4 $tenant-2 $tenant 2026-10-20T13:00:00Z; done; used ended 10-20 a 3000)"
check "it is rated" finds rate
for tenant in late other less policy whole ended; do check "and put right: $tenant" put_right $tenant 2026-10; done
as_of=2026-12-05T00:00:00Z
check "usage of November" finds books <<<"$(used late 11-20 b 10000; used other 11-20 b 10000)"
late_november=$(invoiced late 2026-11) other_november=$(invoiced other 2026-11)
equal "the invoice of November has the late 5" "$(invoice_sums "$late_november") $(adjustments late)" '1500|0|300|1800 2026-10 500 billed'

check "October is credited in full" issue "$late" --full
equal "the 5, on another invoice, are taken back" "$(adjustments late)" '2026-10 500 billed, 2026-10 -500 takes back waits'
late=$(invoiced late 2026-10)
equal "October is invoiced again with all of its usage, 105, and less the 5" "$(invoice_sums "$late") $(adjustments late)" \
	'10000|0|2000|12000 2026-10 500 billed, 2026-10 -500 takes back billed'
equal "in all 115" "$(billed_in_all late)" 11500
check "credited in full again" issue "$late" --full
equal "what takes the 5 back waits again, and is not itself taken back" "$(adjustments late)" '2026-10 500 billed, 2026-10 -500 takes back waits'
late=$(invoiced late 2026-10)
equal "and invoiced again: 115" "$(billed_in_all late)" 11500
check "then November is" issue "$late_november" --full
equal "the 5 on it wait again" "$(adjustments late)" '2026-10 500 waits, 2026-10 -500 takes back billed'
late_november=$(invoiced late 2026-11)
equal "and are on the next one: 115" "$(billed_in_all late) $(adjustments late)" '11500 2026-10 500 billed, 2026-10 -500 takes back billed'

check "the other way round: November is credited in full" issue "$other_november" --full
equal "the 5 wait again" "$(adjustments other)" '2026-10 500 waits'
check "a draft of November has them" draft --tenant other
check "then October is" issue "$other" --full
equal "they are dropped" "$(adjustments other)" '2026-10 500 dropped'
equal "with the draft that had them" "$(sql "SELECT count(*) FROM finance.invoice WHERE tenant = 'other' AND status = 'draft'")" 0
other=$(invoiced other 2026-10) other_november=$(invoiced other 2026-11)
equal "October is invoiced again with 105, November with 10: 115" "$(sql "SELECT net_minor FROM finance.invoice WHERE number IN ('$other', '$other_november') ORDER BY period" | tr '\n' ' ')$(billed_in_all other)" '10500 1000 11500'

equal "110, of which a void takes 20" "$(invoice_sums "$less") $(adjustments less)" '11000|0|2200|13200 2026-10 -2000 waits'
equal "the adjustment is credited, with its tax" "$(note "$less" --pending --request pending-1)" '20.00,0.00,4.00,24.00,0.00,0.00'
equal "the same request again is the same note" "$(issue "$less" --pending --request pending-1 | cut -d, -f6) $(notes "$less" | cut -d'|' -f1)" '24.00 1'
equal "it does not wait any more" "$(adjustments less)" '2026-10 -2000 credited'
refused "nothing else does" 4 'no adjustment of 2026-10 that is owed to less waits' issue "$less" --pending
refused "of its line there is so much less left" 4 'line 1 of '"$less"' has 80.00 USD left' issue "$less" --line 1=80.01
equal "in full: the rest" "$(note "$less" --full)" '90.00,0.00,18.00,108.00,0.00,0.00'
equal "the adjustment is dropped with it" "$(adjustments less)" '2026-10 -2000 dropped'
less=$(invoiced less 2026-10)
equal "and October is invoiced again with 90" "$(invoice_sums "$less") $(billed_in_all less)" '9000|0|1800|10800 9000'

equal "a contract that wants it gets a credit note when the re-rate is applied" "$(notes "$policy") $(adjustments policy)" '1|2000|0|400|2400 2026-10 -2000 credited'
equal "its reason is the re-rate's" "$(tollbook credit-note list --invoice "$policy" --format csv | tr -d '\r' | sed 1d | cut -d, -f5,13)" 'adjustments,late_usage'
equal "where credits paid everything they have it back, and nobody gets money" "$(invoice_sums "$whole") $(notes "$whole") $(adjustments whole) $(credit_left whole)" \
	'10000|10000|0|0 1|2000|2000|0|0 2026-10 -2000 credited 2000'
refused "nothing is left that could be asked for" 4 'no adjustment of 2026-10 that is owed to whole waits' issue "$whole" --pending
check "a final invoice of 3 that came late, since November has none" draft --tenant ended
adjustment=$(tollbook invoice finalize --quiet --as-of "$as_of" --format csv --tenant ended | tr -d '\r' | sed 1d | cut -d, -f1)
equal "it is one of adjustments alone" "$(sql "SELECT kind, net_minor FROM finance.invoice WHERE number = '$adjustment'") $(adjustments ended)" 'adjustment|300 2026-10 300 billed'
check "it is credited in full" issue "$adjustment" --full
equal "its adjustment waits again, and its period stays invoiced" "$(adjustments ended) $(sql "SELECT count(*) FROM finance.invoiced_period WHERE tenant = 'ended'")" '2026-10 300 waits 1'
check "October is too" issue "$ended" --full
ended=$(invoiced ended 2026-10)
equal "and invoiced again with all, once" "$(billed_in_all ended) $(adjustments ended)" '1300 2026-10 300 dropped'

# --- months that are closed --------------------------------------------------------------------------------
check "October is closed" sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-10', 'soft', 'reviewed', '', '', 'eve', '$as_of')"
refused "in full is refused: it could not be invoiced again" 4 '2026-10 is closed: after a full credit note' issue "$less" --full
check "by amount is not" issue "$less" --amount 1

# --- the books ----------------------------------------------------------------------------------------------
equal "no credit note is below zero or above its invoice" "$(sql "SELECT count(*) FROM finance.invoice v JOIN LATERAL (SELECT sum(total_minor) AS total, sum(tax_minor) AS tax, sum(net_minor) AS net, min(total_minor) AS least
	FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id) n ON true WHERE n.total > v.total_minor OR n.tax > v.tax_minor OR n.net > v.net_minor OR n.least < 0")" 0
equal "the lines of each come to its header" "$(sql "SELECT count(*) FROM finance.credit_note n JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS net, COALESCE(sum(credits_minor), 0) AS credits
	FROM finance.credit_note_line l WHERE l.credit_note_id = n.credit_note_id) l ON true WHERE l.net <> n.net_minor OR l.credits <> n.credits_minor")" 0
equal "the journal balances" "$(sql "SELECT count(*) FROM (SELECT FROM finance.journal_line GROUP BY entry, currency HAVING sum(amount_minor) <> 0) j")" 0
equal "what is receivable is what is due" "$(sql "SELECT (SELECT sum(amount_minor) FROM finance.journal_line WHERE account = 'receivable') - (SELECT sum(due_minor) FROM finance.invoice_standing)")" 0
equal "numbers have no gap" "$(sql "SELECT count(*) = max(series_number) AND min(series_number) = 1 FROM finance.credit_note")" t
check "the books reconcile" finds tollbook reconcile --quiet
report
