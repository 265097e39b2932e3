#!/usr/bin/env bash
# What people get wrong with usage formats, and what they are told: which file, line, field and value, and the remedy.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/toy_format.sh

october=2026-10-31T10:00:00Z
new_database mistakes
tollbook init --quiet >/dev/null
toy_format >"$room/toy.json"
answer a ann $october 10 4 5 >"$room/one.ndjson"
try() { tollbook formats try "$@" --as-of 2026-11-05; }
ingest() { tollbook ingest "$@" --as-of 2026-11-05; }
# says SENTENCE TEXT COMMAND...: the command, whatever its exit code, prints the text.
says() {
	local sentence=$1 text=$2 output
	shift 2
	output=$("$@" 2>&1)
	check "$sentence" grep -F -- "$text" <(printf '%s\n' "$output")
}
# wrong SENTENCE TEXT SED: the toy format, changed, is refused with 3.
wrong() {
	sed "$3" "$room/toy.json" >"$room/wrong.json"
	refused "$1" 3 "$2" try "$room/wrong.json" "$room/one.ndjson"
}

# --- names of formats
refused "a name that is near to none is told where the names are" 2 'tollbook formats list names them' try nonsense "$room/one.ndjson"
refused "so is one of the words that say how rows are printed" 2 'ends in .json' tollbook formats show json

# --- descriptions
wrong "a missing title is told by its name" '"title" is missing, a text of 1 to 1024 bytes' '/"title"/d'
wrong '"cached" is taken for cache_read, and not for its opposite' 'Did you mean "cache_read"?' 's/"cache_read"/"cached"/'
wrong "... with file, line, field and value" 'wrong.json:11:55, field input.inside.cached, value ""usage/cached""' 's/"cache_read"/"cached"/'
wrong '"uncachd" is taken for uncached' 'Did you mean "uncached"?' 's/"cache_read"/"uncachd"/'
refused "one id for all records is refused, with the way out" 2 'Say where each record has its own: --field id=PATH' \
	try "$room/toy.json" "$room/one.ndjson" --constant id=x

# --- records
printf '{"call":"x","usage":{"prompt_tokens":10,"completion_tokens":2}}\n' >"$room/bare.ndjson"
says "where nobody says whose usage it is, both ways to say it are told" \
	'openai.embeddings does not tell whose it is: --field tenant=PATH, or --constant tenant=NAME' \
	try openai.embeddings "$room/bare.ndjson" --field id=call --constant model=m --constant time=$october
says "where a format has no time, the way to name one is told" \
	'openai.embeddings has no time of its own: name one with --field time=PATH' \
	try openai.embeddings "$room/bare.ndjson" --field id=call --constant tenant=ann
sed 's/"cached":4/"cached":4,"dreamt":7/' "$room/one.ndjson" >"$room/dreamt.ndjson"
says "a count of 7 under an unknown name is told with its path" 'usage/dreamt' try "$room/toy.json" "$room/dreamt.ndjson"
sed 's/"cached":4/"cached":14/' "$room/one.ndjson" >"$room/late.ndjson"
equal "a record that is set aside has no flags, which are of events" \
	"$(try "$room/toy.json" "$room/late.ndjson" 2>&1 | grep -c '^F_')" 0
says "of one record of two, it says so" '1 of 2 records: 1 accepted' \
	try "$room/toy.json" - --record 2 < <(cat "$room/one.ndjson" "$room/dreamt.ndjson")
says "of a line with two events, it counts both" '1 record, 2 events: 2 accepted' \
	try "$room/toy.json" - < <(printf '{"events":[%s,%s]}\n' "$(answer b ann $october 1 0 1)" "$(answer c ann $october 1 0 1)")

# --- what is taken in
says "records of a gateway without --format: it says what is missing" 'needs --format NAME: tollbook formats guess FILE' \
	ingest "$room/one.ndjson" --dry-run
ingest --format "$room/toy.json" --constant region=eu "$room/late.ndjson" --quiet >/dev/null
says "quarantine shows the format that a record was read by, with what was said beside it" '"constants":{"operation":"chat","provider":"p","region":"eu"}' \
	tollbook quarantine show 1
says "guess knows tollbook's own records" 'ingest them without --format' tollbook formats guess examples/tour.ndjson
: >"$room/empty"
says "of an empty file guess says that it has no records" 'the file has no records' tollbook formats guess "$room/empty"

# --- the configuration
configure() { printf '[source drop]\nkind = files\nfolder = %s\nformat = %s\n' "$room/drop" "$1" >"$room/tollbook.conf"; }
nightly() { tollbook nightly --config "$room/tollbook.conf" --as-of 2026-11-05T03:00:00Z; }
mkdir "$room/drop"
configure openai.chatt
refused "config check names the line of the setting" 3 'source.drop.format, file '"$room"'/tollbook.conf, line 4: there is no format "openai.chatt"' \
	tollbook config check --config "$room/tollbook.conf"
refused "a night with it ends with 3, as with all that is wrong in the configuration" 3 'tollbook.conf, line 4' nightly
sed 's/"cache_read"/"cached"/' "$room/toy.json" >"$room/wrong.json"
configure "$room/wrong.json"
refused "of a wrong description config check names the place in it" 3 'wrong.json:11:55, field input.inside.cached' \
	tollbook config check --config "$room/tollbook.conf"

report
