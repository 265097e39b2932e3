#!/usr/bin/env bash
# What other projects say is to be booked when usage of a period that was invoiced comes late or is taken back: the whole way, from
# events through the invoice to the adjustments of re-rates, to the cent.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
as_of=2026-11-05T00:00:00Z

# Rows of a table: case phase quantity cents model tiers options.  A minimum that is owed at the very end alone has no counterpart:
# a contract's minimum is on the period's invoice.  The flat price of a first tier that is owed though nothing is used is a fee of the
# contract here: a price needs usage.
rows() {
	awk -F, 'NR == FNR { used[$2] += $11; next }
		FNR > 1 && $8 !~ /min=/ {
			options = $8 == "" ? "-" : $8
			split($7, step, "[:;]")
			if (used[$2] == 0 && step[3] > 0) options = "fee=" step[3]
			printf "%s %s %s %.0f %s %s %s\n", $2, $9, $11, $12 * 100, $6, $7, options }' "$1" "$1"
}

# A rule of a book for each case, in the order in which cases come; the model is named like the case.
book() {
	awk '!seen[$1]++ {
		count = split($6, steps, ";")
		if ($5 == "package") { split(steps[1], part, ":"); price = sprintf("{\"package\": %s, \"price\": \"%s\"}", part[4], part[2]) }
		else if ($5 == "per_unit" || $5 == "amount_multiplier") { split(steps[1], part, ":"); price = sprintf("{\"price\": \"%s\", \"per\": 1}", part[2]) }
		else {
			price = ""
			for (i = 1; i <= count; i++) {
				split(steps[i], part, ":")
				price = price (i > 1 ? ", " : "") "{" (part[1] == "inf" ? "" : "\"up_to\": " part[1] ", ") "\"price\": \"" part[2] "\"" (part[3] + 0 == 0 ? "" : ", \"fee\": \"" part[3] "\"") "}"
			}
			price = sprintf("{\"tiers\": \"%s\", \"per\": 1, \"steps\": [%s]}", $5, price)
		}
		rules = rules (rules == "" ? "" : ", ") sprintf("{\"model\": \"%s\", \"prices\": {\"input_text_uncached_tokens\": %s}}", $1, price)
	} END {
		printf "{\"tollbook_prices\": 1, \"book\": \"vectors\", \"currency\": \"USD\", \"effective\": \"2026-10-01T00:00:00Z\", \"free\": [\"requests\", \"output_text_tokens\"], \"rules\": [%s]}\n", rules
	}'
}
contracts() {
	awk '!seen[$1]++ {
		value = $7; sub(/^[a-z_]*=/, "", value); terms = ""
		if ($7 ~ /^max=/) terms = sprintf(", \"terms\": {\"maximum\": {\"amount\": \"%s\"}}", value)
		if ($7 ~ /^fee=/) terms = sprintf(", \"terms\": {\"fees\": [{\"name\": \"first tier\", \"amount\": \"%s\"}]}", value)
		if ($7 ~ /^free_units=/) terms = sprintf(", \"terms\": {\"allowances\": [{\"name\": \"free\", \"meters\": [\"input_text_uncached_tokens\"], \"quantity\": %s}]}", value)
		if ($7 != "-" && terms == "") { print "no terms for " $7 >"/dev/stderr"; bad = 1 }
		list = list (list == "" ? "" : ", ") sprintf("{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"vectors\", \"issuer\": \"TF\", \"effective\": \"2026-10-01\"%s}", $1, $1, terms)
	} END { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [%s]}\n", list; exit bad }'
}

# The events of a phase: what is more is more usage; for what is less, everything is taken back and used anew.
declare -A live used
events() {
	local case=$1 phase=$2 quantity=$3 before=${used[$1]:-0} id
	used[$case]=$quantity
	if ((quantity > before)); then
		event "$case-$phase" "$case" "2026-10-1${phase}T12:00:00Z" "$case" $((quantity - before)) 0
		live[$case]+=" $phase"
	elif ((quantity < before)); then
		for id in ${live[$case]}; do void "$case-$phase-void-$id" "$case-$id" "$case" "2026-10-1${id}T12:00:00Z"; done
		live[$case]=
		((quantity == 0)) || { event "$case-$phase" "$case" "2026-10-1${phase}T12:00:00Z" "$case" "$quantity" 0; live[$case]=" $phase"; }
	fi
}
# What is booked of October, a line for each tenant: lines of the invoice and adjustments, in cents.
booked() {
	sql "SELECT tenant, sum(amount) FROM (
		SELECT v.tenant, l.amount_minor AS amount FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) WHERE v.status = 'final' AND v.period = '2026-10' AND l.adjustment_id IS NULL
		UNION ALL SELECT tenant, amount_minor FROM finance.adjustment WHERE original_period = '2026-10') x GROUP BY tenant" | tr '|' ' '
}
invoice_open() { finds tollbook invoice draft --as-of $as_of --period 2026-10 && finds tollbook invoice finalize --as-of $as_of --period 2026-10; }
rerate_all() {
	local id
	id=$(tollbook rerate plan --as-of $as_of --period 2026-10 --reason late_usage --format csv | tr -d '\r' | sed -n '2s/,.*//p')
	[ -n "$id" ] && tollbook rerate approve --quiet --as-of $as_of --by eve "$id" && tollbook rerate apply --quiet --as-of $as_of "$id"
}

# booked_as TABLE NAME: the whole way with a database of its own.
booked_as() {
	local phase last case number quantity cents rest
	rows "$1" >"$room/rows"
	new_database "$2"
	live=() used=()
	check "$2: the books are set up" tollbook init
	book <"$room/rows" >"$room/book.json"
	contracts <"$room/rows" >"$room/tenants.json"
	check "$2: a rule for each case" tollbook prices publish --quiet --as-of 2026-10-01 "$room/book.json"
	check "$2: a tenant for each case" tollbook tenant apply --quiet --as-of 2026-10-01 "$room/tenants.json"
	last=$(cut -d' ' -f2 "$room/rows" | sort -n | tail -n 1)
	: >"$room/before"
	for ((phase = 1; phase <= last; phase++)); do
		while read -r case number quantity cents rest; do
			[ "$number" != $phase ] || events "$case" $phase "$quantity"
		done <"$room/rows" >"$room/phase-$phase.ndjson"
		check "$2: usage of phase $phase" finds tollbook ingest --quiet --as-of $as_of "$room/phase-$phase.ndjson"
		check "$2: it is rated" finds rate
		check "$2: what is not invoiced yet is" invoice_open
		[ $phase = 1 ] || check "$2: the rest is re-rated" rerate_all
		booked >"$room/after"
		awk -v phase=$phase 'FILENAME ~ /before$/ { before[$1] = $2; next } FILENAME ~ /after$/ { after[$1] = $2; next }
			$2 == phase { print $1, "phase", phase, after[$1] - before[$1] }' "$room/before" "$room/after" "$room/rows" >"$room/got"
		awk -v phase=$phase '$2 == phase { print $1, "phase", phase, $4 }' "$room/rows" >"$room/wanted"
		equal "$2: phase $phase books what is asserted, in $(wc -l <"$room/wanted") cases" "$(cat "$room/got")" "$(cat "$room/wanted")"
		mv "$room/after" "$room/before"
	done
	check "$2: the books reconcile" tollbook reconcile --quiet --as-of $as_of
}

booked_as tests/data/vectors/delta.csv invented
table=${TOLLBOOK_SHARED:-../shared}/data/vectors/delta.csv
if [ -r "$table" ]; then
	booked_as "$table" delta
	equal "all of them were booked" "$(wc -l <"$room/rows")" "$(($(wc -l <"$table") - 1))"
else
	skip "delta.csv of other projects: $table is not there"
fi
report
