#!/usr/bin/env bash
# The configuration: file, environment and command line in rising strength, and what is wrong told with its place and its remedy.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
unset TOLLBOOK_CONFIG
file=$room/tollbook.conf

# given TEXT...: the configuration has these lines.
given() { printf '%s\n' "$@" >"$file"; chmod 600 "$file"; }
config() { tollbook config "$1" --config "$file" "${@:2}"; }
# shown KEY OPTION...: value|from of a setting.
shown() {
	local key=$1
	shift
	# CSV puts an apostrophe before what a spreadsheet would run.
	config show --format csv "$@" | awk -F, -v key="$key" '$1 == key { sub(/^\047/, "", $3); print $2 "|" $3 }'
}
# wrong SENTENCE LINE TEXT WORDS...: each of the words is in what is said about this file, and its line; exit code 3.
wrong() {
	local sentence=$1 line=$2 output code=0 word bad=
	printf '%b' "$3" >"$file"
	shift 3
	output=$(config show 2>&1) || code=$?
	[ "$code" = 3 ] || bad="exit code $code"
	[ "$line" = 0 ] || grep -qF "at: $file, line $line" <<<"$output" || bad="not line $line"
	for word in "$@"; do grep -qF -- "$word" <<<"$output" || bad="not \"$word\""; done
	if [ -z "$bad" ]; then ok "$sentence"; else not_ok "$sentence"; printf '    %s\n%s\n' "$bad" "$output"; fi
}

# --- who is heard -------------------------------------------------------------------------------
given '# nights' '[night]' 'at = 01:00' 'grace_hours = 10' 'late_days = 30'
equal "what nobody sets is at its default" "$(shown night.zone)" "UTC|default"
equal "a file is heard, and its line is told" "$(shown night.at)" "01:00|\"file $file"
equal "the line is the right one" "$(config show --json | grep '"night.at"' | grep -o 'line [0-9]*')" "line 3"
export TOLLBOOK_NIGHT_GRACE_HOURS=20 TOLLBOOK_NIGHT_LATE_DAYS=40
equal "the environment is stronger than the file" "$(shown night.grace_hours)" "20|environment TOLLBOOK_NIGHT_GRACE_HOURS"
equal "--set is stronger than both" "$(shown night.late_days --set night.late_days=50)" "50|--set"
equal "where --set says nothing the environment is heard" "$(shown night.late_days)" "40|environment TOLLBOOK_NIGHT_LATE_DAYS"
unset TOLLBOOK_NIGHT_GRACE_HOURS TOLLBOOK_NIGHT_LATE_DAYS
equal "TOLLBOOK_CONFIG names the file where --config does not" \
	"$(TOLLBOOK_CONFIG=$file tollbook config show --format csv | grep -c "file $file")" 3
equal "--config is stronger than TOLLBOOK_CONFIG" "$(TOLLBOOK_CONFIG=/nonsuch shown night.at)" "01:00|\"file $file"
refused "a file that TOLLBOOK_CONFIG names must be there" 3 "/nonsuch" env TOLLBOOK_CONFIG=/nonsuch tollbook config show
given '[source gateway-1]' 'kind = kafka' 'brokers = one:9092' 'topic = usage'
export TOLLBOOK_SOURCE_GATEWAY_1_TOPIC=other
equal "a source is named in the environment, too" \
	"$(shown source.gateway-1.topic)" "other|environment TOLLBOOK_SOURCE_GATEWAY_1_TOPIC"
unset TOLLBOOK_SOURCE_GATEWAY_1_TOPIC
equal "a source that --set makes is there" \
	"$(shown source.drop.folder --set source.drop.kind=files --set source.drop.folder=/drop)" "/drop|--set"

# --- what is wrong ------------------------------------------------------------------------------
wrong "an unknown setting is refused, and the nearest one named" 2 '[night]\nzon = UTC\n' 'no setting "zon"' 'Did you mean "night.zone"?'
wrong "a setting of another section is refused, and that one named" 2 '[apply]\nworkers = 2\n' 'no setting "workers"' 'section [night]'
wrong "an unknown section is refused, and the nearest one named" 1 '[nigth]\n' 'no section "nigth"' 'Did you mean "night"?'
wrong "a setting that stands twice is refused" 3 '[night]\nat = 01:00\nat = 02:00\n' 'night.at is set twice' 'line 2, too'
wrong "a section that stands twice is refused" 3 '[night]\n[apply]\n[night]\n' 'section [night] is there twice' 'line 1, too'
wrong "a source that stands twice is refused" 4 '[source a]\nkind = files\nfolder = /a\n[source a]\n' 'section [source a] is there twice'
wrong "25 o'clock is refused" 2 '[night]\nat = 25:00\n' 'HH:MM' 'value "25:00"'
wrong "a zone that is none is refused" 2 '[night]\nzone = Mars/Base\n' 'night.zone takes a time zone' 'Europe/Berlin'
wrong "a number below its least is refused" 2 '[night]\nlate_days = 0\n' 'from 1 to 100000' 'value "0"'
wrong "a word that is no choice is refused" 2 '[night]\nreconcile = some\n' 'night.reconcile takes full|open'
wrong "a switch is yes or no" 2 '[spend]\ninsecure = 1\n' 'spend.insecure takes yes|no'
wrong "a factor that is no number is refused" 2 '[limits]\ncharge_jump = triple\n' 'not below zero'
wrong "an amount without a currency is refused" 2 '[limits]\nheld = 100\n' 'amounts by currency' 'USD 100, JPY 15000.5'
wrong "a series in small letters is refused" 3 '[issuer ACME]\nname = Acme\ninvoice_series = inv\n' '1 to 8 capital letters and digits'
wrong "a topic with a blank in it is refused" 3 '[source a]\nkind = kafka\ntopic = a b\n' 'the name of a topic'
wrong "a connection that libpq cannot read is refused without repeating it" 2 '[database]\nconnection = password=sesame host\n' \
	'takes a connection' 'value "(not shown)"'
wrong "a source without its folder is refused" 1 '[source a]\nkind = files\n' 'source.a.folder must be set'
wrong "a source with what another kind has is refused" 4 '[source a]\nkind = files\nfolder = /a\ntopic = t\n' 'for kind = kafka alone'
wrong "a line that is no setting is refused" 2 '[night]\nat 02:00\n' 'KEY=VALUE'
wrong "a control character is refused" 2 '[night]\ndocuments = /a\a\n' 'control character'
given '[night]' 'at = 02:00'
refused "a variable about a section must name a setting" 3 'Did you mean "TOLLBOOK_NIGHT_AT"?' env TOLLBOOK_NIGHT_ATT=1 tollbook config show --config "$file"
refused "half of a name is told the whole one" 3 'Did you mean "TOLLBOOK_NIGHT_GRACE_HOURS"?' env TOLLBOOK_NIGHT_GRACE=1 tollbook config show --config "$file"
refused "a wrong value of the environment is told with its name" 3 "environment TOLLBOOK_NIGHT_AT" \
	env TOLLBOOK_NIGHT_AT=late tollbook config show --config "$file"
refused "a wrong --set is a wrong command line" 2 'night.zone' tollbook config show --config "$file" --set night.zon=UTC

# --- secrets ------------------------------------------------------------------------------------
given '[database]' 'connection = postgresql://me:opensesame@db.example/billing?sslpassword=opensesame'
equal "a password in the configuration is not shown" "$(config show --json | grep -c opensesame)" 0
equal "the rest of the connection is" "$(shown database.connection | cut -d'|' -f1)" \
	"user=me password=*** dbname=billing host=db.example sslpassword=***"
chmod 604 "$file"
refused "a file with a password that everybody can read is refused, with the remedy" 3 "chmod o= $file" tollbook config show --config "$file"
given '[night]' 'at = 02:00'
chmod 604 "$file"
check "one without a password may be read by everybody" config show

# --- the database -------------------------------------------------------------------------------
new_database configured
connection=$TOLLBOOK_DB
check "the books are set up" tollbook init
given '[database]' "connection = $connection"
unset TOLLBOOK_DB
equal "the database of the configuration is used where nobody else names one" \
	"$(tollbook tenant list --config "$file" 2>&1)" "$(tollbook tenant list --db "$connection" 2>&1)"
refused "TOLLBOOK_DB is stronger" 5 'could not be reached' env TOLLBOOK_DB="host=$room dbname=nonsuch" tollbook tenant list --config "$file"
refused "the PG* variables are stronger" 5 'could not be reached' env PGHOST="$room" tollbook tenant list --config "$file"
given '[database]' "connection = host=$room dbname=nonsuch"
check "--db is the strongest" tollbook tenant list --config "$file" --db "$connection"
given '[night]' 'zon = UTC'
refused "a broken configuration stops every verb that opens a database" 3 'no setting "zon"' \
	tollbook tenant list --config "$file" --db "$connection"

# --- what it names ------------------------------------------------------------------------------
mkdir "$room/drop"
given '[night]' "documents = $room/new/documents" '[source drop]' 'kind = files' "folder = $room/drop"
equal "config check says ok where everything is there" "$(config check)" "ok: $file: 3 settings are set, 1 sources, 0 issuers"
rmdir "$room/drop"
refused "config check names the folder that is not there" 3 "source.drop.folder: $room/drop: No such file" tollbook config check --config "$file"
given '[apply]' "prices = $room/*.prices"
refused "config check names the pattern that finds nothing" 3 "apply.prices: $room/*.prices: there is no such file" \
	tollbook config check --config "$file"
if [ "$(id -u)" = 0 ]; then
	cp "$(command -v tollbook)" "$room/tollbook"
	refused "a file that may not be read is told with the remedy" 3 "chmod g+r $file" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$room/tollbook" config show --config "$file"
else
	chmod 000 "$file"
	refused "a file that may not be read is told with the remedy" 3 "chmod g+r $file" tollbook config show --config "$file"
fi
report
