#!/usr/bin/env bash
# Support puts usage right: a void or a correction is an event of the ledger, with a reason and a ticket, once for each request.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z
new_database support_usage
check "the books are set up" tollbook init

# A short record with a project, an adapter and a tier; one with decimals, an engine and a prompt of two passes.
{
	event a ann $october small 100 50
	event b ann $october small 100 50
	usage s ann $october small 1000 400 7 | sed 's/"tenant"/"project":"p1","adapter":"lora-7","service_tier":"batch","tenant"/'
	event e ann $october small 60 20 | sed 's/"provider"/"context_input_tokens":900,"engine":{"name":"vllm"},"attribution":{"project_id":"p2","team":"x"},&/; s/"requests":1/&,"gpu_seconds":"1.5"/'
	event old ann 2025-08-01T00:00:00Z small 1 1
	event huge ann $october small 2000000000 1
} >"$room/usage.ndjson"
check "six events come, two wait for a person" exits 7 ingest "$room/usage.ndjson"
for number in 1 2; do check "who lets in number $number" tollbook quarantine release --as-of $as_of --reason checked $number; done

support() { tollbook usage "$@" --as-of "$as_of" --by sue; }
# Sums over the ledger rows of event ID and of what took its place: requests, input, output.
left() {
	sql "WITH RECURSIVE c AS (SELECT event_id FROM metering.usage_event WHERE id = '$1' AND kind = 1
	       UNION SELECT k.event_id FROM c JOIN metering.usage_correction k ON k.original_event_id = c.event_id)
	     SELECT sum(requests), sum(input_text_uncached_tokens), sum(output_text_tokens) FROM metering.usage_event JOIN c USING (event_id)"
}
series_of() { sql "SELECT DISTINCT s.* FROM metering.usage_event e JOIN metering.usage_series s USING (series_id) WHERE e.id = '$1' AND e.kind = 1"; }
rows() { sql "SELECT count(*) FROM metering.usage_event"; }
told() { tr -d '\r' | cut -d, -f2- | tr '\n' ' '; }

# A correction.
equal "a correction shows each meter before and after" \
	"$(support correct ann /gateway a --set output_text_tokens=40 --reason metering_error --ticket S-1 --request r1 --format csv | told)" \
	'meter,before,after,status requests,1,1,booked input_text_uncached_tokens,100,100,booked output_text_tokens,50,40,booked '
equal "what is left is 40 of output" "$(left a)" '1|100|40'
equal "the rest of what it is attributed to is as it was" "$(series_of r1)" "$(series_of a)"
equal "the time is the original's" "$(sql "SELECT DISTINCT event_time FROM metering.usage_event WHERE id IN ('a', 'r1')")" '2026-10-20 10:00:00+00'
equal "the ledger knows who asked, why, and where" \
	"$(sql "SELECT action, tenant, source, id, before, reason, ticket, asked_by FROM finance.support_event")" \
	'correction|ann|/gateway|a|requests=1 input_text_uncached_tokens=100 output_text_tokens=50|metering_error|S-1|sue'
equal "so does the audit log" "$(tollbook audit list --action usage --format csv | sed 1d | cut -d, -f3-)" \
	'sue,usage correct,ann /gateway a,metering_error,S-1,requests=1 input_text_uncached_tokens=100 output_text_tokens=50,requests=1 input_text_uncached_tokens=100 output_text_tokens=40'

# Once.
before=$(rows)
check "the same request again is done" support correct ann /gateway a --set output_text_tokens=40 --reason metering_error --ticket S-1 --request r1
equal "and books nothing" "$(rows)" "$before"
equal "with the same answer" "$(support correct ann /gateway a --set output_text_tokens=40 --reason metering_error --ticket S-1 --request r1 --json | grep -o '"before": "*50"*, "after": "*40"*')" \
	'"before": 50, "after": 40'
refused "the same id for another quantity is refused" 4 'was made before with another outcome' \
	support correct ann /gateway a --set output_text_tokens=39 --reason metering_error --ticket S-1 --request r1
refused "for another event" 4 'another id: "a", not "b"' support correct ann /gateway b --set output_text_tokens=40 --reason metering_error --ticket S-1 --request r1
refused "for another ticket" 4 'another ticket: "S-1", not "S-2"' \
	support correct ann /gateway a --set output_text_tokens=40 --reason metering_error --ticket S-2 --request r1
refused "for a void" 4 'another action: "correction", not "void"' support void ann /gateway a --reason metering_error --ticket S-1 --request r1

# What was corrected is corrected again, and voided.
check "a second correction, by the first event's name, takes the first one's place" \
	support correct ann /gateway a --set output_text_tokens=30 --set input_text_cache_read_tokens=5 --reason metering_error --request r2
equal "what is left is 100 of input and 30 of output" "$(left a)" '1|100|30'
check "by the correction's name too" support correct ann /support r1 --set output_text_tokens=20 --reason metering_error --request r3
equal "what is left is 20 of output" "$(left a)" '1|100|20'
check "a void takes back what is left" support void ann /gateway a --reason test_traffic --ticket S-3 --request r4
equal "nothing is left" "$(left a)" '0|0|0'
equal "the event's story is shown" "$(tollbook usage show ann /gateway a --format csv | sed 1d | cut -d, -f1-3,8 | tr '\n' ' ')" \
	'usage,/gateway,a, correction,/support,r1,metering_error correction,/support,r2,metering_error correction,/support,r3,metering_error void,/support,r4,test_traffic '

# What a correction keeps.
check "usage of the short form is corrected" support correct ann /short s --set output_text_tokens=6 --reason metering_error --request r5
equal "project, adapter and tier stay" "$(series_of r5)" "$(series_of s)"
check "an event with decimals is corrected" support correct ann /gateway e --set gpu_seconds=2.25 --set input_text_uncached_tokens=70 --reason metering_error --request r6
equal "its engine, its attribution and its whole prompt stay" "$(sql "SELECT context, context_input_tokens FROM metering.usage_event WHERE id = 'r6' AND kind = 1")" \
	"$(sql "SELECT context, context_input_tokens FROM metering.usage_event WHERE id = 'e'")"
equal "its seconds are 2.25" "$(sql "SELECT extra FROM metering.usage_event WHERE id = 'r6' AND kind = 1")" '{43,2250000000}'
equal "a prompt that is the sum of its tokens stays their sum" "$(sql "SELECT string_agg(context_input_tokens::text, ' ' ORDER BY batch_id) FROM metering.usage_event
	WHERE id IN ('s', 'r5') AND kind = 1")" '1000 1000'
check "half of them were counted twice" support correct ann /short s --set input_text_uncached_tokens=100 --reason duplicate_charge --request r7
equal "and the prompt is as long as what is left" "$(sql "SELECT context_input_tokens FROM metering.usage_event WHERE id = 'r7' AND kind = 1")" 500
check "what is older than 400 days is corrected" support correct ann /gateway old --set output_text_tokens=2 --reason metering_error --request r8
check "what was let in although it is so much is corrected" support correct ann /gateway huge --set output_text_tokens=2 --reason metering_error --request r9

# What is refused, before anything is written.
before=$(rows)
refused "what is voided is not voided again" 4 'was voided before' support void ann /gateway a --reason test_traffic --request x1
refused "nor corrected" 4 'was voided before' support correct ann /gateway a --set output_text_tokens=1 --reason metering_error --request x2
refused "an event that is not there" 4 'the ledger has no event "zzz"' support void ann /gateway zzz --reason test_traffic --request x3
refused "an event of another tenant" 4 'of tenant "bob"' support void bob /gateway b --reason test_traffic --request x4
refused "a meter that is not there" 2 'there is no meter "output_tokens"' support correct ann /gateway b --set output_tokens=1 --reason metering_error --request x5
refused "less than nothing" 2 'a negative count' support correct ann /gateway b --set output_text_tokens=-1 --reason metering_error --request x6
refused "half a token" 2 'not a whole number' support correct ann /gateway b --set output_text_tokens=0.5 --reason metering_error --request x7
refused "a quantity beyond belief" 3 'E_IMPLAUSIBLE' support correct ann /gateway b --set output_text_tokens=3000000000 --reason metering_error --request x8
refused "a meter twice" 2 'given twice' support correct ann /gateway b --set requests=2 --set requests=3 --reason metering_error --request x9
refused "what changes nothing" 4 'has these quantities already' support correct ann /gateway b --set output_text_tokens=50 --reason metering_error --request x10
refused "no quantity" 2 'needs --set' support correct ann /gateway b --reason metering_error --request x11
refused "no reason" 2 'needs --reason' support void ann /gateway b --request x12
refused "a reason for something else" 2 'is not for usage' support void ann /gateway b --reason promotion --request x13
refused "an id that cannot be one" 3 E_ID_CHARS support void ann /gateway b --reason test_traffic --request ' x14'
equal "nothing was booked, asked or noted" "$(rows) $(sql "SELECT count(*) FROM finance.support_event WHERE request_id LIKE '%x%'")" "$before 0"
check "a dry run says what would be" support void ann /gateway b --reason test_traffic --request d1 --dry-run
equal "and books nothing" "$(rows) $(left b)" "$before 1|100|50"

# A request that was written down, but whose event is not in the ledger, is completed.
event=$(void half b ann $october | sed 's|"source":"/gateway","id":"half"|"source":"/support","id":"half"|')
sql "INSERT INTO finance.support_event VALUES ('half', 'void', 'ann', '/gateway', 'b', '$event',
	'requests=1 input_text_uncached_tokens=100 output_text_tokens=50', 'test_traffic', '', now(), 'sue')"
equal "the event is still there" "$(left b)" '1|100|50'
check "asked again, it is booked" support void ann /gateway b --reason test_traffic --request half
equal "and nothing is left of b" "$(left b)" '0|0|0'

# Two people at once.
ingest - <<<"$(event t ann $october small 10 5)" >/dev/null
support void ann /gateway t --reason test_traffic --request t1 >"$room/t1" 2>&1 & one=$!
support void ann /gateway t --reason duplicate_charge --request t2 >"$room/t2" 2>&1 & two=$!
wait $one; one=$?
wait $two; two=$?
equal "of two who void at once, one does and one is told" "$(printf '%s\n' $one $two | sort | tr '\n' ' ')" '0 4 '
equal "and nothing is left, not less" "$(left t)" '0|0|0'

check "a random id is made where none is given" support correct ann /short s --set output_text_tokens=5 --reason metering_error --format csv
check "all of it is rated" finds rate
check "and the books reconcile" tollbook reconcile --quiet
report
