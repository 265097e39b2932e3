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
report
