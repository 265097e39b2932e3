#!/usr/bin/env bash
# Invoices: months in the tenant's zone, money rounded once a line, numbers without gap, and every reason not to issue one.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# A book in each currency: one unit of money for a thousand tokens of model a, b and c.
publish() {
	local model rules=
	for model in a b c; do
		rules+="${rules:+, }{\"model\": \"$model\", \"prices\": {\"input_text_uncached_tokens\": {\"price\": \"1\", \"per\": 1000}}, \"fallback\": {\"output_text_tokens\": \"input_text_uncached_tokens\"}}"
	done
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "%s", "effective": "%s", "free": ["requests"], "rules": [%s]}\n' "$1" "$1" "${2:-2026-01-01T00:00:00Z}" "$rules" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
# tenants "TENANT CURRENCY ZONE ISSUER"...: the book is named like the currency.
tenants() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}, {\"issuer\": \"NORD\", \"name\": \"Nord AG\"}], \"tenants\": [" }
		{ printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"%s\", \"zone\": \"%s\", \"book\": \"%s\", \"issuer\": \"%s\", \"effective\": \"2026-01-01\"}", \
			(NR > 1 ? ", " : ""), $1, $1, $2, $3, $2, $4 } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { check "usage: $1" finds books <<<"$2"; }
october() { usage "$1" "$2" 2026-10-20T12:00:00Z "$3" "$4" 0 0; }
draft() { tollbook invoice draft --quiet --as-of $as_of --format csv "$@" | tr -d '\r' | sed 1d; }
finalize() { tollbook invoice finalize --quiet --as-of $as_of --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f1-3,10-; }
numbers() { sql "SELECT number FROM finance.invoice WHERE status = 'final' ORDER BY number" | tr '\n' ' '; }
lines() { sql "SELECT l.model, trim_scale(l.exact_amount), l.amount_minor FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id) WHERE v.tenant = '$1' ORDER BY line" | tr '|\n' ' ;'; }

new_database invoices
check "the books are set up" tollbook init
for currency in USD JPY KWD; do check "a book in $currency is published" publish $currency; done

# Zones.
check "tenants in New York and Berlin" tenants 'york USD America/New_York TF' 'lin USD Europe/Berlin TF'
booked "both at 02:00 UTC on 1 November" "$(for t in york lin; do usage "$t-1" "$t" 2026-11-01T02:00:00Z a 1000 0 0; done)"
booked "and both at the last moment of their October and the first of their November" "$(
	usage york-2 york 2026-11-01T03:59:59.999999Z a 1000 0 0; usage york-3 york 2026-11-01T04:00:00Z b 1000 0 0
	usage lin-2 lin 2026-10-31T22:59:59.999999Z a 1000 0 0; usage lin-3 lin 2026-10-31T23:00:00Z b 1000 0 0)"
check "it is rated" exits 0 rate
equal "October: two thousand in New York, one in Berlin" "$(draft --period 2026-10 | cut -d, -f1-4,7 | tr '\n' ' ')" 'lin,2026-10,1,1.00,USD york,2026-10,1,2.00,USD '
equal "November: one in New York, two in Berlin" "$(draft --period 2026-11 | cut -d, -f1-4,7 | tr '\n' ' ')" 'lin,2026-11,2,2.00,USD york,2026-11,1,1.00,USD '

# Rounding: each line, half away from zero, to the currency's smallest unit.
check "tenants in three currencies" tenants 'yen JPY UTC TF' 'dollar USD UTC TF' 'dinar KWD UTC TF'
booked "a half, a little less and a little more than a half of the smallest unit" "$(
	october y1 yen a 500; october y2 yen b 499; october y3 yen c 1501
	october d1 dollar a 5; october d2 dollar b 4; october d3 dollar c 26
	october k1 dinar a 1; october k2 dinar b 3; october k3 dinar c 1000)"
check "it is rated" exits 0 rate
check "and drafted" exits 0 tollbook invoice draft --as-of $as_of --period 2026-10
equal "yen have none: 0.5 is 1, 0.499 is 0, 1.501 is 2" "$(lines yen)" 'a 0.5 1;b 0.499 0;c 1.501 2;'
equal "dollars have cents: 0.005 is 0.01, 0.004 is 0, 0.026 is 0.03" "$(lines dollar)" 'a 0.005 1;b 0.004 0;c 0.026 3;'
equal "dinars have a thousand fils: 0.001, 0.003, 1" "$(lines dinar)" 'a 0.001 1;b 0.003 3;c 1 1000;'
equal "the total is the sum of the rounded lines, not the rounded sum" "$(sql "SELECT trim_scale(exact_total), total_minor FROM finance.invoice WHERE tenant = 'dollar'")" '0.035|4'
shown() { tollbook invoice list --format csv --period 2026-10 | tr -d '\r' | awk -F, -v t="$1" '$3 == t { print $10, $12 }'; }
equal "and is printed so" "$(shown yen), $(shown dollar), $(shown dinar)" '3 JPY, 0.04 USD, 1.004 KWD'

# Reasons not to issue.
refused "a month that has not ended is refused" 7 'the period has not ended yet' tollbook invoice finalize --as-of 2026-11-20T00:00:00Z --period 2026-11
refused "Berlin's October has not ended at 22:59 UTC" 7 'the period has not ended yet' tollbook invoice finalize --as-of 2026-10-31T22:59:59Z --tenant lin --period 2026-10
booked "more of the dollar tenant" "$(october d4 dollar a 1000)"
refused "usage that is not rated is in the way" 7 'are not rated yet' tollbook invoice finalize --as-of $as_of --tenant dollar
check "it is rated" exits 0 rate
refused "the draft is older than the charges" 7 'the charges changed since it was drafted' tollbook invoice finalize --as-of $as_of --tenant dollar
check "a draft is made again" exits 0 tollbook invoice draft --as-of $as_of --tenant dollar
check "a price comes into force within the month, before anybody rates with it" publish USD 2026-10-31T00:00:00Z
refused "that is in the way too" 7 'are not rated yet' tollbook invoice finalize --as-of $as_of --tenant dollar
check "it is rated" exits 0 rate
check "and drafted" exits 0 tollbook invoice draft --as-of $as_of
equal "none of them got a number" "$(numbers)" ''
equal "nor took one" "$(sql 'SELECT count(*) FROM finance.document_counter')" 0
check "a dry run" tollbook invoice finalize --dry-run --as-of $as_of --tenant yen
equal "takes none either" "$(numbers)$(sql 'SELECT count(*) FROM finance.document_counter')" 0

# Numbers.
as_of=2026-11-05T10:00:00Z
equal "the first one" "$(finalize --tenant yen)" 'TF-INV-2026-000001,yen,2026-10,final'
equal "the second one, a later day" "$(as_of=2026-11-06T10:00:00Z finalize --tenant dinar)" 'TF-INV-2026-000002,dinar,2026-10,final'
refused "a day before that is refused" 7 'has issued a document of series INV with a later date' tollbook invoice finalize --as-of 2026-11-05T23:59:59Z --tenant lin --period 2026-10
equal "and takes no number" "$(numbers)" 'TF-INV-2026-000001 TF-INV-2026-000002 '
equal "the same day is fine" "$(as_of=2026-11-06T00:00:00Z finalize --tenant lin --period 2026-10)" 'TF-INV-2026-000003,lin,2026-10,final'
equal "a final one is not drafted again" "$(draft --tenant yen)" 'yen,2026-10,,,,,,invoiced already'
equal "nor made final again" "$(finalize --tenant yen)" ''
as_of=2026-11-07T10:00:00Z
check "another issuer's tenant" tenants 'nora USD UTC NORD'
booked "usage of it" "$(october n1 nora a 1000)"
check "it is rated" exits 0 rate
check "and drafted" exits 0 tollbook invoice draft --as-of $as_of --period 2026-10
equal "its issuer counts from 1" "$(finalize --tenant nora)" 'NORD-INV-2026-000001,nora,2026-10,final'
equal "the rest of October, in the order of names" "$(finalize --period 2026-10 | tr '\n' ' ')" 'TF-INV-2026-000004,dollar,2026-10,final TF-INV-2026-000005,york,2026-10,final '
equal "a new year begins at 1" "$(as_of=2027-01-02T10:00:00Z finalize --tenant lin)" 'TF-INV-2027-000001,lin,2026-11,final'

# Four at once.
many=$(for n in $(seq -w 12); do echo "t$n USD UTC TF"; done)
mapfile -t many <<<"$many"
as_of=2027-01-03T10:00:00Z
check "twelve more tenants" tenants "${many[@]}"
booked "each has used something" "$(for n in $(seq -w 12); do usage "t$n" "t$n" 2026-12-20T12:00:00Z a 1000 0 0; done)"
check "it is rated" exits 0 rate
check "and drafted" exits 0 tollbook invoice draft --as-of $as_of --period 2026-12
at_once() {
	local process processes=() code bad=0
	for process in 1 2 3 4; do
		tollbook invoice finalize --quiet --as-of $as_of --period 2026-12 >"$room/final_$process" 2>&1 &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		code=0
		wait "$process" || code=$?
		[ $code = 0 ] || bad=1
	done
	[ $bad = 0 ] || { cat "$room"/final_?; return 1; }
}
check "four make all of them final at once, and end well" at_once
equal "each has one number, and none is left out" "$(sql "SELECT count(*), count(DISTINCT series_number), min(series_number), max(series_number) FROM finance.invoice WHERE series_year = 2027")" '13|13|1|13'
check "the books reconcile" tollbook reconcile --quiet

# What contracts add and take off; packages, fees of tiers, a book that extends another.
# Rating holds the lock for as long as it is at work.
psql -X -q -d "$TOLLBOOK_DB" -c "SELECT pg_advisory_lock(hashtextextended('tollbook.rate', 0)), pg_sleep(4)" >/dev/null &
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")" != 0 ]; do sleep 0.1; done
check "drafts are not made while a rating or another draft is" exits 124 timeout 1 tollbook invoice draft --quiet --as-of 2026-12-01
wait $!
check "and are afterwards" tollbook invoice draft --quiet --as-of 2026-12-01

new_database contract_lines
as_of=2026-11-05T00:00:00Z
priced() { printf '{"model": "%s", "prices": {"input_text_uncached_tokens": %s}}' "$@"; }
books_of_terms() {
	printf '{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [%s, %s, %s]}\n' \
		"$(priced plain '{"price": "1", "per": 1000}')" "$(priced packed '{"package": 1000, "price": "2"}')" \
		"$(priced stepped '{"tiers": "graduated", "per": 1000, "steps": [{"up_to": 1000, "price": "1", "fee": "5"}, {"price": "0.5"}]}')" >"$room/list.json"
	printf '{"tollbook_prices": 1, "book": "half", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "extends": {"book": "list", "version": 1, "factor": "0.5"}, "rules": [%s]}\n' \
		"$(priced other '{"price": "7", "per": 1}')" >"$room/half.json"
	tollbook prices publish --quiet "$room/list.json" && tollbook prices publish --quiet "$room/half.json"
}
# with_terms "TENANT BOOK TERMS"...
with_terms() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ terms = $0; sub(/^[^ ]+ [^ ]+ /, "", terms)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"%s\", \"issuer\": \"TF\", \"effective\": \"2026-10-01\", \"terms\": %s}", \
			(NR > 1 ? ", " : ""), $1, $1, $2, terms } END { print "]}" }' >"$room/terms.json"
	tollbook tenant apply --quiet "$room/terms.json"
}
said() { sql "SELECT l.kind, l.model, l.quantity, COALESCE(l.billed, l.quantity), trim_scale(l.exact_amount), l.detail FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id) WHERE v.tenant = '$1' AND v.period = '2026-10' ORDER BY l.line"; }
explained() { tollbook explain "$1" | grep -E "^($2) "; }
check "the books are set up" tollbook init
check "two price books are published" books_of_terms
check "contracts with terms" with_terms \
	'few list {"allowances": [{"name": "included", "meters": ["input_text_uncached_tokens"], "quantity": 1000}], "discounts": [{"name": "tenth", "percent": "10"}], "minimum": {"amount": "20"}, "fees": [{"name": "platform", "amount": "99"}]}' \
	'many half {"maximum": {"amount": "4"}}'
booked "of both" "$(october f1 few plain 11000; october m1 many packed 2400; october m2 many stepped 3000)"
check "it is rated" exits 0 rate
equal "drafts: 10 - 1 + 11 + 99, and no more than 4" "$(draft --period 2026-10 | cut -d, -f1,3,4 | tr '\n' ' ')" 'few,4,119.00 many,5,4.00 '
equal "a thousand are included, a tenth is taken off, the minimum is made up, the fee stands beside it" "$(said few | cut -d'|' -f1-5)" \
	"$(printf '%s\n' 'usage|plain|10000|10000|10' 'discount||0|1|-1' 'minimum||0|1|11' 'fee||0|1|99')"
equal "each says what it comes from" "$(said few | sed -n '2,$s/.*|\([a-z]*\): .*/\1/p' | tr '\n' ' ')" 'tenth minimum platform '
equal "packages are whole, a tier's fee is a line, all of it at half the price, and the rest is above the maximum" "$(said many | cut -d'|' -f1-5)" \
	"$(printf '%s\n' 'usage|packed|2400|3000|3' 'usage|stepped|1000|1000|0.5' 'tier_fee|stepped|0|1|2.5' 'usage|stepped|2000|2000|0.5' 'maximum||0|1|-2.5')"
equal "a table has what a contract adds in the place of the model" "$(tollbook invoice show few:2026-10 | awk '$NF == "discount" { print $2, $(NF - 1) }')" 'tenth: -1.00'
equal "programs get kind, billed quantity and detail" "$(tollbook invoice show many:2026-10 --format csv | tr -d '\r' | sed -n '1p;2p' | cut -d, -f13-14)" "$(printf 'kind,billed\nusage,3000')"
equal "a line that a book inherits names the rule and its book" "$(explained many:2026-10/1 'rule|billed|arithmetic' | sed 's/{.*//; s/  */ /g')" \
	"$(printf '%s\n' 'rule list version 1, rule 2: ' 'billed 3000 for 2400 used, in whole packages' 'arithmetic 3000 x 1 / 1000 = 3')"
equal "a contract's line has its terms" "$(explained few:2026-10/2 'line|terms|rounded' | sed 's/  */ /g')" \
	"$(printf '%s\n' 'line few:2026-10/2: discount: what a discount takes off' 'terms [{"name": "tenth", "percent": "10"}]' 'rounded -1.00 USD, once, half away from zero')"
equal "what is spent is what is left of it" "$(tollbook spend publish --quiet --dry-run --as-of $as_of --period 2026-10 | grep -o '"charged":{"USD":"[0-9.]*"}' | sort -u | tr '\n' ' ')" \
	'"charged":{"USD":"0"} "charged":{"USD":"119"} "charged":{"USD":"4"} '
check "a workbook is made of it" tollbook report workbook --quiet --period 2026-10 --as-of $as_of -o "$room/terms.xlsx"
equal "it is invoiced" "$(finalize --tenant few --period 2026-10)" 'TF-INV-2026-000001,few,2026-10,final'
sql "UPDATE finance.invoice SET total_minor = -1 WHERE tenant = 'many'"
refused "a total below zero is not invoiced" 7 'its total is less than zero' tollbook invoice finalize --as-of $as_of --tenant many
check "drafted again it is right" exits 0 tollbook invoice draft --as-of $as_of --tenant many --period 2026-10
equal "and is invoiced" "$(finalize --tenant many)" 'TF-INV-2026-000002,many,2026-10,final'
booked "more of both, late" "$(october f2 few plain 1000; october m3 many packed 1)"
check "it is rated" finds rate
equal "and held: the lines stay, one by one, what was charged" "$(sql 'SELECT count(*) FROM finance.hold')" 4

# An override book, and a commitment over several months.
override() {
	printf '{"tollbook_prices": 1, "book": "deal", "currency": "USD", "effective": "%s", "rules": [%s]}\n' "$1" "$(priced plain '{"price": "3", "per": 1000}')" >"$room/deal.json"
	tollbook prices publish --quiet "$room/deal.json"
}
check "a book to be asked first" override 2026-01-01T00:00:00Z
check "contracts with it, and with a commitment" with_terms 'over list {"discounts": [{"name": "tenth", "percent": "10"}]}, "override": "deal"' \
	'year list {"commitment": {"amount": "5", "reset": "year", "overage": "2"}}'
booked "two months of it" "$(october o1 over plain 1000; october y1 year plain 4000; usage y2 year 2026-11-01T00:00:00Z plain 4000 0 0)"
check "it is rated" finds rate
equal "drafted: three at a tenth less, four, and four with three more beyond five" "$(draft | grep -E '^(over|year)' | cut -d, -f1,2,4 | tr '\n' ' ')" \
	'over,2026-10,2.70 year,2026-10,4.00 year,2026-11,7.00 '
check "the override changes within the month" override 2026-10-31T00:00:00Z
refused "that is in the way" 7 'are not rated yet' tollbook invoice finalize --as-of $as_of --tenant over --period 2026-10
check "it is rated" finds rate
check "and drafted" exits 0 tollbook invoice draft --as-of $as_of
refused "a later month of the commitment waits for the earlier one" 7 'an earlier period that is still a draft' tollbook invoice finalize --as-of 2026-12-02 --tenant year --period 2026-11
equal "both at once come in their order" "$(as_of=2026-12-02 finalize --tenant year | cut -d, -f2- | tr '\n' ' ')" 'year,2026-10,final year,2026-11,final '
check "the books reconcile" tollbook reconcile --quiet
report
