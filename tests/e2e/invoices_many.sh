#!/usr/bin/env bash
# Invoices by the hundred: 1,101 tenants in three chunks and of two issuers, of whom one cannot be drafted, one is parked, and one cannot be made
# final.  Every tenant's number is its amount: t0042 owes 42.00; and t0001 also 9.50
# of September, so that it has two.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

book() { # NAME MODEL PRICE PER
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "%s", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": %s}}}]}\n' "$@" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
long=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
tenants() {
	awk 'BEGIN {
		printf "{\"issuers\": [{\"issuer\": \"AA\", \"name\": \"First\"}, {\"issuer\": \"ZZ\", \"name\": \"Last\"}], \"tenants\": ["
		for (i = 1; i <= 1101; i++)
			printf "%s{\"tenant\": \"t%04d\", \"name\": \"Tenant %d\", \"issuer\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"%s\", \"effective\": \"2026-01-01\"}",
			       i == 1 ? "" : ", ", i, i, i % 2 == 1 ? "AA" : "ZZ", i == 900 ? "dear" : i == 250 ? "names" : "usd"
		print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
used() {
	for i in $(seq 1101); do
		usage "u$i" "$(printf 't%04d' "$i")" 2026-10-15T12:00:00Z "$([ "$i" = 250 ] && echo $long || echo a)" $((i * 1000)) 0 0
	done >"$room/usage.ndjson"
	usage september t0001 2026-09-15T12:00:00Z a 9500 0 0 >>"$room/usage.ndjson"
	ingest "$room/usage.ndjson"
}
# Numbers that are not those of their place among the issuer's tenants.
misplaced() {
	sql "SELECT count(*) FROM (SELECT number, issuer || '-INV-2026-' || lpad(row_number() OVER (PARTITION BY issuer ORDER BY period, tenant)::text, 6, '0') AS wanted
	       FROM finance.invoice WHERE status = 'final') x WHERE number <> wanted"
}
counters() { sql "SELECT string_agg(issuer || ' ' || next_number, ', ' ORDER BY issuer) FROM finance.document_counter"; }

new_database many
check "the books are set up" tollbook init
check "a price is published" book usd a 1 1000
check "one that no invoice can hold" book dear a 1000000000000 1
check "and one of a model whose name is long" book names $long 1 1000
check "1,101 tenants are there" tenants
check "each has used so many thousand tokens as its number is" used
check "it is rated" exits 0 rate
check "the 250th has a credit whose pattern takes for ever" tollbook credit grant t0250 5 --quiet --as-of $as_of --kind goodwill --reason goodwill --model '(a|aa)+[cd]'
for tenant in t0001 t0500 t0501; do
	check "$tenant has a credit of 10.00" tollbook credit grant $tenant 10 --quiet --as-of $as_of --kind goodwill --reason goodwill --starts 2026-09-01
done
sql "INSERT INTO finance.parked (tenant, period, reason, detail, parked_at, parked_by) VALUES ('t0700', '2026-10', 'charge_jump', '', '$as_of', 'test')"

# Drafts.
refused "drafting says which tenant fails" 7 '2026-10 of t0900' tollbook invoice draft --as-of $as_of
equal "the other 1,100 of its chunk and of the others have drafts, one of them two, of a line each" \
	"$(sql "SELECT count(*), count(DISTINCT tenant), min(lines), max(lines) FROM (SELECT tenant, (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = v.invoice_id) AS lines FROM finance.invoice v) x")" \
	'1101|1100|1|1'
equal "each of what its tenant owes" "$(sql "SELECT count(*) FROM finance.invoice WHERE net_minor <> substr(tenant, 2)::integer * 100 AND period = '2026-10'")" 0
refused "drafting again says it again" 7 '2026-10 of t0900' tollbook invoice draft --as-of $as_of
equal "and there are as many drafts and lines as before" "$(sql "SELECT (SELECT count(*) FROM finance.invoice), (SELECT count(*) FROM finance.invoice_line)")" '1101|1101'

# Guards, at a draft: a line belongs to an invoice, and goes with it.
columns="line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity, decimals, exact_amount, amount_minor, book, book_version, rule"
draft="(SELECT invoice_id FROM finance.invoice WHERE tenant = 't0250')"
a_line="SELECT 2, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity, decimals, exact_amount, amount_minor, book, book_version, rule FROM finance.invoice_line WHERE invoice_id = $draft"
refused "a line of no invoice is refused" 1 'a line has no invoice' sql "INSERT INTO finance.invoice_line (invoice_id, $columns) SELECT 999999, x.* FROM ($a_line) x"
refused "so is one that is moved to none" 1 'a line has no invoice' sql "UPDATE finance.invoice_line SET invoice_id = 999999 WHERE invoice_id = $draft"
copy_database many races
psql -X -q -d "$TOLLBOOK_DB" >"$room/slow" 2>&1 <<-END &
	BEGIN;
	INSERT INTO finance.invoice_line (invoice_id, $columns) SELECT $draft, x.* FROM ($a_line) x;
	SELECT pg_sleep(1);
	COMMIT;
END
slow=$!
for _ in $(seq 100); do [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = 'races' AND query ~ 'pg_sleep'")" -gt 1 ] && break; sleep 0.05; done
check "a draft is thrown away while another session adds a line to it" sql "DELETE FROM finance.invoice WHERE tenant = 't0250'"
wait $slow
equal "no line is left behind" "$(sql "SELECT count(*) FROM finance.invoice_line l WHERE NOT EXISTS (SELECT FROM finance.invoice v WHERE v.invoice_id = l.invoice_id)")" 0
use_database many

# Final.
finalize() { tollbook invoice finalize --quiet --as-of $as_of --format csv "$@"; }
finalize --dry-run >"$room/dry.csv"
finalize >"$room/real.csv"
equal "who finalizes is told that something is left" $? 7
finalize >"$room/again.csv"
equal "1,099 are final" "$(sql "SELECT count(*), sum(net_minor) FROM finance.invoice WHERE status = 'final'")" "1099|$(((1101 * 1102 / 2 - 250 - 700 - 900) * 100 + 950))"
equal "a dry run said the numbers that they got" "$(grep -c 'final' "$room/dry.csv") $(grep final "$room/dry.csv" | cut -d, -f1,2 | tr ',' '|' | sort | md5sum)" \
	"1099 $(sql "SELECT number, tenant FROM finance.invoice WHERE status = 'final'" | sort | md5sum)"
equal "the two that are not are told with their reasons" "$(grep -v final "$room/real.csv" | grep -c 't0700.*parked (charge_jump)\|t0250.*takes too long') of $(grep -vc final "$room/real.csv")" '2 of 3'
equal "again they are the only ones" "$(cut -d, -f2 "$room/again.csv" | tr '\n' ' ')" 'tenant t0250 t0700 '
equal "numbers rise with tenants in each issuer's series, without a gap" "$(misplaced)" 0
equal "the next ones follow them" "$(counters)" "AA 553, ZZ 548"
equal "each period has its invoice" "$(sql "SELECT count(*) FROM finance.invoiced_period i JOIN finance.invoice v USING (invoice_id) WHERE v.status = 'final' AND v.tenant = i.tenant")" 1099
equal "the log has each once, in the order of numbers" \
	"$(sql "SELECT count(*), count(*) FILTER (WHERE subject < before) FROM (SELECT subject, lag(subject) OVER (ORDER BY audit_id) AS before FROM finance.audit_log WHERE action = 'invoice finalize') x")" '1099|0'
equal "credits of 10.00 paid 9.50 and what was left, 10.00 and 10.00" \
	"$(sql "SELECT string_agg(tenant || ' ' || credits_minor || ' ' || total_minor, ', ' ORDER BY tenant, period) FROM finance.invoice WHERE credits_minor > 0")" \
	't0001 950 0, t0001 50 50, t0500 1000 49000, t0501 1000 49100'
check "the books agree" finds tollbook reconcile --quiet
report
