#!/usr/bin/env bash
# The month's end: what stands against closing it, with the money at stake; what a closed month refuses, asked of the database itself; and two
# people who open it again.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# USD 1 for a thousand input tokens of "small"; nothing has a price for "huge".
publish() {
	printf '{"tollbook_prices": 1, "book": "one", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests", "output_text_tokens"], "rules": [{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}}}]}\n' >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
contract() { printf '{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "%s", "book": "one", "issuer": "TF", "effective": "2026-01-01"}' "$1" "$1" "$2"; }
tenants() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s, %s]}' "$(contract ann UTC)" "$(contract kim Pacific/Honolulu)" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
day=2026-11-05T12:00:00Z
# stands CHECK [OPTION]...: result, what, at stake and currency of what a check says, a line each.
stands() { tollbook close 2026-10 --check --quiet --format csv --as-of "${at:-$day}" "${@:2}" | tr -d '\r' | awk -F, -v check="$1" '$1 == check' | cut -d, -f2-; }
state() { sql "SELECT state FROM finance.period_lock ORDER BY lock_id" | tr '\n' ' '; }

new_database close
check "the books are set up" tollbook init
check "with prices" publish
check "and a tenant in UTC and one in Honolulu, ten hours later" tenants
{ usage a ann 2026-10-20T10:00:00Z small 1000 0 1; usage k kim 2026-10-20T10:00:00Z small 2000 0 1; } >"$room/usage.ndjson"
check "two events come, 1.00 for ann and 2.00 for kim" ingest "$room/usage.ndjson"

# What stands against it.
equal "October ends in Honolulu, ten hours later, and a day of grace" "$(at=2026-11-02T09:59:59Z stands ended)" 'OPEN,"it ends everywhere, with its grace, at 2026-11-02T10:00:00Z",,'
equal "then it is over" "$(at=2026-11-02T10:00:00Z stands ended | cut -d, -f1)" ok
equal "more grace, longer" "$(at=2026-11-02T10:00:00Z stands ended --grace 25 | cut -d, -f1)" OPEN
equal "what came is not rated" "$(stands rating)" 'OPEN,"1 batch is not summed, with 2 ledger rows",,'
check "it is rated" exits 0 rate
equal "now it is" "$(stands rating | cut -d, -f1)" ok
equal "what is charged has no invoice" "$(stands invoices)" $'OPEN,charges of ann are not invoiced,1.00,USD\nOPEN,charges of kim are not invoiced,2.00,USD'
check "drafts are made" exits 0 tollbook invoice draft --as-of $day
equal "a draft is none" "$(stands invoices)" $'OPEN,a draft of ann is not final,1.00,USD\nOPEN,a draft of kim is not final,2.00,USD'
check "they are finalized" exits 0 tollbook invoice finalize --as-of $day
equal "that is enough" "$(stands invoices | cut -d, -f1)" ok
position="INSERT INTO metering.source_position (kind, name, opened_at, opened_by, next_position, next_record, last_digest, finished_at) VALUES ('file', 'half.ndjson', now(), 'x', 0, 1, ''"
sql "$position, NULL)"
equal "a file that was not read to its end is in the way" "$(stands sources)" 'OPEN,file half.ndjson was not read to its end,,'
sql "$position, now())"
equal "until it was read again" "$(stands sources | cut -d, -f1)" ok
sql "INSERT INTO metering.kafka_partition (cluster, topic, partition, opened_at, opened_by, start_offset, next_offset, clear_offset, last_event_time, end_offset, stable_offset, seen_at)
	VALUES ('c', 'usage', 3, now(), 'x', 0, 0, 0, '2026-11-01T23:00:00Z', 7, 7, '2026-11-05T00:00:00Z')"
equal "a partition that is read to within the grace is in the way" "$(stands sources)" 'OPEN,"partition usage[3] is read until 2026-11-01T23:00:00Z, 7 offsets before its end as seen at 2026-11-05T00:00:00Z",,'
sql "UPDATE metering.kafka_partition SET clear_offset = 7"
equal "not when it is drained, and was seen to be after the grace" "$(stands sources | cut -d, -f1)" ok
sql "UPDATE metering.kafka_partition SET seen_at = '2026-11-02T09:00:00Z'"
equal "within the grace more could have come" "$(stands sources | cut -d, -f1)" OPEN
sql "UPDATE metering.kafka_partition SET last_event_time = '2026-11-02T10:00:00Z'"
equal "nor when its usage is past the grace" "$(stands sources | cut -d, -f1)" ok
sql "INSERT INTO metering.kafka_incident (partition_id, kind, expected, found, seen_at, seen_by) SELECT partition_id, 'records_deleted', 3, 5, now(), 'x' FROM metering.kafka_partition"
equal "an incident that nobody decided is in the way" "$(stands sources)" 'OPEN,"partition usage[3]: records deleted, offset 3 was expected, 5 found",,'
sql "UPDATE metering.kafka_partition SET closed_at = now()"
equal "a reading that has ended is not" "$(stands sources | cut -d, -f1)" ok

{ usage h ann 2026-10-21T10:00:00Z small 500 0 1; usage g ghost 2026-10-21T10:00:00Z small 1 0 1; echo broken; } >"$room/more.ndjson"
check "later 500 tokens of ann come, a tenant without a contract, and a record that cannot be read" finds ingest "$room/more.ndjson"
check "they are rated" finds rate
equal "3.00 for four events are 0.75 for one" "$(stands quarantine)" 'OPEN,1 record waits in quarantine; estimated by the average event,0.75,USD'
equal "late usage by its average price is 0.50; what has no contract is unknown" "$(stands holds | grep -v requests | sort)" "$(
	printf '%s\n' 'OPEN,3 holds of 1 tenant: period_invoiced; estimated by average prices,0.50,USD' 'OPEN,"3 holds of 1 tenant: unknown_tenant, without a contract",unknown,' | sort)"

# What was put right, and not to its end; in books of their own.
copy_database close rerated
id=$(tollbook rerate plan --quiet --as-of $day --format csv --period 2026-10 --tenant ann --reason late_usage | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
equal "a re-rate that nobody decided on is in the way, with its difference" "$(stands rerates)" "OPEN,\"re-rate $id (late_usage, by tester) is neither applied nor rejected\",0.50,USD"
other=$(tollbook rerate plan --quiet --as-of $day --format csv --period 2026-10 --tenant kim --reason dispute | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
equal "so is one that would change nothing, without money" "$(stands rerates | tail -n 1)" "OPEN,\"re-rate $other (dispute, by tester) is neither applied nor rejected\",,"
check "that one is rejected" exits 0 tollbook rerate reject --as-of $day --by eve "$other"
check "it is approved and applied" exits 0 sh -c "tollbook rerate approve --as-of $day --by eve $id && tollbook rerate apply --as-of $day $id"
equal "then its adjustment waits" "$(stands rerates | cut -d, -f1) $(stands adjustments)" 'ok OPEN,1 adjustment of ann not invoiced yet,0.50,USD'
check "a credit was granted that ended in October" exits 0 tollbook credit grant ann 5 --kind goodwill --reason goodwill --starts 2026-10-01 --expires 2026-10-15 --as-of 2026-10-01
equal "it is to be taken off" "$(stands credits)" 'OPEN,credit 1 of ann ended at 2026-10-15T00:00:00Z: tollbook credit expire,5.00,USD'
check "it is" exits 0 tollbook credit expire --as-of $day
equal "and is not in the way" "$(stands credits | cut -d, -f1)" ok
sql "ALTER TABLE finance.adjustment DISABLE TRIGGER ALL; UPDATE finance.adjustment SET amount_minor = amount_minor + 1"
equal "books that do not agree are" "$(stands reconcile | cut -d, -f1 | sort -u)" OPEN
use_database close

# Closing.
refused "October stays open" 7 'OPEN stands against it' tollbook close 2026-10 --as-of $day
refused "also where one of two is accepted" 7 'OPEN stands against it' tollbook close 2026-10 --as-of $day --accept holds --reason reviewed --note seen
equal "nothing is written" "$(state)" ''
refused "accepting needs a note" 2 'needs --reason and --note' tollbook close 2026-10 --as-of $day --accept quarantine,holds
refused "a reason for it" 2 'not for close' tollbook close 2026-10 --as-of $day --accept quarantine,holds --reason dispute --note seen
refused "what is not rated cannot be accepted" 2 '"rating" cannot be accepted' tollbook close 2026-10 --accept rating,holds --reason reviewed --note seen
refused "it cannot be closed for good before it is closed" 4 'is open: it is closed softly first' tollbook close 2026-10 --hard --as-of $day
refused "a month is a month" 2 '2026-13' tollbook close 2026-13
accept=(--accept quarantine,holds --reason reviewed --note 'test traffic')
copy_database close race
use_database close
refused "it is closed, and nobody has a role" 0 'nobody is a member of the role finance' tollbook close 2026-10 --as-of $day "${accept[@]}"
equal "it is soft" "$(state)" 'soft '
equal "what was accepted is kept, with the money" "$(sql "SELECT accepted FROM finance.period_lock" | tr ';' '\n' | grep -c -e 'quarantine: 1 record' -e 'average event: 0.75 USD' -e 'average prices: 0.50 USD' -e 'contract: unknown')" 4
equal "and in the audit log, with before and after" "$(sql "SELECT who, action, subject, reason, before, left(after, 16) FROM finance.audit_log WHERE action LIKE 'close%'")" 'tester|close soft|2026-10|reviewed|open|soft; accepted: '
refused "it is closed once" 4 'is closed (soft) already' tollbook close 2026-10 --as-of $day
equal "the list of months says so" "$(tollbook close --format csv | tr -d '\r' | cut -d, -f1-6 | grep 2026-10)" '2026-10,soft,3,0,2,0'

# Postings, by SQL alone.  post KIND DAY WHO: "posted" or "refused"; it is never left.
insert() {
	local on="'$2 12:00:00+00'::timestamptz" by="'$3'" v="(SELECT min(invoice_id) FROM finance.invoice WHERE status = 'final')"
	local invoice="INSERT INTO finance.invoice (status, kind, tenant, period, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends, total_minor, exact_total, drafted_at, drafted_by"
	local values="'adjustment', tenant, '${2:0:7}', issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends, 0, 0, $on, $by"
	local payment="INSERT INTO finance.payment (reference, method, invoice_id, amount_minor, excess_minor, currency, paid_on, booked_at, booked_by) VALUES ('r', 'import', $v, 100"
	case $1 in
	invoice) echo "$invoice, number, series_year, series_number, issued_on, finalized_at, finalized_by, content_digest)
		SELECT 'final', $values, 'X', 2026, 99, '$2', now(), $by, '' FROM finance.invoice WHERE invoice_id = $v" ;;
	draft_made_final) echo "$invoice) SELECT 'draft', $values FROM finance.invoice WHERE invoice_id = $v;
		UPDATE finance.invoice SET status = 'final', number = 'X', series_year = 2026, series_number = 99, issued_on = '$2', finalized_at = now(), finalized_by = $by, content_digest = '' WHERE status = 'draft'" ;;
	credit_note) echo "INSERT INTO finance.credit_note (request_id, invoice_id, scope, number, issuer, series_year, series_number, invoice_number, invoice_date, tenant, issuer_name, tenant_name,
		currency, minor_units, net_minor, credits_minor, tax_name, tax_percent, tax_minor, total_minor, balance_minor, refund_minor, reason, ticket, note, issued_on, issued_at, issued_by, content_digest)
		SELECT 'r', invoice_id, 'amount', 'X', issuer, 2026, 1, number, issued_on, tenant, issuer_name, tenant_name, currency, minor_units, 1, 0, '', 0, 0, 1, 0, 0, 'dispute', '', '', '$2', now(), $by, ''
		FROM finance.invoice WHERE invoice_id = $v" ;;
	credit_entry) echo "WITH g AS (INSERT INTO finance.credit_grant (request_id, tenant, issuer, kind, currency, minor_units, amount_minor, starts, priority, model_pattern, meters, reason, ticket, note, granted_at, granted_by)
		VALUES ('r', 'ann', 'TF', 'goodwill', 'USD', 2, 100, now(), 100, '', '{}', 'goodwill', '', '', now(), $by) RETURNING grant_id) SELECT 1 FROM g;
		INSERT INTO finance.credit_entry (grant_id, place, kind, amount_minor, balance_before, balance_after, ticket, booked_at, booked_by) SELECT grant_id, 1, 'grant', 100, 0, 100, '', $on, $by FROM finance.credit_grant" ;;
	payment) echo "$payment, 0, 'USD', '2026-10-31', $on, $by)" ;;
	balance) echo "$payment, 10, 'USD', '2026-10-31', '2026-12-01', $by);
		INSERT INTO finance.balance_entry (tenant, issuer, currency, place, amount_minor, balance_after, payment_id, booked_at, booked_by) SELECT 'ann', 'TF', 'USD', 1, 10, 10, payment_id, $on, $by FROM finance.payment" ;;
	write_off) echo "INSERT INTO finance.write_off VALUES ($v, 1, 'not_worth_it', '', $on, $by)" ;;
	adjustment) echo "INSERT INTO finance.rerate (period, tenant, model, reason, ticket, note, second_person, planned_at, planned_by) VALUES ('2026-10', '', '', 'late_usage', '', '', false, now(), $by);
		INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id, new_rating_id, quantity, exact_amount, amount_minor,
			first_interval, last_interval, reason, ticket, outcome, booked_at, booked_by)
		SELECT (SELECT rerate_id FROM finance.rerate), tenant, period, 'USD', 2, 'usage', 'small', '', 2, rating_id, rating_id, 1, 0, 0, now(), now(), 'late_usage', '', 'next_invoice', $on, $by FROM finance.rating LIMIT 1" ;;
	esac
}
post() {
	local said
	if said=$(sql "BEGIN; $(insert "$@"); ROLLBACK" 2>&1); then echo posted
	elif grep -q 'is closed' <<<"$said"; then echo refused
	else printf '%s\n' "$said"; fi
}
# posts RESULT DAY WHO SENTENCE: so for every kind.
kinds='invoice draft_made_final credit_note credit_entry payment balance write_off adjustment'
posts() {
	local kind
	for kind in $kinds; do equal "$4: $kind" "$(post "$kind" "$2" "$3")" "$1"; done
}
posts refused 2026-10-31 tester "closed softly, the last day refuses"
posts posted 2026-11-01 tester "the day after does not"
sql "INSERT INTO finance.role VALUES ('finance', true); INSERT INTO finance.role_member VALUES ('eve', 'finance')"
posts posted 2026-10-31 eve "closed softly, finance posts"
equal "others do not" "$(post payment 2026-10-01 tester)" refused
refused "nor is an invoice of a closed month issued in an open one" 1 'is closed: no invoice of it is issued' sql "INSERT INTO finance.invoice (status, kind, tenant, period, rating_id, issuer, issuer_name,
	tenant_name, currency, minor_units, zone, starts, ends, total_minor, exact_total, drafted_at, drafted_by, number, series_year, series_number, issued_on, finalized_at, finalized_by, content_digest)
	SELECT 'final', 'period', 'new', '2026-10', rating_id, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends, 0, 0, now(), 'x', 'X', 2026, 99, '2026-11-05', now(), 'tester', ''
	  FROM finance.invoice WHERE status = 'final' LIMIT 1"
refused "closing for good looks again" 7 'stays closed softly' tollbook close 2026-10 --hard --as-of $day --by eve
check "and closes" exits 0 tollbook close 2026-10 --hard --as-of $day --by eve "${accept[@]}"
posts refused 2026-10-31 eve "closed for good, nobody posts"
equal "in November they do" "$(post payment 2026-11-01 tester)" posted
check "the books agree" exits 0 tollbook reconcile

# Opening it again.
refused "opening needs a reason and a note" 2 'needs --reason and --note' tollbook close 2026-10 --reopen
why=(--reopen --reason correction_needed --note 'ticket 4711' --as-of $day)
refused "what is open is not opened" 4 '2026-11 is open' tollbook close 2026-11 "${why[@]}"
refused "one asks for it" 0 'until somebody else does the same' tollbook close 2026-10 "${why[@]}" --by tester
equal "it stays closed" "$(post payment 2026-10-31 eve)" refused
refused "who asked does not do it" 4 'somebody else must do it' tollbook close 2026-10 "${why[@]}" --by tester
refused "nor past the verb" 1 'somebody else must do it' sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-10', 'open', 'reviewed', '', '', 'tester', now())"
refused "another one does" 0 'is open again' tollbook close 2026-10 "${why[@]}" --by eve
equal "it takes postings" "$(post payment 2026-10-31 tester)" posted
equal "the record is kept" "$(state)" 'soft hard reopen_asked open '
refused "no step is taken back" 1 'append-only' sql 'DELETE FROM finance.period_lock'

# A posting and a closing at once.
use_database race
{ psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "BEGIN; $(insert payment 2026-10-31 tester)" -c 'SELECT pg_sleep(2)' -c COMMIT; } >"$room/posting" 2>&1 &
posting=$!
for ((i = 0; i < 100; i++)); do
	[ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted")" != 0 ] && break
	sleep 0.05
done
check "a posting that is not committed yet keeps the closing waiting" exits 0 tollbook close 2026-10 --as-of $day "${accept[@]}"
equal "until it is there" "$(sql "SELECT count(*) FROM finance.payment")" 1
wait "$posting"
equal "the next one comes too late" "$(post write_off 2026-10-31 tester)" refused
sql "INSERT INTO finance.role VALUES ('finance', true); INSERT INTO finance.role_member VALUES ('eve', 'finance')"
psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "BEGIN; INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-10', 'hard', 'reviewed', '', '', 'x', now())" -c 'SELECT pg_sleep(1)' -c COMMIT >"$room/closing" 2>&1 &
closing=$!
for ((i = 0; i < 100; i++)); do
	[ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted")" != 0 ] && break
	sleep 0.05
done
equal "a closing that is not committed yet keeps a posting waiting, which is then refused" "$(post write_off 2026-10-31 eve)" refused
wait "$closing"
report
