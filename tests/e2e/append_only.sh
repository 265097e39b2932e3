#!/usr/bin/env bash
# Facts are added and never edited: not by the owner of the tables, and not by a session that says it is a replica.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# What may change, and in which way; every other table of the two schemas takes rows and nothing else.
#   metering.meter               a copy of the program's registry
#   metering.source_position     where input stands
#   metering.kafka_partition     where a partition stands; not deleted, tried below
#   finance.issuer               an address book: names are copied into documents
#   finance.rating_due           a list of work
#   finance.rating_in_force      which rating is the newest
#   finance.document_counter     the next number
#   finance.role, role_member, role_limit, approval_limit: what a file says; changes are in the audit log
#   finance.night_step, night_unit, night_fence: how far a night is, and who may write for it
#   finance.billing_period, invoice, invoice_line, night_run: until they are settled, final or done, tried below
working='meter source_position kafka_partition issuer rating_due rating_in_force document_counter billing_period invoice invoice_line'
working+=' role role_member role_limit approval_limit night_run night_step night_unit night_fence'

cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "b", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "small",
 "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}, "output_reasoning_tokens": {"price": "2", "per": 1000}}}]}
END
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "ann", "name": "Ann", "currency": "USD", "zone": "UTC", "book": "b", "issuer": "TF", "effective": "2026-01-01"},
 {"tenant": "bob", "name": "Bob", "currency": "USD", "zone": "UTC", "book": "b", "issuer": "TF", "effective": "2026-01-01"}]}
END
october=2026-10-20T10:00:00Z
{
	event a ann $october small 1000 10; correction a2 a ann $october small 1000 20; event b bob $october small 1000 10
	event c ghost $october small 1 1 | sed 's/"requests":1/&,"images":2/'; event late ann 2025-01-01T00:00:00Z small 1 1; echo broken
} >"$room/usage.ndjson"

new_database append_only
check "the books are set up" tollbook init
check "a price book is published" tollbook prices publish --quiet "$room/book.json"
# What a book with brackets would have said.
sql "INSERT INTO finance.price_distinction SELECT price_book_version_id, 'input', 1001, '' FROM finance.price_book_version"
check "tenants have contracts" tollbook tenant apply --quiet "$room/tenants.json"
check "usage of two tenants is booked" exits 7 ingest "$room/usage.ndjson"
check "a record is discarded" tollbook quarantine discard --reason broken 2
check "support corrects one of bob's" tollbook usage correct bob /gateway b --set output_text_tokens=11 --reason metering_error --as-of $as_of
check "it is rated" exits 7 rate
check "ann has a credit of 0.10" tollbook credit grant ann 0.10 --kind goodwill --reason goodwill --starts 2026-10-01 --as-of $as_of
check "both have drafts" tollbook invoice draft --as-of $as_of
check "one of them is made final" tollbook invoice finalize --as-of $as_of --tenant ann

printf 'reference,invoice,amount,currency,paid_on\nbank-1,TF-INV-2026-000001,0.94,USD,2026-11-05\n' >"$room/payments.csv"
check "it is paid" tollbook payment import --as-of $as_of "$room/payments.csv"
check "0.10 of it is credited, and goes to the balance" \
	tollbook credit-note issue TF-INV-2026-000001 --amount 0.10 --reason goodwill --as-of $as_of

# What a re-rate, a write-off and a closing would have left.
rating="(SELECT rating_id FROM finance.current_rating WHERE tenant = 'ann')"
version="(SELECT price_book_version_id FROM finance.price_book_version)"
invented='adjustment_dropped adjustment price_substitution rerate_decision rerate_difference rerate_item rerate write_off period_lock'
invented+=' parked_release parked night_run'
sql "INSERT INTO finance.rerate (period, tenant, model, reason, ticket, note, second_person, planned_at, planned_by)
     VALUES ('2026-10', 'ann', '', 'price_error', '', '', false, now(), 'test');
     INSERT INTO finance.rerate_item VALUES (1, 1, 'ann', '2026-10', true, '', 'USD', 2, $rating, '', 1, 1, 0, 0);
     INSERT INTO finance.rerate_difference VALUES (1, 1, 'small', 'default', 2, 'usage', '2026-10-20', 1, 1, 1, 1);
     INSERT INTO finance.rerate_decision VALUES (1, 'approved', 'test', now(), '', NULL);
     INSERT INTO finance.price_substitution (rerate_id, tenant, period, model, price_book_version_id) VALUES (1, 'ann', '2026-10', '', $version);
     INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
            new_rating_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome, booked_at, booked_by)
     VALUES (1, 'ann', '2026-10', 'USD', 2, 'usage', 'small', 'default', 2, $rating, $rating, 0, 0, 1, now(), now(), 'price_error', '', 'waived', now(), 'test');
     INSERT INTO finance.adjustment_dropped SELECT adjustment_id, credit_note_id FROM finance.adjustment, finance.credit_note;
     INSERT INTO finance.write_off SELECT invoice_id, 1, 'not_worth_it', '', now(), 'test' FROM finance.invoice WHERE status = 'final';
     INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2020-01', 'soft', 'reviewed', '', '', 'test', now())"
# What nights would have left.
sql "INSERT INTO finance.parked (tenant, period, reason, detail, parked_at, parked_by) VALUES ('bob', '2026-10', 'charge_jump', '', now(), 'nightly');
     INSERT INTO finance.parked_release SELECT parked_id, false, 'looked at', '', now(), 'test' FROM finance.parked;
     INSERT INTO finance.night_run VALUES (1, '2026-11-05', now(), false, now(), 1, now(), 'done', '', '', '', '{}'),
            (2, '2026-11-06', now(), false, now(), 1, NULL, NULL, '', '', '', NULL)"

# What a consumer would have left; it needs no broker here.
sql "INSERT INTO metering.kafka_partition (cluster, topic, partition, opened_at, opened_by, start_offset, next_offset, clear_offset)
     VALUES ('c', 'usage', 0, now(), 'test', 0, 0, 0);
     INSERT INTO metering.batch_range VALUES (1, (SELECT partition_id FROM metering.kafka_partition), 0, 1, 1, 1, 0, 0, 0, 0);
     INSERT INTO metering.kafka_incident (partition_id, kind, expected, found, seen_at, seen_by)
     VALUES ((SELECT partition_id FROM metering.kafka_partition), 'topic_shorter', 5, 1, now(), 'test')"

# Runs as small as these have no filter.
sql "INSERT INTO metering.key_filter VALUES ((SELECT min(run) FROM metering.key_run), 0, decode(repeat('00', 64), 'hex'))"

# What an archive would have left that is attached: its sums stand for nothing.
sql "INSERT INTO metering.archive VALUES (1, '2020-01-01', 1, 'usage-2020-01-1', '/', '', 1, 1, 1, '', now(), 'test');
     INSERT INTO metering.archive_step (archive_id, step, at, who) VALUES (1, 'attached', now(), 'test');
     INSERT INTO metering.archived_batch VALUES (1, 1, 1, '');
     INSERT INTO metering.archived_reversal SELECT 1, event_id, 1 FROM metering.usage_correction LIMIT 1;
     INSERT INTO metering.archived_interval VALUES (1, 1, '2020-01-01', 1, 1);
     INSERT INTO metering.archived_interval_extra VALUES (1, 1, '2020-01-01', 8, 1)"

# refuses SENTENCE STATEMENT: by the trigger (SQLSTATE 23001), in a usual session and in one that says it is a replica.
refuses() {
	local mode output
	for mode in origin replica; do
		output=$(psql -X -q -v VERBOSITY=verbose -d "$TOLLBOOK_DB" -c "SET session_replication_role = $mode; $2" 2>&1)
		if [[ $output == *'ERROR:  23001:'*'is refused'* ]]; then ok "$1 ($mode)"; else not_ok "$1 ($mode)"; printf '    %s\n' "$output"; fi
	done
}

tables() {
	sql "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	      WHERE n.nspname IN ('metering', 'finance') AND c.relkind IN ('r', 'p') AND c.relname <> ALL (string_to_array('$working', ' ')) ORDER BY 1"
}
for table in $(tables); do
	column=$(sql "SELECT attname FROM pg_attribute WHERE attrelid = '$table'::regclass AND attnum > 0 AND attidentity = '' ORDER BY attnum LIMIT 1")
	check "$table has rows to try it on" test "$(sql "SELECT count(*) FROM $table")" -ge 1
	refuses "$table refuses UPDATE" "UPDATE $table SET $column = $column"
	refuses "$table refuses DELETE" "DELETE FROM $table"
	refuses "$table refuses TRUNCATE" "TRUNCATE $table CASCADE"
done
check "thirty tables and more were tried" test "$(tables | wc -l)" -ge 30

refuses "the place of a partition is not deleted" "DELETE FROM metering.kafka_partition"
refuses "nor are all places" "TRUNCATE metering.kafka_partition CASCADE"

# Documents.
final="(SELECT invoice_id FROM finance.invoice WHERE status = 'final')" draft="(SELECT invoice_id FROM finance.invoice WHERE status = 'draft')"
refuses "a final invoice refuses UPDATE" "UPDATE finance.invoice SET total_minor = 0 WHERE invoice_id = $final"
refuses "a final invoice does not become a draft again" "UPDATE finance.invoice SET status = 'draft' WHERE invoice_id = $final"
refuses "a final invoice refuses DELETE" "DELETE FROM finance.invoice WHERE invoice_id = $final"
refuses "its lines refuse UPDATE" "UPDATE finance.invoice_line SET amount_minor = 0 WHERE invoice_id = $final"
refuses "its lines refuse DELETE" "DELETE FROM finance.invoice_line WHERE invoice_id = $final"
refuses "a line is not moved out of it" "UPDATE finance.invoice_line SET line = line + 100, invoice_id = $draft WHERE invoice_id = $final"
refuses "a line is not moved into it" "UPDATE finance.invoice_line SET line = line + 100, invoice_id = $final WHERE invoice_id = $draft"
refuses "a line is not added to it" "INSERT INTO finance.invoice_line SELECT invoice_id, line + 100, charge_ordinal, model, service_tier, meter, priced_as,
	tier, price, per, quantity, decimals, exact_amount, amount_minor, book, book_version, rule FROM finance.invoice_line WHERE invoice_id = $final"
for table in invoice invoice_line document_counter billing_period; do refuses "finance.$table refuses TRUNCATE" "TRUNCATE finance.$table CASCADE"; done
refuses "the borders of a month that has a contract do not move" "UPDATE finance.billing_period SET ends = ends + interval '1 day' WHERE tenant = 'ann'"
refuses "nor does the month go" "DELETE FROM finance.billing_period WHERE tenant = 'ann'"

refuses "a night that is done does not change" "UPDATE finance.night_run SET attempts = 2 WHERE night_run = 1"
refuses "and no night goes, done or not" "DELETE FROM finance.night_run WHERE night_run = 2"
check "one that is not done goes on" sql "UPDATE finance.night_run SET attempts = 2 WHERE night_run = 2"

# A charge or hold whose parents are not there is not taken: SQLSTATE 23503, as of a foreign key.
orphan() {
	local output
	output=$(psql -X -q -v ON_ERROR_STOP=1 -v VERBOSITY=verbose -d "$TOLLBOOK_DB" -c "$2" 2>&1)
	if [[ $output == *'ERROR:  23503:'* ]]; then ok "$1"; else not_ok "$1"; printf '    %s\n' "$output"; fi
}
charge='rating_id, 999, model, service_tier, meter_id, priced_as, price_book_version_id, rule, tier, price, per, quantity, amount, currency, first_interval, last_interval, kind, billed, detail, counter, contract_id'
into='INSERT INTO finance.charge SELECT'
orphan "a charge without a rating is refused" "$into ${charge/rating_id/9999999} FROM finance.charge LIMIT 1"
orphan "a charge by a version that is not there is refused" "$into ${charge/price_book_version_id/9999999} FROM finance.charge LIMIT 1"
orphan "a charge of a contract that is not there is refused" "$into ${charge/contract_id/9999999} FROM finance.charge LIMIT 1"
orphan "a hold without a rating is refused" "INSERT INTO finance.hold VALUES (9999999, 1, 'm', 'default', 1, 'no_rule', 1, now(), now())"

# What is not final is made again.
before=$(sql "SELECT invoice_id FROM finance.invoice WHERE status = 'draft'")
check "a draft is drafted again" tollbook invoice draft --as-of $as_of
check "and is another row" test "$(sql "SELECT invoice_id FROM finance.invoice WHERE status = 'draft'")" != "$before"
equal "the final one is as it was" "$(sql "SELECT number, total_minor FROM finance.invoice WHERE status = 'final'")" 'TF-INV-2026-000001|94'
# The invented rows belong to no batch; only who may turn triggers off can take them away.
sql "ALTER TABLE metering.batch_range DISABLE TRIGGER ALL; ALTER TABLE metering.kafka_incident DISABLE TRIGGER ALL;
     ALTER TABLE metering.kafka_partition DISABLE TRIGGER ALL;
     ALTER TABLE metering.key_filter DISABLE TRIGGER ALL; DELETE FROM metering.key_filter;
     DELETE FROM metering.batch_range; DELETE FROM metering.kafka_incident; DELETE FROM metering.kafka_partition"
for table in $invented; do
	sql "ALTER TABLE finance.$table DISABLE TRIGGER ALL; DELETE FROM finance.$table"
done
check "the books reconcile" tollbook reconcile --quiet
report
