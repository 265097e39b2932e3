#!/usr/bin/env bash
# Tax: of the contract in force when the period ends, on what credits leave, rounded once, part of what an invoice says for ever.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
as_of=2026-11-05T00:00:00Z

# A token costs one unit of the currency, so that quantities are amounts.
publish() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "%s", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model_pattern": "[a-d]", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1}}, "fallback": {"output_text_tokens": "input_text_uncached_tokens"}}]}\n' "$1" "$1" "$2" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
# tenants "TENANT CURRENCY EFFECTIVE PERCENT"...: no tax where the percentage is "-".
tenants() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"%s\", \"zone\": \"UTC\", \"book\": \"%s\", \"issuer\": \"TF\", \"effective\": \"%s\"%s}", \
			(NR > 1 ? ", " : ""), $1, $1, $2, $2, $3, ($4 == "-" ? "" : ", \"tax\": {\"name\": \"VAT\", \"percent\": \"" $4 "\"}") } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
# What finalizing says: net,credits,tax,total.
drafts() { tollbook invoice draft --quiet --as-of $as_of --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f1,4-6; }
finalize() { tollbook invoice finalize --quiet --as-of $as_of --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f4-7; }

new_database tax
check "the books are set up" tollbook init
check "a cent, a yen and a fils a token" eval 'publish EUR 0.01 && publish JPY 1 && publish KWD 0.001'
check "tenants with all kinds of tax" tenants 'twenty EUR 2026-01-01 20' 'five EUR 2026-01-01 5' 'less EUR 2026-01-01 5' 'yen JPY 2026-01-01 10' 'dinar KWD 2026-01-01 5' \
	'fine EUR 2026-01-01 8.875125' 'none EUR 2026-01-01 -' 'zero EUR 2026-01-01 0' 'moved EUR 2026-01-01 7' 'old EUR 2026-01-01 -' 'late EUR 2026-01-01 19' 'granted EUR 2026-01-01 20'
check "one of them moves to another rate within the month, one at its end" tenants 'moved EUR 2026-10-15 19' 'late EUR 2026-11-01 25'
october() { usage "$1-$2" "$1" 2026-10-20T12:00:00Z "$2" "$3" 0 0; }
{
	october twenty a 6833; october twenty b 6833; october twenty c 5750; october twenty d 8500
	october five a 250; october less a 249; october yen a 5; october dinar a 1010; october fine a 100000000
	october none a 100; october zero a 100; october moved a 100; october late a 100; october old a 7; october granted a 27916
} >"$room/usage.ndjson"
check "each used something in October" ingest "$room/usage.ndjson"
check "it is rated" rate
check "credit of 9.16 for one of them" tollbook credit grant granted 9.16 --kind goodwill --reason goodwill --ticket T-1 --starts 2026-10-01 --as-of 2026-10-01T00:00:00Z

equal "drafts have the tax, before credits" "$(drafts | tr '\n' ' ')" 'dinar,1.010,0.051,1.061 fine,1000000.00,88751.25,1088751.25 five,2.50,0.13,2.63 granted,279.16,55.83,334.99 late,1.00,0.19,1.19 less,2.49,0.12,2.61 moved,1.00,0.19,1.19 none,1.00,0.00,1.00 old,0.07,0.00,0.07 twenty,279.16,55.83,334.99 yen,5,1,6 zero,1.00,0.00,1.00 '
equal "68.33 + 68.33 + 57.50 + 85.00 = 279.16, and 20 % of that is 55.832" "$(finalize --tenant twenty)" '279.16,0.00,55.83,334.99'
equal "a half of a cent is a cent: 5 % of 2.50 is 0.125" "$(finalize --tenant five)" '2.50,0.00,0.13,2.63'
equal "and less than a half is none: 5 % of 2.49 is 0.1245" "$(finalize --tenant less)" '2.49,0.00,0.12,2.61'
equal "a half of a yen is a yen" "$(finalize --tenant yen)" '5,0,1,6'
equal "half a fils is one: 5 % of 1.010 is 0.0505" "$(finalize --tenant dinar)" '1.010,0.000,0.051,1.061'
equal "all decimals of a rate count" "$(finalize --tenant fine)" '1000000.00,0.00,88751.25,1088751.25'
equal "no tax is none, and zero is said" "$(finalize --tenant none) $(finalize --tenant zero) $(sql "SELECT string_agg(tax_name, ',' ORDER BY tenant) FROM finance.invoice WHERE tenant IN ('none', 'zero')")" '1.00,0.00,0.00,1.00 1.00,0.00,0.00,1.00 ,VAT'
equal "the contract in force when the month ends counts, for all of it" "$(finalize --tenant moved)" '1.00,0.00,0.19,1.19'
equal "not one that begins then" "$(finalize --tenant late)" '1.00,0.00,0.19,1.19'
equal "credits go first: 20 % of 279.16 - 9.16 = 270.00 is 54.00" "$(finalize --tenant granted)" '279.16,9.16,54.00,324.00'
equal "the invoice says so, with the balance of the credit" "$(tollbook invoice show "$(sql "SELECT number FROM finance.invoice WHERE tenant = 'granted'")" | tail -n 5 | tr -s ' ')" \
	"$(printf '%s\n' 'net 279.16 279.16 before rounding of the lines' 'credit 1 -9.16 goodwill, balance 9.16, then 0.00' 'tax 54.00 VAT 20 % of 270.00' 'total 324.00 EUR' 'due 324.00 EUR')"
equal "a contract that changes afterwards changes nothing that is out" "$(tenants 'twenty EUR 2026-10-31 25' >/dev/null && sql "SELECT tax_percent::float, tax_minor FROM finance.invoice WHERE tenant = 'twenty'")" '20|5583'

# The digest covers tax, credits and run; an invoice that says nothing of these has the digest it always had.
sql "UPDATE finance.invoice SET rating_run = NULL WHERE tenant = 'old'"
equal "an invoice as they were before there was tax" "$(finalize --tenant old)" '0.07,0.00,0.00,0.07'
field() { printf "int8send(octet_length(convert_to(%s, 'UTF8'))) || convert_to(%s, 'UTF8')" "$1" "$1"; }
fields() { local column all=; for column; do all+="${all:+ || }$(field "COALESCE($column::text, '')")"; done; echo "$all"; }
one="'\\x00000000000000080000000000000001'::bytea"
equal "has the digest it would have had then" "$(sql "SET TimeZone = 'UTC'; SELECT content_digest = sha256($(fields v.number v.issued_on) || $one || $(fields v.tenant v.period v.rating_id v.issuer v.issuer_name v.tenant_name v.currency v.minor_units v.zone v.starts v.ends v.total_minor v.exact_total) \
	|| $one || $(fields l.line l.charge_ordinal l.model l.service_tier l.meter l.priced_as l.tier l.price l.per l.quantity l.decimals l.exact_amount l.amount_minor l.book l.book_version l.rule))
	FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) WHERE v.tenant = 'old'")" t
forge() { sql "SET session_replication_role = replica; ALTER TABLE finance.invoice DISABLE TRIGGER USER; UPDATE finance.invoice SET $1 WHERE tenant = 'granted'; ALTER TABLE finance.invoice ENABLE ALWAYS TRIGGER final_is_final; ALTER TABLE finance.invoice ENABLE ALWAYS TRIGGER posting; ALTER TABLE finance.invoice ENABLE ALWAYS TRIGGER append_only_truncate"; }
equal "a workbook in three currencies adds it up and agrees" "$(tollbook report workbook --quiet --period 2026-10 --as-of $as_of -o "$room/tax.xlsx" >/dev/null; echo $?)" 0
check "the books reconcile" tollbook reconcile --quiet
for change in "tax_name = 'TAV'|tax_name = 'VAT'" "tax_percent = 21|tax_percent = 20" "rating_run = 99|rating_run = 1" "credits_minor = 915, total_minor = 32401|credits_minor = 916, total_minor = 32400"; do
	check "forged: ${change%|*}" forge "${change%|*}"
	refused "it is seen" 7 "digests" tollbook reconcile --quiet
	check "put back" forge "${change#*|}"
done
check "put back, all is well" tollbook reconcile --quiet
report
