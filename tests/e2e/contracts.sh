#!/usr/bin/env bash
# Contracts with an override book and terms: applied whole or not at all, kept in one form, refused with the place to mend.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

# contract EFFECTIVE [MORE-KEYS]: a file with one tenant, a key a line.
contract() {
	printf '{"tenants": [\n{"tenant": "acme", "name": "Acme", "currency": "USD", "zone": "Europe/Berlin",\n "book": "std", "effective": "%s"%s}\n]}\n' \
		"$1" "${2:+,
 $2}" >"$room/tenants.json"
}
apply() { tollbook tenant apply "$@" "$room/tenants.json"; }
applied() { contract "$1" "${2:-}"; apply --format csv | tr -d '\r' | sed -n '2s/.*,//p'; }
listed() { tollbook tenant list --format csv | tr -d '\r' | sed 1d | cut -d, -f8-; }
kept() { sql "SELECT terms FROM finance.contract WHERE tenant = 'acme' ORDER BY effective DESC LIMIT 1"; }
# wrong SENTENCE PATH TEXT MORE-KEYS: refused there, with this text.
wrong() {
	contract 2027-01-01 "$4"
	refused "refused: $1" 3 "$3" apply
	refused "and said where: $2" 3 "$2" apply
}
# book NAME CURRENCY
book() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "%s", "effective": "2026-01-01T00:00:00Z", "rules": [{"model": "m", "prices": {"requests": {"price": "1", "per": 1}}}]}\n' "$@" \
		>"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}

new_database contracts
check "the books are set up" tollbook init
check "a book in dollars is published" book std USD
check "and one in euros" book euro EUR

# What a contract may say.
every='"override": "acme-deal", "terms": {"trial": {"until": "2026-02-01"},
  "fees": [{"name": "platform", "amount": "99", "prorate": true}, {"name": "warm floor", "quantity": "2", "price": "1.5", "per": "hour"}],
  "allowances": [{"name": "included", "meters": ["input_text_uncached_tokens"], "model_pattern": "qwen.*", "service_tier": "default", "quantity": 1000000}],
  "discounts": [{"name": "deal", "percent": "10", "cap": "500"}, {"name": "goodwill", "amount": "25"}],
  "commitment": {"amount": "12000", "reset": "year", "overage": "1.2", "true_up": true},
  "minimum": {"amount": "1000", "prorate": true, "ramp": [{"from": "2026-04-01", "amount": "2000"}]},
  "maximum": {"amount": "9000", "prorate": true}}'
equal "a contract without terms is applied" "$(applied 2026-01-01)" applied
equal "it has neither override nor terms" "$(listed)" 'std,,2025-12-31T23:00:00Z,,,'
contract 2026-02-01 "$every"
check "a dry run takes all that terms can say" apply --quiet --dry-run
equal "and changes nothing" "$(listed)" 'std,,2025-12-31T23:00:00Z,,,'
equal "they are applied" "$(applied 2026-02-01 "$every")" applied
equal "applied again they are the same" "$(applied 2026-02-01 "$every")" unchanged
equal "they are listed in a few words" "$(listed | sed -n 2p)" \
	'std,acme-deal,2026-01-31T23:00:00Z,,,"trial, 2 fees, 1 allowance, 2 discounts, commitment, minimum, maximum"'
check "the books are right" tollbook reconcile --quiet

# When it ends, and its tax.
last() { listed | tail -n 1 | cut -d, -f3-5; }
equal "a tax is applied" "$(applied 2026-02-10 '"tax": {"name": "VAT", "percent": "19.50"}')" applied
equal "the same tax, written otherwise, is the same" "$(applied 2026-02-10 '"tax": {"percent": "19.5", "name": "VAT"}')" unchanged
equal "it is listed" "$(last)" '2026-02-09T23:00:00Z,,VAT 19.5 %'
contract 2026-02-10 '"tax": {"name": "VAT", "percent": "20"}'
refused "another tax needs a later time" 4 'give the change a later "effective"' apply
equal "an end on a day is midnight in the zone" "$(applied 2026-02-15 '"until": "2026-02-20"')" applied
equal "the same end with an offset is the same" "$(applied 2026-02-15 '"until": "2026-02-20T00:00:00+01:00"')" unchanged
equal "it is listed too" "$(last)" '2026-02-14T23:00:00Z,2026-02-19T23:00:00Z,'
equal "a row may end where it begins" "$(applied 2026-02-18 '"until": "2026-02-18"')" applied
contract 2026-02-25 '"until": "2026-02-24"'
refused "an end before the beginning is refused" 3 'would end before it begins' apply
refused "with its place" 3 'tenants[0].until' apply
wrong "an end that is no border of a quarter" 'tenants[0].until' 'not a time that a contract can end at' '"until": "2027-02-01T00:07:00Z"'
wrong "a tax above 100 percent" 'tenants[0].tax.percent' "not a tax's percentage" '"tax": {"name": "VAT", "percent": "100.5"}'
wrong "a tax of seven decimals" 'tenants[0].tax.percent' "not a tax's percentage" '"tax": {"name": "VAT", "percent": "1.1234567"}'
wrong "a tax without a name" 'tenants[0].tax' '"name" is missing' '"tax": {"percent": "1"}'
check "what was done stands in the audit log" test "$(sql "SELECT after FROM finance.audit_log WHERE action = 'tenant apply' ORDER BY audit_id DESC LIMIT 1")" = \
	'from 2026-02-17T23:00:00Z until 2026-02-17T23:00:00Z: book std, issuer MAIN'

# What is the same, and what is not.
equal "other terms from later on are applied" "$(applied 2026-03-01 '"terms": {"minimum": {"amount": "5", "prorate": true}}')" applied
equal "they are kept in one form" "$(kept)" '{"minimum":{"amount":"5","prorate":true}}'
equal "keys in another order are the same terms" "$(applied 2026-03-01 '"terms": {"minimum": {"prorate":true,"amount":"5"}}')" unchanged
contract 2026-03-01 '"terms": {"minimum": {"amount": "6", "prorate": true}}'
refused "other terms need a later time" 4 'give the change a later "effective"' apply
contract 2026-03-01
refused "so does a contract without them" 4 'give the change a later "effective"' apply
contract 2026-03-01 '"override": "acme-deal", "terms": {"minimum": {"amount": "5", "prorate": true}}'
refused "so does another override" 4 'give the change a later "effective"' apply
equal "six contracts are there" "$(listed | wc -l)" 6

# What is refused.
contract 2027-01-01 '"override": "euro"'
refused "an override in another currency" 4 'book euro is in EUR, tenant acme is billed in USD' apply
refused "and the place is named" 4 'tenants[0].override' apply
wrong "an override that is the book" 'tenants[0].override' 'the same book as "book"' '"override": "std"'
wrong "an override that is no name" 'tenants[0].override' 'must be a text' '"override": ""'
wrong "terms that are no object" 'tenants[0].terms' 'a JSON object' '"terms": "none"'
wrong "terms that say nothing" 'tenants[0].terms' 'at least one key' '"terms": {}'
wrong "a key that there is not" 'tenants[0].terms.discount' 'Did you mean "discounts"?' '"terms": {"discount": []}'
wrong "a percentage above 100" "tenants.json:4:82, field tenants[0].terms.discounts[1].percent" 'at most 100' \
	'"terms": {"discounts": [{"name": "a", "percent": "5"}, {"name": "b", "percent": "500"}]}'
wrong "an amount that is a JSON number" 'tenants[0].terms.minimum.amount' 'in quotes' '"terms": {"minimum": {"amount": 1000.5}}'
wrong "a day that there is not" 'tenants[0].terms.trial.until' 'no such day' '"terms": {"trial": {"until": "2026-02-30"}}'
printf 'tenant,name,currency,zone,book,effective,terms\nacme,Acme,USD,UTC,std,2027-01-01,{}\n' >"$room/tenants.csv"
refused "terms in CSV" 3 'the header names a column that tenants do not have' tollbook tenant apply "$room/tenants.csv"
equal "nothing of that was applied" "$(listed | wc -l)" 6
check "the books are right" tollbook reconcile --quiet
report
