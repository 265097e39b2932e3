#!/usr/bin/env bash
# The ledger's rows on several machines, with the extension citus: the same files give the same ledger, charges and invoices, and a commit
# that has reached some of the machines only is not rated.  Without the extension `init --citus` says so, and what concerns half-done commits
# is told by a ledger that says it is distributed.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z november=2026-11-02T10:00:00Z

# A dollar for each thousand tokens of input, two for output.
cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "small",
 "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}}}]}
END
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "ann", "name": "Ann", "currency": "USD", "zone": "UTC", "book": "list", "issuer": "TF", "effective": "2026-01-01"},
 {"tenant": "bob", "name": "Bob", "currency": "USD", "zone": "UTC", "book": "list", "issuer": "TF", "effective": "2026-01-01"}]}
END
partial() { envelope "$1" "$2" "$3" "\"status\":\"aborted\",\"measurement\":{\"method\":\"gateway\",\"complete\":false,\"unknown\":[]},$(quantities small "$4" "$5")"; }

# 40 calls of two tenants; one of them again, one with other content, one that comes in part and then whole; a line that is cut off.
for n in $(seq 20); do
	event "ann-$n" ann $october small 100 "$n"
	event "bob-$n" bob $october small 200 "$n"
done >"$room/first.ndjson"
{
	event ann-1 ann $october small 100 1; event ann-2 ann $october small 100 99
	partial part ann $october 10 5
	echo '{"specversion":"1.0","ty'
} >>"$room/first.ndjson"
# One is corrected, one taken back, the whole one has come; and a month that no partition is there for.
{
	correction ann-3b ann-3 ann $october small 100 33; void bob-4b bob-4 bob $october
	event part ann $october small 10 50
	event late ann $november small 1000 1000
} >"$room/second.ndjson"

first() {
	tollbook prices publish --quiet "$room/book.json" && tollbook tenant apply --quiet "$room/tenants.json" &&
		finds ingest --batch-records 11 "$room/first.ndjson" && finds rate
}
second() {
	finds ingest "$room/second.ndjson" && tollbook usage correct bob /gateway bob-1 --request by-hand --set output_text_tokens=11 --reason metering_error --as-of $as_of &&
		finds rate && finds tollbook invoice draft --as-of $as_of --period 2026-10 && finds tollbook invoice finalize --as-of $as_of --period 2026-10
}
# The books as facts: ledger, register, charges, invoices.
facts() {
	ledger
	sql "SELECT count(*), md5(string_agg(row(event_id, content, event_time)::text, ';' ORDER BY event_id)) FROM metering.usage_key"
	charges
	sql "SELECT number, tenant, total_minor FROM finance.invoice ORDER BY number"
}

# --- on one machine ----------------------------------------------------------------------------

available=$(psql -X -A -t -d "$server" -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'")
new_database one
if [ "$available" = 0 ]; then
	refused "without the extension, init --citus ends with 4 and says so" 4 'does not have the extension citus' tollbook init --citus
else
	refused "where the server has not loaded it, init --citus ends with 4 and says what to do" 4 'shared_preload_libraries' tollbook init --citus
fi
equal "and nothing is changed" "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname IN ('metering', 'finance', 'tollbook')")" 0
refused "shards are for --citus" 2 '--shards goes with --citus' tollbook init --shards 4
check "init makes books on one machine" tollbook init
check "a first file is booked and rated" first
equal "of 44 records 41 are accepted, 1 is there again, 1 in conflict, 1 cut off" \
	"$(sql 'SELECT sum(records), sum(accepted), sum(duplicates), sum(quarantined), sum(rejected) FROM metering.ingest_batch')" '44|41|1|1|1'
check "a second one, a correction by hand, invoices" second
check "they reconcile" tollbook reconcile --quiet
wanted=$(facts)
equal "ann owes 2.01 for 2,010 in and 0.58 for 290 out, bob 3.80 and 0.43" "$(tail -n 2 <<<"$wanted" | tr '\n' ' ')" 'TF-INV-2026-000001|ann|259 TF-INV-2026-000002|bob|423 '

# --- a commit that has reached some machines ----------------------------------------------------

# half_done TABLE: the rows of the newest batch are not there, as after a commit that has not reached the machine that has them; they wait in TABLE.
half_done() {
	local missing="batch_id = (SELECT max(batch_id) FROM metering.ingest_batch) AND id <> 'more-1'" part=metering.usage_event_2026_10
	local -x PGOPTIONS='-c citus.enable_unsafe_triggers=on'
	sql "CREATE TABLE $1 AS SELECT * FROM metering.usage_event WHERE $missing" && sql "ALTER TABLE $part DISABLE TRIGGER append_only" &&
		sql "DELETE FROM metering.usage_event WHERE $missing" && sql "ALTER TABLE $part ENABLE ALWAYS TRIGGER append_only"
}
whole_again() { sql "INSERT INTO metering.usage_event SELECT * FROM $1"; }
unsummed() { sql 'SELECT count(*) FROM metering.ingest_batch b WHERE ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)'; }

copy_database one half
check "the ledger says that it is distributed" \
	sql "CREATE OR REPLACE FUNCTION metering.ledger_is_distributed() RETURNS boolean STABLE LANGUAGE sql AS 'SELECT true'"
for n in 1 2 3; do event "more-$n" ann $october small 1000 0; done >"$room/more.ndjson"
check "three events more are booked" ingest "$room/more.ndjson"
check "of which one is to be seen" half_done waiting
check "rating goes on" finds rate
equal "and leaves the batch for later" "$(unsummed)" 1
equal "nothing of it is in the sums" "$(sql "SELECT sum(quantity) FROM metering.interval_quantity WHERE meter_id = 2")" \
	"$(sql "SELECT sum(quantity) FROM metering.event_quantity WHERE meter_id = 2 AND batch_id IN (SELECT batch_id FROM metering.summed_batch)")"
refused "reconcile names it" 7 'keys_in_register' tollbook reconcile
# A correction of what is on its way waits for it, and does not take it for unknown.
correction more-3b more-3 ann $october small 3000 0 >"$room/correction.ndjson"
ingest "$room/correction.ndjson" >"$room/said" 2>&1 &
process=$!
sleep 1
check "a correction of one that is not to be seen waits" kill -0 $process
check "the rows arrive" whole_again waiting
code=0; wait $process || code=$?
equal "and then it is booked" "$code $(sql "SELECT count(*) FROM metering.usage_event WHERE id = 'more-3b' AND kind = 2")" '0 1'
check "rating takes both" finds rate
equal "and leaves nothing" "$(unsummed)" 0
check "the books reconcile" tollbook reconcile --quiet

# --- with the extension -------------------------------------------------------------------------

if [ "$available" = 0 ]; then
	skip "the extension citus is not there: neither one machine nor several are tried with it"
	report
	exit
fi

# machine NAME: a private server of its own, with the extension loaded; $machine_NAME is where its socket is.
machine() {
	local home=$room/$1
	TOLLBOOK_HOME=$home tollbook local start >"$room/said" || return 1
	cat >>"$home/data/postgresql.conf" <<-END
		shared_preload_libraries = 'citus'
		citus.local_hostname = '$home/run'
		citus.node_conninfo = 'sslmode=prefer'
		citus.enable_statistics_collection = off
		shared_buffers = 32MB
		fsync = off
	END
	TOLLBOOK_HOME=$home tollbook local stop --quiet && TOLLBOOK_HOME=$home tollbook local start >"$room/$1.server"
}
machines_end() { for name in lead left right; do [ ! -d "$room/$name" ] || TOLLBOOK_HOME=$room/$name tollbook local stop --quiet; done; }
at_end+=(machines_end)

if ! machine lead; then
	skip "the extension citus is there, but the server does not start with it: $(tail -n 1 "$room/lead/server.log")"
	report
	exit
fi
server=$(cat "$room/lead.server")

new_database alone
check "init --citus on a coordinator that is its only machine" tollbook init --citus --shards 4
equal "the ledger is in 4 shards on 1 machine, everything else is not" "$(sql "SELECT string_agg(t.logicalrelid::text || ' ' || p.partkey, ', '),
	(SELECT count(DISTINCT shardid) FROM pg_dist_shard WHERE logicalrelid = 'metering.usage_event'::regclass)
	FROM pg_dist_partition t CROSS JOIN LATERAL (SELECT column_to_column_name(t.logicalrelid, t.partkey) AS partkey) p WHERE t.logicalrelid IN (SELECT oid FROM pg_class WHERE NOT relispartition)")" \
	'metering.usage_event event_id|4'
check "a first file is booked and rated there" first
check "a second one, a correction by hand, invoices" second
equal "ledger, register, charges and invoices are those of one machine" "$(facts)" "$wanted"
check "they reconcile" tollbook reconcile --quiet
check "init again changes nothing" tollbook init --citus

# Two machines more, which hold all of the ledger, and books that were begun on one.
check "two machines more" eval 'machine left && machine right'
new_database several
check "books are begun on one machine" tollbook init
check "with a first file" first
for name in left right; do
	on=$(cat "$room/$name.server")
	psql -X -q -d "$on" -c 'CREATE DATABASE several' && psql -X -q -d "${on/dbname=tollbook/dbname=several}" -c 'CREATE EXTENSION citus'
done
sql "CREATE EXTENSION citus"
sql "SELECT citus_set_coordinator_host('$room/lead/run', 5432); SELECT citus_add_node('$room/left/run', 5432); SELECT citus_add_node('$room/right/run', 5432)" >"$room/said"
equal "they are spread over both" "$(tollbook init --citus --shards 4 | tail -n 1)" 'the ledger is distributed now: 41 rows in 4 shards on 2 machines'
equal "nothing is left behind" "$(sql "SELECT sum(pg_relation_size(c.oid)) FROM pg_class c WHERE c.relname LIKE 'usage\_event\_20__\___' AND relkind = 'r'")" 0
check "a second file, a month that is new, a correction by hand, invoices" second
equal "ledger, register, charges and invoices are those of one machine" "$(facts)" "$wanted"
check "they reconcile" tollbook reconcile --quiet
check "an event is explained" tollbook explain --event ann /gateway ann-3
check "the requests of a tenant are listed" tollbook report requests --tenant ann --period 2026-10

# refused_here SENTENCE STATEMENT
refused_here() { refused "$1" 1 'is append-only' psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "$2"; }
refused_here "a row of the ledger is not changed" "UPDATE metering.usage_event SET requests = 2 WHERE id = 'ann-1'"
refused_here "nor deleted, in a month that is new" "DELETE FROM metering.usage_event WHERE id = 'late'"
refused_here "nor are all of them" "TRUNCATE metering.usage_event"
equal "nor on the machines that have them: 4 shards of 4 refuse" \
	"$(sql "SELECT count(*) FROM run_command_on_shards('metering.usage_event_2026_10', 'DELETE FROM %s') WHERE NOT success AND result LIKE '%is append-only%'")" 4
refused "an archive is refused" 4 'where the ledger is distributed' tollbook archive write 2026-10 --folder "$room"

check "three events more are booked" ingest "$room/more.ndjson"
check "of which one is to be seen" half_done waiting
check "rating goes on" finds rate
equal "and leaves the batch for later" "$(unsummed)" 1
check "the rows arrive" whole_again waiting
check "rating takes them" finds rate
equal "and leaves nothing" "$(unsummed)" 0
check "the books reconcile" tollbook reconcile --quiet
report
