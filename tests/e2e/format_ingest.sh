#!/usr/bin/env bash
# Files of a usage format: `tollbook ingest --format` books what their payloads say, each event once, however they are cut into records,
# batches and attempts; what was set aside is read again as it was read first.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/toy_format.sh

new_database formats
check "the books are set up" tollbook init --quiet
toy_format >"$room/toy.json"
given() { cat >"$room/$1"; }
# toy FILE [OPTION]...: records accepted duplicates ignored quarantined rejected.
toy() { counts --format "$room/toy.json" "$room/$1" "${@:2}"; }
refuses() { refused "$1" "$2" "$3" ingest "${@:4}"; }
# booked PATTERN: id, tenant and tokens: uncached, cached, output.
booked() {
	sql "SELECT string_agg(concat_ws(' ', id, tenant, input_text_uncached_tokens, COALESCE(input_text_cache_read_tokens, 0), output_text_tokens), ', ' ORDER BY id COLLATE \"C\")
		FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE id LIKE '$1'"
}
newest() { sql 'SELECT max(quarantine_id) FROM metering.quarantine'; }
release() { tollbook quarantine release --as-of "$as_of" --by ines --reason 'looked at it' "$1"; }
october=2026-10-20T10:00:00Z late=2025-09-30T12:00:00Z

# --- a format, and how rows are printed --------------------------------------------------------
{ answer one ann $october 10 4 5; answer two bob $october 20 0 7; } | given plain.ndjson
equal "two answers are booked; --format json says how that is printed" \
	"$(ingest --format "$room/toy.json" --format json "$room/plain.ndjson" | tr -d ' \n' | sed 's/.*"records"/"records"/')" \
	'"records":2,"accepted":2,"duplicates":0,"ignored":0,"quarantined":0,"rejected":0}]'
equal "of 10 input tokens 4 were cached, so 6 were not" "$(booked one)" 'one ann 6 4 5'
equal "the same file again has duplicates alone" "$(toy plain.ndjson)" '2 0 2 0 0 0'
gzip -k "$room/plain.ndjson"
equal "so has the file when it is packed" "$(toy plain.ndjson.gz)" '2 0 2 0 0 0'
equal "read as our own format they are nothing" "$(counts "$room/plain.ndjson")" '2 0 0 0 0 2'
answer wrong ann $october 10 11 5 | given wrong.ndjson
equal "10 input tokens of which 11 were cached are set aside" "$(toy wrong.ndjson)" '1 0 0 0 1 0'

# --- what is refused ---------------------------------------------------------------------------
refuses "an unknown format is refused, and the nearest one named" 2 'vllm.chat' --format vllm.chatt "$room/plain.ndjson"
refuses "a description that is not there is refused" 3 "$room/none.json" --format "$room/none.json" "$room/plain.ndjson"
refuses "a mapping and a format exclude each other" 2 '--mapping and --format' --format openai.chat --mapping m.json "$room/plain.ndjson"
refuses "two formats are refused" 2 '--format is given twice' --format openai.chat --format vllm.chat "$room/plain.ndjson"
refuses "two ways to print are refused" 2 '--format is given twice' --format csv --format json "$room/plain.ndjson"
refuses "--field without a format is refused" 2 'a usage format' --field id=call "$room/plain.ndjson"
refuses "so is --constant" 2 'a usage format' --constant tenant=ann --format json "$room/plain.ndjson"
refuses "a field that is no key is refused as id, and why" 2 'begins again with each file' --format "$room/toy.json" --field id=spool "$room/plain.ndjson"
refuses "so it is of a compiled-in format" 2 'id' --format vllm.chat --field id=id "$room/plain.ndjson"
refuses "an unknown field is refused" 2 'tenant' --format "$room/toy.json" --field tenent=customer "$room/plain.ndjson"
refused "on other verbs --format says how rows are printed, as ever" 2 'table, json or csv' tollbook quarantine list --format openai.chat
help() { tollbook ingest --help | grep -c -- '--format'; }
check "--help tells of both in a line each" test "$(help)" -ge 2

# --- said by the user --------------------------------------------------------------------------
answer three ann $october 1 0 1 | sed 's/"call"/"my_id"/' | given said.ndjson
equal "without an id a record is set aside" "$(toy said.ndjson)" '1 0 0 0 0 1'
equal "named, it has one; a constant is its tenant where the payload has none" \
	"$(toy said.ndjson --field id=my_id --field tenant=nowhere --constant tenant=zoe)" '1 1 0 0 0 0'
equal "so it was booked" "$(booked three)" 'three zoe 1 0 1'

# --- lists -------------------------------------------------------------------------------------
{
	echo "{\"events\":[$(answer a ann $october 1 0 1),$(answer b ann $october 2 0 1),$(answer c ann $october 3 0 1)]}"
	answer d ann $october 4 0 1
	echo "{\"events\":[$(answer e ann $october 5 0 1),$(answer f ann $october 6 7 1),$(answer g ann $october 7 0 1)]}"
} | given lists.ndjson
equal "seven events of three lines, one of them wrong" "$(toy lists.ndjson --batch-records 1 --outcomes "$room/outcomes.csv")" '7 6 0 0 1 0'
equal "a batch never ends within a line" "$(sql "SELECT string_agg(records::text, ' ' ORDER BY first_record) FROM metering.ingest_batch JOIN metering.source_position USING (position_id) WHERE name LIKE '%lists.ndjson'")" '3 1 3'
equal "events have the number of their line" "$(sed 1d "$room/outcomes.csv" | cut -d, -f1,2 | tr '\n' ' ')" \
	'1,accepted 1,accepted 1,accepted 2,accepted 3,accepted 3,quarantined 3,accepted '
equal "the one that is wrong did not stop the others" "$(booked '_')" 'a ann 1 0 1, b ann 2 0 1, c ann 3 0 1, d ann 4 0 1, e ann 5 0 1, g ann 7 0 1'
equal "of it alone the bytes are kept" "$(sql "SELECT convert_from(raw, 'UTF8') LIKE '%\"f\"%', convert_from(raw, 'UTF8') LIKE '%\"e\"%' FROM metering.quarantine WHERE quarantine_id = $(newest)")" 't|f'
equal "the same file in one batch has duplicates alone" "$(toy lists.ndjson)" '7 0 6 0 1 0'

# --- passes ------------------------------------------------------------------------------------
passes old ann $late 10 20 | given passes.ndjson
equal "an answer made in two passes, of last year, is set aside as one" "$(toy passes.ndjson)" '1 0 0 0 1 0'
mv "$room/toy.json" "$room/away.json"
check "it is released, also when its description is gone" release "$(newest)"
mv "$room/away.json" "$room/toy.json"
equal "both passes are booked, in one batch" "$(sql "SELECT string_agg(id || ' ' || input_text_uncached_tokens, ', ' ORDER BY id), count(DISTINCT batch_id) FROM metering.usage_event WHERE id LIKE 'old%'")" \
	'old/it0 10, old/it1 20|1'
equal "the file again finds them" "$(toy passes.ndjson --late-days 1000)" '2 0 2 0 0 0'

# --- keys from positions -----------------------------------------------------------------------
{
	answer '' ann $october 1 0 1
	echo "{\"events\":[$(answer '' ann $october 2 0 1),$(answer '' ann $late 3 0 1),$(answer '' ann $october 2 0 1)]}"
} | sed 's/"call":"",//g' | given keyless.ndjson
hash=$(sha256sum <"$room/keyless.ndjson" | cut -c1-64)
equal "each event of a line has a key of its own" "$(toy keyless.ndjson --key-from-position)" '4 3 0 0 1 0'
equal "the line's, and its place in it" "$(booked "$hash%" | sed "s/$hash//g")" ':1 ann 1 0 1, :2 ann 2 0 1, :2/3 ann 2 0 1'
check "the late one is released" release "$(newest)"
equal "under its own place" "$(booked "$hash:2/2" | sed "s/$hash//g")" ':2/2 ann 3 0 1'
equal "the file again finds all of them" "$(toy keyless.ndjson --key-from-position --late-days 1000)" '4 0 4 0 0 0'

# --- one record a file -------------------------------------------------------------------------
stream() { printf 'data: %s\n\ndata: %s\n\n' "$(answer "$1" ann "$2" 9 0 1)" "$(answer "$1" ann "$2" 9 0 8)"; }
{ stream whole $october; printf 'data: [DONE]\n\n'; } | given whole.sse
stream cut $october | given cut.sse
answer pretty ann $october 3 0 1 | python3 -m json.tool | given pretty.json
equal "a captured stream is one record" "$(toy whole.sse)" '1 1 0 0 0 0'
equal "so is one that was cut" "$(toy cut.sse)" '1 1 0 0 0 0'
equal "and a document of many lines" "$(toy pretty.json)" '1 1 0 0 0 0'
equal "the last counts of the streams are booked" "$(booked whole), $(booked cut)" 'whole ann 9 0 8, cut ann 9 0 8'
partial=$(sed -n 's/^FLAG(\([0-9]*\), F_PARTIAL,.*/\1/p' ledger/flags.def)
equal "the cut one says that it is" "$(sql "SELECT string_agg(id || ' ' || COALESCE(status, '') || ' ' || (flags >> $partial & 1), ', ' ORDER BY id) FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE id IN ('cut', 'whole')")" \
	'cut aborted 1, whole completed 0'
refuses "such a file is not read while it grows" 2 'while it is being written' --format "$room/toy.json" --growing "$room/whole.sse"
{ head -c 2000000 /dev/zero | tr '\0' ':' | fold -w 70; echo; stream long $late; printf 'data: [DONE]\n\n'; } | given long.sse
equal "a stream of two megabytes, of last year, is set aside" "$(toy long.sse)" '1 0 0 0 1 0'
equal "of it the first MiB is kept, and how long it was" "$(sql "SELECT length(raw), raw_length = $(stat -c %s "$room/long.sse") FROM metering.quarantine WHERE quarantine_id = $(newest)")" '1048576|t'
refused "so it cannot be released" 4 'are kept' release "$(newest)"

# --- at night ----------------------------------------------------------------------------------
mkdir "$room/drop"
for i in 1 2 3; do echo "{\"events\":[$(answer "n$i-1" ann $october 1 0 1),$(answer "n$i-2" ann $october 2 0 1)]}"; done >"$room/drop/night.ndjson"
configure() { printf '%s\n' '[night]' 'patience_seconds = 0' '[source drop]' 'kind = files' "folder = $room/drop" 'batch_records = 1' "$@" >"$room/tollbook.conf"; }
night() { tollbook nightly --quiet --config "$room/tollbook.conf" --as-of "${1}T02:00:30Z" --date "$1"; }
configure 'format = vllm.chatt'
refused "config check says that a source names an unknown format" 3 'vllm.chat' tollbook config check --config "$room/tollbook.conf"
echo '{}' >"$room/mapping.json"
configure "format = $room/toy.json" "mapping = $room/mapping.json"
refused "and that a source has a mapping and a format" 3 'exclude each other' tollbook config check --config "$room/tollbook.conf"
configure "format = $room/toy.json"
check "a right one is fine" tollbook config check --config "$room/tollbook.conf"
sql "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stopped''; END';
	CREATE TRIGGER stop BEFORE INSERT ON metering.ingest_batch FOR EACH ROW WHEN (NEW.first_record = 3) EXECUTE FUNCTION stop()"
refused "a night is stopped at the second line" 4 'stopped' night 2026-11-02
equal "the first line's events are booked" "$(booked 'n%')" 'n1-1 ann 1 0 1, n1-2 ann 2 0 1'
sql 'DROP FUNCTION stop CASCADE' 2>/dev/null
check "it goes on" finds night 2026-11-02
equal "all six are booked" "$(sql "SELECT count(*), sum(input_text_uncached_tokens) FROM metering.usage_event WHERE id LIKE 'n_-_'")" '6|9'
equal "each line in a batch of its own, none twice" "$(sql "SELECT string_agg(records || ' ' || accepted, ', ' ORDER BY first_record) FROM metering.ingest_batch JOIN metering.source_position USING (position_id) WHERE name LIKE '%night.ndjson'")" '2 2, 2 2, 2 2'

check "the books reconcile" tollbook reconcile --quiet
report
