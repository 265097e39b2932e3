#!/usr/bin/env bash
# Re-rates of what credits paid: these are drawn again over what a closed period comes to, and have back what they paid too much of; nobody gets
# money for it.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
as_of=2026-11-05T00:00:00Z

# --- the books -------------------------------------------------------------------------------------
# A thousand tokens of a or b cost 2 as invoiced, of a 1 by the second version, 1.90 by the third.
book() {
	printf '{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "%s", "free": ["requests", "output_text_tokens"], "rules": [{"model": "a", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000}}}, {"model": "b", "prices": {"input_text_uncached_tokens": {"price": "2", "per": 1000}}}]}\n' "$1" "$2" >"$room/book.json"
	tollbook prices publish --quiet --as-of 2026-09-01 "$room/book.json"
}
# contracts "TENANT REST-OF-THE-OBJECT"...
contracts() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ rest = $0; sub(/^[^ ]+ ?/, "", rest)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"list\", \"issuer\": \"TF\", \"effective\": \"2026-10-01\"%s}", \
			(NR > 1 ? ", " : ""), $1, $1, (rest == "" ? "" : ", " rest) } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet --as-of 2026-10-01 "$room/tenants.json"
}
count=0
books() { count=$((count + 1)); cat >"$room/usage-$count.ndjson"; ingest "$room/usage-$count.ndjson"; }
# used TENANT DAY MODEL TOKENS: an event of October; its id is TENANT-DAY-MODEL.
used() { event "$1-$2-$3" "$1" "2026-10-$2T12:00:00Z" "$3" "$4" 0; }
# given TENANT AMOUNT OPTIONS...
given() { tollbook credit grant --quiet --as-of 2026-10-01 --kind promotional --reason promotion "$@" >/dev/null; }
# put_right TENANT ARGUMENTS...: planned, approved by another, and applied; what became of it, and to $room/said what was said.
put_right() {
	local id tenant=$1
	shift
	id=$(tollbook rerate plan --as-of "$as_of" --format csv --period 2026-10 --tenant "$tenant" --reason price_error "$@" | tr -d '\r' | sed 1d | cut -d, -f1) &&
		tollbook rerate approve --quiet --as-of "$as_of" --by eve "$id" &&
		tollbook rerate apply --as-of "$as_of" --format csv "$id" 2>"$room/said" | tr -d '\r' | sed 1d | sed 's/TF-CRN-2026-0*/#/' | tr '\n' ' '
}
# What a tenant's credits have, in the order they were granted.
left() { sql "SELECT string_agg(b::text, ' ' ORDER BY grant_id) FROM (SELECT DISTINCT ON (grant_id) grant_id, balance_after AS b FROM finance.credit_entry JOIN finance.credit_grant g USING (grant_id) WHERE g.tenant = '$1' ORDER BY grant_id, place DESC) x"; }
# Its credit notes: scope, net, credits, tax, total, to the balance.
notes() { sql "SELECT scope, net_minor, credits_minor, tax_minor, total_minor, balance_minor FROM finance.credit_note WHERE tenant = '$1' ORDER BY credit_note_id" | tr '|\n' ':  '; }
invoices() { sql "SELECT net_minor, credits_minor, tax_minor, total_minor FROM finance.invoice WHERE tenant = '$1' AND status = 'final' ORDER BY invoice_id" | tr '|\n' ':  '; }
number() { sql "SELECT number FROM finance.invoice v JOIN finance.invoiced_period USING (invoice_id) WHERE v.tenant = '$1' AND v.period = '${2:-2026-10}'"; }
waits() { sql "SELECT COALESCE(sum(amount_minor), 0) FROM finance.adjustment_waiting WHERE tenant = '$1'"; }
invoiced() {
	finds rate && tollbook invoice draft --quiet --as-of "$as_of" "$@" >/dev/null && tollbook invoice finalize --quiet --as-of "$as_of" "$@" >/dev/null
}
full() { tollbook credit-note issue --quiet --as-of "$as_of" --reason dispute --full "$(number "$1")" >/dev/null; }
holds() { tollbook reconcile --quiet --as-of "$as_of"; }

new_database rerate_credits
check "the books are set up" tollbook init
check "prices" book 2026-10-01T00:00:00Z 2
check "the right price of a is half of it" book 2026-12-01T00:00:00Z 1
check "or a little less" book 2026-12-02T00:00:00Z 1.9
check "contracts" contracts all part scope order gone more 'taxed "tax": {"name": "VAT", "percent": "20"}' 'noted "terms": {"adjustments": {"as": "credit_note"}}' between early
check "credits: the whole month's" given all 50
check "a part's" given part 5
check "one for a alone" given scope 50 --model a
check "two, the first expires" given order 15 --expires 2026-11-04
check "and one that lasts" given order 15
check "one that expires" given gone 20 --expires 2026-11-04
check "of a taxed tenant" given taxed 8
check "of one whose contract wants credit notes" given noted 5
check "of one that is to use both models" given between 30
check "of one that is to use more, too" given more 20
check "for the first half of the month" given early 30 --expires 2026-10-15
check "usage of October" finds books <<<"$(for tenant in all part order gone taxed noted more; do used $tenant 10 a 10000; done
	used scope 10 a 5000; used scope 11 b 5000; used between 10 a 5000; used between 11 b 5000; used early 10 a 5000; used early 20 a 5000)"
check "it is invoiced" invoiced --period 2026-10
equal "20 each: all by a credit" "$(invoices all)" '2000:2000:0:0 '
equal "5 of it" "$(invoices part)" '2000:500:0:1500 '
equal "a alone" "$(invoices scope)" '2000:1000:0:1000 '
equal "the first day's credit, not the second's" "$(invoices early)" '2000:1000:0:1000 '

# --- one price --------------------------------------------------------------------------------------
as_of=2026-11-10T00:00:00Z
equal "all paid by credit and halved: 10 go back to the credit, by a credit note, and no money" "$(put_right all --prices list@2)" 'credit note #1,1,-10.00,USD credits given back,1,10.00,USD '
equal "of which nothing is due or handed out" "$(notes all)" 'adjustments:1000:1000:0:0:0 '
equal "the credit had 30, and has 40" "$(left all)" 4000
equal "nothing waits" "$(waits all)" 0
check "the history says so" grep -q 'restore,10.00,30.00,40.00' <<<"$(tollbook credit history --tenant all --format csv)"
equal "credit 5 of 20, lowered to 19: it would pay 5 still, so that the 1 is money" "$(put_right part --prices list@3)" 'next invoice,1,-1.00,USD '
equal "the credit has nothing back" "$(left part)" 0
equal "lowered to 10 it would, too" "$(put_right part --prices list@2)" 'next invoice,1,-9.00,USD '
check "usage of it is voided" finds books <<<"$(void part-void part-10-a part 2026-10-10T12:00:00Z; used part 12 b 1000)"
check "and rated" finds rate
equal "b comes to 2: 3 of the 5 go back, and 5 are money" "$(put_right part)" 'credit note #2,2,-8.00,USD credits given back,1,3.00,USD '
equal "of 15 that money was to pay 15 are off: 10 wait, 5 by the note" "$(waits part) $(notes part)" '-1000 adjustments:800:300:0:500:0 '
equal "the credit has 3" "$(left part)" 300

# --- scope, order, expiry --------------------------------------------------------------------------
check "usage of a is voided, b stays" finds books <<<"$(void scope-void scope-10-a scope 2026-10-10T12:00:00Z)"
check "it is rated" finds rate
equal "what the credit paid of a is no money" "$(put_right scope)" 'credit note #3,1,-10.00,USD credits given back,1,10.00,USD '
equal "it has all back, b was paid by money" "$(left scope) $(notes scope)" '5000 adjustments:1000:1000:0:0:0 '
equal "the first credit paid 15, the second 5" "$(left order)" '0 1000'
equal "halved: the last one has its 5 back first, the first one the rest" "$(put_right order --prices list@2)" 'credit note #4,1,-10.00,USD credits given back,1,10.00,USD '
equal "10 of the first stay" "$(left order)" '500 1500'
equal "a credit that expired meanwhile has 10 back" "$(put_right gone --prices list@2)" 'credit note #5,1,-10.00,USD credits given back,1,10.00,USD '
check "usage of the time of a credit is voided" finds books <<<"$(void early-void early-10-a early 2026-10-10T12:00:00Z)"
check "it is rated" finds rate
equal "what is left was used after its time: it has all back" "$(put_right early)" 'credit note #6,1,-10.00,USD credits given back,1,10.00,USD '
equal "30 again" "$(left early)" 3000
check "credits that expired are taken, those that came back among them" tollbook credit expire --quiet --as-of "$as_of"
equal "nobody has money for it" "$(left gone) $(sql "SELECT string_agg(e.kind || e.amount_minor, ' ' ORDER BY place) FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE g.tenant = 'gone'") $(waits gone)" '0 grant2000 use-2000 restore1000 expire-1000 0'

# --- more of one, less of another -------------------------------------------------------------------
check "a is voided, of b 2000 more came" finds books <<<"$(void between-void between-10-a between 2026-10-10T12:00:00Z; used between 12 b 2000)"
check "it is rated" finds rate
equal "10 less and 4 more are one note over 6, all of it the credit's" "$(put_right between)" 'credit note #7,2,-6.00,USD credits given back,1,6.00,USD '
equal "it pays 14 still" "$(left between) $(waits between) $(notes between)" '1600 0 adjustments:600:600:0:0:0 '

# --- tax, and what a contract says ------------------------------------------------------------------
equal "8 by a credit, 12 and 2.40 tax are due" "$(invoices taxed)" '2000:800:240:1440 '
check "of 7000 tokens nothing was used" finds books <<<"$(correction taxed-2 taxed-10-a taxed 2026-10-10T12:00:00Z a 3000 0)"
check "it is rated" finds rate
equal "6 in place of 20: the credit has 2 back" "$(put_right taxed)" 'credit note #8,1,-14.00,USD credits given back,1,2.00,USD '
equal "12 are money, with all of the tax" "$(notes taxed)" 'adjustments:1400:200:240:1440:0 '
equal "where the contract wants credit notes, and the credit would pay 5 of 10 as well, the note is money" "$(put_right noted --prices list@2) $(notes noted)" 'credit note #9,1,-10.00,USD  adjustments:1000:0:0:1000:0 '

# --- afterwards -------------------------------------------------------------------------------------
check "the books reconcile" holds
check "what the first one had is credited in full" full all
equal "10 were back already, the other 10 are now" "$(left all) $(notes all)" '5000 adjustments:1000:1000:0:0:0 full:1000:1000:0:0:0 '
check "it is invoiced again" invoiced --tenant all --period 2026-10
equal "as it is priced now, by the credit" "$(invoices all) $(left all)" '2000:2000:0:0 1000:1000:0:0  4000'
check "two in order, in full" full order
equal "each has what it gave, but for the 5 that expired since" "$(left order)" '1000 1500'
check "one of a discounted sum, in full" full between
equal "30 again" "$(left between)" 3000
check "partly paid, in full" full part
equal "5 again; of the money what is left, since what was waiting is dropped" "$(left part) $(waits part) $(notes part)" '500 0 adjustments:800:300:0:500:0 full:1200:200:0:1000:0 '
equal "an amount of what is left of the taxed one: all of it is the credit's" "$(tollbook credit-note issue --quiet --as-of $as_of --reason goodwill --amount 2 "$(number taxed)" >/dev/null; notes taxed; left taxed)" 'adjustments:1400:200:240:1440:0 amount:200:200:0:0:0 400'
refused "never more than was paid" 4 'would come to more than the invoice' tollbook credit-note issue --as-of $as_of --reason goodwill --amount 4.01 "$(number taxed)"
equal "of one credited by an amount as well, a re-rate gives the rest" "$(correction taxed-3 taxed-2 taxed 2026-10-10T12:00:00Z a 1000 0 | { books && finds rate; } >/dev/null; put_right taxed)" 'credit note #15,1,-4.00,USD credits given back,1,4.00,USD '
equal "which is all" "$(left taxed)" 800

check "more was used of a, late" finds books <<<"$(used more 20 a 5000)"
check "it is rated" finds rate
equal "10 to be paid" "$(put_right more)" 'next invoice,1,10.00,USD '

# --- up again ---------------------------------------------------------------------------------------
equal "the price was right after all: 10 more, to be paid" "$(put_right gone --prices list@1)" 'next invoice,1,10.00,USD '
equal "and of one whose credit has its time still" "$(put_right all --prices list@1)" 'next invoice,1,10.00,USD '
as_of=2026-12-05T00:00:00Z
check "they are invoiced" invoiced --period 2026-12
equal "the expired one pays nothing, the other all" "$(invoices gone)$(invoices all) $(left all)" '2000:2000:0:0 1000:0:0:1000 2000:2000:0:0 1000:1000:0:0 1000:1000:0:0  3000'
equal "30 are halved, of which a credit paid 20, and money 10 elsewhere: the credit has 5 back, the 10 wait" "$(put_right more --prices list@2)" 'credit note #16,2,-5.00,USD next invoice,1,-10.00,USD credits given back,1,5.00,USD '
equal "and no more than that" "$(left more) $(waits more) $(notes more)" '500 -1000 adjustments:500:500:0:0:0 '
refused "the money waits for an invoice, since this one has none left" 4 'It has 15.00 USD left before tax, 15.00 USD of it paid by credits' \
	tollbook credit-note issue --as-of $as_of --reason price_error --pending "$(number more)"
check "in full" full more
equal "it has the other 15" "$(left more) $(notes more)" '2000 adjustments:500:500:0:0:0 full:1500:1500:0:0:0 '
check "the books reconcile" holds
check "what is due is what the journal says" [ "$(sql 'SELECT count(*) FROM (SELECT entry FROM finance.journal_line GROUP BY entry HAVING sum(amount_minor) <> 0) x')" = 0 ]
explained() { tollbook explain "$(sql "SELECT number FROM finance.credit_note WHERE tenant = 'scope'")"; }
check "explain shows what went back" grep -q '10.00' <<<"$(explained)"
report
