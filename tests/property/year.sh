#!/usr/bin/env bash
# A year of nights for contracts anchored on 1, 15, 28, 29, 30 and 31 in seven zones: each event, those a microsecond before and behind a border
# too, is on exactly one invoice, of the period that it lies in, and that is made in the first night at or behind its end and its grace.
#   YEAR_FROM     the first day; 2028-02-09 where it is not set
#   YEAR_NIGHTS   how many nights follow it; 35 where it is not set, 370 for a whole year
# Some nights are run alone and some are missed and caught up by a later one: 1, 1, 1, 7, 1, 19 at a time, and again.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
from=${YEAR_FROM:-2028-02-09} nights=${YEAR_NIGHTS:-35}
export PYTHONDONTWRITEBYTECODE=1
year() { python3 tests/property/year.py "$@" --from "$from" --nights "$nights"; }
drop=$room/drop case=$room/case
mkdir -p "$drop"
cat >"$room/tollbook.conf" <<END
[night]
grace_hours = 24
reconcile = open
[limits]
charge_jump = 0
[source drop]
kind = files
folder = $drop
END
# night DATE: with all usage of the days before it.
night() {
	local day
	for day in "$case"/usage/*; do
		[[ ! $day < $case/usage/usage-$1.ndjson ]] || mv "$day" "$drop/"
	done
	finds tollbook nightly --quiet --config "$room/tollbook.conf" --date "$1" --as-of "$1T02:00:00Z"
}
sizes=(1 1 1 7 1 19)
all_nights() {
	local at=1 turn=0
	while night "$(date -u -d "$from + $at days" +%F)"; do
		[ $at -lt $((nights - 1)) ] || return 0
		at=$((at + sizes[turn % 6])) turn=$((turn + 1))
		[ $at -lt "$nights" ] || at=$((nights - 1))
	done
	return 1
}
csv() { psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "COPY ($1) TO STDOUT (FORMAT csv)"; }
utc() { printf "to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')" "$1"; }
as_found() {
	csv "SELECT v.tenant, v.period, $(utc v.starts), $(utc v.ends), $(utc v.finalized_at), l.model
	       FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) WHERE v.status = 'final' ORDER BY 1, 2, 6" >"$room/lines" &&
		csv "SELECT tenant, period, $(utc starts), $(utc ends) FROM finance.billing_period" >"$room/periods" &&
		year check --lines "$room/lines" --periods "$room/periods"
}

new_database year
check "the books are set up" tollbook init
check "usage is invented" year make --out "$case"
check "its prices are published" tollbook prices publish --quiet --as-of "$from" "$case/prices.json"
check "its contracts are applied" tollbook tenant apply --quiet --as-of "$from" "$case/tenants.json"
check "from $from on there are $nights days and the nights behind them" all_nights
check "each event is on exactly one invoice, of its period, of the right night; periods follow one another without a gap" as_found
equal "no night was forgotten, and none was twice" \
	"$(sql "SELECT count(*), max(night) - min(night) + 1, count(*) FILTER (WHERE ended_at IS NULL) FROM finance.night_run")" "$((nights - 1))|$((nights - 1))|0"
check "the books reconcile" tollbook reconcile --quiet --as-of "$(date -u -d "$from + $nights days" +%F)"
as_found | tail -n 1 | sed 's/^/    /'
report
