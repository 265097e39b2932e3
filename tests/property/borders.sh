#!/usr/bin/env bash
# Billing periods of every anchor in 44 zones from 2019 to 2030: each begins where Python's zone data says, they follow on one another, and
# every instant is in the one that finance.period_month() names.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

# Offsets of half and quarter hours, clocks that change by half an hour or two hours, at midnight, in Ramadan, and on days that periods begin on.
zones=(UTC Africa/Cairo Africa/Casablanca Africa/Johannesburg Africa/Lagos America/Asuncion America/Bogota America/Caracas America/Chicago
	America/Havana America/Los_Angeles America/Mexico_City America/New_York America/Nuuk America/Santiago America/Sao_Paulo America/St_Johns
	Antarctica/Troll Asia/Amman Asia/Beirut Asia/Dhaka Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Asia/Shanghai
	Asia/Singapore Asia/Tehran Asia/Tokyo Atlantic/Azores Australia/Adelaide Australia/Eucla Australia/Lord_Howe Australia/Sydney
	Europe/Berlin Europe/Dublin Europe/London Europe/Volgograd Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Kiritimati Pacific/Marquesas)

new_database borders
check "the schema is set up" tollbook init
/usr/bin/python3 tests/property/borders.py 2019 2030 "${zones[@]}" >"$room/borders.tsv" || exit 1
psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" <<SQL || exit 1
CREATE UNLOGGED TABLE oracle (zone text, anchor smallint, month text, begins bigint);
\copy oracle FROM '$room/borders.tsv'
CREATE UNLOGGED TABLE border AS
SELECT o.zone, o.anchor, m.month, finance.period_begin(m.month, o.anchor, o.zone) AS starts,
       finance.period_begin(m.month + interval '1 month', o.anchor, o.zone) AS ends, to_timestamp(o.begins) AS wanted
  FROM oracle o CROSS JOIN LATERAL (SELECT (o.month || '-01')::timestamp AS month) m;
ANALYZE border;
SQL
none() { equal "$1" "$(sql "SELECT count(*) FROM ($2) x")" 0; }

equal "44 zones, 31 anchors and 145 months are looked at" "$(sql "SELECT count(*) FROM border")" $((44 * 31 * 145))
none "every period begins where Python's zone data says" "SELECT FROM border WHERE starts <> wanted"
none "each ends where the next one begins" \
	"SELECT FROM (SELECT ends, lead(starts) OVER (PARTITION BY zone, anchor ORDER BY month) AS next FROM border) b WHERE ends <> next"
none "none is shorter than 27 days and 21 hours or longer than 31 days and 3 hours" \
	"SELECT FROM border WHERE ends - starts NOT BETWEEN interval '27 days 21 hours' AND interval '31 days 3 hours'"
none "each begins on its day of the month, and in months that lack it on the last one" \
	"SELECT FROM border WHERE extract(day FROM starts AT TIME ZONE zone) <> least(anchor, extract(day FROM month + interval '1 month - 1 day'))"
equal "the 31st is the 28th or 29th in February, the 30th in April, and the 31st again in May" \
	"$(sql "SELECT string_agg(to_char(starts AT TIME ZONE zone, 'MM-DD'), ' ' ORDER BY month) FROM border
	         WHERE zone = 'Asia/Kolkata' AND anchor = 31 AND month >= '2028-01-01' AND month < '2028-06-01'")" '01-31 02-29 03-31 04-30 05-31'

# What an instant's period is changes where a period begins and where the local month does, and nowhere else.
around() { none "$1" "SELECT FROM (SELECT zone, anchor, starts + q * interval '15 minutes' AS at, CASE WHEN q < 0 THEN month - interval '1 month' ELSE month END AS month
	  FROM border CROSS JOIN generate_series($2, $3) q WHERE $4) a WHERE finance.period_month(at, anchor, zone) <> month"; }
around "the last quarter of an hour before every border is in the period that ends, the first one behind it in the one that begins" -1 0 true
around "so are all within two hours, for those that begin with a month, or end with one" -8 7 "anchor IN (1, 31)"
none "where a month begins within a period, each quarter of an hour is between the borders of its period" \
	"SELECT FROM (SELECT b.zone, b.anchor, b.at, finance.period_month(b.at, b.anchor, b.zone) AS named
	                FROM (SELECT f.zone, a.anchor, f.starts + q * interval '15 minutes' AS at
	                        FROM border f CROSS JOIN unnest('{2,15,31}'::smallint[]) a (anchor) CROSS JOIN generate_series(-4, 4) q WHERE f.anchor = 1) b) x
	  WHERE at < finance.period_begin(named, anchor, zone) OR at >= finance.period_begin(named + interval '1 month', anchor, zone)"
# One by one, for a year with a leap day and two zones that are unlike others.
none "every quarter of an hour of 2028 is between the borders of its period" \
	"SELECT FROM (SELECT z.zone, a.anchor, t.at, finance.period_month(t.at, a.anchor, z.zone) AS named
	                FROM unnest('{America/Havana,Australia/Lord_Howe}'::text[]) z (zone)
	               CROSS JOIN unnest('{1,31}'::smallint[]) a (anchor)
	               CROSS JOIN generate_series('2028-01-01Z'::timestamptz, '2028-12-31 23:45Z', interval '15 minutes') t (at)) x
	  WHERE at < finance.period_begin(named, anchor, zone) OR at >= finance.period_begin(named + interval '1 month', anchor, zone)"
equal "Havana's November begins with the second midnight: an hour of its 1st is October's" \
	"$(sql "SELECT string_agg(to_char(finance.period_month(t.at, 1::smallint, 'America/Havana'), 'MM'), ' ' ORDER BY t.at)
	         FROM generate_series('2026-11-01 03:45Z'::timestamptz, '2026-11-01 05:00Z', interval '15 minutes') t (at)")" '10 10 10 10 10 11'
report
