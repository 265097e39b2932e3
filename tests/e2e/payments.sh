#!/usr/bin/env bash
# Payments: each once by its reference, all rows of a file or none, what is too much to the tenant's balance, and what nobody pays.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# A thousand tokens cost 1 USD, 20 % tax; each tenant used 100 USD's worth in October: 120 USD.
set_up() {
	local tenant
	printf '{"tollbook_prices": 1, "book": "b", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [{"model": "m", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}}}]}\n' >"$room/book.json"
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"b\", \"issuer\": \"TF\", \"effective\": \"2026-01-01\", \"tax\": {\"name\": \"VAT\", \"percent\": \"20\"}}", (NR > 1 ? ", " : ""), $1, $1 } END { print "]}" }' >"$room/tenants.json"
	for tenant; do usage "$tenant-10" "$tenant" 2026-10-20T12:00:00Z m 100000 0 0; usage "$tenant-11" "$tenant" 2026-11-20T12:00:00Z m 50000 0 0; done >"$room/usage.ndjson"
	tollbook init && tollbook prices publish --quiet "$room/book.json" && tollbook tenant apply --quiet "$room/tenants.json" &&
		tollbook ingest --quiet --as-of 2026-12-02 "$room/usage.ndjson" && tollbook rate --quiet --as-of 2026-12-02 &&
		tollbook invoice draft --quiet --as-of 2026-12-02 && tollbook invoice finalize --quiet --as-of 2026-12-02 --period 2026-10
}
paid() { { echo reference,invoice,amount,currency,paid_on; cat; } >"$room/paid.csv"; }
import() { tollbook payment import --as-of 2026-12-03 "$@" "$room/paid.csv"; }
imported() { import --format csv | tr -d '\r' | sed 1d; }
standing() { sql "SELECT standing, paid_minor, due_minor FROM finance.invoice_standing JOIN finance.invoice USING (invoice_id) WHERE number = 'TF-INV-2026-00000$1'"; }
balance() { tollbook payment balances --tenant "$1" --format csv | tr -d '\r' | sed 1d | cut -d, -f3; }
payments() { sql 'SELECT count(*) FROM finance.payment'; }
# Entries of the journal that do not come to zero, and what is receivable against what is due.
unbalanced() { sql 'SELECT count(*) FROM (SELECT entry FROM finance.journal_line GROUP BY entry HAVING sum(amount_minor) <> 0) x'; }
receivable() { sql "SELECT (SELECT sum(amount_minor) FROM finance.journal_line WHERE account = 'receivable') - (SELECT sum(due_minor) FROM finance.invoice_standing)"; }
account() { sql "SELECT COALESCE(sum(amount_minor), 0) FROM finance.journal_line WHERE account = '$1'"; }

new_database payments
check "five tenants have invoices of 120.00 for October, numbers 1 to 5, and drafts for November" set_up ann bob cat dan eve
equal "nothing is paid" "$(standing 1)" 'final|0|12000'

# One file.
paid <<<'b-1,TF-INV-2026-000001,120.00,USD,2026-12-01
b-2,TF-INV-2026-000002,50,USD,2026-12-01
b-3,TF-INV-2026-000003,150.5,USD,2026-12-02'
check "a dry run" import --dry-run
equal "books nothing" "$(payments)" 0
equal "three payments come in, of one 30.50 is too much" "$(imported)" 'USD,3,0,320.50,30.50,0.00'
equal "ann has paid" "$(standing 1)" 'paid|12000|0'
equal "bob has paid a part" "$(standing 2)" 'partly_paid|5000|7000'
equal "cat has paid, and nothing is due" "$(standing 3)" 'paid|15050|0'
equal "what cat paid too much is on its balance" "$(balance cat)" 30.50
equal "the same file again is known, and changes nothing" "$(imported) $(payments) $(balance cat)" 'USD,0,3,0.00,0.00,0.00 3 30.50'
paid <<<'b-4,TF-INV-2026-000002,70.00,USD,2026-12-02
b-4,TF-INV-2026-000002,70.00,USD,2026-12-02'
equal "twice in one file it is one payment" "$(imported)" 'USD,1,1,70.00,0.00,0.00'
equal "and the rest of bob's is paid" "$(standing 2)" 'paid|12000|0'
printf 'paid_on,note,currency,amount,invoice,reference\r\n2026-12-01,"a, b",USD,1,TF-INV-2026-000004,"x ""y"""\r\n' >"$room/other.csv"
equal "columns in another order, with more of them and with quotes, from standard input" \
	"$(tollbook payment import --as-of 2026-12-03 --format csv - <"$room/other.csv" | tr -d '\r' | sed 1d) $(sql "SELECT reference FROM finance.payment WHERE amount_minor = 100")" 'USD,1,0,1.00,0.00,0.00 x "y"'

# What is refused, with nothing booked of the file.
wrong() { # SENTENCE TEXT ROW
	paid <<<"fine,TF-INV-2026-000005,1,USD,2026-12-01
$3"
	refused "$1" 3 "$2" import
}
wrong "a known reference with another amount names the line" 'paid.csv, line 3, field amount' 'b-1,TF-INV-2026-000001,120.01,USD,2026-12-01'
wrong "and the field with its value" 'field amount, value "120.01"' 'b-1,TF-INV-2026-000001,120.01,USD,2026-12-01'
wrong "of another invoice" 'field invoice, value "TF-INV-2026-000002"' 'b-1,TF-INV-2026-000002,120,USD,2026-12-01'
wrong "of another day" 'field paid_on, value "2026-12-02"' 'b-1,TF-INV-2026-000001,120,USD,2026-12-02'
wrong "an invoice that is not there" 'no final invoice' 'n,TF-INV-2026-000099,1,USD,2026-12-01'
wrong "another currency than the invoice's" 'field currency, value "EUR"' 'n,TF-INV-2026-000004,1,EUR,2026-12-01'
wrong "more decimals than the currency has" 'at most 2 decimals' 'n,TF-INV-2026-000004,1.001,USD,2026-12-01'
wrong "nothing paid" 'field amount, value "0.00"' 'n,TF-INV-2026-000004,0.00,USD,2026-12-01'
wrong "an amount below zero" 'field amount, value "-1"' 'n,TF-INV-2026-000004,-1,USD,2026-12-01'
wrong "a day that is none" 'Write YYYY-MM-DD' 'n,TF-INV-2026-000004,1,USD,2026-02-30'
wrong "no reference" 'empty or too long' ',TF-INV-2026-000004,1,USD,2026-12-01'
wrong "a reference of 141 characters" 'empty or too long' "$(printf 'r%.0s' {1..141}),TF-INV-2026-000004,1,USD,2026-12-01"
wrong "a reference that only a balance has" "Give it the bank's reference" 'balance TF-INV-2026-000001,TF-INV-2026-000004,1,USD,2026-12-01'
wrong "bytes that are no text" 'is not plain text' "$(printf 'a\xff'),TF-INV-2026-000004,1,USD,2026-12-01"
wrong "a reference with a space behind it, which would be another one" 'begins or ends with a space' 'b-1 ,TF-INV-2026-000001,120.00,USD,2026-12-01'
wrong "a row with a cell too few" 'more or fewer columns' 'n,TF-INV-2026-000004,1,USD'
wrong "a stray quote" 'is not CSV' 'n"x,TF-INV-2026-000004,1,USD,2026-12-01'
equal "none of these files booked anything" "$(payments)|$(standing 5)" '5|final|0|12000'
paid <<<'early,TF-INV-2026-000005,1,USD,2026-12-01'
refused "nor is a payment booked before its invoice" 4 'was issued on 2026-12-02' tollbook payment import --as-of 2026-12-01 "$room/paid.csv"
echo 'reference,invoice,amount,currency' >"$room/paid.csv"
refused "a header without the day" 3 'no column "paid_on"' import

# Two at once.
at_once() {
	local one two
	import >"$room/one" 2>&1 & one=$!
	import >"$room/two" 2>&1 & two=$!
	wait $one && wait $two || { cat "$room/one" "$room/two"; return 1; }
}
paid < <(for n in $(seq 100); do echo "many-$n,TF-INV-2026-000005,1.00,USD,2026-12-01"; done)
check "two import the same hundred payments at once" at_once
equal "each is booked once" "$(standing 5)" 'partly_paid|10000|2000'

# The balance pays the next invoice.
equal "cat's November is 60.00, of which the balance pays 30.50" \
	"$(tollbook invoice finalize --quiet --as-of 2026-12-04 --tenant cat --format csv | tr -d '\r' | sed 1d)" 'TF-INV-2026-000006,cat,2026-11,50.00,0.00,10.00,60.00,30.50,USD,final'
equal "29.50 are due, and nothing is left on the balance" "$(standing 6) $(balance cat)" 'partly_paid|3050|2950 0.00'
equal "the invoice says so" "$(tollbook invoice show TF-INV-2026-000006 | tail -n 5 | tr -s ' ')" \
	"$(printf '%s\n' 'net 50.00 50 before rounding of the lines' 'tax 10.00 VAT 20 % of 50.00' 'total 60.00 USD' 'payment -30.50 from the balance' 'due 29.50 USD')"
paid <<<'big,TF-INV-2026-000002,500,USD,2026-12-04'
equal "a payment of what is paid is too much, all of it" "$(imported) $(standing 2)" 'USD,1,0,500.00,500.00,0.00 paid|62000|0'
equal "a balance above the next invoice pays all of it" \
	"$(tollbook invoice finalize --quiet --as-of 2026-12-04 --tenant bob --format csv | tr -d '\r' | sed 1d | cut -d, -f7,8) $(standing 7) $(balance bob)" '60.00,60.00 paid|6000|0 440.00'

# What nobody pays.
off() { tollbook invoice uncollectible --as-of 2026-12-05 "$@"; }
refused "a reason is needed" 2 '--reason' off TF-INV-2026-000004 --ticket T-1
refused "one for writing off" 2 'bankruptcy' off TF-INV-2026-000004 --reason promotion --ticket T-1
refused "a ticket is needed" 2 '--ticket' off TF-INV-2026-000004 --reason bankruptcy
refused "nothing is due of a paid one" 4 'nothing is due of' off TF-INV-2026-000001 --reason bankruptcy --ticket T-1
refused "there must be one" 4 'there is no final invoice' off TF-INV-2026-000099 --reason bankruptcy --ticket T-1
refused "an invoice is not written off before it was issued" 4 'nothing of it is booked on 2026-12-01' tollbook invoice uncollectible --as-of 2026-12-01 TF-INV-2026-000004 --reason bankruptcy --ticket T-1
equal "dan's 119.00 are written off" "$(off TF-INV-2026-000004 --reason bankruptcy --ticket T-1 --format csv | tr -d '\r' | sed 1d)" 'TF-INV-2026-000004,119.00,USD,uncollectible'
equal "nothing is due of it any more" "$(standing 4)" 'uncollectible|100|0'
equal "the audit log has who, why and what it changed" "$(sql "SELECT who, reason, ticket, before, after FROM finance.audit_log WHERE action = 'invoice uncollectible'")" 'tester|bankruptcy|T-1|due 119.00 USD|due 0.00 USD'
refused "it is written off once" 4 'nothing is due of' off TF-INV-2026-000004 --reason bankruptcy --ticket T-1
paid <<<'late-1,TF-INV-2026-000004,100,USD,2026-12-06'
equal "100.00 come after all: what was written off is less by that, and nothing is too much" "$(imported) $(standing 4) $(account bad_debt)" 'USD,1,0,100.00,0.00,100.00 uncollectible|10100|0 1900'
paid <<<'late-2,TF-INV-2026-000004,20,USD,2026-12-06'
equal "20.00 more are 19.00 and one too much" "$(imported) $(standing 4) $(account bad_debt) $(balance dan)" 'USD,1,0,20.00,1.00,19.00 paid|12100|0 0 1.00'
equal "the list has who paid what" "$(tollbook payment list --tenant dan --format csv | tr -d '\r' | cut -d, -f1-9 | sed 1d)" \
	"$(printf '%s\n' '"x ""y""",import,TF-INV-2026-000004,dan,1.00,0.00,0.00,USD,2026-12-01' 'late-1,import,TF-INV-2026-000004,dan,100.00,0.00,100.00,USD,2026-12-06' 'late-2,import,TF-INV-2026-000004,dan,20.00,1.00,19.00,USD,2026-12-06')"

# A payment that crossed a full credit note.
check "ann's is credited in full: 120.00 go to its balance" tollbook credit-note issue TF-INV-2026-000001 --full --reason dispute --ticket T-2 --as-of 2026-12-07
equal "so says the balance" "$(standing 1 | cut -d'|' -f1,3) $(balance ann)" 'credited|0 120.00'
paid <<<'crossed,TF-INV-2026-000001,120,USD,2026-12-07'
equal "it is paid once more: too much, all of it" "$(as_of=2026-12-08; tollbook payment import --as-of $as_of --format csv "$room/paid.csv" | tr -d '\r' | sed 1d) $(balance ann)" 'USD,1,0,120.00,120.00,0.00 240.00'

equal "every entry of the journal balances" "$(unbalanced)" 0
equal "what is receivable is what is due" "$(receivable)" 0
equal "nothing is due below zero" "$(sql 'SELECT count(*) FROM finance.invoice_standing WHERE due_minor < 0')" 0
equal "the balances are what the journal says" "$(account customer_balance)" -68100
# An invoice that was paid more, in all, than an amount can be.
paid <<<'most,TF-INV-2026-000005,92233720368547758.07,USD,2026-12-03'
check "the most that an amount can be is paid, where 20.00 are due" import
paid <<<'more,TF-INV-2026-000005,15.00,USD,2026-12-03'
check "and 15.00 more" import
equal "what is too much is on the balance, and the invoice is paid" "$(standing 5 | cut -d'|' -f1,3) $(balance eve)" 'paid|0 92233720368547753.07'
check "invoices are listed" tollbook invoice list
check "the books reconcile" tollbook reconcile --quiet --as-of 2026-12-08
report
