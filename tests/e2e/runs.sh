#!/usr/bin/env bash
# What a nightly run did can be shown, compared with another run, and proved by its manifest.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# Given: ann is charged 0.01 EUR for a token; her Octobers end at 23:00 UTC in Berlin.  Usage is put into a folder.
mkdir "$room/drop" "$room/apply"
printf '{"tollbook_prices": 1, "book": "eur", "currency": "EUR", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "a", "prices": {"input_text_uncached_tokens": {"price": "0.01", "per": 1}}}]}\n' >"$room/apply/eur.json"
cat >"$room/apply/tenants.json" <<-END
	{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
	{"tenant": "ann", "name": "Ann", "currency": "EUR", "zone": "Europe/Berlin", "book": "eur", "issuer": "TF", "effective": "2026-01-01"}]}
END
cat >"$room/tollbook.conf" <<-END
	[night]
	documents = $room/documents
	[apply]
	prices = $room/apply/eur.json
	tenants = $room/apply/tenants.json
	[source drop]
	kind = files
	folder = $room/drop
END
night() { tollbook nightly --config "$room/tollbook.conf" --date "$1" --as-of "$1T03:00:00Z" --quiet; }
manifest() { tollbook runs show "$1" --json; }
# of MANIFEST PYTHON: an expression about it.
of() { python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$room/$1.json" "$2"; }

new_database runs
tollbook init --quiet >/dev/null
equal "before the first night there is no run" "$(tollbook runs list)" "no night was run yet"
refused "and none is shown" 4 'no nightly run has the number or the night "1"' tollbook runs show 1

# When: 500 tokens come with a broken record, then 300; a night after each.  October is due in the second: 8.00 EUR.
{ usage 1 ann 2026-10-30T12:00:00Z a 500 0 0; echo broken; } >"$room/drop/1.ndjson"
check "the night of 31 October has findings: a record is in quarantine" exits 7 night 2026-10-31
{ usage 2 ann 2026-10-31T12:00:00Z a 300 0 0; usage 1 ann 2026-10-30T12:00:00Z a 500 0 0; } >"$room/drop/2.ndjson"
check "so has the night of 2 November, which comes after one that was missed" exits 7 night 2026-11-02

equal "runs are listed, the newest first, each with its outcome and exit code" \
	"$(tollbook runs list --format csv | sed 1d | cut -d, -f1-7)" \
	'3,2026-11-02,2026-11-02T02:00:00Z,no,findings,7,1
2,2026-11-01,2026-11-01T02:00:00Z,yes,findings,7,1
1,2026-10-31,2026-10-31T02:00:00Z,no,findings,7,1'
check "a run is shown by its night, with each step and what it told" \
	eval 'tollbook runs show 2026-11-02 | grep -q "^run 3, the night of 2026-11-02" && [ "$(tollbook runs show 3 --format csv | sed 1d | cut -d, -f1 | tr "\n" " ")" = "apply ingest rate draft park finalize documents reconcile publish " ]'

# The manifest.
for n in 1 2 3; do manifest "$n" >"$room/$n.json"; done
equal "its keys stand in this order" "$(of 3 '" ".join(m)')" \
	'manifest run night at caught_up outcome code_version zone_data settings inputs ratings price_books steps invoices credit_notes totals documents parked held quarantine digest timing'
equal "it says which run it is, and of which night" "$(of 3 'm["run"], m["night"], m["at"], m["caught_up"], m["outcome"]')" "(3, '2026-11-02', '2026-11-02T02:00:00Z', False, 'findings')"
equal "the file it took is there, with the digest that sha256sum gives" "$(of 3 '[(f["source"], f["name"], f["bytes"], f["sha256"]) for f in m["inputs"]["files"]]')" \
	"[('drop', '2.ndjson', $(stat -c %s "$room/drop/2.ndjson"), '$(sha256sum <"$room/drop/2.ndjson" | cut -d' ' -f1)')]"
equal "of its two records one was known" "$(of 3 '[m["inputs"]["counts"][k] for k in ("records", "accepted", "duplicates", "quarantined", "rejected")]')" "[2, 1, 1, 0, 0]"
equal "the first night counts the broken record" "$(of 1 '[m["inputs"]["counts"][k] for k in ("records", "accepted", "rejected")]')" "[2, 1, 1]"
equal "a night that has nothing new has no input" "$(of 2 'm["inputs"]["files"], m["inputs"]["counts"]["records"]')" "([], 0)"
equal "the price book is named by what sha256sum says of its file" "$(of 3 '[(b["book"], b["version"], b["sha256"]) for b in m["price_books"]]')" \
	"[('eur', 1, '$(sha256sum <"$room/apply/eur.json" | cut -d' ' -f1)')]"
equal "October is invoiced: 8.00 EUR" "$(of 3 '[(i["number"], i["tenant"], i["period"], i["total"], i["currency"]) for i in m["invoices"]]')" "[('TF-INV-2026-000001', 'ann', '2026-10', '8.00', 'EUR')]"
equal "totals by currency: one document, 8.00; charged 8" "$(of 3 '[(t["currency"], t["documents"], t["net"], t["total"], t["charged"]) for t in m["totals"]]')" "[('EUR', 1, '8.00', '8.00', '8')]"
equal "a record waits in quarantine; nothing is parked or held" "$(of 3 'm["quarantine"], m["parked"], m["held"]')" "({'waiting': 1}, [], [])"
files_are_as_told() {
	of 3 '"\n".join(d["sha256"] + "  " + d["path"] for d in m["documents"])' >"$room/sums"
	[ "$(wc -l <"$room/sums")" -ge 3 ] && (cd "$room/documents" && sha256sum --check --quiet "$room/sums")
}
check "the documents it wrote are, byte for byte, what it says" files_are_as_told
equal "settings are what was configured, but for the database" "$(of 3 'm["settings"]["night.documents"] == "'"$room/documents"'", [k for k in m["settings"] if k.startswith("database")]')" "(True, [])"
equal "the file in the document folder is the same" "$(sha256sum <"$room/documents/nights/2026-11-02.json")" "$(sha256sum <"$room/3.json")"
above_digest() { sed '/^  "digest": /,$d' "$room/$1.json"; }
equal "its digest is the SHA-256 of all lines above it" "$(above_digest 3 | sha256sum | cut -d' ' -f1)" "$(of 3 'm["digest"]')"
equal "below it stands what depends on the clock alone" "$(of 3 'sorted(m["timing"]), len(m["timing"]["seconds"])')" "(['attempts', 'ended_at', 'read_at', 'seconds'], 9)"

# Compared.
equal "a run does not differ from itself" "$(tollbook runs diff 3 2026-11-02)" "nothing differs but the timing"
difference() { tollbook runs diff "$1" "$2" --format csv | tr -d '\r' | awk -F, -v path="$3" '$1 == path { print $2 " -> " $3 }'; }
equal "two runs differ in what they took" "$(difference 1 3 inputs.counts.duplicates)" "0 -> 1"
check "and in what came out" eval 'tollbook runs diff 1 3 --format csv | grep -q "^invoices\[TF-INV-2026-000001\],,"'
equal "timing is left out, and so is the digest" "$(tollbook runs diff 1 3 --format csv | grep -cE '^(timing|digest)')" 0

# The same usage in another ledger, where numbers were burnt and a night was begun twice, gives the same manifest.
new_database again
tollbook init --quiet >/dev/null
rm -r "$room/documents" && mv "$room/drop/2.ndjson" "$room/2.ndjson"
sql "SELECT nextval('metering.ingest_batch_id') FROM generate_series(1, 7)" >/dev/null
night 2026-10-31 >/dev/null 2>&1
mv "$room/2.ndjson" "$room/drop/2.ndjson"
sql "CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stop''; END';
     CREATE TRIGGER fail BEFORE UPDATE ON finance.night_step FOR EACH ROW WHEN (NEW.step = 'documents' AND NEW.night_run = 3) EXECUTE FUNCTION public.fail()"
check "a night that is stopped in step documents" eval '! night 2026-11-02 >/dev/null 2>&1'
equal "is listed as interrupted there" "$(tollbook runs list --format csv | sed -n 2p | cut -d, -f1,5,6)" '3,interrupted in step documents,'
refused "and has no manifest yet" 4 'has no manifest yet: it is interrupted in step documents' tollbook runs show 3 --json
check "its steps are shown" eval 'tollbook runs show 3 | grep -q "^documents .*not done"'
sql "DROP TRIGGER fail ON finance.night_step"
check "it is gone on with" exits 7 night 2026-11-02
equal "which was its second attempt" "$(tollbook runs list --format csv | sed -n 2p | cut -d, -f5-7)" 'findings,7,2'
manifest 3 >"$room/again.json"
equal "a ledger with other numbers of batches, and another way there, has the same digest" "$(of again 'm["digest"]')" "$(of 3 'm["digest"]')"
report
