# Sourced after report.sh and server.sh by tests about the books: records in sight, and what is compared.
export as_of=2026-11-05T00:00:00Z

# Records.  usage is the short form, the others are CloudEvents, which corrections and voids must be.
#   usage ID TENANT TIME MODEL INPUT CACHED OUTPUT
#   event ID TENANT TIME MODEL INPUT OUTPUT
#   correction ID ORIGINAL TENANT TIME MODEL INPUT OUTPUT
#   void ID ORIGINAL TENANT TIME
usage() {
	printf '{"idempotency_key":"%s","tenant":"%s","time":"%s","model":"%s","input_tokens":%s,"cached_input_tokens":%s,"output_tokens":%s}\n' "$@"
}
envelope() {
	printf '{"specversion":"1.0","type":"tollbook.usage.v1","source":"/gateway","id":"%s","subject":"%s","time":"%s","data":{%s}}\n' "$@"
}
quantities() { printf '"operation":"chat","provider":"p","model":"%s","quantities":{"requests":1,"input_text_uncached_tokens":%s,"output_text_tokens":%s}' "$@"; }
original() { printf '"kind":"%s","ref":{"source":"/gateway","id":"%s"},' "$@"; }
event() { envelope "$1" "$2" "$3" "$(quantities "$4" "$5" "$6")"; }
correction() { envelope "$1" "$3" "$4" "$(original correction "$2")$(quantities "$5" "$6" "$7")"; }
void() { envelope "$1" "$3" "$4" "$(original void "$2")\"quantities\":{}"; }

# exits CODE COMMAND...: its output is shown where the code is another.
exits() {
	local wanted=$1 output code=0
	shift
	output=$("$@" 2>&1) || code=$?
	[ "$code" = "$wanted" ] || { printf 'exit code %s, wanted %s\n%s\n' "$code" "$wanted" "$output"; return 1; }
}
# finds COMMAND...: done (0), or done and something waits for a person (7).
finds() {
	local output code=0
	output=$("$@" 2>&1) || code=$?
	[ "$code" = 0 ] || [ "$code" = 7 ] || { printf 'exit code %s\n%s\n' "$code" "$output"; return 1; }
}

ingest() { tollbook ingest --quiet --as-of "$as_of" "$@"; }
rate() { tollbook rate --quiet --as-of "$as_of" "$@"; }
# What became of the records: records accepted duplicates ignored quarantined rejected, a line for each file.
counts() { ingest --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f2- | tr ',' ' '; }

# The ledger as facts: without the numbers of batches and series, in no order of arrival.
ledger() {
	sql "SELECT count(*), md5(string_agg(fact, chr(10) ORDER BY fact COLLATE \"C\")) FROM (
		SELECT row(e.kind, e.event_id, e.event_time, s.digest, p.name, e.id, e.flags, e.context_input_tokens, e.requests,
		           e.input_text_uncached_tokens, e.input_text_cache_read_tokens, e.input_text_cache_write_5m_tokens,
		           e.input_text_cache_write_1h_tokens, e.output_text_tokens, e.output_reasoning_tokens, e.extra, e.context)::text AS fact
		  FROM metering.usage_event e JOIN metering.usage_series s USING (series_id) JOIN metering.event_source p USING (event_source_id)) f"
}
# Charges and holds in force, without the numbers of ratings and runs.
charges() {
	sql "SELECT count(*), md5(string_agg(fact, chr(10) ORDER BY fact COLLATE \"C\")) FROM (
		SELECT row(r.tenant, r.period, c.model, c.service_tier, c.meter_id, c.priced_as, c.rule, c.tier, c.price, c.per, c.quantity,
		           c.amount, c.currency, c.first_interval, c.last_interval)::text AS fact
		  FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
		UNION ALL
		SELECT row(r.tenant, r.period, h.model, h.service_tier, h.meter_id, h.reason, h.quantity, h.first_interval, h.last_interval)::text
		  FROM finance.hold h JOIN finance.current_rating r USING (rating_id)) f"
}

# copy_database FROM TO: a new database with what is in FROM, and TOLLBOOK_DB on it.
copy_database() {
	psql -X -q -v ON_ERROR_STOP=1 -d "$server" -c "CREATE DATABASE \"$2\" TEMPLATE \"$1\"" || exit 1
	export TOLLBOOK_DB="${server/dbname=tollbook/dbname=$2}"
}
drop_database() { psql -X -q -d "$server" -c "DROP DATABASE \"$1\" WITH (FORCE)"; }
