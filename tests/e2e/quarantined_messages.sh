#!/usr/bin/env bash
# Messages of a topic in quarantine: shown with all that came, and released as they were read first.  The rows are put there by
# hand, in the form that a consumer gives them, so that no broker is needed.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

new_database quarantined_messages
check "init" tollbook init --quiet
usage first ann 2026-10-05T10:00:00Z small 10 0 5 >"$room/usage.ndjson"
equal "a batch is booked" "$(counts "$room/usage.ndjson")" '1 1 0 0 0 0'

late=2025-09-30T12:00:00Z
# aside OFFSET CODE FORMAT VALUE KEY HEADERS: a row of quarantine; KEY and HEADERS are SQL.
aside() {
	sql "INSERT INTO metering.quarantine (batch_id, record, outcome, code, field, value, format, raw, raw_length, raw_digest, message_key, message_headers)
		SELECT max(batch_id), $1, CASE '$2' WHEN 'E_HEADER_REPEATED' THEN 'rejected' ELSE 'quarantined' END, '$2', 'f', 'v', '$3',
		       convert_to('$4', 'UTF8'), length('$4'), sha256(convert_to('$4', 'UTF8')), $5, $6 FROM metering.ingest_batch"
}
attributes="'ce_specversion', '1.0', 'ce_type', 'tollbook.usage.v1', 'ce_source', '/gateway', 'ce_id', 'binary', 'ce_time', '$late', 'ce_subject', 'ann'"
data="{$(quantities small 7 3)}"
long=$(printf '%0200d' 0)
aside 41 E_TIME_LATE 'kafka lkc-1/usage.v1/3 00ff' "$data" "'\\x6b0a1b5b316d'::bytea" "ARRAY[$attributes, 'empty', '', 'none', NULL, 'long', '$long']::bytea[]"
aside 42 E_TIME_LATE 'kafka source=8:/a kafka lkc-1/usage.v1/12 01' "$(usage short ann $late small 5 0 1)" NULL "'{}'::bytea[]"
aside 43 E_HEADER_REPEATED 'kafka lkc-1/other/0 02' "$data" NULL "ARRAY[$attributes, 'ce_id', 'again']::bytea[]"
aside 44 E_ENVELOPE_CONFLICT 'kafka lkc-1/other/0 03' "$(event structured ann 2026-10-05T10:00:00Z small 7 3)" NULL \
	"ARRAY['content-type', 'application/cloudevents+json', 'ce_id', 'x']::bytea[]"

release() { tollbook quarantine release --as-of "$as_of" --by ines --reason 'looked at it' "$1"; }
booked() { sql "SELECT input_text_uncached_tokens, name FROM metering.usage_event JOIN metering.event_source USING (event_source_id) WHERE id = '$1'"; }

equal "the list names topic, partition and offset" "$(tollbook quarantine list --format csv | tr -d '\r' | sed 1d | cut -d, -f3,4,5 | tr '\n' ' ')" \
	'E_TIME_LATE,usage.v1[3],41 E_TIME_LATE,usage.v1[12],42 E_HEADER_REPEATED,other[0],43 E_ENVELOPE_CONFLICT,other[0],44 '
equal "a message is shown with its place" "$(tollbook quarantine show 1 | head -n 4 | tr -s ' ' | tr '\n' ' ')" \
	'cluster lkc-1 topic usage.v1 partition 3 offset 41 '
equal "with its key and headers, without steering the terminal" "$(tollbook quarantine show 1 | grep -E '^(key|header) ' | sed -n '1,2p;8,$p')" \
	"$(printf '%s\n' 'key       k\x0a\x1b[1m' 'header    ce_specversion: 1.0' 'header    empty: ' 'header    none: (null)' "header    long: ${long:0:128}... (200 bytes)")"
equal "and with its value" "$(tollbook quarantine show 1 | tail -n 1)" "$data"
equal "one without key and headers says so" "$(tollbook quarantine show 2 | grep -cE '^(key       \(null\)|header .*)$')" 1

check "a binary message is released" release 1
equal "as the event that value and headers are together" "$(booked binary)" '7|/gateway'
check "a message in the short form is released" release 2
equal "under the source it was read with" "$(booked short)" '5|/a kafka'
refused "a header that came twice is never released" 4 E_HEADER_REPEATED release 3
refused "nor is a contradiction" 4 E_ENVELOPE_CONFLICT release 4
aside 45 E_TIME_LATE 'kafka lkc-1/usage.v1/3 04' "$data" NULL "ARRAY[$attributes, 'content-type', 'application/json']::bytea[]"
refused "what is booked already is not released" 4 'in the ledger already' release 5
aside 46 E_TIME_LATE 'kafka lkc-1/usage.v1/3 05' "{$(quantities small 8 3)}" NULL "ARRAY[$attributes]::bytea[]"
refused "and other content under its key is a conflict" 4 E_KEY_CONFLICT release 6
equal "neither left anything behind" "$(sql 'SELECT count(*) FROM metering.quarantine')" 6
report
