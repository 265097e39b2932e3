#!/usr/bin/env bash
# The documents of a night: a file for each invoice and credit note, a workbook for each month, the same bytes however they came about.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

as_of=2026-11-01T12:00:00Z
files=$room/files
cat >"$room/prices.json" <<'END'
{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [
 {"model": "a", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}}, "fallback": {"output_text_tokens": "input_text_uncached_tokens"}}]}
END
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "acme", "name": "Acme Ltd", "currency": "USD", "zone": "UTC", "book": "list", "issuer": "TF", "effective": "2026-01-01"},
 {"tenant": "beta", "name": "Beta GmbH", "currency": "USD", "zone": "Europe/Berlin", "book": "list", "issuer": "TF", "effective": "2026-01-01"}]}
END
{ usage a1 acme 2026-10-20T12:00:00Z a 12000 0 0; usage b1 beta 2026-10-21T12:00:00Z a 7000 0 0; } >"$room/october.ndjson"
cat >"$room/tollbook.conf" <<END
[night]
documents = $files
grace_hours = 24
END

night() { tollbook nightly --quiet --config "$room/tollbook.conf" --as-of "$1T06:00:00Z" --date "$@"; }
set_up() {
	tollbook init --quiet && tollbook prices publish --quiet "$room/prices.json" && tollbook tenant apply --quiet "$room/tenants.json" &&
		finds ingest "$room/october.ndjson"
}
listed() { (cd "$files" && find . -type f ! -path './nights/*' | LC_ALL=C sort | sed 's,^\./,,' | tr '\n' ' '); }
# Every byte of every file but the manifests, which say how long it took.
bytes_of() { (cd "$1" && find . -type f ! -path './nights/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum); }
in_json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(*(d[k] for k in sys.argv[2:]))' "$files/$1" "${@:2}"; }
unit() { sql "SELECT encode(digest, 'hex') FROM finance.night_unit WHERE step = 'documents' AND unit = '$1' AND is_done"; }
told() { sql "SELECT result::json ->> '$2' FROM finance.night_step JOIN finance.night_run USING (night_run) WHERE step = 'documents' AND night = '$1'"; }
parked() { sql "SELECT tenant, period, reason FROM finance.parked_now ORDER BY 1, 2"; }
invoice=invoices/TF/2026/TF-INV-2026

# A night with two invoices: October ends an hour earlier in Berlin, so beta's is the first.
new_database empty
check "given usage of October of two tenants: 12 USD and 7 USD" set_up
copy_database empty first
check "the night of 3 November is run" exits 0 night 2026-11-03
equal "there are a JSON and a text of each invoice, and the month's workbook, and nothing else" "$(listed)" \
	"$invoice-000001.json $invoice-000001.txt $invoice-000002.json $invoice-000002.txt workbooks/2026-10.xlsx "
equal "the JSON says what is to pay, and of what" "$(in_json $invoice-000002.json document number tenant period total to_pay)" \
	"tollbook.invoice.v1 TF-INV-2026-000002 acme 2026-10 12.00 12.00"
equal "and has the lines that the verb shows" "$(python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["lines"]))' "$files/$invoice-000002.json")" \
	"$(tollbook invoice show TF-INV-2026-000002 --format json | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)))')"
equal "the text is what the verb shows, without a status, and with what was to pay" \
	"$(diff "$files/$invoice-000002.txt" <(tollbook invoice show TF-INV-2026-000002) | grep '^[<>]')" \
	"> status    final
< to pay                  12.00  USD
> due                     12.00  USD"
equal "folders and files can be read by everyone" "$(cd "$files" && stat -c %a invoices/TF/2026 $invoice-000002.json workbooks/2026-10.xlsx | tr '\n' ' ')" '755 644 644 '
equal "the run keeps the SHA-256 of each file" "$(unit $invoice-000001.txt) $(unit workbooks/2026-10.xlsx)" \
	"$(cd "$files" && sha256sum $invoice-000001.txt workbooks/2026-10.xlsx | cut -d' ' -f1 | tr '\n' ' ' | sed 's/ $//')"
equal "and says what it wrote: 2 invoices, 0 credit notes, 1 workbook" "$(told 2026-11-03 invoices) $(told 2026-11-03 credit_notes) $(told 2026-11-03 workbooks)" "2 0 1"
cp -r "$files" "$room/undisturbed"

# What happens later is not in them.
check "acme pays 5 USD" exits 0 tollbook payment import --quiet --as-of 2026-11-03T12:00:00Z - <<<'reference,invoice,amount,currency,paid_on
P1,TF-INV-2026-000002,5.00,USD,2026-11-03'
check "and gets a credit note over 3 USD" exits 0 tollbook credit-note issue --quiet --as-of 2026-11-03T12:00:00Z TF-INV-2026-000002 --amount 3 --reason goodwill --ticket T-1 --request R-1
check "the night of 4 November is run" exits 0 night 2026-11-04
equal "it writes the credit note, which was issued by hand" "$(in_json credit-notes/TF/2026/TF-CRN-2026-000001.json document invoice total period)" \
	"tollbook.credit_note.v1 TF-INV-2026-000002 3.00 2026-10"
equal "in text as the verb shows it" "$(cat "$files/credit-notes/TF/2026/TF-CRN-2026-000001.txt")" "$(tollbook credit-note show TF-CRN-2026-000001)"
equal "no invoice changes" "$(bytes_of "$files/invoices")" "$(bytes_of "$room/undisturbed/invoices")"
equal "the workbook of October is another one" "$(cmp -s "$files/workbooks/2026-10.xlsx" "$room/undisturbed/workbooks/2026-10.xlsx" && echo same || echo another)" another
check "a night with nothing new is run" exits 0 night 2026-11-05
equal "and writes nothing" "$(told 2026-11-05 files)" 0

# The same usage in another ledger, whose sequences have gaps and whose batches are others.
booked_again() {
	sql "SELECT setval(seqrelid, 1000 + seqrelid::bigint % 97) FROM pg_sequence" &&
		tollbook prices publish --quiet "$room/prices.json" && tollbook tenant apply --quiet "$room/tenants.json" &&
		head -1 "$room/october.ndjson" >"$room/part.ndjson" &&
		finds ingest "$room/part.ndjson" && finds ingest "$room/october.ndjson" && finds ingest "$room/part.ndjson"
}
files=$room/again
sed -i "s,^documents.*,documents = $files," "$room/tollbook.conf"
new_database second
check "given a ledger whose sequences begin somewhere else" exits 0 tollbook init --quiet
check "and the same usage, which came three times" booked_again
check "its night is run" exits 0 night 2026-11-03
equal "the files are the same, byte for byte, the workbook too" "$(bytes_of "$files")" "$(bytes_of "$room/undisturbed")"

# Killed in the middle.
files=$room/killed
sed -i "s,^documents.*,documents = $files," "$room/tollbook.conf"
copy_database empty third
mkdir -p "$files/invoices/TF/2026" "$files/workbooks/.tollbook-abcdef"
cp "$room/undisturbed/$invoice-000002.json" "$files/$invoice-000002.json"
echo '{"half' >"$files/invoices/TF/2026/.tollbook-0123456789abcdef"
echo half >"$files/workbooks/.tollbook-abcdef/record"
touch "$files/workbooks/.tollbook-2026-10.xlsx"
check "given what a run that was killed may leave, an invoice and halves of files: the night is run" exits 0 night 2026-11-03
equal "nothing of it is left, and the files are the same" "$(listed) $(bytes_of "$files")" "$(files=$room/undisturbed; listed) $(bytes_of "$room/undisturbed")"

# Something else in the place of a file.
files=$room/taken
sed -i "s,^documents.*,documents = $files," "$room/tollbook.conf"
copy_database empty fourth
mkdir -p "$files/invoices/TF/2026"
echo 'not this invoice' >"$files/$invoice-000002.json"
check "given another file with the name of acme's invoice: the night finds something" exits 7 night 2026-11-03
equal "acme's October is parked" "$(parked)" "acme|2026-10|document_failed"
equal "the other file stays, and beta has its invoice" "$(cat "$files/$invoice-000002.json") $(in_json $invoice-000001.json tenant)" "not this invoice beta"
mv "$files/$invoice-000002.json" "$room/moved"
check "it is moved away: the next night is run" exits 0 night 2026-11-04
equal "it writes what was missing, and lets acme go" "$(in_json $invoice-000002.json tenant) $(parked)" "acme "
equal "the invoices are what they always would have been" "$(bytes_of "$files/invoices")" "$(bytes_of "$room/undisturbed/invoices")"

# A folder that cannot be written.
files=$room/none
sed -i "s,^documents.*,documents = $room/october.ndjson/none," "$room/tollbook.conf"
copy_database empty fifth
refused "given a folder that cannot be made: a person is needed" 3 "the folder could not be made" tollbook nightly --config "$room/tollbook.conf" --as-of 2026-11-03T06:00:00Z --date 2026-11-03
sed -i "s,^documents.*,documents = $files," "$room/tollbook.conf"
check "the folder can be made now: it is run again" exits 0 night 2026-11-03
equal "the files are the same" "$(bytes_of "$files")" "$(bytes_of "$room/undisturbed")"

# The proof after it: of everything, or of what is open.
step() { sql "SELECT told FROM finance.night_step JOIN finance.night_run USING (night_run) WHERE step = '$2' AND night = '$1'"; }
check "a night with reconcile = open is run" exits 0 night 2026-11-04 --set night.reconcile=open
equal "it proves what is open: five checks, from October on" "$(step 2026-11-04 reconcile)" "checks 5, differences 0; of open months, from 2026-10"
sql "ALTER TABLE finance.charge DISABLE TRIGGER USER; UPDATE finance.charge SET amount = amount + 1; ALTER TABLE finance.charge ENABLE ALWAYS TRIGGER append_only"
for night in "05 open" "06 full"; do
	refused "given charges that were changed behind its back: the night with reconcile = ${night#* } ends with 4 and shows where" 4 \
		"each charge in force is quantity x price / per" tollbook nightly --config "$room/tollbook.conf" --as-of "2026-11-${night% *}T06:00:00Z" --date "2026-11-${night% *}" --set "night.reconcile=${night#* }"
done
report
