#!/usr/bin/env bash
# What each request costs: charges of the rating in force, given out request by request, to the last unit and decimal.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

publish() { cat >"$room/book.json" && tollbook prices publish --quiet "$room/book.json"; }
# tenant NAME BOOK [TERMS]
tenant() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "UTC",
	 "book": "%s", "issuer": "TF", "effective": "2026-01-01"%s}]}\n' "$1" "$1" "$2" "${3:+, \"terms\": $3}" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
books() { cat >"$room/usage.ndjson" && finds ingest "$room/usage.ndjson"; }
rated() { check "it is rated" finds rate; }
at() { printf '2026-10-%sZ' "$1"; }
# full ID TENANT TIME MODEL INPUT READ OUTPUT [MORE-OF-DATA]
full() {
	envelope "$1" "$2" "$3" '"operation":"chat","provider":"p","model":"'"$4"'","quantities":{"requests":1,"input_text_uncached_tokens":'"$5"',"input_text_cache_read_tokens":'"$6"',"output_text_tokens":'"$7"'}'"${8:-}"
}
requests() { tollbook report requests --quiet --tenant "$1" --period 2026-10 "${@:2}"; }
# Rows that cost something or are held: ID KIND METER QUANTITY AMOUNT TIER DETAIL HELD, with short names of meters.
priced() {
	requests "$1" --format csv | awk -F, 'NR > 1 && $7 != "requests" { print $3, $4, $7, $8, $11, $14, $15, $16 }' |
		sed 's/input_text_uncached_tokens/in/; s/input_text_cache_read_tokens/read/; s/output_text_tokens/out/; s/  */ /g; s/ *$//; s/^ //'
}

# adds_up TENANT: rows against charges, holds and the ledger, by SQL; what does not agree is shown.
adds_up() {
	requests "$1" --format csv -o "$room/requests.csv" || return 1
	sql "DROP TABLE IF EXISTS public.rows; CREATE TABLE public.rows (place bigint GENERATED ALWAYS AS IDENTITY, time timestamptz, source text, id text,
		kind text, model text, service_tier text, meter text, quantity numeric, price numeric, per numeric, amount numeric, currency text, rule text,
		tier integer, detail text, held text, charge integer)" || return 1
	psql -X -q -d "$TOLLBOOK_DB" -c "\\copy public.rows (time, source, id, kind, model, service_tier, meter, quantity, price, per, amount, currency, rule, tier, detail, held, charge) FROM '$room/requests.csv' (FORMAT csv, HEADER)" || return 1
	! sql "WITH mine AS (SELECT charge, sum(amount) AS amount, sum(quantity) AS quantity, min(currency) AS currency, min(price) AS price FROM public.rows WHERE charge IS NOT NULL GROUP BY 1)
		SELECT 'charge', c.ordinal, c.kind, c.amount, mine.amount, c.quantity, mine.quantity FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
		  FULL JOIN mine ON mine.charge = c.ordinal LEFT JOIN metering.meter m USING (meter_id)
		 WHERE r.tenant = '$1' AND r.period = '2026-10' AND (c.amount IS DISTINCT FROM mine.amount OR c.currency <> mine.currency OR c.price <> mine.price
		    OR (c.kind IN ('usage', 'trial', 'allowance') AND c.quantity IS DISTINCT FROM mine.quantity * power(10::numeric, m.decimals)))
		UNION ALL
		SELECT 'charge that is not there', charge, '', 0, amount, 0, quantity FROM mine WHERE charge > (SELECT count(*) FROM finance.charge JOIN finance.current_rating r USING (rating_id)
		 WHERE r.tenant = '$1' AND r.period = '2026-10')" | grep . || return 1
	! sql "WITH mine AS (SELECT model, service_tier, meter, held, sum(quantity) AS quantity FROM public.rows WHERE held IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(quantity) <> 0),
		holds AS (SELECT h.model, h.service_tier, m.name, h.reason, h.quantity / power(10::numeric, m.decimals) AS quantity FROM finance.hold h JOIN metering.meter m USING (meter_id)
		  JOIN finance.current_rating r USING (rating_id) WHERE r.tenant = '$1' AND r.period = '2026-10' AND h.quantity <> 0)
		(TABLE mine EXCEPT TABLE holds) UNION ALL (TABLE holds EXCEPT TABLE mine)" | grep . || return 1
	! sql "WITH mine AS (SELECT time, source, id, (kind = 'reversal') AS back, meter, sum(quantity) AS quantity FROM public.rows WHERE id IS NOT NULL GROUP BY 1, 2, 3, 4, 5),
		ledger AS (SELECT q.event_time, o.name AS source, q.id, q.kind = 2, m.name AS meter, q.quantity / power(10::numeric, m.decimals) FROM metering.event_quantity q JOIN metering.usage_series s USING (series_id)
		  JOIN metering.event_source o USING (event_source_id) JOIN metering.meter m USING (meter_id)
		 WHERE s.tenant = '$1' AND q.quantity <> 0 AND q.event_time >= '2026-10-01' AND q.event_time < '2026-11-01')
		(TABLE mine EXCEPT TABLE ledger) UNION ALL (TABLE ledger EXCEPT TABLE mine)" | grep . || return 1
	! sql "SELECT place, time FROM (SELECT place, time, lag(time) OVER (ORDER BY place) AS before FROM public.rows WHERE id IS NOT NULL) t WHERE before > time" | grep .
}
exact() { check "rows, charges, holds and ledger agree: $1" adds_up "$1"; }

new_database requests
check "the books are set up" tollbook init
check "a book: input in steps, cache reads at their price, output in packages" publish <<'END'
{"tollbook_prices": 1, "book": "std", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"],
 "rules": [{"model": "small", "fallback": {"input_text_cache_read_tokens": "input_text_uncached_tokens"}, "prices": {
   "input_text_uncached_tokens": {"tiers": "graduated", "per": 1000, "steps": [{"up_to": 1500, "price": "2", "fee": "5"}, {"price": "1"}]},
   "output_text_tokens": {"package": 1000, "price": "3"}}}]}
END

# Steps, a fallback and packages within one quarter of an hour.
check "ann has a contract" tenant ann std
check "usage of one quarter" books < <(full a1 ann "$(at 05T10:00:01)" small 1000 100 400; full a2 ann "$(at 05T10:00:00)" small 900 0 700; full a3 ann "$(at 05T10:14:59)" small 0 0 900)
rated
equal "in the order of events: where a step ends, a request has a part on each side; who begins a package pays for it" "$(priced ann)" \
'a2 usage in 900 1.8 1
a2 usage out 700 3 1
a1 usage in 600 1.2 1
a1 usage in 400 0.4 2
a1 usage read 100 0.1 2
a1 usage out 400 3 1
a3 usage out 900 0 1
tier_fee in 5 1'
exact ann
equal "the table ends with the total" "$(requests ann | tail -n 1)" 'total 14.5 USD, 11 rows of 3 events; the rows add up to the charges'
equal "JSON is JSON, a row a line" "$(requests ann --format json | python3 -c '
import json, sys
text = sys.stdin.read(); rows = json.loads(text)
print(len(rows), len(text.splitlines()), rows[1]["quantity"], rows[1]["amount"], rows[1]["rule"], rows[1]["held"])')" '11 13 900 1.8 std@1 rule 1 None'

# Corrections and voids, in other batches and runs.
check "one is corrected, one taken back, more comes" books < <(
	correction a1c a1 ann "$(at 05T11:00:00)" small 10 1; void a3v a3 ann "$(at 06T10:00:00)"; full a4 ann "$(at 05T10:10:00)" small 700 0 900
	full a5 ann "$(at 07T10:00:00)" small 500 0 7; void a5v a5 ann "$(at 07T10:01:00)")
rated
equal "corrections stand at the time of their original; a reversal gives back what lies on top" "$(priced ann)" \
'a2 usage in 900 1.8 1
a2 usage out 700 3 1
a1 usage in 600 1.2 1
a1 usage in 400 0.4 2
a1 usage read 100 0 taken back within its quarter of an hour
a1 usage out 400 3 1
a1c reversal in -600 -1.2 1
a1c reversal in -400 -0.4 2
a1c reversal read -100 0 taken back within its quarter of an hour
a1c reversal out -400 -3 1
a1c usage in 10 0.02 1
a1c usage out 1 0 1
a4 usage in 590 1.18 1
a4 usage in 110 0.11 2
a4 usage out 900 3 1
a3 usage out 900 3 1
a3v reversal out -900 -3 1
a5 usage in 500 0 taken back within its quarter of an hour
a5 usage out 7 0 taken back within its quarter of an hour
a5v reversal in -500 0 taken back within its quarter of an hour
a5v reversal out -7 0 taken back within its quarter of an hour
tier_fee in 5 1'
exact ann

# What contracts say, and what is held.
check "bob has an allowance, a discount, a fee and a minimum" tenant bob std '{"allowances": [{"name": "included", "meters": ["input_text_uncached_tokens"], "quantity": 300}],
	"discounts": [{"name": "deal", "percent": "10"}], "fees": [{"name": "platform", "amount": "9"}], "minimum": {"amount": "20"}}'
check "usage" books < <(full b1 bob "$(at 05T10:00:00)" small 200 0 0; full b2 bob "$(at 05T10:00:01)" small 200 0 0; full b3 bob "$(at 05T10:00:02)" other 7 0 0; full b4 bob "$(at 06T10:00:02)" small 100 0 10; void b3v b3 bob "$(at 05T10:00:02)"; full b5 bob "$(at 08T10:00:02)" other 1 2 3)
rated
equal "what is included costs nothing; what belongs to no request stands at the end" "$(priced bob)" \
'b1 allowance in 200 0 included
b2 allowance in 100 0 included
b2 usage in 100 0.2 1
b3 usage in 7 0 taken back within its quarter of an hour
b3v reversal in -7 0 taken back within its quarter of an hour
b4 usage in 100 0.2 1
b4 usage out 10 3 1
b5 usage in 1 no_rule
b5 usage read 2 no_rule
b5 usage out 3 no_rule
tier_fee in 5 1
discount -0.84 deal: 10 % of 8.4
minimum 12.44 minimum: 20 - 7.56
fee 9 platform: 9'
exact bob
check "eve has no contract" books < <(full e1 eve "$(at 05T10:00:00)" small 200 0 0)
rated
equal "her usage is held" "$(priced eve)" 'e1 usage in 200 unknown_tenant'
exact eve

# Prices that tell requests apart: brackets, parts, projects, engines, tags, times, volume prices, a counter of several models.
check "a book that says everything" publish <<'END'
{"tollbook_prices": 1, "book": "all", "currency": "USD", "effective": "2026-10-02T00:00:00Z", "free": ["requests"],
 "windows": {"night": {"zone": "Europe/Berlin", "spans": [{"from": "22:00", "to": "06:00"}]}},
 "rules": [
  {"name": "long", "model": "long", "prices": {"input_text_uncached_tokens": {"per": 1000000, "brackets": [{"price": "1.25"}, {"over": 1000, "price": "2.5"}]},
    "input_text_cache_read_tokens": {"price": "0.125", "per": 1000000, "times": [{"window": "night", "factor": "0.3"}]},
    "output_text_tokens": {"per": 1000000, "brackets": [{"price": "3"}, {"from": 700, "price": "7"}], "split": "tokens"}}},
  {"name": "prod", "model_pattern": "m.", "tags": {"env": "prod"}, "prices": {"input_text_uncached_tokens": {"price": "0.000000000000000007", "per": 1000},
    "input_text_cache_read_tokens": {"price": "1", "per": 1000000}, "output_text_tokens": {"price": "1", "per": 1000000}}},
  {"name": "vllm", "model_pattern": "m.", "engine": "vllm", "project": "p1", "prices": {"input_text_uncached_tokens": {"price": "0.77", "per": 1000000},
    "input_text_cache_read_tokens": {"price": "0.123456789123", "per": 1000}, "output_text_tokens": {"price": "1", "per": 1000}}},
  {"name": "any", "model_pattern": "m.", "prices": {
    "input_text_uncached_tokens": {"tiers": "graduated", "counter": {"scope": "group", "group": "in"}, "steps": [{"up_to": 9000, "package": 700, "price": "0.7"}, {"up_to": 40000, "package": 50, "price": "0.01", "fee": "1"}, {"package": 1000, "price": "0.3"}]},
    "input_text_cache_read_tokens": {"tiers": "volume", "per": 1000, "steps": [{"up_to": 5000, "price": "0.31"}, {"price": "0.17", "fee": "2"}]},
    "output_text_tokens": {"tiers": "volume", "counter": {"scope": "group", "group": "out"}, "steps": [{"up_to": 100, "package": 100, "price": "1"}, {"package": 300, "price": "0.2"}]}}}]}
END
check "cat and dan are billed by it" eval 'tenant cat all && tenant dan all "{\"trial\": {\"until\": \"2026-10-04\"}, \"allowances\": [{\"name\": \"a\", \"meters\": [\"output_text_tokens\"], \"quantity\": 5000}], \"discounts\": [{\"name\": \"d\", \"percent\": \"7\"}], \"maximum\": {\"amount\": \"5\"}}"'
check "small and large requests" books < <(full c1 cat "$(at 05T10:00:00)" long 1000 0 600; full c2 cat "$(at 05T10:00:01)" long 900 101 900; full c3 cat "$(at 05T21:00:01)" long 10 100 0; full c0 cat "$(at 01T10:00:00)" long 1 0 0)
rated
equal "brackets: the second is longer than 1000; its output costs more from the 700th token on; nights cost less; before the book all is held" "$(priced cat)" \
'c0 usage in 1 no_price_book
c1 usage in 1000 0.00125
c1 usage out 600 0.0018
c2 usage in 900 0.00225 over 1000
c2 usage read 101 0.000012625
c2 usage out 699 0.002097
c2 usage out 201 0.001407 from 700
c3 usage in 10 0.0000125
c3 usage read 100 0.00000375 night x 0.3'
exact cat

# random FIRST COUNT TENANT: usage, corrections and voids of the events of this call, on a few days.
random() {
	awk -v first="$1" -v count="$2" -v tenant="$3" 'function pick(n) { return int(rand() * n) }
	function event(id, kind, ref, quantities) {
		printf "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gateway\",\"id\":\"%s\",\"subject\":\"%s\",\"time\":\"%s\",\"data\":{%s\"quantities\":{%s}}}\n", id, tenant, when,
			(kind == "" ? "" : "\"kind\":\"" kind "\",\"ref\":{\"source\":\"/gateway\",\"id\":\"" ref "\"},") (kind == "void" ? "" : "\"operation\":\"chat\",\"provider\":\"p\",\"model\":\"" models[pick(5)] "\"" more ","), quantities }
	function numbers() { return sprintf("\"requests\":1,\"input_text_uncached_tokens\":%d,\"input_text_cache_read_tokens\":%d,\"output_text_tokens\":%d", pick(1500), pick(3) * pick(600), pick(900)) }
	BEGIN { srand(first + 17); split("m1 m2 m3 long other", names, " "); for (i = 1; i <= 5; i++) models[i - 1] = names[i]
		for (i = first; i < first + count; i++) {
			when = sprintf("2026-10-%02dT%02d:%02d:%02dZ", 1 + pick(7), 9 + pick(2) * 13, pick(60), pick(60))
			more = (pick(2) ? ",\"engine\":{\"name\":\"" (pick(2) ? "vllm" : "sglang") "\"}" : "") (pick(2) ? ",\"attribution\":{" (pick(2) ? "\"project\":\"p" pick(3) "\"" : "\"user\":\"u\"") ",\"tags\":{\"env\":\"" (pick(2) ? "prod" : "test") "\"}}" : "")
			event(tenant "-" i, "", "", numbers()); last[i % 7] = tenant "-" i
			if (pick(5) == 0 && i > first + 7) { old = last[pick(7)]; if (old in done) continue; done[old] = 1; kind = pick(2) ? "void" : "correction"; event("x-" tenant "-" i, kind, old, kind == "void" ? "" : numbers()) } } }'
}
check "random usage" books < <(random 1 400 dan)
rated
exact dan
check "more, to the same quarters" books < <(random 1001 300 dan)
rated
exact dan
check "the books are right" tollbook reconcile --quiet
equal "all kinds of rows are among them" "$(sql "SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind), bool_or(held = 'no_rule'), bool_or(detail LIKE 'taken back%'), bool_or(tier = 3) FROM public.rows")" \
	'allowance discount maximum reversal tier_fee trial usage|t|t|t'

# A book that tells apart more than before moves usage to other classes.
check "a later version has another bracket" eval 'cp "$room/book.json" "$room/all.json" && sed "s/over\": 1000/over\": 800/; s/from\": 700/from\": 300/; s/2026-10-02T/2026-10-03T/" "$room/all.json" | publish'
rated
exact dan
exact cat

# A month that is invoiced.
check "ann's October is drafted" finds tollbook invoice draft --quiet --as-of $as_of --tenant ann
check "and invoiced" exits 0 tollbook invoice finalize --quiet --as-of $as_of --tenant ann
check "usage that comes too late" books < <(full a8 ann "$(at 05T10:00:05)" small 50 0 1; full a9 ann "$(at 09T10:00:05)" small 5 0 0; void a4v a4 ann "$(at 05T10:10:00)")
rated
equal "is held, between what is charged" "$(priced ann | grep -E '^(a4|a4v|a8|a9) ')" \
'a8 usage in 50 period_invoiced
a8 usage out 1 period_invoiced
a4 usage in 590 1.18 1
a4 usage in 110 0.11 2
a4 usage out 900 3 1
a4v reversal in -700 period_invoiced
a4v reversal out -900 period_invoiced
a9 usage in 5 period_invoiced'
exact ann
check "the total names the invoice" eval 'requests ann | tail -n 1 | grep -q "invoiced as TF-INV-2026-000001"'

# What is refused.
refused "a tenant is needed" 2 'needs a tenant and a period' tollbook report requests --period 2026-10
refused "so is a period" 2 'needs a tenant and a period' tollbook report requests --tenant ann
refused "a month that has no rating" 4 'there is no rating of 2026-09 of tenant "ann"' tollbook report requests --tenant ann --period 2026-09
printf 'kept\n' >"$room/old.csv"
refused "a file that cannot be written" 5 'could not be written' requests ann --format csv -o "$room/missing/requests.csv"
copy_database requests damaged
sql "ALTER TABLE finance.charge DISABLE TRIGGER ALL; UPDATE finance.charge SET amount = amount + 0.000000000000000001 WHERE rating_id = (SELECT rating_id FROM finance.current_rating WHERE tenant = 'bob' AND period = '2026-10') AND ordinal = 3"
refused "a charge that was changed in its last decimal" 4 'charge 3 of rating' requests bob --format csv -o "$room/old.csv"
equal "leaves the file as it was" "$(cat "$room/old.csv") $(find "$room" -name '*.part')" 'kept '
sql "ALTER TABLE metering.usage_event_2026_10 DISABLE TRIGGER ALL; UPDATE metering.usage_event SET output_text_tokens = output_text_tokens + 1 WHERE id = 'e1' OR id = 'b5'"
refused "usage that is not what was rated" 4 'is not what was rated' requests eve
sql "ALTER TABLE finance.hold DISABLE TRIGGER ALL; UPDATE finance.hold SET quantity = quantity + 1 WHERE rating_id = (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cat' AND period = '2026-10')"
refused "a hold that was changed" 4 'do not add up to the holds' requests cat
sql "ALTER TABLE finance.rating DISABLE TRIGGER ALL; UPDATE finance.rating SET output_digest = sha256('x') WHERE tenant = 'dan'"
refused "a rating that comes out otherwise" 4 'comes to something else than is stored' requests dan
sql "UPDATE finance.rating SET engine = 1 WHERE tenant = 'dan'"
refused "a rating by older arithmetic" 4 'was rated by arithmetic 1' requests dan
drop_database damaged

# A big month streams: what a tenth of it takes in memory is enough.
use_database requests
month() { # FIRST COUNT
	awk -v first="$1" -v count="$2" 'BEGIN { for (i = first; i < first + count; i++)
		printf "{\"idempotency_key\":\"big-%d\",\"tenant\":\"big\",\"time\":\"2026-10-%02dT%02d:%02d:%02dZ\",\"model\":\"m%d\",\"input_tokens\":%d,\"cached_input_tokens\":%d,\"output_tokens\":%d}\n",
			i, 3 + i % 28, i % 24, i % 4 * 15, i % 60, 1 + i % 3, 200 + i % 997, i % 101, i % 313 }'
}
peak() { # KiB in memory at most, and milliseconds
	ASAN_OPTIONS=quarantine_size_mb=1 python3 -c '
import resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, int((time.monotonic() - began) * 1000)) if code == 0 else sys.exit(code)' \
		tollbook report requests --quiet --tenant big --period 2026-10 --format csv -o "$room/big.csv"
}
check "big is billed by the book that says everything" tenant big all
check "ten thousand events" books < <(month 1 10000)
rated
read -r small _ < <(peak)
check "ninety thousand more" books < <(month 10001 90000)
rated
read -r large milliseconds < <(peak)
rows=$(wc -l <"$room/big.csv")
check "100,000 events, $((rows - 1)) rows, in at most $((large / 1024)) MiB (10,000: $((small / 1024)) MiB), $((100000000 / milliseconds)) events a second" \
	test "$large" -lt $((small + 16384)) -a "$rows" -gt 300000
exact big
report
