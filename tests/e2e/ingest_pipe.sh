#!/usr/bin/env bash
# Usage that comes through a pipe: a reading that cannot be booked ends, also while whoever writes says nothing; what was booked before a
# file fails is booked for good.
. "$(dirname "$0")/../support/report.sh"
. "$(dirname "$0")/../support/server.sh"

new_database pipe
tollbook init --quiet >/dev/null
events() {
	for ((i = $1; i <= $2; i++)); do
		printf '{"idempotency_key":"k%d","source":"/%s","time":"2026-10-01T12:00:00Z","tenant":"acme","model":"m","input_tokens":100,"output_tokens":10}\n' "$i" "$3"
	done
}
rows() { sql 'SELECT count(*) FROM metering.usage_event'; }
server_crashes() {
	local postmaster
	postmaster=$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")
	kill -9 "$postmaster"
	while kill -0 "$postmaster" 2>/dev/null; do sleep 0.05; done
	tollbook local start >/dev/null
}
batches() { sql 'SELECT count(*) FROM metering.ingest_batch'; }

# Given 15 events in a pipe whose other end stays open and silent, and a database that takes no source of the name /refused
sql "ALTER TABLE metering.event_source ADD CHECK (name <> '/refused')"
mkfifo "$room/pipe"
{ events 1 15 refused; exec sleep 60; } >"$room/pipe" &
writer=$!
# When they are ingested in batches of 10, so that the second waits for more, and the first cannot be booked
timeout 20 tollbook ingest - --batch-records 10 --as-of 2026-11-02 --quiet <"$room/pipe" >"$room/out" 2>&1
code=$?
kill "$writer" 2>/dev/null
wait "$writer" 2>/dev/null
# Then it ends by itself, says why, and nothing is booked.
equal 'a reading of a silent pipe ends with an error when its first batch cannot be booked' "$code" 4
check 'it says what refused the batch' grep -q 'event_source' "$room/out"
equal 'nothing of it is booked' "$(rows)" 0

# Given 25 events and then a source that is refused; when they are ingested 10 at a time
{ events 1 25 fine; events 26 30 refused; } >"$room/half.ndjson"
tollbook ingest "$room/half.ndjson" --batch-records 10 --as-of 2026-11-02 --format csv >"$room/out" 2>"$room/err"
# Then the two whole batches before the fault are booked, told, and on disk: the server crashes and still has them.
check 'a file that fails in its third batch is an error' [ -s "$room/err" ]
equal 'the two batches of 10 before it are told' "$(tail -n 1 "$room/out" | tr -d '\r' | cut -d , -f 2,3)" '20,20'
server_crashes
equal 'and stay when the server crashes at once' "$(rows) $(batches)" '20 2'

# Given a database that refuses nothing, when the file is ingested again
sql 'ALTER TABLE metering.event_source DROP CONSTRAINT event_source_name_check'
tollbook ingest "$room/half.ndjson" --batch-records 10 --as-of 2026-11-02 --format csv >"$room/out"
# Then what was booked is recognised, and the other 10 are booked.
equal 'read again, 20 of 30 are known and 10 are new' "$(tail -n 1 "$room/out" | tr -d '\r' | cut -d , -f 2-4)" '30,10,20'
equal 'the ledger has each of the 30 once' "$(sql 'SELECT count(*), count(DISTINCT id) FROM metering.usage_event')" '30|30'
check 'the books reconcile' tollbook reconcile --quiet
# A bounded crash: what a later batch waited for covers the earlier ones, so of six batches that went in all are there.
events 101 160 fine >"$room/six.ndjson"
tollbook ingest "$room/six.ndjson" --batch-records 10 --as-of 2026-11-02 --quiet >/dev/null
server_crashes
equal 'an ingest that has ended is on disk: the server crashes at once and has its 60 rows' "$(rows)" 90
report
