#!/usr/bin/env bash
# What the verbs about price books say: findings with their places, the way to a price, what changes from book to book and how much
# money that is.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

million() { printf '{"price": "%s", "per": 1000000}' "$1"; }
# rule MATCH INPUT OUTPUT: dollars for a million.
rule() { printf '{%s, "prices": {"input_text_uncached_tokens": %s, "output_text_tokens": %s}}' "$1" "$(million "$2")" "$(million "$3")"; }
# book NAME EFFECTIVE MORE RULES: MORE are further keys, each with a comma behind it.
book() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "%s",\n "free": ["requests"], "fallback": {"output_reasoning_tokens": "output_text_tokens"},\n %s "rules": [\n%s\n]}\n' "$@"
}
# file NAME < BOOK: the book as a file of that name.
file() { cat >"$room/$1.json"; }
# Quietly and without the room's name.
said() { "$@" 2>&1 | sed "s|$room/||"; }
same() { equal "$1" "$(said "${@:3}")" "$2"; }
publish() { tollbook prices publish --quiet --as-of "$as_of" "$room/$1.json"; }

new_database prices
check "the database is set up" tollbook init

# Findings, with line and column.
book odd 2026-01-01T00:00:00Z '' "$(rule '"model": "a"' 2 1),
$(rule '"model": "a"' 1 2)" | file odd
same "a finding has line, column and path" 'odd.json:4:26: warning: rules[0].prices: input_text_uncached_tokens costs more than output_text_tokens
odd.json:5:1: error: rules[1]: for the same usage as rules[0], which is the one that is chosen
tollbook: the price book has 1 errors
at: odd.json
hint: Each is told above, with the path of the rule; docs/price-books.md is the language.' tollbook prices check "$room/odd.json"
refused "a book with errors is not published" 3 'the price book has 1 errors' tollbook prices publish "$room/odd.json"
equal "nothing of it is kept" "$(sql 'SELECT count(*) FROM finance.price_book_version')" 0
book grid 2026-01-01T00:07:00Z '' "$(rule '"model": "a"' 1 2)" | file grid
refused "a version that begins between quarters of an hour is refused" 3 'prices change on a quarter of an hour' tollbook prices check "$room/grid.json"
book window 2026-01-01T00:00:00Z '"windows": {"w": {"zone": "UTC", "spans": [{"from": "08:10", "to": "12:00"}]}},' "$(rule '"model": "a"' 1 2)" | file window
refused "and so is a window" 3 'quarter' tollbook prices check "$room/window.json"
for i in {1..400}; do [ "$i" = 1 ] || printf ',\n'; rule "\"model\": \"m$i\"" 2 1; done >"$room/rules"
book many 2026-01-01T00:00:00Z '' "$(<"$room/rules")" | file many
equal "the place of the last of many is right" "$(said tollbook prices check "$room/many.json" | sed -n '400s/: .*//p')" many.json:403:29

# Books that extend others.
book standard 2026-01-01T00:00:00Z '' "$(rule '"model": "small", "name": "small"' 2 10),
$(rule '"model": "tagged", "tags": {"env": "prod"}, "engine": "vllm"' 2 10),
{\"model\": \"long\", \"prices\": {\"input_text_uncached_tokens\": {\"per\": 1000000, \"brackets\": [{\"price\": \"1\"}, {\"over\": 200000, \"price\": \"2\"}]}, \"output_text_tokens\": $(million 4)}}" | file standard
book deal 2026-01-01T00:00:00Z '"extends": {"book": "standard", "version": 1, "factor": "0.9"}, "service_tiers": {"batch": {"inherit": "default", "factor": "0.5"}}, "aliases": {"small-1": "small"},' \
	'{"base_model": "small", "inherit": {"from": "base_model", "factor": "1.2"}}' | file deal
refused "a file that extends another needs it" 3 'Give its file as well: --with FILE' tollbook prices check "$room/deal.json"
same "with it, it is checked" 'deal.json: book deal, USD, 1 rules: fine, 0 warnings' tollbook prices check --with "$room/standard.json" "$room/deal.json"
refused "it cannot be published before what it extends" 3 'the book that is extended is not there: standard version 1' tollbook prices publish "$room/deal.json"
check "what it extends is published" publish standard
check "then it is published, too" publish deal
equal "what requests are told apart by is kept with each version" \
	"$(sql "SELECT book, kind, boundary, name FROM finance.price_distinction JOIN finance.price_book_version USING (price_book_version_id) ORDER BY 1, 2" | tr '\n' ' ')" \
	'deal|engine|0| deal|input|200001| deal|tag|0|env standard|engine|0| standard|input|200001| standard|tag|0|env '

# Against an earlier version.
book standard 2026-02-01T00:00:00Z '' "$(rule '"model": "small", "name": "small"' 0.002 10),
$(rule '"model": "new"' 1 2)" | file standard-2
equal "against what is published" "$(said tollbook prices check --against standard "$room/standard-2.json" | grep -c 'cheaper than in standard@1, where it is 2 for 1000000: is "per" right?')" 1
equal "against a file" "$(said tollbook prices check --against "$room/standard.json" "$room/standard-2.json" | grep -c 'cheaper than in standard, where it is 2 for 1000000')" 1
refused "against a version that is not there" 4 'there is no published price book "standard@7"' tollbook prices check --against standard@7 "$room/standard-2.json"
equal "publishing tells it by itself" "$(said tollbook prices publish --dry-run "$room/standard-2.json" | grep -c 'cheaper than in standard@1')" 1

# Usage that no price is for.
tenants() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s]}' "$1" >"$room/tenants.json"
	tollbook tenant apply --quiet --as-of "$as_of" "$room/tenants.json"
}
ann='"name": "Ann", "issuer": "TF", "currency": "USD", "zone": "UTC", "effective": "2026-01-01"'
check "ann has the book, bob has an override before it" tenants "{\"tenant\": \"ann\", $ann, \"book\": \"standard\"}, {\"tenant\": \"bob\", $ann, \"book\": \"standard\", \"override\": \"deal\"}"
booked() { cat >"$room/usage.ndjson" && finds ingest "$room/usage.ndjson" && finds rate; }
october() { usage "$1" "$2" 2026-10-05T12:00:00Z "$3" "$4" 0 "$5"; }
check "there is usage of october" booked <<<"$(october a1 ann small 1000000 100000; october a2 ann other 500 7; october b1 bob small 2000000 0)"
same "what the ledger has seen and no rule prices is told, with its quantity" 'standard.json: warning: usage of the last 2 months would be held (no_rule): model other, service tier default: 1 of requests
standard.json: warning: usage of the last 2 months would be held (no_rule): model other, service tier default: 500 of input_text_uncached_tokens
standard.json: warning: usage of the last 2 months would be held (no_rule): model other, service tier default: 7 of output_text_tokens
standard.json: book standard, USD, 3 rules: fine, 3 warnings' tollbook prices check --as-of "$as_of" --usage --since 2 "$room/standard.json"
same "a meter that the book lacks is told" 'warning: usage of the last 2 months would be held (no_price): model small, service tier default: 1 of requests' \
	eval "sed 's/\"free\": \[\"requests\"\], //' '$room/standard.json' >'$room/less.json'; tollbook prices check --as-of $as_of --usage --since 2 '$room/less.json' | sed -n 's/^[^ ]*less.json: //; /no_price/p'"
same "usage before that is not looked at" 'standard.json: book standard, USD, 3 rules: fine, 0 warnings' tollbook prices check --as-of 2027-03-01 --usage "$room/standard.json"
refused "--since belongs to --usage" 2 '--since belongs to --usage' tollbook prices check --since 2 "$room/standard.json"

# The way to a price.
same "the way to a price: alias, rules in order, sources, prices" 'book deal, effective 2026-01-01T00:00:00Z, in USD
  alias: small-1 is matched as small
  rule 1, any model, service tier default, base model small: no: another base model
book standard, effective 2026-01-01T00:00:00Z, in USD, which it extends
  rule 1, model small, service tier default: no: another service tier
  rule 2, model tagged, service tier default, engine vllm, tag env prod: no: another model
  rule 3, model long, service tier default: no: another model
prices are looked for in this order; meters that are not listed are held:
  1. standard rule 1, model small, service tier default; by service tier default x 0.5, then standard x 0.9
meter                       priced as           from  window  holds  bracket  tiers  up to  price      per  fee
requests                                        free                                            0        1
input_text_uncached_tokens                      1                                             0.9  1000000
output_text_tokens                              1                                             4.5  1000000
output_reasoning_tokens     output_text_tokens  1                                             4.5  1000000' \
	tollbook prices which --file "$room/deal.json" --with "$room/standard.json" --model small-1 --service-tier batch
same "an adapter has its base model's price, times a factor" '2.16' \
	eval "tollbook prices which --book deal --at 2026-10-01 --model tuned --base-model small --format json | python3 -c 'import json, sys; print([row[\"price\"] for row in json.load(sys.stdin) if row[\"meter\"] == \"input_text_uncached_tokens\"][0])'"
equal "a tenant's override is asked first" "$(said tollbook prices which --tenant bob --at 2026-10-01 --model small | grep '^book')" 'book deal@1, effective 2026-01-01T00:00:00Z, in USD
book standard@1, effective 2026-01-01T00:00:00Z, in USD, which it extends
book standard@1, effective 2026-01-01T00:00:00Z, in USD'
equal "a rule for a tag and an engine is chosen by them" "$(said tollbook prices which --book standard@1 --model tagged --tag env=prod --engine vllm | grep -c '  1. standard@1 rule 2,')" 1
refused "without the tag there is none" 7 'no_rule' tollbook prices which --book standard --model tagged --engine vllm
equal "the brackets are listed" "$(said tollbook prices which --book standard --model long --format csv | tr -d '\r' | grep '^input_text_uncached' | cut -d, -f6,9)" 'input not over 200000,1
input over 200000,2'
refused "one of book, tenant and file" 2 'needs one of --book, --tenant and --file' tollbook prices which --book standard --tenant ann --model small
refused "before its first version" 4 'no version of "standard" is in force at that time' tollbook prices which --book standard --at 2025-12-31 --model small
refused "a tenant without a contract" 4 'has no contract at that time' tollbook prices which --tenant nobody --model small

# What changes.
book standard 2026-03-01T00:00:00Z '' "$(rule '"model": "small", "name": "small"' 3 8.75),
{\"model\": \"long\", \"prices\": {\"input_text_uncached_tokens\": {\"per\": 1000000, \"brackets\": [{\"price\": \"1\"}, {\"over\": 200000, \"price\": \"2.5\"}]}, \"images\": $(million 4)}},
$(rule '"model": "new"' 1 2)" | file standard-3
changes() { said tollbook prices diff --format csv "$@" | tr -d '\r' | sed 1d; }
equal "prices, with per cent; meters and rules that come and go" "$(changes "$room/standard.json" "$room/standard-3.json")" \
'small,input_text_uncached_tokens,price,,2 / 1000000,3 / 1000000,50.0
small,output_text_tokens,price,,10 / 1000000,8.75 / 1000000,-12.5
"model tagged, service tier default, engine vllm, tag env prod",,removed,,,,
"model long, service tier default",input_text_uncached_tokens,price,over 200000,2 / 1000000,2.5 / 1000000,25.0
"model long, service tier default",output_text_tokens,removed,,4 / 1000000,,
"model long, service tier default",images,added,,,4 / 1000000,
"model new, service tier default",,added,,,,'
same "a book is as itself" 'the two books have the same rules and prices' tollbook prices diff standard "$room/standard.json"
# ann: a million in at 2 and 3, a tenth of a million out at 10 and 8.75.  bob is priced by his override, but for what it lacks.
same "on last month's usage" 'model    old    new  difference
small    6.6  7.475       0.875
(total)  6.6  7.475       0.875
held with the old book (no_rule): model other: 1 of requests
held with the old book (no_rule): model other: 500 of input_text_uncached_tokens
held with the old book (no_rule): model other: 7 of output_text_tokens
held with the new book (no_rule): model other: 1 of requests
held with the new book (no_rule): model other: 500 of input_text_uncached_tokens
held with the new book (no_rule): model other: 7 of output_text_tokens' \
	eval "tollbook prices diff --usage --as-of 2026-11-05 standard '$room/standard-3.json' | sed '1,/^usage of/d'"
same "the month can be named" 'there is no usage of it' eval "tollbook prices diff --usage --period 2026-09 standard '$room/standard-3.json' | tail -n 1"
refused "--period belongs to --usage" 2 '--period belongs to --usage' tollbook prices diff --period 2026-09 standard "$room/standard-3.json"
quote() { tollbook prices quote --book "$room/standard.json" --model small "$@"; }
refused "a quote names each meter once" 2 'has requests twice' quote --usage requests=1,requests=2
refused "also what was used before" 2 '--prior has requests twice' quote --usage requests=1 --prior requests=1,requests=2
refused "a quote of the last month there is" 3 'usage before 9999-11-30' quote --usage requests=1 --at 9999-12-31T23:59:59Z
report
