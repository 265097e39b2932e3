#!/usr/bin/env bash
# Shares of the tenants rated by several processes at once: whatever is killed, overlaps or comes meanwhile, charges are those of one process.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

tenants=60
awk -v n=$tenants 'BEGIN {
	print "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 1; i <= n; i++)
		printf "%s{\"tenant\": \"t%03d\", \"name\": \"T\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"%s\", \"book\": \"std\", \"effective\": \"2026-01-01\"}\n",
			i == 1 ? "" : ", ", i, i % 3 == 0 ? "Asia/Kathmandu" : i % 3 == 1 ? "UTC" : "America/St_Johns"
	print "]}" }' >"$room/tenants.json"
# Steps that count over the year: October goes on where September ended.  `book PRICE EFFECTIVE` is a version.
book() {
	printf '{"tollbook_prices": 1, "book": "std", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [{"model": "small", "prices": {
		"input_text_uncached_tokens": {"per": 1000000, %s},
		"output_text_tokens": {"tiers": "graduated", "per": 1000, "steps": [{"up_to": 1000, "price": "3"}, {"price": "1"}],
			"counter": {"scope": "rule", "reset": "year"}}}}]}' "$2" "$1"
}
book '"brackets": [{"price": "1"}, {"over": 500, "price": "2"}]' 2026-01-01T00:00:00Z >"$room/brackets.json"
book '"price": "1"' 2026-01-01T00:00:00Z >"$room/plain.json"
book '"price": "5"' 2026-10-15T00:00:00Z >"$room/dearer.json"
awk -v n=$tenants 'BEGIN { srand(5); for (i = 1; i <= n; i++) for (e = 1; e <= 6; e++)
	printf "{\"idempotency_key\":\"%d-%d\",\"tenant\":\"t%03d\",\"time\":\"2026-%s-%02dT%02d:%02d:00Z\",\"model\":\"small\",\"input_tokens\":%d,\"output_tokens\":%d}\n",
		i, e, i, e % 2 ? "09" : "10", 2 + int(rand() * 27), int(rand() * 24), int(rand() * 60), 499 + e % 4, 300 }' >"$room/usage.ndjson"
split -n l/2 "$room/usage.ndjson" "$room/half."

# books NAME BOOK FILE...: a database with the contracts, the book and these files.
books() {
	new_database "$1"
	tollbook init --quiet >"$room/log" && tollbook prices publish --quiet "$2" >>"$room/log" 2>&1 &&
		tollbook tenant apply --quiet "$room/tenants.json" >>"$room/log" || cat "$room/log"
	ingest "${@:3}" >>"$room/log" || cat "$room/log"
}
digests() { sql "SELECT count(*), md5(string_agg(encode(output_digest, 'hex'), ' ' ORDER BY tenant, period)) FROM finance.current_rating"; }
due() { sql 'SELECT count(*) FROM finance.rating_due'; }
# numbers: ratings and runs are numbered without a gap.
numbers() { sql "SELECT (SELECT max(rating_id) - count(*) FROM finance.rating), (SELECT max(rating_run) - count(*) FROM finance.rating_run)"; }

# at_once SHARE...: these shares at the same time; how they ended.
at_once() {
	local pids=() share codes='' code
	for share; do
		tollbook rate --quiet --as-of "$as_of" --share "$share" --workers 1 >"$room/log.${share/\//_}" 2>&1 &
		pids+=($!)
	done
	echo "${pids[0]}" >"$room/first"
	for share in "${pids[@]}"; do
		code=0
		wait "$share" || code=$?
		codes+="$code "
	done
	echo "$codes"
}

# A lock that somebody holds: `hold SQL` takes it, `let_go` ends it.  waiting N: until N sessions wait for a lock.
hold() {
	PGAPPNAME=holder psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "BEGIN; $1; SELECT pg_sleep(30)" >"$room/held" 2>&1 &
	until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND datname = current_database() AND query LIKE '%pg_sleep%' AND wait_event = 'PgSleep'")" -ge "${2:-1}" ]; do sleep 0.02; done
}
let_go() { sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'holder' AND datname = current_database() AND query LIKE '%$1%'" >"$room/held"; }
waiting() {
	for ((i = 0; i < 300; i++)); do
		[ "$(sql "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()")" -ge "$1" ] && return
		sleep 0.03
	done
	return 1
}
# Pricing needs the classes of requests; booking needs the lock of rating.
pricing='LOCK TABLE metering.request_class'
booking="SELECT pg_advisory_xact_lock(hashtextextended(''tollbook.rate'', 0))"
booking=${booking//\'\'/\'}

books one "$room/brackets.json" "$room/usage.ndjson"
check "one process rates $tenants tenants in two months" finds rate
with_brackets=$(digests)
equal "that is two ratings for each" "${with_brackets%%|*}" $((2 * tenants))
books three "$room/brackets.json" "$room/usage.ndjson"
equal "three shares at once find nothing that waits" "$(at_once 1/3 2/3 3/3)" '0 0 0 '
equal "and come to the same charges" "$(digests)" "$with_brackets"
equal "nothing is due any more" "$(due)" 0
equal "numbers have no gaps" "$(numbers)" '0|0'
equal "usage was summed once, and each share rated something in both months" \
	"$(sql "SELECT count(*) FILTER (WHERE batches > 0), count(*) FILTER (WHERE ratings > 0), count(*) FILTER (WHERE ratings = $tenants) FROM finance.rating_run")" '1|6|0'
check "and the books agree" finds tollbook reconcile
equal "again there is nothing to do" "$(at_once 1/3 2/3 3/3) $(sql 'SELECT count(*) FROM finance.rating_run')" '0 0 0  7'

books overlap "$room/brackets.json" "$room/usage.ndjson"
hold "$booking"
(at_once 1/1 1/2 2/3 >"$room/codes") &
check "shares that overlap, and wait to begin together" waiting 3
let_go advisory
wait $!
equal "end well" "$(cat "$room/codes")" '0 0 0 '
equal "and come to the same charges" "$(digests)" "$with_brackets"
equal "with numbers that have no gaps" "$(numbers) $(due)" '0|0 0'

books alone "$room/plain.json" "$room/usage.ndjson"
finds rate
plain=$(digests)

# price SHARE...: shares that price the first month and then wait to book.  ended: how they ended, once they did.
price() {
	hold "$pricing"
	: >"$room/codes"
	(at_once "$@" >"$room/codes") &
	waiting $#
	hold "$booking" 2
	let_go request_class
	waiting $#
}
priced() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'")" = "$1" ]; }
ended() { until [ -s "$room/codes" ]; do sleep 0.02; done; cat "$room/codes"; }

books both "$room/plain.json" "$room/usage.ndjson"
price 1/1 1/2
check "the whole and a half have priced the same tenants" priced 2
refused "a second process for a share that is at work is told" 8 'somebody else rates share 1/2' rate --share 1/2
let_go advisory
equal "both end" "$(ended)" '0 0 '
equal "each tenant is rated once for a month" "$(sql 'SELECT count(*) FROM finance.rating')" $((2 * tenants))
equal "and charges are the same" "$(digests)" "$plain"

books killed "$room/plain.json" "$room/usage.ndjson"
price 1/2
check "a half has priced September" priced 1
kill -9 "$(cat "$room/first")"
ended >"$room/held"
let_go advisory
equal "killed, it leaves everything due and nothing rated" "$(due) $(sql 'SELECT count(*) FROM finance.rating')" "$((2 * tenants)) 0"
equal "three shares end what it began" "$(at_once 3/3 2/3 1/3)" '0 0 0 '
equal "with the same charges" "$(digests)" "$plain"
equal "and numbers without gaps" "$(numbers)" '0|0'

books late "$room/plain.json" "$room/half.aa"
hold "$pricing"
: >"$room/codes"
(at_once 1/1 >"$room/codes") &
check "usage comes and is summed while a share prices" waiting 1
ingest "$room/half.ab" >"$room/log"
(rate --share 1/2 >"$room/log" 2>&1) &
second=$!
waiting 2
let_go request_class
wait "$second"
equal "the share ends well" "$(ended)" '0 '
equal "and the charges are those of all usage" "$(digests)" "$plain"
check "which the books say, too" finds tollbook reconcile

books dearer "$room/plain.json" "$room/usage.ndjson"
price 1/1
check "a dearer version of the book is published while a share waits to book" priced 1
tollbook prices publish --quiet "$room/dearer.json" >"$room/log" 2>&1
let_go advisory
equal "what it priced is booked" "$(ended)" '0 '
halves=$(at_once 1/2 2/2)
dearer=$(digests)
equal "two halves rate what the version changes" "$halves" '0 0 '
copy_database alone again
tollbook prices publish --quiet "$room/dearer.json" >"$room/log" 2>&1
finds rate
equal "as one process does" "$dearer" "$(digests)"
equal "which is not what it was" "$([ "$dearer" = "$plain" ] || echo other)" other

books closed "$room/plain.json" "$room/usage.ndjson"
price 1/1
check "September is closed while a share that priced it waits" priced 1
sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-09', 'soft', 'reviewed', '', '', 'eve', '2026-11-04')"
let_go advisory
equal "the share finds what is on hold" "$(ended)" '7 '
equal "its usage is held, not charged" \
	"$(sql "SELECT count(DISTINCT r.tenant), count(c.*), min(h.reason) FROM finance.current_rating r LEFT JOIN finance.charge c USING (rating_id)
		LEFT JOIN finance.hold h USING (rating_id) WHERE r.period = '2026-09'")" "$tenants|0|period_closed"
check "and the books agree" finds tollbook reconcile

refused "a share beyond the last is none" 2 '"4/3" is no share' rate --share 4/3
refused "nor is the share 0" 2 '"0/3" is no share' rate --share 0/3
refused "nor is a word" 2 '"half" is no share' rate --share half
refused "a share is not rated dry" 2 'do not go together' rate --share 1/2 --dry-run
report
