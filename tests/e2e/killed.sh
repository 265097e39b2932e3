#!/usr/bin/env bash
# Killed with kill -9 at moments spread over the whole run, and run again, ingest and rate leave the books that an undisturbed
# run leaves: each event once, each charge once.  The same when the server is what is killed.
#   KILLS    how many moments; 6 where it is not set
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
kills=${KILLS:-6}
as_of=2026-11-05T02:00:00Z

awk -v OUT="$room" -f examples/generate.awk
head -n 6000 "$room/usage-1.ndjson" >"$room/usage.ndjson"

ingest=(tollbook ingest --quiet --batch-records 500 --as-of $as_of "$room/usage.ndjson")
rate=(tollbook rate --quiet --period 2026-10 --as-of $as_of)
# The server needs a moment to notice that a client is gone; until then a second run is told that the first is at work (8).
fine() {
	local try code
	for ((try = 0; try < 100; try++)); do
		code=0
		"$@" >"$room/said" 2>&1 || code=$?
		[ $code = 8 ] || break
		sleep 0.1
	done
	[ $code = 0 ] || [ $code = 7 ] || { cat "$room/said"; return 1; }
}

# What must be equal: everything but the numbers of batches and runs.
ledger() {
	sql "SELECT count(*), md5(string_agg(concat_ws(',', e.event_id, e.kind, e.event_time, s.digest, e.requests, e.input_text_uncached_tokens,
		e.input_text_cache_read_tokens, e.input_text_cache_write_5m_tokens, e.output_text_tokens, e.output_reasoning_tokens),
		';' ORDER BY e.event_id, e.kind)) FROM metering.usage_event e JOIN metering.usage_series s USING (series_id)"
	sql "SELECT count(*), md5(string_agg(concat_ws(',', event_id, content, event_time), ';' ORDER BY event_id)) FROM metering.usage_key"
	sql "SELECT count(*), md5(string_agg(concat_ws(',', record, code, raw_digest), ';' ORDER BY record)) FROM metering.quarantine"
}
charges() {
	sql "SELECT count(*), sum(amount), md5(string_agg(concat_ws(',', r.tenant, r.period, c.model, c.service_tier, c.meter_id, c.tier, c.price,
		c.quantity, c.amount), ';' ORDER BY r.tenant, r.period, c.model, c.service_tier, c.meter_id, c.tier))
		FROM finance.charge c JOIN finance.current_rating r USING (rating_id)"
}

# killed_after MILLISECONDS COMMAND...
killed_after() {
	local process seconds
	seconds=$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))
	shift
	"$@" >/dev/null 2>&1 &
	process=$!
	sleep "$seconds"
	kill -9 "$process" 2>/dev/null
	wait "$process" 2>/dev/null
}
milliseconds() {
	local from
	from=$(date +%s%N)
	fine "$@" || return 1
	took=$((($(date +%s%N) - from) / 1000000))
}
server_killed() { kill -9 "$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")"; }

new_database template
check "the books are set up" tollbook init
for book in examples/prices/public-*.json; do check "published: $book" tollbook prices publish --quiet "$book"; done
check "the tenants are known" tollbook tenant apply --quiet examples/tenants.json
copy_database() {
	psql -X -q -v ON_ERROR_STOP=1 -d "$server" -c "CREATE DATABASE \"$1\" TEMPLATE template" && export TOLLBOOK_DB="${server/dbname=tollbook/dbname=$1}"
}

copy_database undisturbed
check "an undisturbed ingest" fine "${ingest[@]}"
wanted_ledger=$(ledger)
copy_database timing
milliseconds "${ingest[@]}"
ingest_took=$took
export TOLLBOOK_DB="${server/dbname=tollbook/dbname=undisturbed}"
milliseconds "${rate[@]}"
rate_took=$took wanted_charges=$(charges)
[ "$(sql 'SELECT count(*) FROM metering.usage_event')" -gt 5900 ] || not_ok "the undisturbed ledger is empty"
[ "$(sql 'SELECT count(*) FROM finance.charge')" -gt 10 ] || not_ok "the undisturbed books have no charges"

for ((i = 1; i <= kills; i++)); do
	copy_database "killed_$i"
	moment=$((ingest_took * i / (kills + 1)))
	killed_after $moment "${ingest[@]}"
	booked=$(sql 'SELECT count(*) FROM metering.usage_event')
	fine "${ingest[@]}"
	equal "ingest killed after $moment ms, with $booked rows booked: run again it leaves the same ledger" "$(ledger)" "$wanted_ledger"
	moment=$((rate_took * i / (kills + 1)))
	killed_after $moment "${rate[@]}"
	fine "${rate[@]}"
	equal "rate killed after $moment ms: run again it leaves the same charges" "$(charges)" "$wanted_charges"
	check "and the books reconcile" tollbook reconcile
	psql -X -q -d "$server" -c "DROP DATABASE \"killed_$i\" WITH (FORCE)"
done

# In the middle: when some batches are booked and many are still to come.
for part in 3 9; do
	copy_database "server_killed_$part"
	tollbook ingest --quiet --batch-records 50 --as-of $as_of "$room/usage.ndjson" >"$room/said" 2>&1 &
	process=$!
	until [ "$(sql 'SELECT count(*) FROM metering.ingest_batch')" -ge $part ]; do sleep 0.01; done
	server_killed
	code=0
	wait "$process" || code=$?
	equal "ingest ends with 5 when the server is killed after $part batches" "$code" 5
	check "and says that it went away" grep -qE 'server closed the connection|terminating connection' "$room/said"
	check "the server comes back" tollbook local start
	check "and ingest runs to its end" fine "${ingest[@]}"
	equal "with the ledger of an undisturbed run" "$(ledger)" "$wanted_ledger"
done
report
