#!/usr/bin/env bash
# The first step of a night: issuers, price books, contracts and roles become what configuration and files say, all or nothing.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

book() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "rules": [{"model": "m", "prices": {"requests": {"price": "%s", "per": 1}}}]}\n' "$@"
}
tenants() {
	printf '{"tenants": [{"tenant": "%s", "name": "T", "currency": "USD", "zone": "UTC", "anchor": 15, "book": "usd", "issuer": "TF", "effective": "2026-01-01"}]}\n' "$1"
}
# configured [LINE]...: the configuration, with more lines at its end.
configured() {
	printf '%s\n' '[apply]' "prices = $room/prices/*.json" "tenants = $room/tenants/*.json $room/tenants/1.json" "roles = $room/roles*.json" \
		'[issuer TF]' 'name = Token Factory' "$@" >"$room/tollbook.conf"
}
night() { tollbook nightly --quiet --config "$room/tollbook.conf" --date "$@"; }
told() { sql "SELECT told FROM finance.night_step JOIN finance.night_run USING (night_run) WHERE night = '$1' AND step = 'apply'"; }
there() { sql "SELECT (SELECT count(*) FROM finance.price_book_version), (SELECT count(*) FROM finance.contract), (SELECT count(*) FROM finance.role)"; }

new_database night_apply
check "the books are set up" tollbook init
mkdir "$room/prices" "$room/tenants"
book usd 1 >"$room/prices/b.json"
book other 2 >"$room/prices/a.json"
tenants ann >"$room/tenants/1.json"
tenants bob >"$room/tenants/2.json"
echo '{"roles": [{"role": "finance", "members": ["tester"], "unlimited": true}]}' >"$room/roles.json"
configured 'invoice_series = R'

check "a dry run goes through all of it, contracts of an issuer that is not there yet too" night 2026-11-05 --dry-run
equal "and leaves nothing" "$(there)" '0|0|0'
check "a night applies it" night 2026-11-05
equal "it says what is new" "$(told 2026-11-05)" '1 issuer, 1 change; 2 price books, 2 of them new; 2 files of tenants, 2 changes; 1 file of roles, 1 change'
equal "two books, two contracts and a role are there" "$(there)" '2|2|1'
equal "as of the night's instant, by the nightly job" "$(sql "SELECT DISTINCT applied_at, applied_by FROM finance.contract")" '2026-11-05 02:00:00+00|nightly'
equal "and the series that is configured" "$(sql "SELECT name, invoice_series, credit_note_series FROM finance.issuer")" 'Token Factory|R|CRN'
equal "files are recorded in the order of their bytes, each once, with what is in them" \
	"$(sql "SELECT string_agg(unit || ' ' || encode(digest, 'hex'), ' ' ORDER BY unit) FROM finance.night_unit WHERE step = 'apply' AND unit LIKE 'prices%'")" \
	"prices:$room/prices/a.json $(sha256sum <"$room/prices/a.json" | cut -c1-64) prices:$room/prices/b.json $(sha256sum <"$room/prices/b.json" | cut -c1-64)"
check "the next night finds it" night 2026-11-06
equal "it changes nothing" "$(told 2026-11-06)" \
	'1 issuer, nothing changed; 2 price books, none of them new; 2 files of tenants, nothing changed; 1 file of roles, nothing changed'

# All or nothing, and what is wrong is named.
book new 3 >"$room/prices/c.json"
tenants ann | sed 's/"anchor": 15/"anchor": 1/; s/2026-01-01/2027-01-01/' >"$room/tenants/3.json"
refused "a contract with another anchor ends the night" 4 'the periods of tenant ann begin on day 15' night 2026-11-07
equal "the price book beside it is not published either" "$(there)" '2|2|1'
rm "$room/tenants/3.json"
sed 's/"price": "3"/"price": "-3"/' "$room/prices/c.json" >"$room/prices/d.json"
refused "a price book with an error is refused with its place" 3 'd.json' night 2026-11-07
night 2026-11-07 --log json 2>"$room/said"
equal "for machines it is one object, which names the run" "$(python3 -c 'import json, sys
for line in sys.stdin: said = json.loads(line); print(said["level"], said["run"], "d.json" in said["message"], said["time"][-1])' <"$room/said")" 'error 3 True Z'
rm "$room/prices/d.json"
echo '{"roles": []}' >"$room/roles-2.json"
refused "two files of roles would undo each other" 3 'put them into one' night 2026-11-07
rm "$room/roles-2.json"
check "mended, the same night is gone on with" night 2026-11-07
equal "the new book is there" "$(there)" '3|2|1'
configured 'invoice_series = CRN'
refused "one series for invoices and credit notes is refused" 3 'in one series' night 2026-11-08
configured
check "without the line" night 2026-11-08
equal "the series stays" "$(sql "SELECT invoice_series, credit_note_series FROM finance.issuer")" 'R|CRN'

# Nights that were missed take what had come before them.
tenants cy >"$room/tenants/3.json"
touch -d 2026-11-10T12:00:00Z "$room/tenants/3.json"
touch -d 2026-11-01T12:00:00Z "$room"/prices/*.json "$room"/tenants/[12].json "$room/roles.json"
check "two nights are missed before the 12th" night 2026-11-12
equal "the file of the 10th is not there for the night of the 10th" "$(told 2026-11-10)" \
	'1 issuer, nothing changed; 3 price books, none of them new; 2 files of tenants, nothing changed; 1 file of roles, nothing changed; 1 file is newer than this night'
equal "it is for that of the 11th" "$(sql "SELECT DISTINCT applied_at FROM finance.contract WHERE tenant = 'cy'")" '2026-11-11 02:00:00+00'
rm "$room/roles.json"
refused "a word without any file is an error" 3 "$room/roles*.json" night 2026-11-13
report
