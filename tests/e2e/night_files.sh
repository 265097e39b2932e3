#!/usr/bin/env bash
# The nightly job and folders: each file that is whole is read once, whatever interrupts it, and what a night takes is pinned when it begins.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
drop=$room/drop
mkdir "$drop"

cat >"$room/tollbook.conf" <<END
[night]
patience_seconds = 0
reconcile = open

[source usage]
kind = files
folder = $drop
pattern = *.ndjson*
batch_records = 250
END

# night DATE OPTION...: the night of that day, five seconds after its instant.
night() {
	local day=$1
	shift
	tollbook nightly --config "$room/tollbook.conf" --date "$day" --as-of "${day}T02:00:05Z" "$@" >"$room/said" 2>&1
}
# Somebody who was killed is gone when the server has noticed it.
night_again() {
	local try code
	for ((try = 0; try < 50; try++)); do
		code=0
		night "$@" || code=$?
		[ $code = 8 ] || return $code
		sleep 0.1
	done
	return $code
}
# told DATE: what the step says of itself.
told() { sql "SELECT told FROM finance.night_step JOIN finance.night_run USING (night_run) WHERE night = '$1' AND step = 'ingest'"; }
# units DATE: name and error, or counts.
units() {
	sql "SELECT u.unit || ' ' || COALESCE('error: ' || (u.result::json ->> 'error'), (u.result::json ->> 'records') || ' records, ' ||
		(u.result::json ->> 'accepted') || ' accepted')
		FROM finance.night_unit u JOIN finance.night_run USING (night_run) WHERE night = '$1' AND step = 'ingest' AND u.plan <> '' ORDER BY u.unit"
}

# All of the metered side but the numbers of rows, and of the nightly job what it says of the step.
metering() {
	local batch="(SELECT b.*, p.name, p.opened_at FROM metering.ingest_batch b JOIN metering.source_position p USING (position_id))" part
	for part in \
		"SELECT p.kind, p.name, p.opened_at, p.opened_by, p.next_position, p.next_record, p.finished_at FROM metering.source_position p" \
		"SELECT b.name, b.opened_at, b.first_position, b.next_position, b.first_record, b.records, b.accepted, b.duplicates, b.restamped,
		        b.ignored, b.quarantined, b.rejected, b.set_aside_before, b.ledger_rows, b.first_event_time, b.last_event_time, b.appended_at FROM $batch b" \
		"SELECT b.name, b.first_record, e.ordinal, e.kind, e.event_id, e.event_time, s.digest, p.name, e.id, e.flags, e.context_input_tokens,
		        e.requests, e.input_text_uncached_tokens, e.input_text_cache_read_tokens, e.output_text_tokens, e.extra, e.context
		   FROM metering.usage_event e JOIN $batch b USING (batch_id) JOIN metering.usage_series s USING (series_id)
		   JOIN metering.event_source p USING (event_source_id)" \
		"SELECT b.name, b.first_record, k.event_id, k.content, k.event_time FROM metering.usage_key k JOIN $batch b USING (batch_id)" \
		"SELECT b.name, b.first_record, q.record, q.outcome, q.code, q.field, q.value, q.format, q.raw_length, q.raw_digest
		   FROM metering.quarantine q JOIN $batch b USING (batch_id)" \
		"SELECT s.digest FROM metering.usage_series s" "SELECT p.name FROM metering.event_source p" \
		"SELECT u.step, u.unit, u.plan, u.is_done, u.result, u.digest FROM finance.night_unit u WHERE u.step = 'ingest'" \
		"SELECT s.told, s.result FROM finance.night_step s WHERE s.step = 'ingest'"; do
		sql "SELECT count(*), md5(string_agg(fact, chr(10) ORDER BY fact COLLATE \"C\")) FROM (SELECT row_to_json(r)::text AS fact FROM ($part) r) f"
	done
}

# 5,000 records; some come twice, some say something else, some are no JSON, some are blank.
awk 'BEGIN { for (i = 1; i <= 5000; i++) {
	id = i % 97 == 0 ? i - 60 : i % 401 == 0 ? i - 1 : i
	if (i % 211 == 0) print "{\"idempotency_key\":\"broken-" i "\","
	else if (i % 301 == 0) print ""
	else printf "{\"idempotency_key\":\"r%d\",\"tenant\":\"t%d\",\"time\":\"2026-11-%02dT%02d:00:00Z\",\"model\":\"m\",\"input_tokens\":%d,\"output_tokens\":5}\n",
		id, id % 7, 1 + id % 2, id % 24, i % 401 == 0 ? 9999999 : 100 + id } }' >"$room/b.ndjson"
many() { seq "$1" "$2" | awk '{ printf "{\"idempotency_key\":\"%s%d\",\"tenant\":\"t\",\"time\":\"2026-11-02T10:00:00Z\",\"model\":\"m\",\"input_tokens\":10,\"output_tokens\":5}\n", K, $1 }' K="$3"; }
many 1 300 a >"$drop/a.ndjson"
many 1 2000 c | gzip >"$room/whole.gz"
head -c $(($(stat -c %s "$room/whole.gz") / 2)) "$room/whole.gz" >"$drop/c.ndjson.gz"
cp "$room/b.ndjson" "$drop/b.ndjson"
touch -d 2026-11-03T01:00:00Z "$drop"/*

new_database template
check "the books are set up" tollbook init
# A statement that hangs where the test wants to kill.
sql "CREATE TABLE public.stop_at (place text);
	CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
		IF EXISTS (SELECT FROM public.stop_at WHERE place = CASE TG_TABLE_NAME
			WHEN 'ingest_batch' THEN 'batch ' || (to_json(NEW) ->> 'first_record')
			WHEN 'source_position' THEN CASE WHEN TG_OP = 'INSERT' THEN 'open ' WHEN to_json(NEW) ->> 'finished_at' IS NULL THEN '-' ELSE 'finish ' END
				|| regexp_replace(to_json(NEW) ->> 'name', '.*/', '')
			ELSE CASE WHEN to_json(NEW) ->> 'is_done' = 'true' THEN 'done ' ELSE 'plan ' END || (to_json(NEW) ->> 'unit') END) THEN
			PERFORM pg_sleep(600);
		END IF;
		RETURN NULL;
	END \$\$;
	CREATE TRIGGER stop AFTER INSERT ON metering.ingest_batch FOR EACH ROW EXECUTE FUNCTION public.stop();
	CREATE TRIGGER stop AFTER INSERT OR UPDATE ON metering.source_position FOR EACH ROW EXECUTE FUNCTION public.stop();
	CREATE TRIGGER stop AFTER INSERT OR UPDATE ON finance.night_unit FOR EACH ROW EXECUTE FUNCTION public.stop();"

# killed_at PLACE DATE: the night is killed with kill -9 when it gets there.
killed_at() {
	local process try
	sql "INSERT INTO public.stop_at VALUES ('$1')"
	tollbook nightly --config "$room/tollbook.conf" --date "$2" --as-of "${2}T02:00:05Z" >"$room/said" 2>&1 &
	process=$!
	for ((try = 0; try < 200; try++)); do
		kill -0 "$process" 2>/dev/null || try=200
		[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()")" = 1 ] && break
		sleep 0.05
	done
	[ $try -lt 200 ] || not_ok "the night gets to \"$1\""
	kill -9 "$process"
	wait "$process" 2>/dev/null
	sql "DELETE FROM public.stop_at"
	sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()" >"$room/ended"
}

# --- killed -------------------------------------------------------------------------------------------

copy_database template undisturbed
night 2026-11-03
equal "a night with a damaged file of three is done, and something waits for a person" $? 7
equal "it says which file it is" "$(told 2026-11-03 | sed 's/, [0-9].*;/;/')" \
	"3 files; 1 not read to the end: usage c.ndjson.gz: the compressed file ends too early"
equal "the others are read: of 5,000 records those that are blank, broken, known or something else are told" \
	"$(units 2026-11-03 | head -n 2)" "usage a.ndjson 300 records, 300 accepted
usage b.ndjson 5000 records, 4899 accepted"
equal "in batches of 250, dated with the night's instant" \
	"$(sql "SELECT count(*), min(appended_at) = max(appended_at), max(appended_at) = '2026-11-03T02:00:00Z' FROM metering.ingest_batch WHERE records = 250")" \
	"$(sql "SELECT sum(records / 250), true, true FROM metering.source_position JOIN metering.ingest_batch USING (position_id) WHERE records >= 250")"
equal "each file's digest is that of its bytes on the disk" \
	"$(sql "SELECT substr(unit, 7), encode(digest, 'hex') FROM finance.night_unit WHERE plan <> '' AND step = 'ingest' ORDER BY unit" | tr '|' ' ')" \
	"$(cd "$drop" && sha256sum * | awk '{ print $2, $1 }')"
wanted=$(metering)

for place in "plan usage c.ndjson.gz" "open b.ndjson" "batch 2251" "finish b.ndjson" "done usage b.ndjson" "done usage c.ndjson.gz"; do
	copy_database template killed
	killed_at "$place" 2026-11-03
	had=$(sql "SELECT count(*) FROM metering.usage_event")
	night_again 2026-11-03
	equal "killed at \"$place\" with $had rows booked, and run again: 7" $? 7
	equal "and it leaves the rows that an undisturbed night leaves" "$(metering)" "$wanted"
	use_database template
	drop_database killed
done

copy_database template killed
for place in "batch 1" "batch 1501" "batch 4751"; do killed_at "$place" 2026-11-03; done
night_again 2026-11-03
equal "killed three times in one file, it leaves the same rows" "$(metering)" "$wanted"
check "and the books reconcile" tollbook reconcile --quiet

# --- pinned -------------------------------------------------------------------------------------------

copy_database template pinned
killed_at "batch 2251" 2026-11-03
many 1 10 late >"$drop/aa.ndjson"
night_again 2026-11-03
equal "a file that comes after the night was begun is not taken when it is begun again" "$(units 2026-11-03 | cut -d' ' -f2)" "a.ndjson
b.ndjson
c.ndjson.gz"

copy_database template replaced
rm "$drop/aa.ndjson"
killed_at "batch 2251" 2026-11-03
many 1 7 d >>"$drop/b.ndjson"
night_again 2026-11-03
equal "a file that was changed while it was read is told" "$(units 2026-11-03 | sed -n 2p)" \
	"usage b.ndjson error: the file was changed or replaced since the night began, or while it was read"
equal "what was booked of it stays" "$(sql "SELECT sum(records) FROM metering.ingest_batch JOIN metering.source_position USING (position_id) WHERE name LIKE '%/b.ndjson'")" 2250

# --- the next nights --------------------------------------------------------------------------------------

cp "$room/whole.gz" "$drop/c.ndjson.gz"
night_again 2026-11-04
equal "the next night reads the files that were replaced, each record once" "$(units 2026-11-04)" "usage b.ndjson 5007 records, $((4899 + 7 - $(sql "SELECT sum(accepted) FROM metering.ingest_batch JOIN metering.source_position USING (position_id) WHERE name LIKE '%/b.ndjson' AND opened_at = '2026-11-03T02:00:00Z'"))) accepted
usage c.ndjson.gz 2000 records, $((2000 - $(sql "SELECT sum(accepted) FROM metering.ingest_batch JOIN metering.source_position USING (position_id) WHERE name LIKE '%/c.ndjson.gz' AND opened_at = '2026-11-03T02:00:00Z'"))) accepted"
equal "in the end there are 300 + 4,899 + 7 + 2,000 rows" "$(sql "SELECT count(*) FROM metering.usage_event WHERE kind = 1")" 7206
night 2026-11-05
equal "a night without a new file reads none" "$(told 2026-11-05)" "0 records"
check "the books reconcile" tollbook reconcile --quiet

# --- what is a file, and when it came ----------------------------------------------------------------------

many 1 5 e >"$room/linked"
for name in .hidden.ndjson e.ndjson.part e.ndjson.tmp other.csv; do cp "$room/linked" "$drop/$name"; done
mkdir "$drop/folder.ndjson"
ln -s "$room/linked" "$drop/link.ndjson"
ln -s "$room/nowhere" "$drop/nowhere.ndjson"
cp "$room/linked" "$drop/f$(printf '\377').ndjson"
night 2026-11-06
equal "hidden, unfinished and other files, folders and links to nothing are left out; a link to a file is read" "$(units 2026-11-06)" \
	"usage link.ndjson 5 records, 5 accepted"
equal "a name that is not UTF-8 is told" "$(told 2026-11-06)" \
	'2 files, 5 records: 5 accepted; 1 not read to the end: usage f\xff.ndjson: its name is not UTF-8: give it another one'
rm "$drop/f$(printf '\377').ndjson"

{ many 1 3 g; many 4 4 g | sed s/2026-11-02/2026-11-08/; } >"$drop/g.ndjson"
many 1 4 h >"$drop/h.ndjson"
touch -d 2026-11-07T01:59:59.999999Z "$drop/g.ndjson"
touch -d 2026-11-07T02:00:00Z "$drop/h.ndjson"
night 2026-11-08
equal "a missed night takes what had come before its instant, and what was in the future then is set aside" "$(units 2026-11-07)" \
	"usage g.ndjson 4 records, 3 accepted"
equal "and the newest one the rest" "$(units 2026-11-08)" "usage h.ndjson 4 records, 4 accepted"

# --- CSV, and settings that are wrong -----------------------------------------------------------------------

mkdir "$room/csv"
cat >"$room/mapping.json" <<'END'
{"format": "csv", "columns": {"idempotency_key": "id", "tenant": "who", "time": "when", "model": "what", "input_tokens": "in", "output_tokens": "out"}, "time": {"format": "rfc3339"}}
END
cat >>"$room/tollbook.conf" <<END

[source gateway]
kind = files
folder = $room/csv
mapping = $room/mapping.json
producer = /gateway
END
{ echo id,who,when,what,in,out; echo 1,t,2026-11-08T10:00:00Z,m,10,5; } >"$room/csv/1.csv"
echo nothing,that,is,known >"$room/csv/2.csv"
night 2026-11-09
equal "CSV is read by its mapping, and a file with other columns does not stop the others" \
	"$(units 2026-11-09 | sed 's/ error.*/ error/')" "gateway 1.csv 1 records, 1 accepted
gateway 2.csv error"
equal "what names no producer is the configured one's" "$(sql "SELECT name FROM metering.event_source WHERE name = '/gateway'")" /gateway
night 2026-11-10
equal "what could not be read is tried again each night" "$(units 2026-11-10 | sed 's/ error.*/ error/')" "gateway 2.csv error"
mv "$room/mapping.json" "$room/elsewhere"
{ echo id,who,when,what,in,out; echo 2,t,2026-11-08T10:00:00Z,m,10,5; } >"$room/csv/2.csv"
night 2026-11-11 && not_ok "a night without its mapping is done"
mv "$room/elsewhere" "$room/mapping.json"
night_again 2026-11-11
equal "a mapping that is not there stops the night, which takes no file for read then" "$(units 2026-11-11)" "gateway 2.csv 1 records, 1 accepted"

# --- a night that is gone on with much later, and what cannot be looked at ----------------------------------

mv "$drop" "$room/away"
night 2026-11-12
equal "a night whose folder is not there stops before it has pinned anything" $? 3
mv "$room/away" "$drop"
many 1 3 k >"$drop/k.ndjson"
touch -d 2026-11-12T01:00:00Z "$drop/k.ndjson"
many 1 4 l | sed s/2026-11-02/2026-11-12/ >"$drop/l.ndjson"
touch -d 2026-11-13T01:00:00Z "$drop/l.ndjson"
ln -s "$(printf 'x%.0s' {1..300})" "$drop/long.ndjson"
night 2026-11-13
equal "gone on with a day later, it takes what had come when it was begun" "$(units 2026-11-12)" "usage k.ndjson 3 records, 3 accepted"
equal "and leaves the rest, which is in its future, to the next one" "$(units 2026-11-13)" "usage l.ndjson 4 records, 4 accepted"
equal "a file that cannot be looked at is told" "$(told 2026-11-13)" \
	'2 files, 4 records: 4 accepted; 1 not read to the end: usage long.ndjson: it cannot be looked at: File name too long'
report
