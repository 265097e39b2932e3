#!/usr/bin/env bash
# Re-rates: what came late or was priced wrongly is put right without touching a document that is out; seen and approved before, booked
# once, whatever happens meanwhile.
#   KILLS    how many moments an apply is killed at; 4 where it is not set
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
kills=${KILLS:-4}
as_of=2026-11-05T00:00:00Z

# --- the books -------------------------------------------------------------------------------------
# A thousand tokens of model a cost 1, of b 2, of t 1 and 0.50 beyond the first thousand; nobody has a price of n.
flat() { printf '{"model": "%s", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000}}}' "$@"; }
# book VERSION-FILE EFFECTIVE RULES: of "list".
book() {
	printf '{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "%s", "free": ["requests", "output_text_tokens"], "rules": [%s]}\n' "$2" "$3" >"$room/$1"
	tollbook prices publish --quiet --as-of "$as_of" "$room/$1"
}
stepped='{"model": "t", "prices": {"input_text_uncached_tokens": {"tiers": "graduated", "per": 1000, "steps": [{"up_to": 1000, "price": "1"}, {"price": "0.5"}]}}}'
# contracts "TENANT REST-OF-THE-OBJECT"...
contracts() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ rest = $0; sub(/^[^ ]+ ?/, "", rest)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"list\", \"issuer\": \"TF\", \"effective\": \"2026-10-01\"%s}", \
			(NR > 1 ? ", " : ""), $1, $1, (rest == "" ? "" : ", " rest) } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet --as-of 2026-10-01 "$room/tenants.json"
}
count=0
# used TENANT DAY-OF-OCTOBER MODEL TOKENS: one event; its id is TENANT-DAY-MODEL.
used() { usage "$1-$2-$3" "$1" "2026-10-$2T12:00:00Z" "$3" "$4" 0 0; }
books() { count=$((count + 1)); cat >"$room/usage-$count.ndjson"; ingest "$room/usage-$count.ndjson"; }
booked() { check "usage: $1" finds books <<<"$2"; check "it is rated" finds rate; }
# plan ARGUMENTS...: its number; planned by tester.
plan() { tollbook rerate plan --as-of "$as_of" --format csv "$@" | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1; }
plan_row() { tollbook rerate plan --as-of "$as_of" --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f3-; }
approve() { tollbook rerate approve --quiet --as-of "$as_of" --by eve "$1"; }
apply() { tollbook rerate apply --quiet --as-of "$as_of" "$1"; }
# done TENANT ARGUMENTS...: planned, approved by another and applied.
put_right() {
	local id tenant=$1
	shift
	id=$(plan --period 2026-10 --tenant "$tenant" "$@") && [ -n "$id" ] && approve "$id" && apply "$id"
}
# What is booked of a tenant, a line each: kind, model, meter, quantity, exact and rounded amount, outcome.
adjustments() {
	sql "SELECT kind, model, meter_id, quantity, trim_scale(exact_amount), amount_minor, outcome FROM finance.adjustment WHERE tenant = '$1' ORDER BY adjustment_id" | tr '\n' ' '
}
by_day() { tollbook rerate show "$1" --sum-by model,day --format csv | tr -d '\r' | sed 1d | cut -d, -f1,3- | tr '\n' ' '; }
invoiced() { sql "SELECT COALESCE(sum(net_minor), 0) FROM finance.invoice WHERE tenant = '$1' AND status = 'final'"; }
draft() { tollbook invoice draft --quiet --as-of "$as_of" --format csv "$@" | tr -d '\r' | sed 1d; }
said_lines() { sql "SELECT l.kind, l.model, trim_scale(l.exact_amount), l.amount_minor, l.detail FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id) WHERE v.tenant = '$1' AND v.period = '$2' ORDER BY l.line" | tr '\n' ';'; }

new_database rerate
check "the books are set up" tollbook init
check "a price book is published" book list-1.json 2026-10-01T00:00:00Z "$(flat a 1), $(flat b 2), $stepped"
check "contracts, some with policies" contracts late price held zero tier moved open shut \
	'order "terms": {"allowances": [{"name": "included", "meters": ["input_text_uncached_tokens"], "quantity": 1000}]}' \
	'small "terms": {"adjustments": {"waive_below": "0.50"}}' 'owed "terms": {"adjustments": {"waive_below": "0.50"}}' \
	'note "terms": {"adjustments": {"as": "credit_note"}}' 'gone "until": "2026-11-01"'
booked "of October" "$(
	used late 20 a 1000; used late 21 a 1000; used price 20 a 3000; used price 20 b 500; used held 20 a 1000; used held 20 n 700
	used zero 20 a 10000; used zero 20 b 5000; used tier 20 t 800; used order 20 a 1000; used order 21 b 1000; used small 20 a 1000
	event owed-1 owed 2026-10-20T12:00:00Z a 1000 0; event note-1 note 2026-10-20T12:00:00Z a 5000 0; used note 21 b 1000
	used gone 20 a 1000; used moved 20 a 1000)"
check "drafts are made" exits 0 tollbook invoice draft --as-of "$as_of" --period 2026-10
check "October is invoiced" exits 0 tollbook invoice finalize --as-of "$as_of" --period 2026-10
sum_of_october=$(sql "SELECT md5(string_agg(v::text || l::text, '' ORDER BY number, line)) FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) WHERE status = 'final'")

# --- late usage --------------------------------------------------------------------------------------
as_of=2026-11-10T00:00:00Z
check "more usage of October comes late" finds books <<<"$(used late 05 a 500)"
refused "nothing is planned while usage of it is not rated" 4 'tollbook rate first' tollbook rerate plan --as-of $as_of --period 2026-10 --tenant late --reason late_usage
equal "usage of one tenant holds up no other" "$(plan_row --period 2026-10 --tenant price --reason late_usage)" 'no,USD,4.00,4.00,0.00,0.00,0.00,1,0'
check "it is rated: what is late is held" exits 7 rate
refused "a reason that is not for this is refused" 2 'is not for rerate' tollbook rerate plan --as-of $as_of --period 2026-10 --reason promotion
refused "a tenant that has nothing is refused" 4 'nothing of 2026-10 is rated of tenant nobody' tollbook rerate plan --as-of $as_of --period 2026-10 --tenant nobody --reason late_usage
in_force() { sql "SELECT count(*), max(rating_id) FROM finance.rating"; }
before=$(in_force)
check "a plan shows who, what, and which documents" eval 'tollbook rerate plan --as-of $as_of --period 2026-10 --tenant late --reason late_usage --ticket T-1 >"$room/plan"'
equal "it changes no rating" "$(in_force)" "$before"
late=$(sql "SELECT max(rerate_id) FROM finance.rerate")
equal "two before, half of one more: 2, 2.5, closed, invoiced" "$(sed -n 's/  */ /g; /^late /p' "$room/plan" | head -n 1)" "$(printf 'late 2026-10 closed %s USD 2.00 2.50 0.50' "$(sql "SELECT number FROM finance.invoice WHERE tenant = 'late'")")"
check "it says that a second person is needed" grep -q '^approval  by a second person' "$room/plan"
equal "the difference is on its day" "$(by_day "$late")" 'a,2026-10-05,0.00,0.50,0.50,USD '
refused "it is not applied before it is approved" 4 "is not approved" tollbook rerate apply --as-of $as_of "$late"
refused "who planned it does not approve it" 4 'somebody else must approve' tollbook rerate approve --as-of $as_of "$late"
check "somebody else does" approve "$late"
refused "nor is it applied before it was planned" 4 'was planned at' tollbook rerate apply --as-of 2026-11-01 "$late"
check "a dry run applies nothing" tollbook rerate apply --quiet --dry-run --as-of $as_of "$late"
equal "nothing is booked yet" "$(adjustments late)" ''
check "it is applied" apply "$late"
equal "an adjustment: 500 tokens, half a dollar, on the next invoice" "$(adjustments late)" 'usage|a|2|500|0.5|50|next_invoice '
check "applied again it says so, and ends well" eval 'tollbook rerate apply --as-of $as_of "$late" 2>&1 | grep "was applied already"'
equal "and books nothing more" "$(adjustments late)" 'usage|a|2|500|0.5|50|next_invoice '
refused "what is applied is not rejected" 4 'cannot be rejected' tollbook rerate reject --as-of $as_of --by eve "$late"
check "usage of November" finds books <<<"$(usage late-nov late 2026-11-08T12:00:00Z b 1000 0 0)"
check "it is rated" finds rate
as_of=2026-12-02T00:00:00Z
equal "the next invoice has it: 2 of November, 0.50 of October" "$(draft --period 2026-11 --tenant late | cut -d, -f1-4)" 'late,2026-11,2,2.50'
check "the line names period, reason and version" grep -q '2026-10.*late_usage.*list v1' <<<"$(said_lines late 2026-11)"
check "it is final" exits 0 tollbook invoice finalize --as-of $as_of --tenant late --period 2026-11
equal "2 and 2.50 are invoiced" "$(invoiced late)" 450
equal "nothing that was out changed" "$(sql "SELECT md5(string_agg(v::text || l::text, '' ORDER BY number, line)) FROM finance.invoice v JOIN finance.invoice_line l USING (invoice_id) WHERE status = 'final' AND period = '2026-10'")" "$sum_of_october"

# --- a wrong price -------------------------------------------------------------------------------------
as_of=2026-11-10T00:00:00Z
check "a right version is published, in force from November on" book list-2.json 2026-11-01T00:00:00Z "$(flat a 1.10), $(flat b 1), $(flat n 3), $stepped"
equal "with it October of a is 3.30 and not 3, b stays" "$(plan_row --period 2026-10 --tenant price --model a --prices list@2 --reason price_error)" 'yes,USD,4.00,4.30,0.30,0.30,0.00,1,1'
check "it is put right" put_right price --model a --prices list@2 --reason price_error --ticket T-2
equal "an adjustment of 0.30 without usage" "$(adjustments price)" 'usage|a|2|0|0.3|30|next_invoice '
equal "it names the version" "$(sql "SELECT b.book, b.version FROM finance.adjustment JOIN finance.price_book_version b USING (price_book_version_id) WHERE tenant = 'price'")" 'list|2'
sed 's/"book": "list"/"book": "spare"/' "$room/list-2.json" >"$room/spare.json"
check "a version of another book is published, too" tollbook prices publish --quiet --as-of "$as_of" "$room/spare.json"
refused "a book that prices nobody stands in for nothing" 4 'spare@1 prices nothing of 2026-10 of tenant price' \
	tollbook rerate plan --as-of $as_of --period 2026-10 --tenant price --prices spare@1 --reason price_error
refused "and which ones do is said" 4 'a book in the contracts: list.' tollbook rerate plan --as-of $as_of --period 2026-10 --prices spare@1 --reason price_error
equal "it stays in force: planned again nothing changes" "$(plan_row --period 2026-10 --tenant price --reason price_error)" 'no,USD,4.30,4.30,0.00,0.00,0.00,1,0'
equal "usage on hold for want of a price is included: 700 at 3" "$(plan_row --period 2026-10 --tenant held --model n --prices list@2 --reason held_usage)" 'yes,USD,1.00,3.10,2.10,2.10,0.00,1,1'
check "it is put right" put_right held --model n --prices list@2 --reason held_usage
equal "an adjustment of 2.10" "$(adjustments held)" 'usage|n|2|700|2.1|210|next_invoice '

# --- above the limit, though it nets to zero -------------------------------------------------------------
printf '{"roles": [], "approval": [{"currency": "USD", "above": "10"}]}\n' >"$room/roles.json"
check "differences up to 10 need no second person" tollbook role apply --quiet --as-of $as_of "$room/roles.json"
check "a version that moves 5 from b to a" book list-3.json 2026-11-02T00:00:00Z "$(flat a 1.5), $(flat b 1), $stepped"
equal "5 up and 5 down net to zero, and are 10: not above" "$(plan_row --period 2026-10 --tenant zero --prices list@3 --reason price_error)" 'no,USD,20.00,20.00,0.00,5.00,-5.00,1,1'
printf '{"roles": [], "approval": [{"currency": "USD", "above": "9.99"}]}\n' >"$room/roles.json"
check "the limit is lowered" tollbook role apply --quiet --as-of $as_of "$room/roles.json"
equal "now a second person is needed, though nothing changes in sum" "$(plan_row --period 2026-10 --tenant zero --prices list@3 --reason price_error)" 'yes,USD,20.00,20.00,0.00,5.00,-5.00,1,1'
check "it is put right" put_right zero --prices list@3 --reason price_error
equal "two adjustments that come to nothing" "$(adjustments zero)" 'usage|a|2|0|5|500|next_invoice usage|b|2|0|-5|-500|next_invoice '

# --- stateful parts --------------------------------------------------------------------------------------
as_of=2026-12-03T00:00:00Z
booked "late, beyond a step, and before what used an allowance" "$(used tier 10 t 600; used order 10 b 1000)"
id=$(plan --period 2026-10 --tenant tier --reason late_usage)
equal "what came first in time fills the step: its day pays more, the later day less, per thousand" "$(by_day "$id")" 't,2026-10-10,0.00,0.60,0.60,USD t,2026-10-20,0.80,0.60,-0.20,USD '
check "it is approved" approve "$id"
check "and applied" apply "$id"
equal "0.40 more: 200 at 1 and 400 at 0.50" "$(adjustments tier)" 'usage|t|2|600|0.4|40|next_invoice '
check "the allowance moves to the earlier event" put_right order --reason late_usage
equal "a is charged now: its thousand are not included any more; b is free before and after" "$(adjustments order)" 'usage|a|2|1000|1|100|next_invoice '

# --- what contracts say about differences ------------------------------------------------------------------
booked "late: 0.30" "$(used small 05 a 300)"
check "it is put right" put_right small --reason late_usage
equal "below 0.50 it is waived, and on record" "$(adjustments small)" 'usage|a|2|300|0.3|30|waived '
equal "and waits for no invoice" "$(sql "SELECT count(*) FROM finance.adjustment_waiting WHERE tenant = 'small'")" 0
booked "late again: 0.30" "$(used small 06 a 300)"
check "it is put right" put_right small --reason late_usage
equal "0.60 in all is not below 0.50: the second one is charged" "$(adjustments small)" 'usage|a|2|300|0.3|30|waived usage|a|2|300|0.3|30|next_invoice '
booked "a correction downwards: 100 tokens less" "$(correction owed-2 owed-1 owed 2026-10-20T12:00:00Z a 900 0)"
check "it is put right" put_right owed --reason metering_error
equal "what is owed to the tenant is never waived" "$(adjustments owed)" 'usage|a|2|-100|-0.1|-10|next_invoice '
booked "late: 0.30, which is waived" "$(used owed 07 a 300)"
check "it is put right" put_right owed --reason late_usage
booked "and 0.20 less" "$(correction owed-3 owed-2 owed 2026-10-20T12:00:00Z a 700 0)"
check "it is put right" put_right owed --reason metering_error
equal "that is set against the 0.30, which nobody paid" "$(adjustments owed)" \
	'usage|a|2|-100|-0.1|-10|next_invoice usage|a|2|300|0.3|30|waived usage|a|2|-200|-0.2|-20|waived '
booked "and 0.50 less: 0.10 of it is all that is left of what was waived" "$(correction owed-4 owed-3 owed 2026-10-20T12:00:00Z a 200 0)"
check "it is put right" put_right owed --reason metering_error
equal "0.40 are given back, and not the 0.10 that nobody paid" \
	"$(sql "SELECT outcome, sum(amount_minor) FROM finance.adjustment WHERE tenant = 'owed' AND rerate_id = (SELECT max(rerate_id) FROM finance.rerate) GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" \
	'next_invoice|-40 waived|-10 '
booked "a correction downwards: 5000 are 4000" "$(correction note-2 note-1 note 2026-10-20T12:00:00Z a 4000 0)"
check "it is put right" put_right note --reason metering_error --ticket T-9
equal "by a credit note at once, as the contract wants" "$(sql "SELECT n.scope, n.net_minor, n.reason, n.ticket FROM finance.credit_note n JOIN finance.invoice USING (invoice_id) WHERE n.tenant = 'note'")" 'adjustments|100|metering_error|T-9'
equal "nothing of it waits" "$(sql "SELECT count(*) FROM finance.adjustment_waiting WHERE tenant = 'note'")" 0
equal "the next plan says what was credited" "$(tollbook rerate plan --as-of $as_of --period 2026-10 --tenant note --model a --prices list@3 --reason price_error | sed -n 's/  */ /g; /^note /p' | head -n 1 | cut -d' ' -f6-)" '6.00 8.00 2.00 1.00'
booked "late, of a tenant whose contract ended" "$(used gone 25 a 1000)"
check "it is put right" put_right gone --reason late_usage
equal "a final invoice of adjustments, though nothing of December is used" "$(draft --tenant gone --period 2026-12 | cut -d, -f1-4)" 'gone,2026-12,1,1.00'
check "that needs no month to end" exits 0 tollbook invoice finalize --as-of "$as_of" --tenant gone
equal "1 and 1 are invoiced" "$(invoiced gone)" 200

# --- a period that is open, and one that was closed without an invoice -----------------------------------------
booked "of November" "$(usage open-1 open 2026-11-08T12:00:00Z a 1000 0 0; usage shut-1 shut 2026-11-08T12:00:00Z a 2000 0 0)"
id=$(plan --period 2026-11 --tenant open --prices list@1 --reason price_error)
check "differences below the limit need one person" tollbook rerate approve --quiet --as-of $as_of "$id"
check "it is applied" apply "$id"
equal "an open period has other charges: 1 and not 1.50" "$(draft --period 2026-11 --tenant open | cut -d, -f1-4)" 'open,2026-11,1,1.00'
equal "and no adjustments" "$(adjustments open)" ''
sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('2026-11', 'soft', 'reviewed', '', '', 'eve', '2026-12-03')"
equal "of what was never invoiced nothing is booked: it is new, all of it" "$(plan_row --period 2026-11 --tenant shut --reason late_usage)" 'no,USD,0.00,3.00,3.00,3.00,0.00,1,1'
id=$(plan --period 2026-11 --tenant shut --reason late_usage)
check "it is approved" approve "$id"
check "and applied" apply "$id"
equal "an adjustment: 2000 at 1.50" "$(adjustments shut)" 'usage|a|2|2000|3|300|next_invoice '
equal "planned again nothing changes" "$(plan_row --period 2026-11 --tenant shut --reason late_usage)" 'no,USD,3.00,3.00,0.00,0.00,0.00,1,0'

# --- the books move on ---------------------------------------------------------------------------------
booked "late, before a plan" "$(used moved 21 a 1000)"
id=$(plan --period 2026-10 --tenant moved --reason late_usage)
check "it is approved" approve "$id"
check "usage after it" finds books <<<"$(used moved 22 a 1000)"
refused "what was approved misses it: refused" 4 'is not rated yet' tollbook rerate apply --as-of $as_of "$id"
check "it is rated" finds rate
refused "and refused still: another rating is in force" 4 'the books moved on' tollbook rerate apply --as-of $as_of "$id"
id=$(plan --period 2026-10 --tenant moved --prices list@2 --reason price_error)
check "a plan with prices is approved" approve "$id"
check "another one is put right meanwhile" put_right moved --reason late_usage
refused "the first is refused" 4 'the books moved on' tollbook rerate apply --as-of $as_of "$id"
check "what cannot be applied any more is rejected, though it was approved" tollbook rerate reject --quiet --as-of $as_of --by eve "$id"
refused "and stays so" 4 'is rejected: it cannot be applied' apply "$id"
equal "one adjustment: 2 for both" "$(adjustments moved)" 'usage|a|2|2000|2|200|next_invoice '
id=$(plan --period 2026-10 --tenant moved --prices list@2 --reason price_error)
check "a plan is rejected" tollbook rerate reject --quiet --as-of $as_of --by eve --note 'wrong tenant' "$id"
refused "and not approved afterwards" 4 'cannot be approved' approve "$id"
refused "nor applied" 4 'cannot be applied' apply "$id"
equal "the list says how each stands" "$(tollbook rerate list --tenant moved --format csv | tr -d '\r' | sed 1d | cut -d, -f2 | tr '\n' ' ')" 'approved rejected applied rejected '
equal "each step is in the audit log" "$(sql "SELECT string_agg(action || ' by ' || who, ', ' ORDER BY audit_id) FROM finance.audit_log WHERE subject = 'rerate:$id'")" 'rerate plan by tester, rerate reject by eve'
check "the books reconcile" tollbook reconcile --quiet --as-of $as_of

# --- at once, killed, cut off ------------------------------------------------------------------------------
id=$(plan --period 2026-10 --tenant price --prices list@3 --reason price_error)
check "one more is approved" approve "$id"
copies=0
# Everything that an apply changes.
state() {
	sql "SELECT (SELECT count(*) FROM finance.rating), (SELECT count(*) FROM finance.adjustment WHERE rerate_id = $id), (SELECT count(*) FROM finance.price_substitution WHERE rerate_id = $id), (SELECT count(*) FROM finance.rerate_decision WHERE rerate_id = $id), (SELECT count(*) FROM finance.audit_log), (SELECT string_agg(rating_id::text, ',' ORDER BY tenant, period) FROM finance.rating_in_force)"
}
fresh() { copies=$((copies + 1)); use_database rerate; copy_database rerate "copy_$copies"; }
fresh
before=$(state)
apply "$id" >/dev/null
after=$(sql "SELECT count(*), sum(amount_minor) FROM finance.adjustment WHERE rerate_id = $id")
equal "undisturbed it books 3000 at 1.50 and not 1.10, and 500 at 1 and not at 2" "$after" '2|70'
two_at_once() {
	local one two
	apply "$id" >"$room/one" 2>&1 &
	one=$!
	apply "$id" >"$room/two" 2>&1 &
	two=$!
	wait "$one"
	one=$?
	wait "$two"
	two=$?
	# 8: it is told that the other one is at work.
	case "$one $two" in '0 0' | '0 8' | '8 0') ;; *) cat "$room/one" "$room/two"; echo "exit codes $one $two"; return 1 ;; esac
}
fresh
check "two apply it at once: one does, the other is told" two_at_once
equal "it is booked once" "$(sql "SELECT count(*), sum(amount_minor) FROM finance.adjustment WHERE rerate_id = $id")" "$after"
fresh
started=$(date +%s%N)
apply "$id" >/dev/null
took=$((($(date +%s%N) - started) / 1000000))
settled() { until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'")" = 0 ]; do sleep 0.05; done; }
# What a disturbed apply leaves is the state before or the one after; and applied again it is the one after.
whole() {
	local applied
	settled
	applied=$(sql "SELECT count(*) FROM finance.rerate_decision WHERE rerate_id = $id AND decision = 'applied'")
	if [ "$applied" = 0 ]; then
		[ "$(state)" = "$before" ] || { echo "neither before nor after: $(state), before $before"; return 1; }
	fi
	apply "$id" >"$room/again" 2>&1 || { cat "$room/again"; return 1; }
	[ "$(sql "SELECT count(*), sum(amount_minor) FROM finance.adjustment WHERE rerate_id = $id")" = "$after" ] || { state; return 1; }
}
for ((i = 1; i <= kills; i++)); do
	fresh
	moment=$((took * i / (kills + 1)))
	tollbook rerate apply --quiet --as-of $as_of "$id" >/dev/null 2>&1 &
	process=$!
	sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
	kill -9 "$process" 2>/dev/null
	wait "$process" 2>/dev/null
	check "killed after $moment of $took ms it is applied or not, and again it is, once" whole
done
if make -s build/tests/support/cut_proxy; then
	for how in before after; do
		fresh
		build/tests/support/cut_proxy "$TOLLBOOK_HOME/run/.s.PGSQL.5432" 1 "$how" 1 >"$room/cuts-$how" &
		proxy=$!
		until [ -s "$room/cuts-$how" ]; do sleep 0.02; done
		through="host=127.0.0.1 port=$(head -n 1 "$room/cuts-$how") user=$(sql 'SELECT current_user') dbname=copy_$copies sslmode=disable gssencmode=disable"
		check "cut off $how COMMIT it is told that the database went away" exits 5 tollbook rerate apply --quiet --as-of $as_of --db "$through" "$id"
		check "at COMMIT, once" grep -qx "cut $how" "$room/cuts-$how"
		# The proxy goes on until the server has answered what it was passed.
		settled
		kill "$proxy"
		wait "$proxy" 2>/dev/null
		equal "cut off $how COMMIT: applied or not" "$(sql "SELECT count(*) FROM finance.rerate_decision WHERE rerate_id = $id AND decision = 'applied'")" "$([ $how = before ] && echo 0 || echo 1)"
		check "whole, and again it is applied, once" whole
	done
else
	not_ok "the proxy that cuts connections is built"
fi
check "the books reconcile" tollbook reconcile --quiet --as-of $as_of
report
