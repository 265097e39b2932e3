#!/usr/bin/env bash
# Many tenants, several threads, one result: charges do not depend on how many threads price them, nor on how usage came in.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

tenants=150
awk -v n=$tenants 'BEGIN {
	print "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 1; i <= n; i++)
		printf "%s{\"tenant\": \"t%03d\", \"name\": \"T\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"%s\", \"book\": \"std\", \"effective\": \"2026-01-01\"}\n",
			i == 1 ? "" : ", ", i, i % 3 == 0 ? "Asia/Kathmandu" : i % 3 == 1 ? "UTC" : "America/St_Johns"
	print "]}" }' >"$room/tenants.json"
# Steps that count over the year: October goes on where September ended.
cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "std", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"],
 "rules": [{"model": "small", "prices": {
   "input_text_uncached_tokens": {"per": 1000000, "brackets": [{"price": "1"}, {"over": 500, "price": "2"}]},
   "output_text_tokens": {"tiers": "graduated", "per": 1000, "steps": [{"up_to": 1000, "price": "3"}, {"price": "1"}],
     "counter": {"scope": "rule", "reset": "year"}}}}]}
END
awk -v n=$tenants 'BEGIN { srand(4); for (i = 1; i <= n; i++) for (e = 1; e <= 6; e++)
	printf "{\"idempotency_key\":\"%d-%d\",\"tenant\":\"t%03d\",\"time\":\"2026-%s-%02dT%02d:%02d:00Z\",\"model\":\"small\",\"input_tokens\":%d,\"output_tokens\":%d}\n",
		i, e, i, e % 2 ? "09" : "10", 2 + int(rand() * 27), int(rand() * 24), int(rand() * 60), 499 + e % 4, 300 }' >"$room/usage.ndjson"

# books NAME FILE...: a database with the contracts, the book and these files, each ingested by itself.
books() {
	local name=$1
	shift
	new_database "$name"
	tollbook init --quiet >"$room/log" && tollbook prices publish --quiet "$room/book.json" >>"$room/log" 2>&1 &&
		tollbook tenant apply --quiet "$room/tenants.json" >>"$room/log" || cat "$room/log"
	for file; do ingest "$file" >>"$room/log" || cat "$room/log"; done
}
digests() { sql "SELECT md5(string_agg(encode(output_digest, 'hex'), ' ' ORDER BY tenant, period)) FROM finance.current_rating"; }
ratings() { sql 'SELECT count(*) FROM finance.current_rating'; }

books one "$room/usage.ndjson"
check "one thread prices $tenants tenants in two months" finds rate --workers 1
equal "each has two ratings" "$(ratings)" $((2 * tenants))
wanted=$(digests)
equal "October goes on where September ended: 900 + 900 tokens of output fill the first 1000" \
	"$(sql "SELECT r.period, c.tier, c.quantity FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
		WHERE r.tenant = 't001' AND c.meter_id = 6 ORDER BY 1, 2" | tr '|\n' ' ;')" '2026-09 1 900;2026-10 1 100;2026-10 2 800;'
equal "bracket borders: 500 is below, 501 over it" \
	"$(sql "SELECT c.detail, sum(c.quantity) FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
		WHERE r.tenant = 't001' AND c.meter_id = 2 GROUP BY 1 ORDER BY 1" | tr '|\n' ' ;')" ' 1499;over 500 1504;'
for workers in 2 7; do
	books "threads_$workers" "$room/usage.ndjson"
	check "$workers threads do" finds rate --workers $workers
	equal "and come to the same" "$(digests)" "$wanted"
done
awk 'BEGIN { srand(7) } { printf "%.9f\t%s\n", rand(), $0 }' "$room/usage.ndjson" | sort | cut -f 2- | split -l 200 - "$room/part."
books shuffled "$room"/part.*
check "in another order, in five files" finds rate
equal "it comes to the same" "$(digests)" "$wanted"
books piecemeal
for part in "$room"/part.*; do
	ingest "$part" >"$room/log" || cat "$room/log"
	check "rated after each file: $(basename "$part")" finds rate
done
equal "it comes to the same" "$(digests)" "$wanted"
check "and rating once more, from the inputs each was made from, changes nothing" finds tollbook reconcile

# Where no price tells requests apart, the server adds rows up, part by part; a number of a batch that is missing ends a part.
sed -i 's/"brackets": .*\]},/"price": "1"},/' "$room/book.json"
awk 'BEGIN { for (i = 1; i <= 600; i++)
	printf "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/g\",\"id\":\"a%d\",\"subject\":\"t00%d\",\"time\":\"2026-09-07T10:0%d:00Z\",\"data\":{\"operation\":\"chat\",\"provider\":\"p\",\"model\":\"small\",\"quantities\":{\"requests\":1,\"output_text_tokens\":%d%s}}}\n",
		i, i % 3 + 1, i % 10, i, (i % 100 ? "" : ",\"input_audio_uncached_tokens\":7") }' >"$room/dense.ndjson"
split -l 200 "$room/dense.ndjson" "$room/dense."
sums() { sql "SELECT count(*), md5(string_agg(f, ' ' ORDER BY f)) FROM (SELECT row(s.tenant, q.interval_start, q.meter_id, sum(q.quantity))::text AS f
	FROM metering.interval_quantity q JOIN metering.usage_series s USING (series_id) GROUP BY s.tenant, q.interval_start, q.meter_id) x"; }
in_parts() { sql "SELECT setval('metering.ingest_batch_id', nextval('metering.ingest_batch_id') + 1)" >"$room/log"; }
for workers in 1 3; do
	books "parts_$workers" "$room"/dense.aa
	for part in "$room"/dense.a[bc] "$room"/part.*; do
		in_parts
		ingest "$part" >"$room/log" || cat "$room/log"
	done
	check "with $workers workers: batches with gaps between their numbers, 600 rows of one quarter of an hour and 900 of many" finds rate --workers $workers
	[ $workers = 3 ] || one=$(sums)
	check "the ledger is in the intervals" finds tollbook reconcile
done
equal "sums are the same with 1 and with 3" "$(sums)" "$one"
equal "they are in few rows: tokens of 600 requests of three tenants, 200 each" \
	"$(sql "SELECT count(*), sum(i.requests) FROM metering.usage_interval i JOIN metering.usage_series s USING (series_id) WHERE i.interval_start = '2026-09-07 10:00Z' AND i.requests > 100")" '3|600'
equal "audio of 6 of them, 7 tokens each, is beside them" "$(sql "SELECT sum(quantity) FROM metering.usage_interval_extra")" 42
books lacking "$room"/dense.aa "$room"/dense.ab
sql "ALTER TABLE metering.usage_event_2026_09 DISABLE TRIGGER USER; DELETE FROM metering.usage_event WHERE ordinal = 5 AND batch_id = (SELECT min(batch_id) FROM metering.ingest_batch)"
refused "a ledger that lacks a row of a batch is not summed" 4 '399 ledger rows, and their headers say 400' rate
equal "nothing is rated" "$(ratings)" 0
report
