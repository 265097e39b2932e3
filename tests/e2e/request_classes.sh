#!/usr/bin/env bash
# Usage is summed by what prices tell requests apart by: sizes, the place of each token, engine, tags.  What a later price book tells
# apart moves usage that was summed before, by increments that add up to nothing; a reversal lies where its original lies.
# What a book tells apart is written here as publishing writes it, so that each kind can be tried alone.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z
publish() { # BOOK EFFECTIVE: prices do not matter here
	cat >"$room/$1.json" <<-END
	{"tollbook_prices": 1, "book": "$1", "currency": "USD", "effective": "$2", "free": ["requests"], "rules": [{"model": "small",
	 "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "input_text_cache_read_tokens": {"price": "1", "per": 1000},
	            "input_text_cache_write_5m_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}}}]}
	END
	tollbook prices publish --quiet "$room/$1.json"
}
# told_apart BOOK EFFECTIVE KIND BOUNDARY [NAME]: by a new version that says so.
told_apart() {
	publish "$1" "$2" && sql "INSERT INTO finance.price_distinction
		SELECT max(price_book_version_id), '$3', $4, '${5:-}' FROM finance.price_book_version ON CONFLICT DO NOTHING"
}
books() { cat >"$room/usage.ndjson" && finds ingest "$room/usage.ndjson"; }
# Quantities of a tenant by class: input_from uncached_from output_from part_from engine tags meter=sum ..., a line for each class.
classes() {
	sql "SELECT concat_ws(' ', input_from, uncached_from, output_from, part_from, NULLIF(engine, ''), NULLIF(tags, '{}'), string_agg(name || '=' || quantity, ' ' ORDER BY meter_id))
	       FROM (SELECT c.*, m.name, meter_id, sum(quantity) AS quantity FROM metering.interval_quantity i JOIN metering.usage_series s USING (series_id)
	              JOIN metering.meter m USING (meter_id) JOIN metering.request_class c USING (class_id)
	              WHERE s.tenant = '$1' AND m.name <> 'requests' GROUP BY c.class_id, m.name, meter_id HAVING sum(quantity) <> 0) x
	      GROUP BY class_id, input_from, uncached_from, output_from, part_from, engine, tags
	      ORDER BY input_from, uncached_from, output_from, part_from, engine, tags" | sed 's/input_text_uncached_tokens/in/; s/input_text_cache_read_tokens/read/; s/input_text_cache_write_5m_tokens/write/; s/output_text_tokens/out/'
}
# The old intervals: sums over classes.
sums() {
	sql "SELECT count(*), md5(string_agg(concat_ws(',', series_id, interval_start, meter_id, quantity), ';' ORDER BY series_id, interval_start, meter_id))
	       FROM (SELECT series_id, interval_start, meter_id, sum(quantity) AS quantity FROM metering.interval_quantity GROUP BY 1, 2, 3) i"
}
increments() { sql 'SELECT (SELECT count(*) FROM metering.usage_interval) + (SELECT count(*) FROM metering.usage_interval_extra)'; }
reconciles() { check "$1" tollbook reconcile --quiet; }
full() { # ID TENANT TIME INPUT READ WRITE OUTPUT [MORE-OF-DATA]
	envelope "$1" "$2" "$3" '"operation":"chat","provider":"p","model":"small","quantities":{"requests":1,"input_text_uncached_tokens":'"$4"',"input_text_cache_read_tokens":'"$5"',"input_text_cache_write_5m_tokens":'"$6"',"output_text_tokens":'"$7"'}'"${8:-}"
}

new_database classes
check "the books are set up" tollbook init
check "a book is published" publish plain 2026-01-01T00:00:00Z
check "usage is booked" books < <(full a0 ann 2026-09-30T23:59:59Z 5000 0 0 64; full a1 ann $october 1000 0 0 1; full a2 ann $october 1001 0 0 2; full a3 ann $october 1002 0 0 4; full a4 ann $october 1 1000 0 8
	envelope a5 ann $october '"operation":"chat","provider":"p","model":"small","quantities":{"requests":1,"output_text_tokens":16}')
check "and rated" finds rate
equal "where no book tells requests apart, all are of class 0" "$(classes ann)" '-1 -1 -1 -1 in=8004 read=1000 out=95'
before=$(sums)

# Sizes.
check "from October on a book tells apart what has more than 1000 tokens of input" told_apart sized 2026-10-01T00:00:00Z input 1001
check "usage that was summed before" finds rate
equal "is moved: one token below the boundary, on it, above it, cache reads counted; unknown; and before October" "$(classes ann)" \
'-1 -1 -1 -1 in=5000 out=80
0 -1 -1 -1 in=1000 out=1
1001 -1 -1 -1 in=2004 read=1000 out=14'
equal "the sums over classes stay what they were" "$(sums)" "$before"
count=$(increments)
check "rated again with nothing new" finds rate
equal "nothing is moved twice" "$(increments)" "$count"
check "another version says the same from later on" told_apart sized 2026-10-02T00:00:00Z input 1001
check "rated again" finds rate
equal "that moves nothing" "$(increments)" "$count"
check "new usage" books < <(full b1 bob $october 600 0 0 1; full b2 bob $october 700 500 0 2; full b3 bob $october 300 2000 0 4; full b4 bob 2026-10-05T00:00:00Z 600 0 0 8)
check "is rated" finds rate
equal "and in its classes at once" "$(classes bob)" \
'0 -1 -1 -1 in=1200 out=9
1001 -1 -1 -1 in=1000 read=2500 out=6'
before=$(sums)
check "a late boundary lies between two" told_apart sized 2026-10-10T00:00:00Z input 501
check "a second kind with it" told_apart fresh 2026-10-10T00:00:00Z uncached_input 400
check "and a third" told_apart long 2026-10-10T00:00:00Z output 4
check "what was summed is moved by all of them" finds rate
equal "as from their time on" "$(classes bob)" \
'0 -1 -1 -1 in=600 out=8
501 400 0 -1 in=600 out=1
1001 0 4 -1 in=300 read=2000 out=4
1001 400 0 -1 in=700 read=500 out=2'
check "another book says one of them from earlier on" told_apart early 2026-10-05T00:00:00Z input 501
check "rated again" finds rate
equal "and the earlier usage moves too" "$(classes bob | head -n 1)" '501 -1 -1 -1 in=600 out=8'
equal "sums over classes stay" "$(sums)" "$before"
reconciles "the books reconcile"

# Corrections and voids.
check "one request corrected, one taken back" books < <(
	correction b2c b2 bob $october small 10 1; void b3v b3 bob $october; full b5 bob $october 900 900 0 32; correction b5c b5 bob $october small 900 0)
check "rated again" finds rate
equal "leaves nothing of them in the classes where they were" "$(classes bob)" \
'0 0 0 -1 in=10 out=1
501 -1 -1 -1 in=600 out=8
501 400 0 -1 in=1500 out=1'
reconciles "the books reconcile"

# Parts.
copy_database classes parts
check "usage" books < <(full c1 cyd $october 300 800 100 1500; full c2 cyd $october 1 999 0 7; full c3 cyd $october 0 2500 0 0; full c4 cyd $october 2000 0 0 5000)
check "is rated" finds rate
check "a request is taken back" books < <(void c4v c4 cyd $october)
before=$(sums)
check "a book has a price for tokens behind the first 1000, another one behind 2000" told_apart parts 2026-10-10T00:00:00Z part 1000
check "that is" told_apart parts2 2026-10-10T00:00:00Z part 2000
check "rated again" finds rate
equal "tokens are where they lie: cache reads, cache writes, the rest" "$(sql "SELECT c.part_from, m.name, sum(quantity) FROM metering.interval_quantity i JOIN metering.usage_series s USING (series_id)
	JOIN metering.meter m USING (meter_id) JOIN metering.request_class c USING (class_id) WHERE s.tenant = 'cyd' GROUP BY c.part_from, m.name, m.meter_id HAVING sum(quantity) <> 0 ORDER BY 1, m.meter_id")" \
'0|requests|3
0|input_text_uncached_tokens|101
0|input_text_cache_read_tokens|2799
0|input_text_cache_write_5m_tokens|100
0|output_text_tokens|1007
1000|input_text_uncached_tokens|200
1000|input_text_cache_read_tokens|1000
1000|output_text_tokens|500
2000|input_text_cache_read_tokens|500'
check "requests are divided the same way when they are new" books < <(full d1 dan $october 300 800 100 1500; full d4 dan $october 2000 0 0 5000; void d4v d4 dan $october)
check "rated again" finds rate
equal "to the token" "$(classes dan)" \
'1001 400 4 0 in=100 read=800 write=100 out=1000
1001 400 4 1000 in=200 out=500'
reconciles "the books reconcile"
drop_database parts

# Engine and tags.
use_database classes
labelled() { full "$1" "$2" $october 100 0 0 "$3" ",\"engine\":$4,\"attribution\":{\"team\":\"x\",\"tags\":$5},\"trace\":{\"request\":\"$1\"}"; }
check "usage by engine and tag" books < <(
	labelled e1 eve 1 '{"name":"vllm","version":"1"}' '{"env":"prod","cost":"a"}'
	labelled e2 eve 2 '{"name":"vllm","version":"2"}' '{"cost":"b","env":"pr\u006fd"}'
	labelled e3 eve 4 '{"version":"2"}' '{"env":"te\"st"}'
	labelled e4 eve 8 '{"name":"sglang"}' '{"env":5}'
	full e5 eve $october 100 0 0 16
	labelled e6 eve 32 '{"name":"vllm"}' '{"env":"gone"}'; labelled e7 eve 64 '{"name":"vllm"}' '{"env":"gone"}')
check "two are taken back" books < <(void e6v e6 eve $october; void e7v e7 eve $october)
check "it is rated" finds rate
equal "an engine is not told apart where no book names engines" "$(classes eve)" \
'0 0 0 -1 in=200 out=3
0 0 4 -1 in=300 out=28'
equal "a reversal repeats the context of its original" "$(sql "SELECT context FROM metering.usage_event WHERE kind = 2 AND id = 'e6v'")" \
	'{"attribution":{"team":"x","tags":{"env":"gone"}},"engine":{"name":"vllm"},"trace":{"request":"e6"}}'
before=$(sums)
copy_database classes older
# As versions before this one wrote it, which the digest of the batch shows: not reconciled here.
sql "ALTER TABLE metering.usage_event_2026_10 DISABLE TRIGGER ALL; UPDATE metering.usage_event SET context = NULL WHERE kind = 2 AND id IN ('e6v', 'e7v')"
labels='- {"env":"te\"st"} out=4
-  out=16
sglang  out=8
vllm {"env":"prod"} out=3'
by_label() {
	sql "SELECT COALESCE(NULLIF(engine, ''), '-') || ' ' || replace(tags, '{}', '') || ' out=' || sum(quantity) FROM metering.interval_quantity i JOIN metering.usage_series s USING (series_id) JOIN metering.request_class c USING (class_id)
	      WHERE tenant = 'eve' AND meter_id = 6 GROUP BY engine, tags HAVING sum(quantity) <> 0 ORDER BY engine, tags"
}
for database in older classes; do
	use_database $database
	check "a book names engines ($database)" told_apart engines 2026-10-10T00:00:00Z engine 0
	check "another one the tag env ($database)" told_apart tags 2026-10-10T00:00:00Z tag 0 env
	check "rated again ($database)" finds rate
	equal "both are told apart, spelled one way, and reversals lie with their originals ($database)" "$(by_label)" "$labels"
	equal "sums over classes stay ($database)" "$(sums)" "$before"
done
drop_database older
use_database classes
check "a third one the tag cost" told_apart tags2 2026-10-10T00:00:00Z tag 0 cost
check "new usage" books < <(labelled e8 eve 128 '{"name":"vllm"}' '{"env":"prod","cost":"a","other":"b"}')
check "rated again" finds rate
equal "keys are sorted, other tags are not kept, old and new usage is in one class" "$(by_label | grep cost)" \
'vllm {"cost":"a","env":"prod"} out=129
vllm {"cost":"b","env":"prod"} out=2'
reconciles "the books reconcile"

# Steps fill in the order of requests' sizes, as far as the tenant's own prices ask for them: 100 and 900 of input come first, and the
# 1000 fill the first step.  A book of somebody else tells sizes, engines and tags apart, and in its classes 480 of output lie before.
new_database alone
check "the books are set up" tollbook init
grouped() { printf '"%s": {"tiers": "graduated", "per": 1, "steps": [{"up_to": 1000, "price": "%s"}, {"price": "%s"}], "counter": {"scope": "group", "group": "all"}}' "$@"; }
cat >"$room/own.json" <<END
{"tollbook_prices": 1, "book": "own", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [
 {"model": "small", "prices": {$(grouped input_text_uncached_tokens 3 2), $(grouped output_text_tokens 9 5)}}]}
END
cat >"$room/other.json" <<'END'
{"tollbook_prices": 1, "book": "other", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [
 {"model": "small", "engine": "vllm", "tags": {"env": "prod"}, "prices": {"output_text_tokens": {"price": "1", "per": 1000}}},
 {"model": "small", "prices": {"input_text_uncached_tokens": {"per": 1, "brackets": [{"price": "1"}, {"over": 500, "price": "2"}]},
   "output_text_tokens": {"per": 1, "split": "tokens", "brackets": [{"price": "1"}, {"over": 300, "price": "2"}]}}}]}
END
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "ann", "name": "Ann", "currency": "USD", "zone": "UTC", "book": "own", "issuer": "TF", "effective": "2026-01-01"},
 {"tenant": "bob", "name": "Bob", "currency": "USD", "zone": "UTC", "book": "other", "issuer": "TF", "effective": "2026-01-01"}]}
END
paid() {
	sql "SELECT c.meter_id, c.tier, c.quantity, trim_scale(c.amount) FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
	      WHERE r.tenant = '$1' AND c.price > 0 ORDER BY c.ordinal" | tr '|\n' ' ;'
}
asked() { sql "SELECT DISTINCT input_digest FROM finance.rating WHERE tenant = '$1'" | wc -l; }
check "ann's book is published" tollbook prices publish --quiet "$room/own.json"
check "ann and bob have contracts" tollbook tenant apply --quiet "$room/tenants.json"
check "usage of one quarter of an hour" books < <(for who in ann bob; do
	labelled "$who-1" $who 480 '{"name":"vllm"}' '{"env":"prod"}'; full "$who-2" $who $october 900 0 0 520; full "$who-3" $who $october 50 0 0 20; done)
check "it is rated" finds rate
equal "input comes first and fills the first step" "$(paid ann)" '2 1 1000 3000;2 2 50 100;6 2 1020 5100;'
check "bob's book is published" tollbook prices publish --quiet "$room/other.json"
check "it is rated again" finds rate
equal "ann's usage is of other classes now" "$(classes ann | wc -l)" 5
equal "ann pays what she paid" "$(paid ann)" '2 1 1000 3000;2 2 50 100;6 2 1020 5100;'
equal "and nothing that her rating was made of is another" "$(asked ann)" 1
equal "bob pays by sizes, places, engine and tag" "$(paid bob)" '2 0 50 50;2 0 900 1800;6 0 480 0.48;6 0 320 320;6 0 220 440;'
equal "the requests of ann's quarter come to her charges" \
	"$(tollbook report requests --tenant ann --period 2026-10 --format csv | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "amount") column = i } NR > 1 { sum += $column } END { print sum }')" 8200
reconciles "the books reconcile"
use_database classes

# A period that is invoiced stays as it is.
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "bob", "name": "Bob", "currency": "USD", "zone": "UTC", "book": "plain", "issuer": "TF", "effective": "2026-01-01"}]}
END
check "bob has a contract" tollbook tenant apply --quiet "$room/tenants.json"
check "rated" finds rate
check "his October has a draft" tollbook invoice draft --as-of $as_of
check "and is final" tollbook invoice finalize --as-of $as_of
check "a boundary comes after that" told_apart later 2026-10-01T00:00:00Z output 1
check "rated again" finds rate
equal "his usage is moved" "$(classes bob | grep -c '^501 400 1 ')" 1
equal "and nothing of it is held" "$(sql "SELECT count(*) FROM finance.hold JOIN finance.current_rating USING (rating_id) WHERE tenant = 'bob'")" 0
reconciles "the books reconcile"

# Killed in the middle, when everything is moved but the new classes are not stored.
before=$(sums) count=$(increments)
check "one more boundary" told_apart last 2026-10-01T00:00:00Z output 2
psql -X -q -d "$TOLLBOOK_DB" -c "BEGIN; LOCK TABLE metering.request_class IN SHARE MODE; SELECT pg_sleep(60)" >"$room/locker" 2>&1 &
locker=$!
tollbook rate --quiet --as-of "$as_of" >"$room/rated" 2>&1 &
rater=$!
waits() { for ((i = 0; i < 200; i++)); do [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'metering.request_class'::regclass")" = 0 ] || return 0; sleep 0.05; done; return 1; }
check "the run has moved usage and waits" waits
kill -9 $rater
{ wait $rater; } 2>/dev/null
sql "SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks WHERE relation = 'metering.request_class'::regclass
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) l" >"$room/ended"
{ wait $locker; } 2>/dev/null
equal "killed there, it leaves nothing behind" "$(increments) $(sql "SELECT count(*) FROM metering.distinction WHERE kind = 'output' AND boundary = 2")" "$count 0"
again() { for ((i = 0; i < 100; i++)); do rate >"$room/rated" 2>&1; case $? in 0 | 7) return 0 ;; 8) sleep 0.1 ;; *) cat "$room/rated"; return 1 ;; esac; done; return 1; }
check "the next run does it" again
equal "the boundary is followed" "$(sql "SELECT count(*) FROM metering.distinction WHERE kind = 'output' AND boundary = 2")" 1
equal "sums over classes stay" "$(sums)" "$before"
check "more was added" test "$(increments)" -gt "$count"
reconciles "the books reconcile"
report
