#!/usr/bin/env bash
# Lines of several events, and a process that dies between them: run again, `tollbook ingest --format` and the nightly job leave the books
# of an undisturbed run, each event once.  The same with two processes at one file, a file that grows or is cut, and a description that
# changes or goes away meanwhile.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/toy_format.sh
shim=$top/build/tests/support/kill_at.so
make -s build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
october=2026-10-20T10:00:00Z

new_database template
check "the books are set up" tollbook init --quiet
toy_format >"$room/toy.json"
toy() { ingest --format "$room/toy.json" "$@"; }

# 60 lines: of three lines two have five events in a list, one of which is wrong in each tenth line, and one is an answer of two passes.
# That is 40 * 5 + 20 * 2 events, of which 4 are wrong.
{
	for ((i = 0; i < 60; i++)); do
		if ((i % 3 == 2)); then
			passes "p$i" ann $october $i 7
			continue
		fi
		printf '{"events":['
		for ((j = 0; j < 5; j++)); do
			((j == 0)) || printf ,
			answer "e$i-$j" bob $october 10 $((i % 10 == 0 && j == 3 ? 11 : 4)) $j | tr -d '\n'
		done
		printf ']}\n'
	done
} >"$room/usage.ndjson"
books() { ledger && sql "SELECT count(*), md5(string_agg(concat_ws(',', record, code, raw_digest), ';' ORDER BY record, raw_digest)) FROM metering.quarantine"; }
# try COMMAND...: until the server has noticed that the client before it is gone (8).
try() {
	local code i
	for ((i = 0; i < 100; i++)); do
		code=0
		"$@" >"$room/said" 2>&1 || code=$?
		[ $code = 8 ] || break
		sleep 0.05
	done
	[ $code = 0 ] || [ $code = 7 ] || { printf 'exit code %s\n' "$code"; cat "$room/said"; return 1; }
}
# killed FAULT COMMAND...: dies as kill_at.c says; fails where it came to its end before that.
killed() {
	local code=0
	(exec env LD_PRELOAD="$shim" "$1" "${@:2}") >"$room/said" 2>&1 &
	wait $! 2>/dev/null || code=$?
	[ $code = 137 ] || { printf 'exit code %s\n' "$code"; cat "$room/said"; return 1; }
}

copy_database template undisturbed
equal "240 events are read, and all but 4 booked" "$(counts --format "$room/toy.json" --batch-records 20 "$room/usage.ndjson")" '240 236 0 0 4 0'
wanted=$(books)

# --- killed while a file is read ---------------------------------------------------------------
reading=(tollbook ingest --quiet --as-of "$as_of" --format "$room/toy.json" --batch-records 20 "$room/usage.ndjson")
copy_database template counting
env LD_PRELOAD="$shim" COUNT_TO="$room/calls" "${reading[@]}" >"$room/said" 2>&1
calls=$(cut -d' ' -f1 "$room/calls")
[ "$calls" -gt 60 ] || not_ok "an undisturbed run makes more than 60 calls: $calls"
hows=(before during after)
for i in 1 2 3; do
	copy_database template "killed_$i"
	moment=$((calls * i / 4)):${hows[i % 3]}
	check "it is killed at call $moment of $calls" killed "KILL_AT=$moment" "${reading[@]}"
	check "and runs to its end when it is run again" try "${reading[@]}"
	equal "with the books of an undisturbed run" "$(books)" "$wanted"
done
check "the books reconcile" tollbook reconcile --quiet

# --- two at a time -----------------------------------------------------------------------------
copy_database template together
"${reading[@]}" >/dev/null 2>&1 & first=$!
"${reading[@]}" >/dev/null 2>&1 & second=$!
wait $first; codes=$?
wait $second; codes="$codes $?"
equal "two processes that read the file at the same time both come to their end" "$codes" '7 7'
equal "with the books of one" "$(books)" "$wanted"
check "which reconcile" tollbook reconcile --quiet

# --- a file that grows, one that was cut -------------------------------------------------------
copy_database template pieces
size=$(stat -c %s "$room/usage.ndjson")
for part in 1 2 3; do
	head -c $((size * part / 3)) "$room/usage.ndjson" >"$room/growing.ndjson"
	check "part $part of a file that grows is read, to the last whole line" try toy --growing "$room/growing.ndjson"
done
equal "in the end all is booked, each event once" "$(ledger)" "$(head -n 1 <<<"$wanted")"
copy_database template cut
gzip -c "$room/usage.ndjson" | head -c $(($(gzip -c "$room/usage.ndjson" | wc -c) / 2)) >"$room/cut.ndjson.gz"
refused "a packed file that was cut is told" 3 'cut.ndjson.gz' toy "$room/cut.ndjson.gz"
check "some of it is booked" test "$(sql 'SELECT count(*) FROM metering.usage_event')" -gt 50
check "the whole file has the rest" try toy "$room/usage.ndjson"
equal "all is booked, each event once" "$(books)" "$wanted"
answer whole ann $october 9 0 5 | sed 's/^/data: /; s/$/\n\ndata: [DONE]\n/' | gzip -c | head -c 60 >"$room/cut.sse.gz"
refused "a packed stream that was cut is told, too" 3 'cut.sse.gz' toy "$room/cut.sse.gz"
equal "and nothing of it is taken for a stream that ended early" "$(books)" "$wanted"

# --- nights ------------------------------------------------------------------------------------
mkdir "$room/drop"
cp "$room/usage.ndjson" "$room/drop/"
night=(tollbook nightly --quiet --config "$room/tollbook.conf" --as-of 2026-11-02T02:00:30Z --date 2026-11-02)
printf '%s\n' '[night]' 'patience_seconds = 0' '[source drop]' 'kind = files' "folder = $room/drop" 'batch_records = 20' "format = $room/night.json" >"$room/tollbook.conf"
cp "$room/toy.json" "$room/night.json"
copy_database template counted_night
env LD_PRELOAD="$shim" COUNT_TO="$room/calls" "${night[@]}" >"$room/said" 2>&1
calls=$(cut -d' ' -f1 "$room/calls")
equal "a night books the same" "$(books)" "$wanted"
for i in 1 2; do
	copy_database template "night_$i"
	moment=$((calls * i / 4)):${hows[i % 3]}
	check "a night is killed at call $moment of $calls" killed "KILL_AT=$moment" "${night[@]}"
	check "begun again it comes to its end" try "${night[@]}"
	equal "with the same books" "$(books)" "$wanted"
done
check "which reconcile" tollbook reconcile --quiet

# --- a description that changes ----------------------------------------------------------------
half() { sql "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stopped''; END';
	CREATE TRIGGER stop BEFORE INSERT ON metering.ingest_batch FOR EACH ROW WHEN (NEW.first_record > 100) EXECUTE FUNCTION stop()"; }
whole() { sql 'DROP FUNCTION stop CASCADE' 2>/dev/null; }
copy_database template changing
half
refused "a night is stopped in the middle of a file" 4 'stopped' "${night[@]}"
whole
rm "$room/night.json"
refused "the description is gone: the night says which" 3 'night.json' "${night[@]}"
sed 's|"events/\[\]"|"batch/[]"|g' "$room/toy.json" >"$room/night.json"
finds "${night[@]}"
equal "by another description the file has other records: nothing more of it is booked, and nothing twice" \
	"$(sql 'SELECT count(*) > 70, count(*) < 130, count(*) = count(DISTINCT id) FROM metering.usage_event')" 't|t|t'
equal "the night says that the file or its format is another" \
	"$(sql "SELECT result::jsonb->>'error' LIKE '%usage format that it is read by%' FROM finance.night_unit WHERE unit LIKE 'drop %usage.ndjson%'")" t
mv "$room/toy.json" "$room/night.json"
cp "$room/usage.ndjson" "$room/drop/again.ndjson"
check "with the old description, and the file under another name, the next night has the rest" try "${night[@]//2026-11-02/2026-11-03}"
equal "all is booked, each event once" "$(books | head -n 1)" "$(head -n 1 <<<"$wanted")"
check "and the books reconcile" tollbook reconcile --quiet
report
