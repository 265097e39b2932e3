#!/usr/bin/env bash
# Credits: granted once, drawn at finalization in their order for usage of their time and scope, never more than there is, given back, taken.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# A book in each currency: one unit of money for a thousand tokens, of models a and b, of either meter.
publish() {
	local model rules=
	for model in a b; do
		rules+="${rules:+, }{\"model\": \"$model\", \"prices\": {\"input_text_uncached_tokens\": {\"price\": \"1\", \"per\": 1000}, \"output_text_tokens\": {\"price\": \"1\", \"per\": 1000}}}"
	done
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "%s", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [%s]}\n' "$1" "$1" "$rules" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
# tenants "TENANT CURRENCY ZONE [MORE-KEYS]"...
tenants() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ more = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", more)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"%s\", \"zone\": \"%s\", \"book\": \"%s\", \"issuer\": \"TF\", \"effective\": \"2026-01-01\"%s}", \
			(NR > 1 ? ", " : ""), $1, $1, $2, $3, $2, (more == "" ? "" : ", " more) } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { check "usage: $1" finds books <<<"$2"; }
# used ID TENANT DAY MODEL INPUT [OUTPUT]: at noon of that day of 2026.
used() { usage "$1" "$2" "2026-$3T12:00:00Z" "$4" "$5" 0 "${6:-0}"; }
plain() { tr -d '\r' | sed 1d; }
grant() { tollbook credit grant --quiet --as-of 2026-10-01 --format csv "$@" | plain; }
# given TENANT AMOUNT OPTIONS...: promotional, for usage of October on, where the options say nothing else; prints its number.
given() { grant "$@" --kind promotional --reason promotion | cut -d, -f1; }
draft() { tollbook invoice draft --quiet --as-of "$as_of" "$@" >/dev/null; }
finalize() { tollbook invoice finalize --quiet --as-of "$as_of" "$@" >/dev/null; }
rated() { exits 0 rate && draft; }
expire() { tollbook credit expire --quiet --as-of "${1:-$as_of}" --format csv | plain | tr '\n' ' '; }
# What paid the invoices of a tenant: credit, line, amount, in the order of entries.
uses() {
	sql "SELECT e.grant_id, u.line, u.amount_minor FROM finance.credit_entry e JOIN finance.credit_use_line u USING (entry_id)
	       JOIN finance.invoice v ON v.invoice_id = e.invoice_id WHERE v.tenant = '$1' ORDER BY e.entry_id, u.line" | tr '|\n' ':  '
}
total() { sql "SELECT net_minor, credits_minor, total_minor FROM finance.invoice WHERE tenant = '$1' AND status = 'final' ORDER BY period" | tr '|\n' '  '; }
balance() { sql "SELECT balance_after FROM finance.credit_entry WHERE grant_id = $1 ORDER BY place DESC LIMIT 1"; }
state() { tollbook credit list --as-of "${2:-$as_of}" --format csv | plain | awk -F, -v id="$1" '$1 == id { print $7 }'; }

new_database credits
check "the books are set up" tollbook init
for currency in USD JPY KWD; do check "a book in $currency is published" publish $currency; done
check "tenants" tenants 'lin USD Europe/Berlin' 'order USD UTC' 'scope USD UTC' 'late USD UTC' 'middle USD UTC' 'overlap USD UTC' 'open USD UTC' 'race USD UTC' \
	'gone USD UTC' 'back USD UTC' 'yen JPY UTC' 'dinar KWD UTC' \
	'fee USD UTC "terms": {"fees": [{"name": "platform", "amount": "31"}], "discounts": [{"name": "deal", "amount": "10"}]}'

# Granting.
refused "a tenant that there is not" 4 'there is no tenant "nobody"' grant nobody 1 --kind goodwill --reason goodwill
refused "no kind" 2 '--kind is promotional, goodwill or prepaid' grant lin 1 --reason goodwill
refused "no reason" 2 'needs --reason' grant lin 1 --kind goodwill
refused "a reason that there is not" 2 'there is no reason "mood"' grant lin 1 --kind goodwill --reason mood
refused "a reason for something else" 2 'is not for credit' grant lin 1 --kind goodwill --reason bankruptcy
refused "an amount of nothing" 2 'above zero' grant lin 0 --kind goodwill --reason goodwill
refused "more decimals than the currency has" 2 'USD has 2 decimals' grant lin 1.001 --kind goodwill --reason goodwill
refused "a yen has none" 2 'JPY has 0 decimals' grant yen 0.5 --kind goodwill --reason goodwill
refused "another currency than the contract's" 4 'is billed in USD, not in EUR' grant lin 1 --kind goodwill --reason goodwill --currency EUR
refused "a meter that there is not" 2 'there is no meter "words"' grant lin 1 --kind goodwill --reason goodwill --meter words
refused "a pattern that is none" 2 '--model' grant lin 1 --kind goodwill --reason goodwill --model '(a'
refused "a day that there is not" 2 'a day or a time' grant lin 1 --kind goodwill --reason goodwill --expires 2026-02-30
refused "an end before the start" 2 'cannot expire' grant lin 1 --kind goodwill --reason goodwill --starts 2026-11-01 --expires 2026-11-01
refused "a priority above 1000" 2 'priority' grant lin 1 --kind goodwill --reason goodwill --priority 1001
equal "none of them left a trace" "$(sql 'SELECT (SELECT count(*) FROM finance.credit_grant), (SELECT count(*) FROM finance.credit_entry)')" '0|0'
check "a dry run" tollbook credit grant --dry-run lin 1 --kind goodwill --reason goodwill
equal "leaves none either" "$(sql 'SELECT count(*) FROM finance.credit_grant')" 0

first=$(grant lin 12.50 --kind goodwill --reason service_outage --starts 2026-10-01 --expires 2026-11-01 --ticket T-17 --note 'the outage' --request r1 \
	--meter output_text_tokens --meter input_text_uncached_tokens)
equal "a day begins where the tenant is" "${first#*,}" 'r1,lin,goodwill,12.50,USD,2026-09-30T22:00:00Z,2026-10-31T23:00:00Z,100,,input_text_uncached_tokens output_text_tokens'
again() {
	grant lin "${1:-12.5}" --kind goodwill --reason service_outage --starts 2026-10-01 --expires 2026-11-01 --ticket "${2:-T-17}" --note 'the outage' --request r1 \
		--meter input_text_uncached_tokens --meter output_text_tokens
}
equal "the same request again has the same answer" "$(again)" "$first"
refused "asked for another amount it is refused" 4 'asks for something else now: the amount' again 13
refused "or for another ticket" 4 'something else now: --ticket' again 12.5 T-18
refused "or with another validity" 4 '--starts or --expires' grant lin 12.50 --kind goodwill --reason service_outage --ticket T-17 --note 'the outage' --request r1
equal "there is one credit, with one entry and one line in the audit log" "$(sql "SELECT (SELECT count(*) FROM finance.credit_grant), (SELECT count(*) FROM finance.credit_entry),
	(SELECT string_agg(concat_ws(',', who, subject, reason, ticket, before, after), ';') FROM finance.audit_log WHERE action = 'credit grant')")" \
	"1|1|tester,credit ${first%%,*} of lin,service_outage,T-17,balance 0.00 USD,balance 12.50 USD"
now=$(grant lin 1 --kind goodwill --reason goodwill --request r2)
equal "without --starts it starts when it is granted" "$(cut -d, -f7 <<<"$now")" 2026-10-01T00:00:00Z
equal "asked again a day later it still does" "$(tollbook credit grant --quiet --as-of 2026-10-02 --format csv lin 1 --kind goodwill --reason goodwill --request r2 | plain)" "$now"
at_once() {
	local process processes=() code=0
	for process in 1 2 3; do tollbook credit grant --quiet --as-of 2026-10-01 --format csv lin 7 --kind goodwill --reason goodwill --request r3 >"$room/grant_$process" & processes+=($!); done
	for process in "${processes[@]}"; do wait "$process" || code=1; done
	cmp "$room/grant_1" "$room/grant_2" && cmp "$room/grant_2" "$room/grant_3" && return $code
}
check "three processes with one request get one answer" at_once
equal "for one credit" "$(sql "SELECT count(*) FROM finance.credit_grant WHERE request_id = 'r3'")" 1

# Usage.
booked "of October, and more" "$(
	used o1 order 10-20 a 100000
	used s1 scope 10-20 a 10000 20000; used s2 scope 10-20 b 40000
	used l1 late 10-20 a 50000
	used m1 middle 10-10 a 40000; used m2 middle 10-20 a 60000
	used v1 overlap 10-10 a 40000; used v2 overlap 10-20 a 60000
	used p1 open 10-20 a 30000
	used r1 race 07-20 a 60000; used r2 race 08-20 a 60000; used r3 race 09-20 a 60000
	used g1 gone 09-20 a 30000
	used b1 back 10-20 a 30000; used b2 back 10-20 b 10001
	used y1 yen 10-20 a 333000; used y2 yen 10-20 b 334000
	used d1 dinar 10-20 a 1; used d2 dinar 10-20 b 2500
	used f1 fee 10-20 a 4000)"

# Who pays first.
prepaid=$(grant order 30 --kind prepaid --reason prepaid_purchase --priority 0 | cut -d, -f1)
low=$(given order 20 --priority 200)
plainly=$(given order 10)
ending=$(given order 10 --expires 2027-01-01)
# By scope.
by_model=$(given scope 100 --model 'a')
by_meter=$(given scope 15.55 --meter input_text_uncached_tokens)
# By time: made in November, from the middle of October on, twice for the same days, and to the end of October.
too_late=$(tollbook credit grant --quiet --as-of 2026-11-03 --format csv late 10 --kind goodwill --reason goodwill | plain | cut -d, -f1)
half=$(given middle 1000 --starts 2026-10-15)
one=$(given overlap 50 --expires 2026-10-15); two=$(given overlap 50 --expires 2026-10-16); three=$(given overlap 1000)
ends=$(given open 50 --expires 2026-11-01)
shared=$(given race 100 --starts 2026-07-01)
leaving=$(given gone 100 --starts 2026-09-01)
returning=$(given back 25.01 --expires 2026-11-02); lasting=$(given back 10)
yen=$(given yen 100) dinar=$(given dinar 1.001)
unscoped=$(given fee 100 --starts 2026-10-17)

outage=${first%%,*}
equal "while there is usage that nobody has rated, one that has expired waits for its months" "$(expire 2026-11-02 | tr ' ' '\n' | grep "^$outage,") $(state "$outage" 2026-11-02)" \
	"$outage,lin,12.50,USD,waits expired (waits for 2026-10)"
check "it is rated and drafted" rated
equal "then none of lin is left to pay, and it is taken" "$(expire 2026-11-02 | tr ' ' '\n' | grep "^$outage,")" "$outage,lin,12.50,USD,expired"
equal "a draft draws nothing" "$(sql "SELECT count(*) FROM finance.credit_entry WHERE kind = 'use'")" 0
equal "one that has expired with a draft open waits for it" "$(state "$ends")" 'expired (waits for 2026-10)'
equal "and is not taken" "$(expire | tr ' ' '\n' | grep "^$ends,")" "$ends,open,50.00,USD,waits"
equal "its balance is there" "$(balance "$ends")" 5000
check "October is finalized" finalize --period 2026-10

equal "the first to expire is first, then the older number, then priority, prepaid last" "$(uses order)" "$ending:1:1000 $plainly:1:1000 $low:1:2000 $prepaid:1:3000 "
equal "100.00 less 70.00 is 30.00" "$(total order)" '10000 7000 3000 '
equal "the balances before and after are kept" "$(tollbook credit history "$low" --format csv | plain | cut -d, -f1-2,4-8)" "$low,1,grant,20.00,0.00,20.00,USD
$low,2,use,-20.00,20.00,0.00,USD"
equal "with the document and its line" "$(tollbook credit history --tenant order --format csv | plain | sed -n 5p | cut -d, -f9-10)" "$(sql "SELECT number FROM finance.invoice WHERE tenant = 'order'"),1"
equal "it is used up" "$(state "$low")" 'used up'
equal "a credit that starts later has not started" "$(state "$half" 2026-10-14)" 'not started'
equal "one that is shown says why" "$(tollbook credit show "$outage" | sed -n '1,10p' | tr -s ' ' | tr '\n' ';')" \
	"CREDIT $outage of lin, goodwill, from TF;amount 12.50 USD;balance 0.00 USD, expired;usage from 2026-09-30T22:00:00Z to 2026-10-31T23:00:00Z;models all;meters input_text_uncached_tokens output_text_tokens;priority 100;granted 2026-10-01T00:00:00Z by tester, request r1;reason service_outage, ticket T-17;note the outage;"
check "and is JSON for programs" grep -q '"note": "the outage"' <(tollbook credit show "$outage" --format json)
refused "one that there is not" 4 'there is no credit "x"' tollbook credit show x
refused "a history is of a credit or a tenant" 2 'name a credit or a tenant' tollbook credit history
equal "model a is paid by the one, input of b by the other: 15.55 of 40" "$(uses scope)" "$by_model:1:1000 $by_model:2:2000 $by_meter:3:1555 "
equal "and no more" "$(total scope)" '7000 4555 2445 '
equal "what was granted in November pays nothing of October" "$(uses late)$(balance "$too_late") $(total late)" '1000 5000 0 5000 '
equal "from 15 October on 60 of 100 were used" "$(uses middle)$(total middle)" "$half:1:6000 10000 6000 4000 "
equal "two for the same 40 pay 40 together, though they have 100" "$(uses overlap)" "$one:1:4000 $three:1:6000 "
equal "the second keeps its balance" "$(balance "$two")" 5000
equal "the one that expired paid the draft that was open" "$(uses open)$(total open)" "$ends:1:3000 3000 3000 0 "
equal "usage of the 20th is paid in full, a fee of 31 for 15 of its 31 days, a discount of 4 not at all" "$(uses fee)$(total fee)" \
	"$unscoped:1:400 $unscoped:3:1500 3100 1900 1200 "
equal "a yen has no decimals" "$(uses yen)$(total yen)" "$yen:1:50 $yen:2:50 667 100 567 "
equal "a dinar has three: 1.001 of 2.501 over 0.001 and 2.500" "$(uses dinar)$(total dinar)" "$dinar:2:1001 2501 1001 1500 "

# Expiring.
equal "now it is taken" "$(expire | tr ' ' '\n' | grep "^$ends,")" "$ends,open,20.00,USD,expired"
equal "once" "$(expire | tr ' ' '\n' | grep "^$ends,")" ''
equal "its history says so" "$(tollbook credit history "$ends" --format csv | plain | cut -d, -f4-7 | tr '\n' ' ')" 'grant,50.00,0.00,50.00 use,-30.00,50.00,20.00 expire,-20.00,20.00,0.00 '
equal "and its state" "$(state "$ends")" expired

# Two at once.
race() {
	local process processes=() code=0 month
	for month in 07 08 09; do tollbook invoice finalize --quiet --as-of "$as_of" --tenant race --period 2026-$month >"$room/race_$month" 2>&1 & processes+=($!); done
	for process in "${processes[@]}"; do wait "$process" || code=1; done
	[ $code = 0 ] || { cat "$room"/race_*; return 1; }
}
check "three invoices of 60 are finalized at once" race
equal "a credit of 100 pays 100 of them" "$(sql "SELECT sum(net_minor), sum(credits_minor), sum(total_minor) FROM finance.invoice WHERE tenant = 'race'")" '18000|10000|8000'
equal "and nothing is left" "$(balance "$shared")" 0
spare=$(sql "SELECT grant_id FROM finance.credit_grant WHERE request_id = 'r3'")
# entry GRANT PLACE AMOUNT BEFORE
entry() { printf "INSERT INTO finance.credit_entry (grant_id, place, kind, amount_minor, balance_before, balance_after, ticket, booked_at, booked_by) VALUES (%s, %s, 'expire', %s, %s, %s, '', '2026-11-05', 'x')" "$1" "$2" "$3" "$4" $(($4 + $3)); }
two_sessions() {
	local first code=0
	sql "BEGIN; $(entry "$spare" 2 -400 700); SELECT pg_sleep(0.5); COMMIT" >"$room/session_1" 2>&1 &
	first=$!
	sleep 0.2
	sql "$(entry "$spare" 2 -500 700)" || code=$?
	wait $first || { cat "$room/session_1"; return 1; }
	return $code
}
refused "of two sessions that take the same place the second waits and is refused" 1 'duplicate key' two_sessions
equal "the first one's entry is there" "$(balance "$spare")" 300
refused "an entry that does not begin where the one before it ended is refused" 1 'does not begin where the one before it ended' sql "$(entry "$leaving" 2 -1 9999)"
refused "and one that takes more than there is" 1 'check constraint' sql "$(entry "$leaving" 2 -10001 10000)"
refused "an entry is never changed" 1 'is refused' sql "DELETE FROM finance.credit_entry WHERE grant_id = $leaving"

# Revoking.
check "September of a tenant that leaves is finalized" finalize --tenant gone
revoke() { tollbook credit revoke --quiet --as-of "$as_of" --format csv "$@" | plain; }
refused "a revoke has a reason" 2 'needs --reason' revoke "$leaving"
refused "of its own" 2 'is not for revoke' revoke "$leaving" --reason promotion
refused "a credit that there is not" 4 'there is no credit "999"' revoke 999 --reason granted_in_error
refused "a request that was a grant" 4 'was a grant' revoke "$leaving" --reason granted_in_error --request r1
equal "a revoke takes what is left" "$(revoke "$leaving" --reason granted_in_error --ticket T-20 --request v1)" "$leaving,v1,gone,70.00,0.00,USD"
equal "asked again it is the same" "$(revoke "$leaving" --reason granted_in_error --ticket T-20 --request v1)" "$leaving,v1,gone,70.00,0.00,USD"
refused "with another reason it is refused" 4 'something else now: --reason' revoke "$leaving" --reason contract_ended --ticket T-20 --request v1
refused "nothing is left for another one" 4 'nothing is left' revoke "$leaving" --reason granted_in_error
equal "it is an entry, and what was used stays" "$(tollbook credit history "$leaving" --format csv | plain | cut -d, -f4-7,11-12 | tr '\n' ' ')" \
	'grant,100.00,0.00,100.00,promotion, use,-30.00,100.00,70.00,, revoke,-70.00,70.00,0.00,granted_in_error,T-20 '
equal "the audit log has the balances" "$(sql "SELECT subject, before, after FROM finance.audit_log WHERE action = 'credit revoke'")" "credit $leaving of gone|balance 70.00 USD|balance 0.00 USD"
equal "its state is told" "$(state "$leaving")" revoked
as_of=2026-12-05T00:00:00Z
booked "of November" "$(used g2 gone 11-20 a 30000)"
check "it is rated and drafted" rated
check "and finalized" finalize --tenant gone
equal "without it" "$(total gone)" '3000 3000 0 3000 0 3000 '

# Given back.
equal "two credits paid an invoice of 40.00: 25.01 and 10.00 over lines of 30.00 and 10.00" "$(uses back)$(total back)" \
	"$returning:1:1876 $returning:2:625 $lasting:1:750 $lasting:2:250 4000 3501 499 "
number=$(sql "SELECT number FROM finance.invoice WHERE tenant = 'back'")
note() { tollbook credit-note issue --quiet --as-of "$as_of" "$@" >/dev/null; }
restored() { sql "SELECT grant_id, amount_minor FROM finance.credit_entry WHERE kind = 'restore' AND grant_id IN ($returning, $lasting) ORDER BY entry_id" | tr '|\n' ': '; }
check "10.00 of the line of 30.00 are credited" note "$number" --line 1=10.00 --reason goodwill
equal "8.75 of them were paid by credits: 26.26 x 10 / 30, which go back 18.76 to 7.50" "$(restored)" "$returning:625 $lasting:250 "
equal "the one that has expired expires again" "$(expire | tr ' ' '\n' | grep "^$returning,")" "$returning,back,6.25,USD,expired"
check "the rest is credited" note "$number" --full --reason goodwill
equal "the rest goes back: all that was used" "$(restored)" "$returning:625 $lasting:250 $returning:1876 $lasting:750 "
equal "October is open again, and the one that has expired waits for it" "$(state "$returning")" 'expired (waits for 2026-10)'
equal "it is not taken" "$(expire | tr ' ' '\n' | grep "^$returning,")" "$returning,back,18.76,USD,waits"
check "October is rated and drafted again" rated
check "and finalized" finalize --period 2026-10 --tenant back
equal "they pay again: 18.76 and 10.00 of 40.00" "$(sql "SELECT net_minor, credits_minor FROM finance.invoice WHERE tenant = 'back' ORDER BY invoice_id DESC LIMIT 1")" '4000|2876'
equal "and are used up" "$(balance "$returning") $(balance "$lasting")" '0 0'
check "the September of the tenant that left is credited" note "$(sql "SELECT number FROM finance.invoice WHERE tenant = 'gone' AND period = '2026-09'")" --full --reason contract_ended
equal "what the revoked credit paid goes back to it" "$(balance "$leaving") $(state "$leaving")" '3000 active'
equal "and can be revoked again" "$(revoke "$leaving" --reason granted_in_error --request v2)" "$leaving,v2,gone,30.00,0.00,USD"
check "the books reconcile" tollbook reconcile --quiet
for state in soft hard; do sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-12', '$state', 'reviewed', '', '', 'eve', now())"; done
refused "in a month that is closed nothing is granted" 4 '2026-12 is closed' tollbook credit grant --as-of "$as_of" lin 1 --kind goodwill --reason goodwill
equal "and no grant is left without its entry" "$(sql "SELECT count(*) FROM finance.credit_grant g WHERE NOT EXISTS (SELECT FROM finance.credit_entry e WHERE e.grant_id = g.grant_id)")" 0
report
