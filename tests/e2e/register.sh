#!/usr/bin/env bash
# The dedupe register: every identity is booked once, whoever comes with it, when, how often and how he dies; and what is spoilt in it shows.
#   REGISTER_KILLS   how many random calls a writer is killed at; 4 where it is not set
#   REGISTER_SEED    which
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
shim=$top/build/tests/support/kill_at.so
make -s -C "$top" build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
kills=${REGISTER_KILLS:-4}
RANDOM=${REGISTER_SEED:-8}

# calls FROM TO [STEP [OUTPUT [SECOND]]]: usage with the keys kFROM to kTO, 50 tenants.
calls() {
	awk -v from="$1" -v to="$2" -v step="${3:-1}" -v output="${4:-1}" -v second="${5:-0}" 'BEGIN { for (i = from; i <= to; i += step)
		printf "{\"idempotency_key\":\"k%d\",\"tenant\":\"t%d\",\"time\":\"2026-10-20T10:%02d:%02dZ\",\"model\":\"small\",\"input_tokens\":%d,\"cached_input_tokens\":0,\"output_tokens\":%d}\n",
			i, i % 50, i % 60, second, i, output }'
}
# The keys that are booked, by what was asked for with them, once each: as many rows as keys, and the sum of their input.
booked() { sql "SELECT count(*) || ' ' || count(DISTINCT event_id) || ' ' || sum(input_text_uncached_tokens) FROM metering.usage_event"; }
# What 1 to N are booked as.
once() { echo "$1 $1 $(($1 * ($1 + 1) / 2))"; }
registered() { sql "SELECT count(*) || ' ' || count(DISTINCT event_id) FROM metering.usage_key"; }
begin() { new_database "$1" && tollbook init --quiet; }
# totals FILE...: of what writers said about their files: records accepted duplicates set aside
totals() { cat "$@" | awk '{ r += $1; a += $2; d += $3; s += $5 + $6 } END { print r, a, d, s }'; }
proved() {
	equal "$1: the register has each of them once" "$(registered)" "$2 $2"
	check "$1: the books reconcile" tollbook reconcile --quiet
}

# --- writers at the same time ----------------------------------------------------------------------
calls 1 3000 >"$room/all.ndjson"
tac "$room/all.ndjson" >"$room/backwards.ndjson"
calls 1 2000 >"$room/low.ndjson"
calls 1001 3000 >"$room/high.ndjson"
# together FILE...: a writer for each, in batches of 250.
together() {
	local file writers=() number=0 bad=0
	rm -f "$room"/writer_*
	for file in "$@"; do
		number=$((number + 1))
		counts --batch-records 250 "$room/$file.ndjson" >"$room/writer_$number" 2>"$room/said_$number" &
		writers+=($!)
	done
	for number in "${writers[@]}"; do wait "$number" || bad=1; done
	[ $bad = 0 ] || { cat "$room"/said_*; return 1; }
}
begin two
check "two writers take the same 3,000 records at once" together all all
equal "one or the other booked each, and the other one found a duplicate" "$(totals "$room"/writer_*)" '6000 3000 3000 0'
equal "each is in the ledger once" "$(booked)" "$(once 3000)"
proved "two writers" 3000
begin four
check "four take overlapping records in different orders" together all backwards low high
equal "of 10,000 records 3,000 are booked" "$(totals "$room"/writer_*)" '10000 3000 7000 0'
equal "each is in the ledger once" "$(booked)" "$(once 3000)"
proved "four writers" 3000

# --- merges ----------------------------------------------------------------------------------------
# Batches of 7: sixteen runs become one of 112, sixteen of these one of 1,792.
begin merged
calls 1 2100 >"$room/first.ndjson"
check "2,100 records come in batches of 7" ingest --batch-records 7 "$room/first.ndjson"
equal "that are 300 entries" "$(sql 'SELECT count(*) || $$ $$ || max(entry) FROM metering.register_entry')" '300 300'
check "in fewer than 48 runs, because they are merged" test "$(sql 'SELECT count(*) FROM metering.key_run')" -lt 48
check "of which one has more than 1,000 keys, and a filter" test "$(sql 'SELECT count(*) FROM metering.key_run WHERE keys > 1000 AND filter_blocks > 0')" = 1
equal "all of them again are duplicates" "$(counts --batch-records 400 "$room/first.ndjson")" '2100 0 2100 0 0 0'
check "while others book, and merge what they booked" together first high first
equal "records of every age are duplicates" "$(totals "$room/writer_1" "$room/writer_3")" '4200 0 4200 0'
equal "and what is new is booked" "$(cat "$room/writer_2")" '2000 900 1100 0 0 0'
equal "each is in the ledger once" "$(booked)" "$(once 3000)"

# Keys of every age: every 89th.
calls 1 3000 89 >"$room/some.ndjson"
calls 1 3000 89 2 >"$room/different.ndjson"
calls 1 3000 89 1 30 >"$room/restamped.ndjson"
calls 3001 3001 >>"$room/some.ndjson"
equal "34 of every age and a new one: one is booked" "$(counts "$room/some.ndjson")" '35 1 34 0 0 0'
equal "34 of every age that say something else are conflicts" "$(counts "$room/different.ndjson")" '34 0 0 0 34 0'
equal "for that reason" "$(sql "SELECT count(*) || ' ' || min(code) || ' ' || max(code) FROM metering.quarantine")" '34 E_KEY_CONFLICT E_KEY_CONFLICT'
equal "34 of every age with another time are duplicates, and counted as such" \
	"$(counts "$room/restamped.ndjson") $(sql 'SELECT restamped FROM metering.ingest_batch ORDER BY batch_id DESC LIMIT 1')" '34 0 34 0 0 0 34'
proved "after merges" 3001

# --- nothing goes but by a merge --------------------------------------------------------------------
two="ARRAY(SELECT run FROM metering.key_run ORDER BY first_entry LIMIT 2)"
copied="INSERT INTO metering.key_page SELECT 999999, first_id, keys FROM metering.key_page WHERE run = ANY ($two)"
summed="(SELECT sum(hash_sum) FROM metering.key_run WHERE run = ANY ($two))"
# refused_keys SENTENCE SQLSTATE TEXT STATEMENT: with this code and text.
refused_keys() {
	local output
	output=$(psql -X -q -v VERBOSITY=verbose -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "BEGIN; $4; COMMIT" 2>&1)
	if [[ $output == *"ERROR:  $2:"* && $output == *"$3"* ]]; then ok "$1"; else not_ok "$1"; printf '    %s\n' "$output"; fi
}
refused_keys "runs do not go without a merge" 23001 "no run that stays has these entries" "DELETE FROM metering.key_run WHERE run = ANY ($two)"
refused_keys "nor their pages" 23001 "DELETE is refused" "DELETE FROM metering.key_page"
refused_keys "nor a filter" 23001 "DELETE is refused" "DELETE FROM metering.key_filter"
refused_keys "a merge that wrote no pages is refused" 23001 "have another number of keys" "SELECT metering.merge_done(999999, $two, 0, $summed)"
refused_keys "one that lost a page is refused" 23001 "have another number of keys" "$copied AND run <> ($two)[1];
	SELECT metering.merge_done(999999, $two, 0, $summed)"
refused_keys "one that wrote other keys is refused" 23001 "the run that stays has other keys" "$copied; SELECT metering.merge_done(999999, $two, 0, $summed + 1)"
refused_keys "one that promises a filter and has none is refused" 23001 "lacks a part of its filter" "$copied; SELECT metering.merge_done(999999, $two, 4, $summed)"
refused_keys "a merge of runs that another one has merged is refused" 40001 "another process merged them" \
	"$copied; SELECT metering.merge_done(999999, $two || 0, 0, $summed)"
refused_keys "a run beside those that have its entries is refused" 23P01 key_run_entries_once "INSERT INTO metering.key_run (run, first_entry, last_entry, keys, first_batch, filter_blocks, hash_sum)
	SELECT 999999, first_entry, last_entry, keys, first_batch, 0, hash_sum FROM metering.key_run ORDER BY first_entry LIMIT 1"
equal "and all is as it was" "$(registered)" '3001 3001'

# --- what is spoilt shows ---------------------------------------------------------------------------
psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -f tests/support/spoil_register.sql
tables='register_entry key_run key_page key_filter'
for table in $tables; do sql "CREATE TABLE spoil.$table AS TABLE metering.$table; ALTER TABLE metering.$table DISABLE TRIGGER ALL"; done
put_back() { for table in $tables; do printf 'DELETE FROM metering.%s; INSERT INTO metering.%s TABLE spoil.%s; ' $table $table $table; done; }
# crime CHECK NAME STATEMENTS: the check whose title begins so says DIFFERENT.
crime() {
	local said code=0
	if ! sql "$3" >"$room/crime" 2>&1; then not_ok "crime: $2"; cat "$room/crime"; return; fi
	said=$(tollbook reconcile --quiet --format csv 2>&1) || code=$?
	if [ $code = 7 ] && grep -qE "^1,\"?$1.*DIFFERENT" <<<"$said"; then ok "crime: $2"; else
		not_ok "crime: $2"
		printf '    exit code %s, wanted 7 and DIFFERENT at %s\n' $code "$1"
		grep -v ',ok' <<<"$said" | sed 's/^/    /'
	fi
	sql "$(put_back)"
}
keys='every identity' entries='entries of the register'
# A run of 1,792 keys with a filter, a younger one, and a page of the first one that has 60 keys.
old="(SELECT run FROM metering.key_run ORDER BY keys DESC LIMIT 1)" young="(SELECT run FROM metering.key_run ORDER BY first_entry DESC LIMIT 1)"
page="run = $old AND first_id = (SELECT first_id FROM metering.key_page WHERE run = $old AND octet_length(keys) = 2640 LIMIT 1)"
# of_page PLACE LENGTH: bytes of the page, from 0 on.
of_page() { echo "substr(keys, $1 + 1, $2)"; }
one="(SELECT event_id FROM spoil.key WHERE run = $old LIMIT 1)"
crime "$keys" "an identity is booked in two runs, and all counts are made to fit" "SELECT spoil.book_again($young, $one); SELECT spoil.fit()"
crime "$keys" "a key is taken out of a page" "SELECT spoil.take_away($one)"
crime "$keys" "a byte of a content digest is changed" "UPDATE metering.key_page SET keys = set_byte(keys, 1000, 255 - get_byte(keys, 1000)) WHERE $page"
crime "$keys" "two keys exchange their contents" \
	"UPDATE metering.key_page SET keys = $(of_page 0 960) || $(of_page 976 16) || $(of_page 960 16) || $(of_page 992 1648) WHERE $page"
crime "$keys" "a time is a microsecond later" "UPDATE metering.key_page SET keys = set_bit(keys, 8 * 1927, 1 - get_bit(keys, 8 * 1927)) WHERE $page"
crime "$keys" "a key is said to be of another batch" "UPDATE metering.key_page SET keys = set_byte(keys, 2403, (get_byte(keys, 2403) + 1) % 100) WHERE $page"
crime "$keys" "two keys are not in their order, so that they are not found" "UPDATE metering.key_page
	SET keys = $(of_page 0 16) || $(of_page 32 16) || $(of_page 16 16) || $(of_page 48 928) || $(of_page 992 16) || $(of_page 976 16) || $(of_page 1008 1632) WHERE $page"
crime "$keys" "a page is missing" "DELETE FROM metering.key_page WHERE $page"
crime "$keys" "one bit of a filter is missing, so that a key would be booked again" "UPDATE metering.key_filter
	SET bits = set_bit(bits, (SELECT n FROM generate_series(0, 511) n WHERE get_bit(bits, n) = 1 LIMIT 1), 0) WHERE run = $old"
crime "$keys" "a filter is missing" "DELETE FROM metering.key_filter"
crime "$entries" "an entry is missing" "DELETE FROM metering.register_entry WHERE entry = 5"
crime "$entries" "a run has a wrong count" "UPDATE metering.key_run SET keys = keys + 1 WHERE run = $old"
crime "$entries" "a run has a wrong sum" "UPDATE metering.key_run SET hash_sum = hash_sum + 1 WHERE run = $old"
crime "$entries" "a run is missing, and its pages are there" "DELETE FROM metering.key_run WHERE run = $old"
crime "$entries" "a run counts batches from another one" "UPDATE metering.key_run SET first_batch = first_batch + 1 WHERE run = $old"
check "put back, it is sound" tollbook reconcile --quiet

# --- a register that is larger than the memory for its filters ------------------------------------------
# Without any filter in memory: 24,000 keys in runs of 6,000, which are 100 pages, and one of 1,000 and one of 7, which have no filter.  An
# identity that is asked for by itself is a search in the index of the pages; a run that is read is two.
begin large
export TOLLBOOK_REGISTER_FILTER_MIB=0
searches_so_far() { sql "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'key_page_pkey'"; }
# searches SENTENCE LEAST MOST: in that index, since the last time.
searched=0
searches() {
	local before=$searched
	searched=$(searches_so_far)
	check "$1: $2 to $3 searches" between $((searched - before)) "$2" "$3"
}
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "$1"; return 1; }; }
calls 1 24000 >"$room/many.ndjson"
calls 24001 25000 >"$room/thousand.ndjson"
calls 25001 25007 >"$room/seven.ndjson"
equal "24,000 new keys are booked" "$(counts --batch-records 6000 "$room/many.ndjson")" '24000 24000 0 0 0 0'
searches "one filter of what the process booked itself answers for all runs" 0 100
filters_read() { sql "SELECT seq_scan + idx_scan FROM pg_stat_user_tables WHERE relname = 'key_filter'"; }
before=$(filters_read)
check "1,000 more come with another process" ingest "$room/thousand.ndjson"
equal "which reads the filters of four runs" "$(($(filters_read) - before))" 4
searches "and asks for next to nothing exactly" 0 20
check "7 more come" ingest "$room/seven.ndjson"
searches "for which no filter is read: each of them is asked for in five runs" 35 35
equal "they are in 6 runs" "$(sql 'SELECT string_agg(keys::text, $$ $$ ORDER BY first_entry) FROM metering.key_run')" '6000 6000 6000 6000 1000 7'
cat "$room/many.ndjson" "$room/thousand.ndjson" "$room/seven.ndjson" >"$room/all_of_them.ndjson"
equal "a new process takes all of them for duplicates" "$(counts --batch-records 6000 "$room/all_of_them.ndjson")" '25007 0 25007 0 0 0'
searches "it reads the pages" 6 200
calls 1 25007 2 1 30 >"$room/restamped.ndjson"
equal "12,504 with another time are duplicates" "$(counts --batch-records 20000 "$room/restamped.ndjson")" '12504 0 12504 0 0 0'
equal "and counted as such" "$(sql 'SELECT restamped FROM metering.ingest_batch ORDER BY batch_id DESC LIMIT 1')" 12504
searches "these read the pages too" 6 200
calls 1 25007 5000 >"$room/few.ndjson"
calls 30001 30003 >>"$room/few.ndjson"
equal "6 of all ages and 3 new ones: 3 are booked" "$(counts "$room/few.ndjson")" '9 3 6 0 0 0'
searches "each is asked for by itself" 20 70
calls 1 25007 8 2 >"$room/different.ndjson"
equal "3,126 that say something else are conflicts" "$(counts --batch-records 6000 "$room/different.ndjson")" '3126 0 0 0 3126 0'
searched=$(searches_so_far)
unset TOLLBOOK_REGISTER_FILTER_MIB
equal "with filters in memory it is the same" "$(counts --batch-records 6000 "$room/all_of_them.ndjson" "$room/few.ndjson" | tr '\n' ' ')" '25007 0 25007 0 0 0 9 0 9 0 0 0 '
searches "that reads pages too" 6 400

# What is merged leaves room for what comes: runs of 1,100 become one, with the three small ones that are before them.
calls 40001 57600 >"$room/more.ndjson"
check "17,600 more come in batches of 1,100" ingest --batch-records 1100 "$room/more.ndjson" "$room/few.ndjson"
equal "fifteen of them and the three are merged" "$(sql 'SELECT string_agg(keys::text, $$ $$ ORDER BY first_entry) FROM metering.key_run')" '6000 6000 6000 6000 17510 1100'
equal "and the pages that they left are cleaned away" "$(sql "SELECT vacuum_count FROM pg_stat_user_tables WHERE relname = 'key_page'")" 1
proved "a large register" 42610

# --- writers that die -------------------------------------------------------------------------------
# killed FAULT KEYS: a writer of so many keys that were not there, in batches of 7, is killed as kill_at.c says; then another one comes with the
# same file.  *new: the keys up to there are booked.
begin killed
new=0
killed() {
	local code=0 from=$((new + 1))
	new=$((new + $2))
	calls $from $new >"$room/next.ndjson"
	(exec env LD_PRELOAD="$shim" "$1" KILL_TO="$room/died" tollbook ingest --quiet --as-of "$as_of" --batch-records 7 "$room/next.ndjson") >"$room/said" 2>&1 &
	wait $! 2>/dev/null || code=$?
	[ $code = 137 ] || { printf '%s: exit code %s\n' "$1" "$code"; cat "$room/said"; return 1; }
	ingest --batch-records 7 "$room/next.ndjson"
}
calls 1 140 >"$room/next.ndjson"
new=140
env LD_PRELOAD="$shim" COUNT_TO="$room/calls" tollbook ingest --quiet --as-of "$as_of" --batch-records 7 "$room/next.ndjson" >"$room/said" 2>&1
check "a writer of 20 batches makes hundreds of calls" test "$(cut -d' ' -f1 "$room/calls")" -gt 200
dies() { if killed "$@" >"$room/dies" 2>&1; then deaths=$((deaths + 1)); else not_ok "a writer dies at $1, and another one goes on"; cat "$room/dies"; fi; }
deaths=0
for statement in register_lock register_append batch_add; do
	for how in before during after; do dies "KILL_STATEMENT=ledger/$statement:$how" 7; done
done
for how in before during after; do dies "KILL_STATEMENT=ledger/register_merge_done:$how" 140; done
dies KILL_STATEMENT=ledger/key_run_next:after 140
ok "writers died at $deaths statements of batches and merges, and another one went on each time"
hows=(before during after)
for ((i = 0; i < kills; i++)); do dies "KILL_AT=$((RANDOM % ($(cut -d' ' -f1 "$room/calls") - 20) + 20)):${hows[RANDOM % 3]}" 140; done
equal "and at $kills random calls" "$deaths" $((13 + kills))
equal "each of $new is in the ledger once" "$(booked)" "$(once $new)"
proved "killed writers" $new

# --- the database is put back to an older copy ------------------------------------------------------
# A process that has booked 141 to 210 waits for its second file.  Meanwhile its database is put back to where it had 1 to 140, under the same
# name and without its connection being lost; another process books 176 to 280.
begin restored
calls 1 140 >"$room/first.ndjson"
check "1 to 140 are booked" ingest --batch-records 7 "$room/first.ndjson"
check "a copy is made" pg_dump -Fc -f "$room/copy" -d "$TOLLBOOK_DB"
mkfifo "$room/one.fifo" "$room/two.fifo"
ingest --batch-records 7 "$room/one.fifo" "$room/two.fifo" >"$room/old_writer" 2>&1 &
old_writer=$!
calls 141 210 >"$room/one.fifo"
for ((try = 0; try < 100; try++)); do [ "$(sql 'SELECT count(*) FROM metering.source_position WHERE finished_at IS NOT NULL')" = 2 ] && break; sleep 0.05; done
equal "141 to 210 are booked by the old writer" "$(booked)" "$(once 210)"
check "the copy takes the place of what is there" pg_restore --clean --if-exists -1 -d "$TOLLBOOK_DB" "$room/copy"
equal "so that they are gone" "$(booked)" "$(once 140)"
calls 176 280 >"$room/other.ndjson"
check "another one books 176 to 280" ingest --batch-records 7 "$room/other.ndjson"
calls 141 300 >"$room/two.fifo"
code=0
wait $old_writer || code=$?
equal "the old writer, which now gets 141 to 300, ends as somebody who must try again" "$code" 8
check "and says why" grep -q 'restored' "$room/old_writer"
calls 141 300 >"$room/last.ndjson"
equal "a new one books what is not there" "$(counts --batch-records 7 "$room/last.ndjson")" '160 55 105 0 0 0'
equal "each is in the ledger once" "$(booked)" "$(once 300)"
proved "restored" 300
report
