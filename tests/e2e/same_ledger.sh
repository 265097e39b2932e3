#!/usr/bin/env bash
# However a file arrives, the ledger is the same: twice, cut short, joined, by two processes at once, compressed, in other
# batches, in another order.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# 1,200 records: 1,000 calls; each tenth again (100), each hundredth again with another time (10) and with other content (10);
# one in fifty corrected (20); 20 blank lines, 20 that are cut off, and 20 events of another type.
everything() {
	awk 'function call(n, output, minute) {
		printf "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gateway\",\"id\":\"call-%d\",\"subject\":\"tenant-%d\"," \
			"\"time\":\"2026-10-%02dT%02d:%02d:00Z\",\"data\":{%s\"operation\":\"chat\",\"provider\":\"p\",\"model\":\"model-%d\"," \
			"\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":%d,\"output_text_tokens\":%d,\"images\":%d}}}\n", \
			n, n % 7, 1 + n % 31, n % 24, minute, kind, n % 5, 10 + n, output, n % 3
	}
	BEGIN {
		for (n = 1; n <= 1000; n++) {
			kind = ""; call(n, n, n % 60)
			if (n % 10 == 0) call(n, n, n % 60)
			if (n % 100 == 0) { call(n, n, (n + 1) % 60); call(n, n + 1, n % 60) }
			if (n % 50 == 0) {
				kind = "\"kind\":\"correction\",\"ref\":{\"source\":\"/gateway\",\"id\":\"call-" (n - 3) "\"},"; call(n + 5002, 1, 0)
				print ""; print "{\"specversion\":\"1.0\",\"type\":\"tollbook.u"
				print "{\"specversion\":\"1.0\",\"type\":\"other\",\"source\":\"/gateway\",\"id\":\"other-" n "\"}"
			}
		}
	}'
}
everything >"$room/usage.ndjson"
file=$room/usage.ndjson

new_database template
check "the books are set up" tollbook init

# begin NAME; proved SENTENCE
begin() { copy_database template "$1"; }
proved() {
	equal "$1" "$(ledger)" "$wanted"
	equal "$1: the register and the quarantine too" "$(others)" "$wanted_others"
	check "$1: the books reconcile" tollbook reconcile --quiet
}
others() {
	sql "SELECT count(*), md5(string_agg(row(event_id, content, event_time)::text, ';' ORDER BY event_id)) FROM metering.usage_key"
	sql "SELECT count(DISTINCT raw_digest), md5(string_agg(DISTINCT row(code, raw_digest)::text, ';')) FROM metering.quarantine WHERE code <> 'E_TRUNCATED'"
}

begin once
equal "each record has one fate" "$(counts --batch-records 100 "$file")" "1200 1020 110 40 10 20"
wanted=$(ledger) wanted_others=$(others)
equal "1,000 calls, 20 corrections, 20 reversals" "${wanted%%|*}" 1040
equal "a second run: what was accepted is a duplicate now" "$(counts --batch-records 100 "$file")" "1200 0 1130 40 10 20"
equal "and is in quarantine once" "$(sql 'SELECT count(*) FROM metering.quarantine')" 30
proved "twice"

# Cut within record 600, and at its end.
head -n 599 "$file" >"$room/inside.ndjson"
sed -n '600{s/.\{60\}$//;p}' "$file" | tr -d '\n' >>"$room/inside.ndjson"
head -n 600 "$file" >"$room/border.ndjson"
for cut in inside border; do
	begin "cut_$cut"
	check "a copy cut $cut a record is read" finds ingest --batch-records 64 "$room/$cut.ndjson"
	check "then the whole file" finds ingest --batch-records 100 "$file"
	proved "a copy cut short ($cut a record), then the whole"
done

begin joined
head -n 777 "$file" >"$room/first.ndjson"
tail -n +778 "$file" >"$room/second.ndjson"
check "the two parts are read" finds ingest "$room/first.ndjson" "$room/second.ndjson"
proved "in two parts"
cat "$room/first.ndjson" "$room/second.ndjson" "$file" >"$room/joined.ndjson"
check "all of it joined to one file" finds ingest "$room/joined.ndjson"
proved "in two parts, then joined, and twice at that"

for records in 1 7 1000000; do
	begin "batches_$records"
	check "read $records records at a time" finds ingest --batch-records "$records" "$file"
	proved "$records records a transaction"
done

begin gzip
gzip -k "$file"
check "a .gz is read" finds ingest "$file.gz"
proved "as .gz"
begin zstd
zstd -q -k "$file"
check "a .zst is read" finds ingest "$file.zst"
proved "as .zst"
begin standard_input
from_standard_input() { ingest - <"$file"; }
check "standard input is read" finds from_standard_input
proved "from standard input"

# Two, and then four, processes at once.
at_once() {
	local process processes=() code bad=0
	for process in $(seq "$1"); do
		ingest --batch-records "$((20 + process))" "$file" >"$room/said_$process" 2>&1 &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		code=0
		wait "$process" || code=$?
		[ "$code" = 7 ] || bad=1
	done
	[ "$bad" = 0 ] || { cat "$room"/said_*; return 1; }
}
for try in 1 2 3; do
	begin "two_$try"
	check "two processes at once, try $try, both end well" at_once 2
	proved "by two processes at once, try $try"
	equal "all they read is accounted for" "$(sql 'SELECT sum(records), sum(accepted) FROM metering.ingest_batch')" "2400|1020"
done
begin four
check "four processes at once end well" at_once 4
proved "by four processes at once"

# In another order, without what depends on the order: corrections, and what conflicts.
grep -v -e correction -e 'call-[0-9]*00"' "$file" >"$room/plain.ndjson"
begin plain
check "calls and duplicates are read" finds ingest "$room/plain.ndjson"
wanted=$(ledger) wanted_others=$(others)
for seed in 1 2; do
	begin "shuffled_$seed"
	awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$room/plain.ndjson" | sort -n | cut -f2- >"$room/shuffled.ndjson"
	check "they are read shuffled, seed $seed" finds ingest --batch-records 50 "$room/shuffled.ndjson"
	proved "shuffled, seed $seed"
done
report
