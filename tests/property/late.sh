#!/usr/bin/env bash
# Usage that comes late costs what it would have cost in time: random usage, part of it after its months are invoiced, re-rated month by month in
# any order, comes to the charges of a ledger that had all of it from the start; and what is booked, line by line and difference by
# difference, to what its invoices would have said, to the minor unit.
#   PROPERTY_LEDGERS   how many; 1 where it is not set
#   PROPERTY_FIRST     the first, 1 where it is not set
#   PROPERTY_SEED      which; the seed of a run that failed repeats it
#   PROPERTY_WITHOUT   parts of the language to leave out, comma between them (FEATURES in generate.py)
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/random_books.sh
seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
first=${PROPERTY_FIRST:-1} ledgers=${PROPERTY_LEDGERS:-1}
keep=$build/property
as_of=2026-11-05T00:00:00Z
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$keep"

change_contracts() { [ ! -e "$case/tenants_2.json" ] || tollbook tenant apply --quiet "$case/tenants_2.json"; }
booked() { local file; for file in "$@"; do finds ingest "$file" || return 1; done; }
at_once() { open_ledger at_once && publish prices_2 && change_contracts && booked "$case"/order_1.part_*.ndjson && finds rate; }
invoice_all() { finds tollbook invoice draft --quiet --as-of "$as_of" && finds tollbook invoice finalize --quiet --as-of "$as_of"; }
# One month is closed without any invoice: all of it is booked as adjustments.
close_one() {
	sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at)
	     SELECT period, 'soft', 'reviewed', '', '', 'eve', '$as_of' FROM finance.rating_in_force WHERE period < '2026-10' GROUP BY period ORDER BY md5(period || '$seed') LIMIT 1"
}
in_time() { open_ledger late && booked "$case"/order_2.part_1.ndjson && finds rate && close_one && invoice_all; }
# again PERIOD [TENANT]: planned, approved and applied.
again() {
	local id
	id=$(tollbook rerate plan --as-of "$as_of" --format csv --reason late_usage --period "$1" ${2:+--tenant "$2"} | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
	[ -n "$id" ] && tollbook rerate approve --quiet --as-of "$as_of" --by eve "$id" && tollbook rerate apply --quiet --as-of "$as_of" "$id"
}
again_all() {
	local what
	for what in $(sql "SELECT DISTINCT f.period FROM finance.rating_in_force f JOIN finance.billing_period p USING (tenant, period) WHERE NOT p.provisional" | shuf --random-source=<(yes "$seed")); do again "$what" || return 1; done
}
late() {
	local file count=0
	for file in "$case"/order_2.part_*.ndjson; do
		count=$((count + 1))
		[ $count -gt 1 ] || continue
		booked "$file" && finds rate || return 1
		[ $count != 2 ] || publish prices_2 || return 1
		again_all || return 1
		[ $count != 2 ] || change_contracts || return 1
		[ $count != 3 ] || invoice_all || return 1
	done
	finds rate && again_all
}
same() { [ -n "$1" ] && diff <(echo "$1") <(echo "$2") >"$room/diff" || { head -n 20 "$room/diff"; return 1; }; }
# One tenant has no contract: why its usage is held depends on whether the month is closed.  A period that came to nothing may have no rating.
digests() { sql "SELECT tenant, period, encode(output_digest, 'hex') FROM finance.current_rating WHERE tenant <> 'dodo' AND output_digest <> sha256('') ORDER BY 1, 2"; }
# What each period comes to in minor units by what a line is about: of the charges in force, each rounded; and as it is booked.
charged() {
	sql "SELECT r.tenant, r.period, h.kind, h.model, h.service_tier, h.meter_id, sum(round(h.amount, 2)) FROM finance.charge h JOIN finance.current_rating r USING (rating_id)
	      GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(round(h.amount, 2)) <> 0 ORDER BY 1, 2, 3, 4, 5, 6"
}
booked_of() {
	sql "SELECT tenant, period, kind, model, service_tier, meter_id, sum(amount_minor) * 0.01 FROM (
		SELECT v.tenant, v.period, l.kind COLLATE \"C\" AS kind, l.model COLLATE \"C\" AS model, l.service_tier COLLATE \"C\" AS service_tier,
		       COALESCE(m.meter_id, 0) AS meter_id, l.amount_minor
		  FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) LEFT JOIN metering.meter m ON m.name = l.meter COLLATE \"C\"
		 WHERE l.adjustment_id IS NULL
		UNION ALL
		SELECT tenant, original_period, kind, model, service_tier, meter_id, amount_minor FROM finance.adjustment) x
	 GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(amount_minor) <> 0 ORDER BY 1, 2, 3, 4, 5, 6"
}
# Differences of closed periods by day add up to the adjustments.
strange_days() {
	sql "SELECT count(*) FROM (
		SELECT i.rerate_id, i.tenant, i.period, d.kind, d.model, d.service_tier, d.meter_id, sum(d.new_amount - d.old_amount) AS amount
		  FROM finance.rerate_item i JOIN finance.rerate_difference d USING (rerate_id, place) WHERE i.closed GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(d.new_amount - d.old_amount) <> 0) d
	  FULL JOIN (SELECT rerate_id, tenant, original_period AS period, kind, model, service_tier, meter_id, sum(exact_amount) AS amount FROM finance.adjustment GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(exact_amount) <> 0) a
	       USING (rerate_id, tenant, period, kind, model, service_tier, meter_id)
	 WHERE d.amount IS DISTINCT FROM a.amount"
}

echo "seed $seed, $ledgers ledgers"
new_database empty
check "the books are set up" tollbook init
for ((ledger = first; ledger < first + ledgers; ledger++)); do
	before=$failed number= case=
	find_case late "$ledger" --late --events 150 >"$room/found" 2>&1 || { not_ok "seed $seed: books that may be published were found"; cat "$room/found"; continue; }
	what="seed $seed, ledger $number"
	check "$what: all usage at once is rated" at_once
	use_database at_once
	wanted=$(digests) wanted_charged=$(charged)
	check "$what: of part of it the months are invoiced" in_time
	use_database late
	check "$what: the rest comes late, in pieces, re-rated in any order" late
	check "$what: the charges have the same digests" same "$(digests)" "$wanted"
	check "$what: all is invoiced" invoice_all
	check "$what: what is booked is what invoices with everything would say" same "$(booked_of)" "$wanted_charged"
	equal "$what: days add up to adjustments" "$(strange_days)" 0
	check "$what: books reconcile" tollbook reconcile --quiet --as-of "$as_of"
	sql "SELECT '    ' || count(*) || ' adjustments of ' || count(DISTINCT (tenant, original_period)) || ' tenant periods' FROM finance.adjustment"
	for n in at_once late; do drop_database "$n"; done
	if [ "$failed" = "$before" ]; then rm -rf "$case"; else echo "    files are in $case"; fi
done
report
