#!/usr/bin/env bash
# A provisional count of a request (its stream was cut) and the final one, under one identity, become an event and its correction, which
# sum up to the final count: whatever comes first, in whatever batches, by however many writers, with rating between.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z later=2026-10-20T10:20:00Z november=2026-11-02T10:00:00Z

# One request: its provisional count (25 in, 9 out) and its final one (25 in, 70 out), unless others are named.
#   provisional TENANT [OUT [ID]]   final TENANT [OUT [TIME [ID]]]
# An id is "TENANT-1" where none is named.
provisional() {
	envelope "${3:-$1-1}" "$1" "$october" "\"status\":\"aborted\",\"measurement\":{\"method\":\"gateway\",\"complete\":false,\"unknown\":[]},$(quantities small 25 "${2:-9}")"
}
final() { envelope "${4:-$1-1}" "$1" "${3:-$october}" "\"status\":\"completed\",$(quantities small 25 "${2:-70}")"; }

# A dollar for each token of output.
cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z",
 "free": ["requests", "input_text_uncached_tokens"],
 "rules": [{"model": "small", "prices": {"output_text_tokens": {"price": "1", "per": 1}}}]}
END
# set_up TENANT...: billed in dollars, by UTC.
set_up() {
	local tenants
	tenants=$(printf '{"tenant": "%s", "name": "x", "currency": "USD", "zone": "UTC", "book": "list", "effective": "2026-01-01"},' "$@")
	printf '{"tenants": [%s]}\n' "${tenants%,}" >"$room/tenants.json"
	tollbook init && tollbook prices publish --quiet "$room/book.json" && tollbook tenant apply --quiet --as-of 2026-01-01 "$room/tenants.json"
}
# Sums of a tenant's ledger rows: requests, input, output.
sums() {
	sql "SELECT COALESCE(sum(requests), 0), COALESCE(sum(input_text_uncached_tokens), 0), COALESCE(sum(output_text_tokens), 0)
	       FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE tenant = '$1'"
}
rows() {
	sql "SELECT e.kind, e.id, s.status, e.output_text_tokens FROM metering.usage_event e JOIN metering.usage_series s USING (series_id)
	      WHERE tenant = '$1' ORDER BY e.batch_id, e.ordinal, e.kind" | tr '\n' ' '
}
charged() {
	sql "SELECT trim_scale(COALESCE(sum(c.amount), 0)) FROM finance.charge c JOIN finance.current_rating r USING (rating_id) WHERE r.tenant = '$1' AND r.period = '2026-10'"
}
waiting() {
	sql "SELECT string_agg(code || ' ' || field || ' ' || value, ', ' ORDER BY quarantine_id) FROM metering.quarantine WHERE encode(raw, 'escape') LIKE '%\"$1\"%'"
}
books() { cat >"$room/usage.ndjson" && counts "$room/usage.ndjson"; }
# What became of them: records accepted duplicates ignored quarantined rejected.
booked() { equal "$1" "$(books <<<"$2" 2>&1)" "$3"; }

new_database provisional
check "a dollar a token of output" set_up ann bob cyd dan eve fay gus hal ivy jim kay leo

# In two batches, by two processes.
booked "a provisional count of 9 tokens is booked" "$(provisional ann)" '1 1 0 0 0 0'
check "and rated" finds rate
equal "it is charged as any usage" "$(charged ann)" 9
booked "the final count of 70 is booked, too" "$(final ann 70 $later)" '1 1 0 0 0 0'
equal "both sum up to the final one: 1 request, 25 in, 70 out" "$(sums ann)" '1|25|70'
equal "the event, then its correction with a reversal" "$(rows ann)" \
	'1|ann-1|aborted|9 1|ann-1/final|completed|70 2|ann-1/final|aborted|-9 '
equal "the correction is in the time of the original" "$(sql "SELECT count(DISTINCT event_time) FROM metering.usage_event WHERE id LIKE 'ann%'")" 1
check "it is rated" finds rate
equal "what is charged is the final count" "$(charged ann)" 70
booked "the final count again is a duplicate" "$(final ann)" '1 0 1 0 0 0'
booked "so is the provisional one" "$(provisional ann)" '1 0 1 0 0 0'
booked "so are both, with other times" "$(final ann 70 $november; provisional ann)" '2 0 2 0 0 0'
booked "another final count is a conflict" "$(final ann 71)" '1 0 0 0 1 0'
equal "set aside with the identity it has" "$(waiting ann-1)" 'E_KEY_CONFLICT id ann-1/final'
booked "another provisional count is a conflict" "$(provisional ann 10)" '1 0 0 0 1 0'
equal "nothing of that changed the sums" "$(sums ann)" '1|25|70'
booked "a correction names the final count to change it" "$(correction ann-2 ann-1/final ann $october small 25 60)" '1 1 0 0 0 0'
equal "and replaces it" "$(sums ann)" '1|25|60'

# The other way round.
booked "the final count comes first" "$(final bob)" '1 1 0 0 0 0'
booked "the provisional one is a duplicate, whatever it says" "$(provisional bob; provisional bob 8)" '2 0 2 0 0 0'
booked "both in one batch, where the final one is booked, are duplicates" "$(provisional bob; final bob)" '2 0 2 0 0 0'
equal "the final count stays, and alone" "$(sums bob) $(rows bob)" '1|25|70 1|bob-1|completed|70 '
booked "another final count of it is a conflict" "$(final bob 71)" '1 0 0 0 1 0'
equal "under its own identity" "$(waiting bob-1)" 'E_KEY_CONFLICT id bob-1'

# In one batch.
booked "both in one batch, each of them twice" "$(provisional cyd; final cyd; final cyd; provisional cyd)" '4 2 2 0 0 0'
equal "sum up to the final count" "$(sums cyd)" '1|25|70'
booked "in one batch, the final one first" "$(final dan; provisional dan)" '2 1 1 0 0 0'
equal "the final count is booked alone" "$(rows dan)" '1|dan-1|completed|70 '
booked "in one batch: two final counts that differ, the first counts" "$(provisional eve; final eve 70; final eve 71)" '3 2 0 0 1 0'
equal "and the second waits" "$(sums eve) $(waiting eve-1)" '1|25|70 E_KEY_CONFLICT id eve-1/final'
booked "two provisional counts that differ are a conflict, and the final one is booked" \
	"$(provisional fay 9; provisional fay 12; final fay 70)" '3 2 0 0 1 0'
equal "as the correction of the first" "$(sums fay)" '1|25|70'

# Somebody took the provisional count back before.
booked "a provisional count, and a void of it" "$(provisional gus; void gus-v gus-1 gus $october)" '2 2 0 0 0 0'
booked "its final count is a fork" "$(final gus)" '1 0 0 0 1 0'
equal "that names what it would have corrected" "$(sums gus) $(waiting gus-1 | sed 's/.*, //')" '0|0|0 E_REF_FORK data.ref gus-1'
booked "a provisional count, its correction and its final count in one batch: the correction counts" \
	"$(provisional hal; correction hal-c hal-1 hal $october small 25 50; final hal)" '3 2 0 0 1 0'
equal "it stays" "$(sums hal)" '1|25|50'
booked "the final count before the correction: the correction is a fork" \
	"$(provisional ivy; final ivy; correction ivy-c ivy-1 ivy $october small 25 50)" '3 2 0 0 1 0'
equal "and the final count stays" "$(sums ivy)" '1|25|70'
booked "a void of the final count takes all back" "$(void ivy-v ivy-1/final ivy $november)" '1 1 0 0 0 0'
equal "to nothing" "$(sums ivy)" '0|0|0'

# What is no provisional and final count of usage.
booked "two complete counts that differ are a conflict" "$(final jim 70; final jim 9)" '2 1 0 0 1 0'
partial() { sed 's/"quantities"/"measurement":{"method":"gateway","complete":false,"unknown":[]},&/'; }
booked "a correction that says that it is provisional" "$(event jim-2 jim $october small 25 9; correction jim-3 jim-2 jim $october small 25 8 | partial)" '2 2 0 0 0 0'
booked "is in conflict with a count under its identity" "$(final jim 70 $october jim-3)" '1 0 0 0 1 0'
long=$(printf 'k%.0s' $(seq 250)) longer=$(printf 'k%.0s' $(seq 251))
booked "an id of 250 bytes has room for the final count" "$(provisional kay 9 "$long"; final kay 70 $october "$long")" '2 2 0 0 0 0'
booked "one of 251 bytes has none: a conflict" "$(provisional kay 9 "$longer"; final kay 70 $october "$longer")" '2 1 0 0 1 0'
equal "so it is 70 and 9" "$(sums kay)" '2|50|79'

# Across months: the final count comes in November, and the request was in October.
booked "a provisional count of October" "$(provisional leo)" '1 1 0 0 0 0'
booked "its final count says November" "$(final leo 70 $november)" '1 1 0 0 0 0'
equal "what it counts is of October" "$(sql "SELECT DISTINCT to_char(event_time, 'YYYY-MM') FROM metering.usage_event WHERE id LIKE 'leo%'")" 2026-10

# 200 requests, provisional and final in any order: the same sums in whatever batches, and by two writers at once.
for i in $(seq 200); do provisional "t$((i % 7))" 9 "r$i"; final "t$((i % 7))" $((i + 10)) $october "r$i"; done | sort -R --random-source=<(yes) >"$room/many.ndjson"
expected='200|5000|22100'
many() { sql "SELECT sum(requests), sum(input_text_uncached_tokens), sum(output_text_tokens) FROM metering.usage_event WHERE id LIKE 'r%'"; }
for records in 400 7; do
	new_database "many_$records"
	check "empty books, $records records a batch" set_up t0
	check "200 requests are read" finds ingest --batch-records "$records" "$room/many.ndjson"
	equal "and sum up to the final counts" "$(many)" "$expected"
	equal "nothing is set aside" "$(sql 'SELECT count(*) FROM metering.quarantine')" 0
	check "the books reconcile" tollbook reconcile --quiet
done
new_database two_writers
check "empty books for two writers at once" set_up t0
tac "$room/many.ndjson" >"$room/backwards.ndjson"
ingest --batch-records 20 "$room/many.ndjson" >"$room/said_1" 2>&1 &
one=$!
ingest --batch-records 30 "$room/backwards.ndjson" >"$room/said_2" 2>&1 &
two=$!
wait "$one"
equal "the one comes to its end, with nothing for a person to do" $? 0
wait "$two"
equal "so does the other" $? 0
equal "the sums are the same" "$(many)" "$expected"
equal "nothing is set aside" "$(sql 'SELECT count(*) FROM metering.quarantine')" 0
check "all of it is rated" finds rate
check "and the books reconcile" tollbook reconcile --quiet
use_database provisional
check "all requests are rated" finds rate
equal "the final counts are what is charged, across all of it" "$(for tenant in ann bob cyd fay leo; do charged $tenant; done | tr '\n' ' ')" '60 70 70 70 70 '
check "and the books reconcile" tollbook reconcile --quiet
report
