#!/usr/bin/env bash
# Old months as files: what goes into them, that it can be asked and comes back byte by byte, that sums and duplicates stay what they were, and that
# at every moment either the ledger or a file has the rows, whoever is killed, damages or fills what.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
as_of=2026-12-05T00:00:00Z
archive=$room/archive
mkdir "$archive"
write() { tollbook archive write --quiet --as-of $as_of --folder "$archive" --wait 0 "$@"; }
attach() { tollbook archive attach --quiet --as-of $as_of "$@"; }
detach() { tollbook archive detach --quiet --as-of $as_of --wait 0 "$@"; }
listed() { tollbook archive list --format csv "$@" | cut -d, -f1-5 | tail -n +2 | tr '\n' ' '; }
verified() { tollbook archive verify --format csv "$@" | awk -F, 'NR > 1 { print $1, $2, $6 }' | tr '\n' ';'; }
file() { sql "SELECT folder || '/' || file FROM metering.archive WHERE part = $1"; }
rows() { sql "SELECT to_char(event_time, 'YYYY-MM'), count(*) FROM metering.usage_event GROUP BY 1 ORDER BY 1" | tr '|\n' ' ;'; }
closed() { sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('$1', 'soft', 'reviewed', '', '', 'eve', now()), ('$1', 'hard', 'reviewed', '', '', 'eve', now())"; }
reconciled() { check "the books reconcile${1:+: $1}" tollbook reconcile --quiet; }

# book EFFECTIVE PRICE [OPTIONS]
publish() {
	printf '{"tollbook_prices": 1, "book": "one", "currency": "USD", "effective": "%s", "free": ["requests", "images"], "rules": [{"model": "small", "prices": {"input_text_uncached_tokens": %s, "output_text_tokens": {"price": "2", "per": 1000}}}]}\n' "$1" "$2" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
contract() { printf '{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "%s", "book": "one", "issuer": "TF", "effective": "2026-01-01"}' "$1" "$1" "$2"; }
printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s, %s]}' "$(contract ann UTC)" "$(contract bob Europe/Berlin)" >"$room/tenants.json"

new_database archive
check "the books are set up" tollbook init
check "1 for a thousand tokens of input, 2 of output" publish 2026-01-01T00:00:00Z '{"price": "1", "per": 1000}'
check "ann has a contract in UTC, bob in Berlin" tollbook tenant apply --quiet "$room/tenants.json"
october=2026-10-20T10:00:00Z
{
	event a1 ann $october small 1000 100; event a2 ann 2026-10-21T10:00:00Z small 2000 200
	event b1 bob $october small 500 50 | sed 's/"requests":1/&,"images":3/'
	event b2 bob 2026-10-31T23:30:00Z small 400 40   # in Berlin it is November
	correction a3 a2 ann 2026-10-22T10:00:00Z small 2500 200
	event 'é \"1\"' ann $october small 1 1
} >"$room/october.ndjson"
{ event n1 ann 2026-11-02T10:00:00Z small 10 1; event a4 ann 2026-10-31T23:59:59.999999Z small 30 3; event n2 bob 2026-11-03T10:00:00Z small 20 2; } >"$room/border.ndjson"
ingest "$room/october.ndjson" "$room/border.ndjson" >/dev/null
equal "October has eight rows, of them a reversal; November two; one batch has of both" "$(rows)" '2026-10 8;2026-11 2;'
refused "what is not closed is not archived" 4 '2026-10 is not closed for good' write 2026-10
check "it is rated" finds rate
equal "ann's October is 1.2 + 2.9 + 0.003 + 0.036, bob's 0.6; the last half hour of October is bob's November" \
	"$(sql "SELECT r.tenant, r.period, trim_scale(sum(c.amount)) FROM finance.charge c JOIN finance.current_rating r USING (rating_id) WHERE c.price > 0 GROUP BY 1, 2 ORDER BY 1, 2" | tr '|\n' ' ;')" \
	'ann 2026-10 4.139;ann 2026-11 0.012;bob 2026-10 0.6;bob 2026-11 0.504;'
check "drafts are made" tollbook invoice draft --quiet --as-of $as_of
check "and are final" finds tollbook invoice finalize --quiet --as-of $as_of
closed 2026-10
refused "bob's November is in it, and is not closed for good" 4 'it has usage of the period 2026-11 of 1 tenant (bob)' write 2026-10
closed 2026-11
refused "a month without rows is not written" 9 "the ledger has no rows of 2026-07" eval "closed 2026-07; write 2026-07"
before=$(ledger) keys=$(sql 'SELECT count(*) FROM metering.usage_key')
check "October is written" write 2026-10
equal "the ledger has November alone" "$(rows)" '2026-11 2;'
equal "the file is listed" "$(listed)" '2026-10,1,archived,8,2 '
reconciled "with sums of the file"

# The file needs nothing beside it.
file=$(file 1)
equal "any Zstandard reads it" "$(zstd -dcq "$file" | head -c 18)" 'tollbook archive 1'
equal "it is named by month, part and content" "$(basename "$file" | sed 's/-[0-9a-f]\{8\}\./-DIGEST./')" 'usage-2026-10-1-DIGEST.tollbook.zst'
query() { env -u TOLLBOOK_DB PGHOST=/nowhere tollbook archive query "$@"; }
equal "it sums up by tenant, model and meter: ann's input is 1000 + 2000 - 2000 + 2500 + 1 + 30" \
	"$(query "$file" --format csv --tenant ann | tr '\n' ' ')" \
	'tenant,model,meter,rows,quantity ann,small,requests,6,4 ann,small,input_text_uncached_tokens,6,3531 ann,small,output_text_tokens,6,304 '
equal "images have no column of their own, and are there" "$(query "$file" --format csv | grep images)" 'bob,small,images,1,3'
equal "from an instant on, before another" "$(query "$file" --format csv --from 2026-10-31 --to 2026-10-31T23:45:00Z | sed 1d | grep input)" 'bob,small,input_text_uncached_tokens,1,400'
equal "an event by its id, with where it was read" "$(query "$file" --format csv --events --tenant ann --id a1 | sed 1d)" \
	'2026-10-20T10:00:00Z,usage,ann,small,default,,/gateway,a1,1,1,requests=1 input_text_uncached_tokens=1000 output_text_tokens=100'
equal "as JSON, a reversal too" "$(query "$file" --format json --events --id a3 | python3 -c 'import json, sys; print([(r["kind"], r["batch"]) for r in json.load(sys.stdin)])')" "[('usage', 1), ('reversal', 1)]"
equal "every row is as it was in the ledger" "$(verified)" '2026-10 1 ok;'
equal "a small reader, made from the documentation, proves all digests, and has the same sums" "$(zstd -dcq "$file" | python3 tests/support/archive_reader.py | tr '\n' ';')" \
	'ann input_text_uncached_tokens 3531;ann output_text_tokens 304;ann requests 4;bob images 3;bob input_text_uncached_tokens 900;bob output_text_tokens 90;bob requests 2;proved;'
cp "$file" "$room/again"
refused "a copy beside it is not counted twice" 3 'another of these files is part 1 of 2026-10, too' query "$file" "$room/again"
zstd -dcq "$file" | sed '1s/1$/2/' | zstd -q >"$room/newer"
refused "a format that is not known yet is told from damage" 3 'written by a newer tollbook: its format is another' query "$room/newer"
zstd -dcq "$file" | python3 -c 'import sys; c = sys.stdin.buffer.read(); at = c.index(b"ROWS"); news = b"NEWS\0\0\0\0\0\0\0\3new"; sys.stdout.buffer.write(c[:19] + news + c[19:at] + news + c[at:])' | zstd -q >"$room/kinds"
equal "kinds of parts that are not known are passed over" "$(query "$room/kinds" --format csv)" "$(query "$file" --format csv)"

# What stays as it was, and what is missed loudly.
equal "copies of archived events are duplicates" "$(counts "$room/october.ndjson" "$room/border.ndjson")" $'6 0 6 0 0 0\n3 0 3 0 0 0'
equal "no key is gone" "$(sql 'SELECT count(*) FROM metering.usage_key')" "$keys"
check "the workbook's control sums agree" tollbook report workbook --quiet --period 2026-10 --output "$room/october.xlsx" --as-of $as_of
remedy='tollbook archive attach 2026-10'
refused "an archived event is not explained without its rows" 4 "$remedy" tollbook explain --event ann /gateway a1
refused "nor shown to support" 4 "$remedy" tollbook usage show ann /gateway a1
refused "nor corrected by support" 4 "$remedy" tollbook usage correct ann /gateway a1 --set output_text_tokens=1 --reason metering_error --as-of $as_of
refused "requests of October are not reported" 4 "$remedy" tollbook report requests --tenant ann --period 2026-10
check "those of a tenant's month that is in the ledger are" tollbook report requests --tenant ann --period 2026-11
refused "bob's November, which begins in the archive, is not" 4 "$remedy" tollbook report requests --tenant bob --period 2026-11
check "a line is explained, and says what is not listed" \
	eval "tollbook explain TF-INV-2026-000001/1 >$room/line && grep -q 'events .*archived.*archive attach 2026-10' $room/line && grep -q '^intervals ' $room/line"
correction a5 a1 ann 2026-11-20T10:00:00Z small 900 100 >"$room/correction.ndjson"
equal "a correction of an archived event waits in quarantine" "$(counts "$room/correction.ndjson")" '1 0 0 0 1 0'
equal "and says for what" "$(sql 'SELECT code, field FROM metering.quarantine')" 'E_ARCHIVED|data.ref'
event a1 ann $october small 7777 1 >"$room/conflict.ndjson"
equal "so does what differs from an archived event, which may have been provisional" "$(counts "$room/conflict.ndjson")" '1 0 0 0 1 0'

# Usage that comes for an archived month is booked, rated and archived like any other.
event a6 ann 2026-10-25T10:00:00Z small 100 10 >"$room/late.ndjson"
equal "a late event is booked" "$(counts "$room/late.ndjson")" '1 1 0 0 0 0'
check "and rated" finds rate
equal "it is on hold, since October is invoiced" "$(sql "SELECT h.reason, sum(h.quantity) FROM finance.hold h JOIN finance.current_rating r USING (rating_id) WHERE r.period = '2026-10' AND meter_id = 2 GROUP BY 1")" 'period_invoiced|100'
check "October is rated again without its rows" tollbook rerate plan --quiet --as-of $as_of --period 2026-10 --tenant ann --reason late_usage --ticket T-1
equal "by 0.12, for the late event" "$(sql "SELECT trim_scale(new_amount - old_amount) FROM finance.rerate_item WHERE tenant = 'ann' AND period = '2026-10'")" 0.12
refused "with a re-rate that is not decided the month is not archived" 4 're-rate 1 of it is neither applied nor rejected' write 2026-10
check "it is approved" tollbook rerate approve --quiet --by eve --as-of $as_of 1
check "and applied" tollbook rerate apply --quiet --as-of $as_of 1

# Prices that tell requests of before apart need the rows.
check "3 for a thousand in requests of more than 450 tokens" publish 2026-02-01T00:00:00Z '{"per": 1000, "brackets": [{"price": "1"}, {"over": 450, "price": "3"}]}'
refused "they are not told apart by fewer rows than there are" 4 "prices tell requests of before apart, from 2026-02-01T00:00:00Z on: ledger rows of 2026-10 are archived" rate
check "October is attached" attach 2026-10
equal "with its rows, and the late one" "$(rows)" '2026-10 9;2026-11 2;'
equal "they are the rows that were there" "$(sql "SELECT count(*) FROM metering.usage_event e JOIN metering.archived_batch USING (batch_id) WHERE e.event_time < '2026-11-01'")" 8
check "it is rated" finds rate
equal "ann's correction of 2500 tokens and bob's two are in their classes" "$(sql "SELECT count(DISTINCT class_id) FROM metering.usage_interval WHERE interval_start < '2026-11-01'")" 3
check "the event is explained" finds tollbook explain --event ann /gateway a1
check "requests are reported" finds tollbook report requests --tenant ann --period 2026-10
refused "it is not attached twice" 9 'no rows of 2026-10 are archived' attach 2026-10
refused "nor written while it is attached" 4 'is attached' write 2026-10

# What waited for the rows; and October goes again, without what came since.
check "the correction is released" tollbook quarantine release --quiet --reason attached --as-of $as_of 1
refused "the other a1 is no provisional count, and a conflict now" 4 'E_KEY_CONFLICT' tollbook quarantine release --quiet --reason attached --as-of $as_of 2
equal "the correction is booked, a row and a reversal" "$(rows)" '2026-10 11;2026-11 2;'
check "and rated" finds rate
whole=$(ledger)
mv "$file" "$room/elsewhere"
refused "without its file October stays" 3 "part 1 of 2026-10" detach 2026-10
mv "$room/elsewhere" "$file"
psql -X -q -d "$TOLLBOOK_DB" -c 'BEGIN; LOCK TABLE ONLY metering.usage_event IN ACCESS SHARE MODE; SELECT pg_sleep(30)' >"$room/reader" 2>&1 &
reader=$!
for ((try = 0; try < 100; try++)); do [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'metering.usage_event'::regclass AND mode = 'AccessShareLock' AND pid <> pg_backend_pid()")" = 0 ] || break; sleep 0.1; done
refused "nor does it go while somebody reads the ledger" 8 'the ledger is in use' detach 2026-10
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()" >"$room/ended"
wait $reader
check "it is detached" detach 2026-10
equal "what came since stays: the late event, the correction and its reversal" "$(rows)" '2026-10 3;2026-11 2;'
check "these are written as its second part" write 2026-10
equal "both are listed" "$(listed)" '2026-10,1,archived,8,2 2026-10,2,archived,3,2 '
reconciled "with two files"
check "both are attached" attach 2026-10
equal "the ledger is whole" "$(ledger)" "$whole"
check "and both detached" detach 2026-10
equal "the audit log has all of it" "$(sql "SELECT string_agg(split_part(action, ' ', 2) || ': ' || after, '; ' ORDER BY audit_id) FROM finance.audit_log WHERE action LIKE 'archive %'" | sed 's/-[0-9a-f]\{8\}\./-DIGEST./g')" \
	'write: 8 rows in usage-2026-10-1-DIGEST.tollbook.zst; attach: 8 rows; detach: 8 rows; write: 3 rows in usage-2026-10-2-DIGEST.tollbook.zst; attach: 11 rows; detach: 11 rows'

# Nobody gets around it.
refused_by_database() { local output; output=$(sql "$2" 2>&1); if [[ $output == *'ERROR:'*"$3"* ]]; then ok "$1"; else not_ok "$1"; printf '    %s\n' "$output"; fi; }
refused_by_database "a month that no file stands for is not dropped" "SELECT metering.month_replace('2026-11-01')" 'they stay'
refused_by_database "nothing is detached that is not attached" "INSERT INTO metering.archive_step (archive_id, step, at, who) VALUES (1, 'detached', now(), 'x')" 'the step is refused'
equal "called by hand it drops nothing that no file has" "$(event a7 ann 2026-10-26T10:00:00Z small 1 1 >"$room/later.ndjson"; counts "$room/later.ndjson"; sql "SELECT metering.month_replace('2026-10-01')"; rows)" $'1 1 0 0 0 0\n1\n2026-10 1;2026-11 2;'
refused "what is not summed is not archived" 4 '1 batch with usage of it that no rating has summed' write 2026-10
check "it is rated" finds rate

# Files that are not what was written.
cp "$file" "$room/good"
differs() { equal "$1: verify tells" "$(verified 2026-10 | cut -d';' -f1)" '2026-10 1 DIFFERENT'; refused "$1: attach refuses" 3 "$2" attach 2026-10; }
reconciles_without() { tollbook reconcile >"$room/told" 2>&1; echo $? "$(grep -c "$1" "$room/told")"; }
size=$(stat -c %s "$file")
printf X | dd of="$file" bs=1 seek=$((size - 30)) conv=notrunc status=none
differs "a changed byte" 'this is not the file'
refused "a changed byte: query refuses" 3 'the archive is damaged' query "$file"
equal "reconcile tells which file, and does without it" "$(reconciles_without 'not the file that was written: archive usage-2026-10-1')" '7 1'
head -c $((size / 2)) "$room/good" >"$file"
differs "a file cut in half" 'this is not the file'
refused "cut in half: query refuses" 3 'it ends too early' query "$file"
cp "$(file 2)" "$file"
differs "another part under its name" 'this is not the file'
rm "$file"
differs "no file" 'could not be read'
equal "reconcile says how many batches it did not compute again, and finds nothing else" "$(reconciles_without '2 batches were NOT computed again.*usage-2026-10-1')" '0 1'
mkdir "$room/copy" && cp "$room/good" "$room/copy/$(basename "$file")" && cp "$(file 2)" "$room/copy"
equal "copies elsewhere are as good" "$(verified --folder "$room/copy")" '2026-10 1 ok;2026-10 2 ok;'
cp "$room/good" "$file"
refused "a file that is no archive is none" 3 'not an archive of tollbook' query "$room/october.ndjson"
for damage in 3 40 400; do
	head -c $damage "$room/good" >"$room/cut"
	refused "cut behind $damage bytes it is not read" 3 'archive' query "$room/cut"
done

# A full disk, another file under the name.
full() { bash -c "trap '' XFSZ; ulimit -f $1; exec tollbook archive write --quiet --as-of $as_of --folder '$archive' 2026-10"; }
refused "a full disk changes nothing" 5 'the archive cannot be written' full 0
equal "and leaves nothing" "$(rows) $(ls "$archive" | wc -l)" '2026-10 1;2026-11 2; 2'
refused "nor does a folder that is not there" 3 'there is no folder' tollbook archive write --folder "$room/nowhere" 2026-10
copy_database archive other

# moment FAULT: the process writes October until kill_at.c stops or kills it.
shim=$top/build/tests/support/kill_at.so
make -s build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
moment() { exec env LD_PRELOAD="$shim" "$@" tollbook archive write --quiet --as-of $as_of --folder "$archive" --wait 0 2026-10 >"$room/said" 2>&1; }
stopped() {
	local try state
	for ((try = 0; try < 200; try++)); do
		read -r _ _ state _ <"/proc/$1/stat" && [ "$state" = T ] && return 0
		sleep 0.05
	done
	return 1
}
# Continues a process to its end: $code.
ended() { code=0; kill -CONT "$1"; wait "$1" || code=$?; }
# more ID: another late event of October, booked and rated.
more() { event "$1" ann 2026-10-27T10:00:00Z small 1 1 >"$room/more.ndjson" && ingest "$room/more.ndjson" >/dev/null && finds rate; }
lose_connections() { sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'tollbook%' AND pid <> pg_backend_pid() AND datname = current_database()" >/dev/null; }

# Written, read back, and not in force yet, when more of October comes.
moment STOP_STATEMENT=ledger/archive_books_try:before &
writer=$!
check "an archiver stands still, its file is written" stopped $writer
refused "a second archiver is told of the first" 8 'somebody else is writing' write 2026-10
event a8 ann 2026-10-27T10:00:00Z small 1 1 >"$room/meanwhile.ndjson"
equal "while the file is written, an event is booked" "$(counts "$room/meanwhile.ndjson")" '1 1 0 0 0 0'
ended $writer
equal "the month stays, since the file does not have it, and the file goes" "$code $(cut -d: -f2 "$room/said" | head -n 1) $(rows) $(ls "$archive" | wc -l)" \
	'8  usage of 2026-10 came meanwhile 2026-10 2;2026-11 2; 2'
check "it is rated" finds rate

# Who lost his connection does not know what others do meanwhile.
moment STOP_STATEMENT=ledger/archive_books_try:before &
writer=$!
check "an archiver stands still again" stopped $writer
check "and loses its connection" lose_connections
refused "nobody else writes where it writes" 8 'somebody else is writing the file' write 2026-10
ended $writer
equal "it changes nothing, and its file goes" "$code $(rows) $(ls "$archive" | wc -l)" '5 2026-10 2;2026-11 2; 2'
check "it is written with both events" write 2026-10
equal "as the third part" "$(listed | cut -d" " -f3)" "2026-10,3,archived,2,2"
others=$(file 3)
check "October comes back" attach 2026-10
env LD_PRELOAD="$shim" STOP_STATEMENT=reports/ledger_settled:after tollbook reconcile >"$room/found" 2>&1 &
reader=$!
check "a reconciliation stands still behind its first look" stopped $reader
refused "rows do not leave the ledger under it" 8 'the ledger is in use' detach 2026-10
ended $reader
equal "and it finds nothing wrong" $code 0
check "October goes again" detach 2026-10

# At every moment the row is in the ledger, or in a file that is there, and nowhere twice; a second attempt ends it.
check "there is more of October" more c1
code=0
(moment COUNT_TO="$room/calls") || code=$?
equal "it is the fourth part" "$code $(listed | cut -d' ' -f4)" '0 2026-10,4,archived,1,1'
calls=$(cut -d' ' -f1 "$room/calls")
holds() { [ "$(sql "SELECT count(*) FROM metering.usage_event WHERE event_time < '2026-11-01'") $(sql "SELECT count(*) FROM metering.archive WHERE part = $part")" = "$1" ]; }
either() { holds '1 0' || { holds '0 1' && [ "$(verified | grep -c 'DIFFERENT')" = 0 ]; }; }
ends() { local code=0; for ((try = 0; try < 50; try++)); do code=0; write 2026-10 >"$room/said" 2>&1 || code=$?; [ $code = 8 ] || break; sleep 0.1; done; [ $code = 0 ] || [ $code = 9 ] || { cat "$room/said"; return 1; }; }
hows=(during before after)
kills=${KILLS:-3}
part=4
for ((i = 0; i < kills; i++)); do
	check "there is more of October" more "k$i"
	part=$((part + 1))
	at=$((calls - i * 20 / kills)):${hows[i % 3]}
	code=0
	(moment KILL_AT=$at) 2>"$room/killed" || code=$?
	equal "killed at call $at of $calls" $code 137
	check "killed there, the ledger or the file has the row" either
	check "and the next attempt writes it, or finds it written" ends
	equal "the file is whole" "$(verified | cut -d';' -f$part)" "2026-10 $part ok"
done

# The file has its name, and the connection is lost before the commit: others write the same to the same name.
check "there is more of October" more l1
moment STOP_AT=$((calls - 1)):before &
writer=$!
check "an archiver stands still at its commit" stopped $writer
check "and loses its connection" lose_connections
named=$archive/$(ls -t "$archive" | head -n 1)
cp "$named" "$room/named" && cp "$room/october.ndjson" "$named"
refused "another file that has the name is not written over" 4 "another file has the archive's name" write 2026-10
cp "$room/named" "$named"
check "the same bytes are" write 2026-10
ended $writer
equal "who lost the connection fails, and takes no file away" "$code $(verified | cut -d';' -f$((part + 1)))" "5 2026-10 $((part + 1)) ok"
reconciled "with all its parts"

cp "$others" "$room/others"
use_database archive
check "another database with the same folder" write 2026-10
equal "has names of its own for rows of its own" "$([ "$(file 3)" != "$others" ] && cmp "$others" "$room/others" && echo other)" other
report
