#!/usr/bin/env bash
# Where numbers come from, backwards to rules and events; and forwards, what became of an event.  The parts of an answer add up to it.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# book PRICE EFFECTIVE: a thousand tokens of input cost this, of output four; model "other" has no price.
book() {
	printf '{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000}, "output_text_tokens": {"price": "4", "per": 1000}}}]}\n' "$2" "$1" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
tenants() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [{"tenant": "acme", "name": "Acme", "currency": "USD", "zone": "UTC", "book": "list", "issuer": "TF", "effective": "2026-01-01", "tax": {"name": "VAT", "percent": "20"}}]}\n' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { check "usage: $1" finds books <<<"$2"; }
explain() { tollbook explain "$@"; }
tree() { tollbook explain --format json "$@"; }
# value FILTER OPERAND...: of the tree, by Python: the programs of the tests need no other reader of JSON.
value() {
	local filter=$1
	shift
	tree "$@" | python3 -c "import json, sys; from decimal import Decimal as D; t = json.load(sys.stdin); print($filter)" 2>&1 | tail -1
}
section() { awk -v from="$1" '$0 == from { on = 1; next } on && $0 == "" { exit } on' | tr -s ' ' | sed 's/ $//'; }

new_database explain
check "the books are set up" tollbook init
check "a price book" book 1 2026-01-01T00:00:00Z
check "a contract" tenants

# Forwards, while nothing is invoiced.  /gateway a: 1000 in, 500 out; b: 2000 in, 0 out; of a model without a price: h.
booked "three calls" "$(event a acme 2026-10-20T10:05:00Z small 1000 500; event b acme 2026-10-20T10:20:00Z small 2000 0; event h acme 2026-10-20T11:00:00Z other 10 0)"
state() { value 't["state"]' --event acme /gateway "$1"; }
equal "an event that is booked and no more is not rated" "$(state a)" not_rated
check "it is rated" finds rate
equal "rated, it is on no draft" "$(state a)" not_drafted
equal "one without a price is held, and the reason is said" "$(value '(t["state"], sorted({m["hold_reason"] for m in t["meters"] if m["fate"] == "hold"}))' --event acme /gateway h)" "('held', ['no_rule'])"
check "it is drafted" finds tollbook invoice draft --as-of $as_of
equal "drafted, it says which line" "$(value '(t["state"], [(l["line"], l["amount"]) for l in t["lines"]])' --event acme /gateway a)" \
	"('on_draft', [('acme:2026-10/1', '3.00'), ('acme:2026-10/2', '2.00')])"
equal "its quarter of an hour begins at ten, and that of the other at a quarter past" "$(for e in a b; do value 't["interval"]' --event acme /gateway $e; done | tr '\n' ' ')" \
	'2026-10-20T10:00:00Z 2026-10-20T10:15:00Z '
uuid=$(value 't["event_id"]' --event acme /gateway a)
equal "its UUID is the same question" "$(explain "event:$uuid")" "$(explain --event acme /gateway a)"
equal "for people it reads from the rows to the conclusion" "$(explain --event acme /gateway a | grep -A1 '^$' | grep -vE '^(--)?$' | tr '\n' '|')" \
	'ledger rows|classes of requests in its quarter|meters: what the event has, and the charges and holds that it is in|lines that it is in|conclusion|'
equal "and the conclusion says why" "$(explain --event acme /gateway a | section conclusion)" \
	"$(printf '%s\n' 'state on_draft' 'why not invoiced yet: on the draft, acme:2026-10/1; tollbook invoice finalize issues it')"

# What is not there.
for what in acme:2026-10/9 acme:2026-10 nothing credit:7 adjustment:7 rerate:7 rerate:7/1 TF-CRN-2026-000001/1 credit:x event:x; do
	refused "unknown, with the forms: $what" 4 'hint: Write NUMBER/LINE or TENANT:PERIOD/LINE of an invoice' tollbook explain "$what"
done
refused "an unknown event may be in quarantine" 4 'tollbook quarantine list' tollbook explain --event acme /gateway zzz
refused "a UUID that nobody booked as well" 4 'the ledger has no event' tollbook explain event:00000000-0000-0000-0000-000000000000
refused "an event has three parts" 2 'a tenant, a source and an id behind --event' tollbook explain --event acme a
refused "one thing at a time" 2 'takes one thing to explain' tollbook explain a/1 b/1
refused "CSV is of lines alone" 2 'explain has CSV of a line' tollbook explain --format csv "event:$uuid"

# Backwards from a line; its parts are it.
check "a credit of 3.00 is granted for its time" tollbook credit grant acme 3.00 --kind goodwill --reason goodwill --ticket T-2 --starts 2026-10-01 --as-of 2026-10-15 --by eve
check "it is invoiced, and the credit pays 3.00 of 5.00" finds tollbook invoice finalize --quiet --as-of $as_of
number=TF-INV-2026-000001
equal "the event is billed by the invoice" "$(value '(t["state"], t["why"])' --event acme /gateway a)" "('invoiced', 'billed by $number/1')"
equal "a line is its intervals: 1000 + 2000" "$(value '(sum(i["quantity"] for i in t["usage"]["intervals"]), t["charge"]["quantity"], t["usage"]["interval_count"])' $number/1)" '(3000, 3000, 2)'
equal "its events: 1000 + 2000" "$(value 'sum(e["quantity"] for e in t["usage"]["events"])' $number/1)" 3000
equal "its price: 3000 x 1 / 1000" "$(value '(D(t["charge"]["quantity"]) * D(t["charge"]["price"]["price"]) / t["charge"]["price"]["per"], t["amounts"]["amount"])' $number/1)" "(Decimal('3'), '3.00')"
equal "and its rule is a part of the tree" "$(value 't["charge"]["price"]["rule_text"]["prices"]["input_text_uncached_tokens"]["price"]' $number/1)" 1
equal "no more intervals and events than asked for" "$(value '(len(t["usage"]["intervals"]), len(t["usage"]["events"]), t["usage"]["interval_quantity"])' --intervals 1 --events 0 $number/1)" '(1, 0, 3000)'
equal "CSV has intervals and events as before" "$(explain --format csv $number/1 | tr -d '\r' | grep -c '^2026-10-20T10')" 4
equal "--json is short for it" "$(tollbook explain --json $number/1)" "$(tree $number/1)"

# After the invoice: a late call of 500 in, and a price of 1.50 for all of October.  Charges 3.00 become 5.25: 2.25 more.
booked "a late call" "$(event late acme 2026-10-20T10:06:00Z small 500 0)"
check "it is rated" finds rate
equal "late usage waits for a re-rate" "$(value '(t["state"], t["why"].split(": ")[1])' --event acme /gateway late)" "('held', 'held, period_invoiced')"
check "another price" book 1.50 2027-01-01T00:00:00Z
rerated() {
	tollbook rerate plan --quiet --as-of 2026-11-06 --period 2026-10 --tenant acme --prices list@2 --reason price_error --ticket T-1 --by ann || [ $? = 7 ] || return 1
	tollbook rerate approve 1 --as-of 2026-11-06 --by bob || return 1
	tollbook rerate apply 1 --as-of 2026-11-06 --by ann || [ $? = 7 ]
}
check "a re-rate is planned, approved and applied" rerated
equal "an adjustment is new less old: 5.25 - 3" "$(value '(t["difference"]["new_exact"], t["difference"]["old_exact"], t["exact_amount"], t["difference"]["adds_up"])' adjustment:1)" "('5.25', '3', '2.25', True)"
equal "its charges are these sums" "$(value '[str(sum(D(c["exact_amount"]) for c in t[side]["charges"])) for side in ("old", "new")]' adjustment:1)" "['3', '5.25']"
equal "each at its own price version and rule" "$(value '[(c["price"], c["price_rule"], c["rule_text"]["prices"]["input_text_uncached_tokens"]["price"]) for side in ("old", "new") for c in t[side]["charges"]]' adjustment:1)" \
	"[('1', 'list v1 rule 1', '1'), ('1.5', 'list v2 rule 1', '1.50')]"
equal "in money: 5.25 rounded, 3.00 booked before, by the invoice" "$(value '(t["difference"]["new_rounded"], t["difference"]["booked_before"], t["amount"], t["original_invoice"])' adjustment:1)" "('5.25', '3.00', '2.25', '$number')"
equal "then intervals and events, the late one among them" "$(value '(sum(i["quantity"] for i in t["usage"]["intervals"]), [e["id"] for e in t["usage"]["events"]])' adjustment:1)" "(3500, ['a', 'late', 'b'])"
equal "people see the same arithmetic" "$(explain adjustment:1 | section difference)" \
	"$(printf '%s\n' 'exact 5.25 - 3 = 2.25' 'rounded new charges, each rounded: 5.25; booked before: 3.00; difference 2.25')"
equal "it waits for an invoice" "$(value '[(b["state"], b["document"], b["because_of"]) for b in t["became"]]' adjustment:1)" "[('waiting', None, 'rerate:1')]"
equal "a re-rate has its periods, decisions, substitutions and what was booked" \
	"$(value '(t["state"], [(i["old_amount"], i["new_amount"], i["difference"], i["booked"], i["document"]) for i in t["items"]], [(d["decision"], d["who"]) for d in t["decisions"]], [s["prices"] for s in t["substitutions"]], [a["adjustment"] for a in t["adjustments"]])' rerate:1)" \
	"('applied', [('5.00', '7.25', '2.25', '2.25', '$number')], [('approved', 'bob'), ('applied', 'ann')], ['list v2'], ['adjustment:1'])"
equal "one of its periods has the differences by day, which come to it" "$(value '(t["adds_up"], sum(D(d["difference"]) for d in t["differences"]), [(c["side"], c["price"], c["exact_amount"]) for c in t["charges"] if c["meter"] == "input_text_uncached_tokens"])' rerate:1/1)" \
	"(True, Decimal('2.25'), [('old', '1', '3'), ('new', '1.5', '5.25')])"
equal "the line tells of its adjustment" "$(value '[(a["adjustment"], a["amount"]) for a in t["adjustments"]]' $number/1)" "[('adjustment:1', '2.25')]"
equal "and so does the event that came in time" "$(value '(t["state"], [a["adjustment"] for a in t["adjustments"]])' --event acme /gateway a)" "('adjusted', ['adjustment:1'])"
equal "the late one is billed by it alone" "$(value '(t["state"], t["lines"], [a["adjustment"] for a in t["adjustments"]])' --event acme /gateway late)" "('adjusted', [], ['adjustment:1'])"

# The adjustment on an invoice of its own.
check "it is on a draft" finds tollbook invoice draft --as-of 2026-12-02
equal "the draft's line is the adjustment, with its parts" "$(value '(t["amounts"]["amount"], t["adjustment"]["amount"], t["adjustment"]["original_period"], [b["document"] for b in t["adjustment"]["became"]])' acme:2026-12:adjustment/1)" \
	"('2.25', '2.25', '2026-10', ['acme:2026-12:adjustment/1'])"
equal "for people it begins with the line" "$(explain acme:2026-12:adjustment/1 | head -2 | tr -s ' ')" "$(printf '%s\n' 'line acme:2026-12:adjustment/1: adjustment:1, 2026-10, re-rated: price_error, list v2' 'amount 2.25 USD')"

# The credit of 3.00 paid 1.80 of 3.00 and 1.20 of 2.00; a credit note takes 1.50 of line 1 and gives the credit its 0.90 of that back.
check "a credit note over 1.50" tollbook credit-note issue $number --line 1=1.50 --reason dispute --ticket T-3 --as-of 2026-11-07 --by eve
equal "the entries of a credit come to its balance: 3 - 3 + 0.90" "$(value '(sum(D(e["amount"]) for e in t["entries"]), t["balance"], t["adds_up"], t["entries"][1]["document"])' credit:1)" "(Decimal('0.90'), '0.90', True, '$number')"
equal "a use has the lines it paid for: 1.80 and 1.20" "$(value '([(l["line"], l["paid"]) for l in t["lines"]], t["entries"][0]["amount"])' credit:1/2)" "([('$number/1', '1.80'), ('$number/2', '1.20')], '-3.00')"
equal "a credit note has its lines, and they come to it" "$(value '(sum(D(l["amount"]) for l in t["lines"]), t["net"], t["adds_up"])' TF-CRN-2026-000001)" "(Decimal('1.50'), '1.50', True)"
equal "its tax: 20 % of 1.50 - 0.90" "$(value '(t["tax_arithmetic"], t["total"])' TF-CRN-2026-000001)" "('(1.50 - 0.90) x 20 % = 0.12, rounded half away from zero: 0.12', '0.72')"
equal "what it gave back to credits" "$(value '[(c["entry"], c["amount"], c["balance_after"]) for c in t["restored_credits"]]' TF-CRN-2026-000001)" "[('credit:1/3', '0.90', '0.90')]"
equal "reason, ticket and invoice" "$(value '(t["reason"], t["ticket"], t["invoice"], t["invoice_date"])' TF-CRN-2026-000001)" "('dispute', 'T-3', '$number', '2026-11-05')"
equal "a place of it leads to the line, and to its events" "$(value '(t["lines"][0]["amount"], t["invoice_line"]["line"], len(t["invoice_line"]["usage"]["events"]))' TF-CRN-2026-000001/1)" "('1.50', 1, 2)"
equal "the line tells who paid for it, and of the note" "$(value '([(c["entry"], c["amount"]) for c in t["credits"]], [(n["credit_note"], n["amount"], n["credits"]) for n in t["credit_notes"]])' $number/1)" \
	"([('credit:1/2', '1.80')], [('TF-CRN-2026-000001/1', '1.50', '0.90')])"
equal "and so does the event" "$(value '[(n["credit_note"], n["amount"]) for n in t["credit_notes"]]' --event acme /gateway a)" "[('TF-CRN-2026-000001', '1.50')]"
for what in credit:1/9 rerate:1/9 TF-CRN-2026-000001/9; do
	refused "no such place: $what" 4 'hint: Write NUMBER/LINE' tollbook explain "$what"
done

# A correction, and a void by support.
booked "b is corrected to 1500" "$(correction c b acme 2026-10-20T10:20:00Z small 1500 0)"
check "support voids a" tollbook usage void acme /gateway a --reason test_traffic --ticket T-4 --as-of 2026-11-08 --by ann
equal "an event has the rows of its correction: 2000, taken back, 1500" "$(value '[(r["what"], r["id"], int(r["quantities"]["input_text_uncached_tokens"])) for r in t["ledger_rows"]]' --event acme /gateway b)" \
	"[('usage', 'b', 2000), ('taken back', 'c', -2000), ('correction', 'c', 1500)]"
equal "and so has the correction" "$(value 't["ledger_rows"]' --event acme /gateway b)" "$(value 't["ledger_rows"]' --event acme /gateway c)"
equal "what support did is said, with reason and ticket" "$(value '[(s["action"], s["reason"], s["ticket"], s["asked_by"]) for s in t["support"]]' --event acme /gateway a)" "[('void', 'test_traffic', 'T-4', 'ann')]"
check "it is rated" finds rate
equal "after its invoice a void waits to be given back" "$(value '(t["state"], t["lines"][0]["line"])' --event acme /gateway a)" "('taken_back', '$number/1')"

# What does not add up is found.
check "somebody changes a charge" sql "SET session_replication_role = replica; ALTER TABLE finance.charge DISABLE TRIGGER append_only; UPDATE finance.charge c SET amount = 5.26 FROM finance.adjustment a WHERE c.rating_id = a.new_rating_id AND c.meter_id = 2"
refused "the parts of the adjustment do not come to it any more" 7 'the ratings and what was booked do not come to the adjustment' tollbook explain adjustment:1
report
