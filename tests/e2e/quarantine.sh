#!/usr/bin/env bash
# Quarantine: records that are not facts yet.  A person looks, and releases or discards, once, with a reason; the bytes stay.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

new_database quarantine
check "the books are set up" tollbook init

late=2025-09-30T12:00:00Z october=2026-10-20T10:00:00Z
unexplained() {
	printf '{"specversion":"1.0","type":"tollbook.usage.v1","source":"/gateway","id":"%s","subject":"ann","time":"%s","data":{"operation":"chat",' "$1" "$october"
	printf '"provider":"p","model":"small","quantities":{"input_text_uncached_tokens":10,"output_text_tokens":5},"reported":{"input_tokens":11}}}\n'
}
{
	usage late ann $late small 10 0 5                 # 1
	usage huge ann $october small 2000000000 0 5      # 2
	unexplained odd                                   # 3
	usage plain ann $october small 10 0 5             # booked
	usage plain ann $october small 10 0 6             # 4: a conflict
	printf 'broken \0 \xff\xfe bytes\t"\\\n'          # 5
	usage future ann 2026-11-07T00:00:00Z small 7 0 7 # 6
	usage both ann $late small 2000000000 0 5         # 7: two things are wrong with it
} >"$room/usage.ndjson"
equal "seven of eight are set aside" "$(counts "$room/usage.ndjson")" '8 1 0 0 6 1'

listed() { tollbook quarantine list --format csv "$@" | tr -d '\r' | sed -e 1d -e 's/"[^"]*"/quoted/' | cut -d, -f1,2,3,5,9 | tr '\n' ' '; }
number_of() { sql "SELECT quarantine_id FROM metering.quarantine WHERE record = $1 ORDER BY 1 DESC LIMIT 1"; }
release() { tollbook quarantine release --as-of "${2:-$as_of}" --by ines --reason 'looked at it' "$1"; }
discard() { tollbook quarantine discard --as-of "$as_of" --by ines --reason 'not usage' "$@"; }
flags() { sql "SELECT flags & 2048 <> 0 FROM metering.usage_event WHERE id = '$1'"; } # bit 11: F_WAIVED
booked() { sql "SELECT count(*), sum(input_text_uncached_tokens) FROM metering.usage_event WHERE id = '$1'"; }

# Looking.
equal "the list shows those that wait" "$(listed)" \
	'1,quarantined,E_TIME_LATE,1,waiting 2,quarantined,E_IMPLAUSIBLE,2,waiting 3,quarantined,E_TOTAL_UNEXPLAINED,3,waiting '`
	`'4,quarantined,E_KEY_CONFLICT,5,waiting 5,rejected,E_UTF8,6,waiting 6,quarantined,E_TIME_FUTURE,7,waiting 7,quarantined,E_IMPLAUSIBLE,8,waiting '
equal "or those of a reason" "$(listed --code E_KEY_CONFLICT)" '4,quarantined,E_KEY_CONFLICT,5,waiting '
refused "a reason that there is not is refused" 2 E_NONSENSE tollbook quarantine list --code E_NONSENSE
shows() { tollbook quarantine show 1 | grep -qF "$1"; }
check "showing one says why it is set aside" shows 'E_TIME_LATE: older than the late limit'
check "and shows the record" shows '"idempotency_key":"late"'
refused "one that there is not is refused" 4 'no quarantined record 99' tollbook quarantine show 99
refused "what is no number is refused" 2 '"x"' tollbook quarantine show x

# The bytes.
equal "bytes are kept as they came" "$(sql 'SELECT raw FROM metering.quarantine WHERE quarantine_id = 5')" \
	"\\x$(sed -n 6p "$room/usage.ndjson" | head -c -1 | od -An -tx1 | tr -d ' \n')"
equal "and are shown without steering the terminal" "$(tollbook quarantine show 5 | tail -n 1 | LC_ALL=C tr -d '\376\377')" 'broken \x00  bytes\x09"\'

# Releasing, where a person may.
refused "a reason must be given" 2 '--reason' tollbook quarantine release 1
refused "one that says something" 2 '--reason' tollbook quarantine release 1 --reason ''
check "a dry run says yes" tollbook quarantine release --dry-run --reason 'just asking' 1
equal "and books nothing" "$(booked late)" '0|'
for id in 1,late,10 2,huge,2000000000 3,odd,10; do
	IFS=, read -r number name quantity <<<"$id"
	check "the record \"$name\" is released" release "$number"
	equal "the record \"$name\" is booked once" "$(booked "$name")" "1|$quantity"
	equal "with the flag that somebody waived a check" "$(flags "$name")" t
	refused "it is not released twice" 4 'was released before' release "$number"
	refused "nor discarded afterwards" 4 'was released before' discard "$number"
done
equal "nothing else has that flag" "$(sql 'SELECT count(*) FROM metering.usage_event WHERE flags & 2048 <> 0')" 3
refused "a waiver is for one check: what else is wrong stands in the way" 4 E_TIME_LATE release 7

# Releasing, where the ledger or the clock must change first, or where no person can help.
refused "usage of the day after tomorrow is not released today" 4 E_TIME_FUTURE release 6
check "it is, three days later" release 6 2026-11-08T00:00:00Z
equal "without a waiver, for nothing was waived" "$(flags future)" f
refused "a conflict is never released" 4 E_KEY_CONFLICT release 4
refused "nor are bytes that say nothing" 4 E_UTF8 release 5
equal "neither left anything behind" "$(sql 'SELECT count(*) FROM metering.ingest_batch')" 5

# Discarding.
refused "discarding needs a reason too" 2 '--reason' tollbook quarantine discard 4
check "two are discarded" discard 4 5
refused "not twice" 4 'was discarded before' discard 4
refused "a discarded record is not released" 4 'was discarded before' release 4
equal "one is left to wait" "$(listed)" '7,quarantined,E_IMPLAUSIBLE,8,waiting '
equal "all are kept" "$(listed --all | tr ' ' '\n' | cut -d, -f5 | sort | uniq -c | tr -s ' \n' ' ')" ' 2 discarded 4 released 1 waiting '
equal "the audit log says who and why" \
	"$(sql "SELECT who, action, subject, reason FROM finance.audit_log WHERE action LIKE 'quarantine%' ORDER BY audit_id" | tr '\n' ' ')" \
	"$(for n in 1 2 3 6; do printf 'ines|quarantine released|quarantine %s|looked at it ' $n; done; for n in 4 5; do printf 'ines|quarantine discarded|quarantine %s|not usage ' $n; done)"

# The file again: what was released is a duplicate now, and nothing is set aside a second time.
equal "the file is read again, three days later" "$(as_of=2026-11-08T00:00:00Z counts "$room/usage.ndjson")" '8 0 2 0 5 1'
equal "nothing is set aside twice" "$(sql 'SELECT count(*) FROM metering.quarantine')" 7
equal "nothing is booked twice" "$(sql 'SELECT count(*) FROM metering.usage_event')" 5

# CSV: a released row is read by the mapping it came with.
cat >"$room/mapping.json" <<'END'
{"format": "csv", "columns": {"idempotency_key": "call", "tenant": "customer", "time": "when", "model": "model", "input_tokens": "in", "output_tokens": "out"},
 "constants": {"source": "/partner"}, "time": {"format": "YYYY-MM-DD HH:MM:SS", "zone": "UTC"}}
END
printf 'when,call,customer,model,in,out\n2025-09-30 12:00:00,k1,"Ann, the first",small,10,5\n' >"$room/usage.csv"
check "a CSV row of last year is read" exits 7 ingest --mapping "$room/mapping.json" "$room/usage.csv"
number=$(sql 'SELECT max(quarantine_id) FROM metering.quarantine')
rm "$room/mapping.json"
check "and released, after the mapping's file is gone" release "$number"
equal "it is booked under the customer, time and source it names" \
	"$(sql "SELECT tenant, event_time, name, input_text_uncached_tokens FROM metering.usage_event JOIN metering.usage_series USING (series_id)
		JOIN metering.event_source USING (event_source_id) WHERE id = 'k1'")" 'Ann, the first|2025-09-30 12:00:00+00|/partner|10'

# A key from the position stays that key.
usage '' ann $late small 10 0 5 | sed 's/"idempotency_key":"",//' >"$room/keyless.ndjson"
check "a record without a key, of last year, is read" exits 7 ingest --key-from-position "$room/keyless.ndjson"
check "and released" release "$(sql 'SELECT max(quarantine_id) FROM metering.quarantine')"
equal "the file again finds it booked" "$(counts --key-from-position --late-days 1000 "$room/keyless.ndjson")" '1 0 1 0 0 0'

check "the books reconcile" tollbook reconcile --quiet
report
