#!/usr/bin/env bash
# Corrections and voids: each takes back what it names, once, under the time of the original; what names nothing, or what
# somebody has corrected already, waits in quarantine.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z november=2026-11-02T10:00:00Z

new_database corrections
check "the books are set up" tollbook init

# Sums of a tenant's ledger rows: requests, input, output.
sums() {
	sql "SELECT COALESCE(sum(requests), 0), COALESCE(sum(input_text_uncached_tokens), 0), COALESCE(sum(output_text_tokens), 0)
	       FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE tenant = '$1'"
}
month_of() {
	sql "SELECT to_char(event_time, 'YYYY-MM'), sum(output_text_tokens)
	       FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE tenant = '$1' GROUP BY 1 ORDER BY 1" | tr '\n' ' '
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { books <<<"$2" >"$room/said" 2>&1; equal "$1" "$(sums "$3")" "$4"; }
waiting() { sql "SELECT string_agg(code, ' ' ORDER BY quarantine_id) FROM metering.quarantine LEFT JOIN metering.quarantine_resolution r USING (quarantine_id) WHERE r IS NULL"; }
release() { tollbook quarantine release --as-of "$as_of" --reason 'the original has arrived' "$1"; }

# One after the other, each in a batch of its own.
booked "an event counts" "$(event a ann $october small 100 50)" ann '1|100|50'
booked "a correction replaces what it corrects" "$(correction a2 a ann $october small 100 40)" ann '1|100|40'
booked "the same correction again changes nothing" "$(correction a2 a ann $october small 100 40)" ann '1|100|40'
booked "a correction of the correction replaces that" "$(correction a3 a2 ann $october small 90 30)" ann '1|90|30'
booked "a second correction of the first event is a fork" "$(correction a4 a ann $october small 1 1)" ann '1|90|30'
equal "it is set aside as one" "$(waiting)" E_REF_FORK
booked "a void takes back what is left" "$(void a5 a3 ann $october)" ann '0|0|0'
booked "a void of the void names something that has no row" "$(void a6 a5 ann $october)" ann '0|0|0'
booked "a correction of what is voided is a fork" "$(correction a7 a3 ann $october small 1 1)" ann '0|0|0'
equal "each of them waits under its reason" "$(waiting)" 'E_REF_FORK E_REF_UNKNOWN E_REF_FORK'
equal "rows: the event, two corrections, three reversals" "$(sql 'SELECT kind, count(*) FROM metering.usage_event GROUP BY 1 ORDER BY 1' | tr '\n' ' ')" '1|3 2|3 '

# All in one batch.
booked "in one batch: event, correction, correction of the correction" \
	"$(event b bob $october small 100 50; correction b2 b bob $october small 100 40; correction b3 b2 bob $october small 100 30)" bob '1|100|30'
booked "in one batch: event and void" "$(event c cyd $october small 100 50; void c2 c cyd $october)" cyd '0|0|0'
booked "in one batch: two corrections of one event, the first counts" \
	"$(event d dan $october small 100 50; correction d2 d dan $october small 1 1; correction d3 d dan $october small 2 2)" dan '1|1|1'
booked "in one batch: the correction stands before its original, the original counts" \
	"$(correction e2 e eve $october small 1 1; event e eve $october small 100 50)" eve '1|100|50'
booked "an event of another tenant is another event" "$(correction f2 e fay $october small 1 1)" fay '0|0|0'

# Order decides, not the borders of batches: the correction in line 1 comes too early, the same one in line 3 does not.
early() { correction g2 g gus $october small 1 1; event g gus $october small 100 50; correction g2 g gus $october small 1 1; }
booked "the same correction once too early and once in time: it is booked" "$(early)" gus '1|1|1'
early | sed 's/gus/gil/; s/gus/gil/' >"$room/gil.ndjson"
check "the same, a record a batch" finds ingest --batch-records 1 "$room/gil.ndjson"
equal "gives the same sums" "$(sums gil)" '1|1|1'

# A correction that comes before its original waits until somebody releases it.
booked "a correction of what has not arrived books nothing" "$(correction h2 h hal $november small 100 20)" hal '0|0|0'
number=$(sql "SELECT max(quarantine_id) FROM metering.quarantine")
refused "released too early, it is refused and says why" 4 E_REF_UNKNOWN release "$number"
booked "its original arrives" "$(event h hal $october small 100 50)" hal '1|100|50'
check "released now, it is booked" release "$number"
equal "in place of the original" "$(sums hal)" '1|100|20'
equal "and in the month of the original" "$(month_of hal)" '2026-10|20 '

# Months.
booked "a correction that comes in November ..." "$(event i ivy $october small 100 50; correction i2 i ivy $november small 100 40)" ivy '1|100|40'
equal "... of usage of October is booked in October" "$(month_of ivy)" '2026-10|40 '
booked "so is the next one, a batch later" "$(correction i3 i2 ivy $november small 100 30)" ivy '1|100|30'
equal "although it corrects a correction" "$(month_of ivy)" '2026-10|30 '
booked "a correction to another model" "$(event j jim $october small 100 50; correction j2 j jim $october large 100 50)" jim '1|100|50'
equal "leaves nothing on the first one" "$(sql "SELECT model, sum(requests) FROM metering.usage_event JOIN metering.usage_series USING (series_id)
	WHERE tenant = 'jim' GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" 'large|1 small|0 '

check "all of it is rated" finds rate
check "and the books reconcile" tollbook reconcile --quiet
report
