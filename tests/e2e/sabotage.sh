#!/usr/bin/env bash
# A list of crimes.  Each takes sound books, switches the guards off, spoils one thing; `tollbook reconcile` must end with 7 and
# say DIFFERENT at the invariant that the crime breaks.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# Sound books: three sources, corrections, quarantine, two invoices, a draft, a tenant without a contract, usage after the invoice.
october=2026-10-20T10:00:00Z
prices() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [' "$1"
	printf '{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}, "output_reasoning_tokens": {"price": "2", "per": 1000}}},'
	printf '{"model": "large", "prices": {"input_text_uncached_tokens": {"price": "3", "per": 1000}, "output_text_tokens": {"price": "4", "per": 1000}, "output_reasoning_tokens": {"price": "4", "per": 1000}}}]}\n'
}
contract() { printf '{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "UTC", "book": "%s", "issuer": "TF", "effective": "%s"%s}' "$1" "$1" "$2" "${3:-2026-01-01}" "${4:-}"; }
terms=', "terms": {"discounts": [{"name": "tenth", "percent": "10"}], "fees": [{"name": "platform", "amount": "9"}]}'
build() {
	tollbook init || return 1
	for book in one two; do
		prices $book >"$room/book.json"
		tollbook prices publish --quiet "$room/book.json" || return 1
	done
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s, %s, %s]}' "$(contract ann one 2026-10-01 "$terms")" "$(contract bob one)" "$(contract cyd two)" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json" || return 1
	{
		event a ann $october small 1000 10; event a1 ann $october large 1000 10; event a3 ann 2026-10-21T10:00:00Z small 1000 20
		event b bob $october small 1000 10; event c cyd $october small 1000 10; event g ghost $october small 1 1; echo broken
		correction a2 a ann $october small 1000 20
	} >"$room/usage-1.ndjson"
	{ event b2 bob 2026-10-21T10:00:00Z large 500 5; usage late ann 2025-01-01T00:00:00Z small 1 0 1; } >"$room/usage-2.ndjson"
	finds ingest --batch-records 3 "$room/usage-1.ndjson" "$room/usage-2.ndjson" && finds rate || return 1
	tollbook invoice draft --as-of $as_of && tollbook invoice finalize --as-of $as_of --tenant ann --period 2026-10 && tollbook invoice finalize --as-of $as_of --tenant bob || return 1
	event a4 ann $october small 7 7 >"$room/usage-3.ndjson"
	ingest "$room/usage-3.ndjson" && finds rate && exits 0 tollbook reconcile
}
new_database sound
check "sound books are made, and they reconcile" build
[ "$failed" = 0 ] || { report; exit 1; }
psql -X -q -d "$TOLLBOOK_DB" -f tests/support/spoil_register.sql

number=0
books=sound
# crime INVARIANT[:CHECK] NAME STATEMENT...: at that invariant, where CHECK is given by the check whose title begins with it.
crime() {
	local invariant=${1%%:*} check= name=$2 said code=0
	[ "$1" = "$invariant" ] || check=${1#*:}
	number=$((number + 1))
	copy_database "$books" "crime_$number"
	if ! sql "SET session_replication_role = replica;
		DO \$\$ DECLARE t record; BEGIN
			FOR t IN SELECT DISTINCT tgrelid::regclass AS name FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace
			          WHERE nspname IN ('metering', 'finance') LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER ALL', t.name); END LOOP;
		END \$\$;
		$3" >"$room/crime" 2>&1; then
		not_ok "crime: $name"
		sed 's/^/    /' "$room/crime"
		return
	fi
	said=$(tollbook reconcile --quiet --format csv 2>&1) || code=$?
	if [ $code = 7 ] && grep -qE "^$invariant,\"?$check.*DIFFERENT" <<<"$said"; then ok "crime: $name"; else
		not_ok "crime: $name"
		printf '    exit code %s, wanted 7 and DIFFERENT at %s\n' $code "$1"
		grep -v ',ok' <<<"$said" | sed 's/^/    /'
	fi
	drop_database "crime_$number"
}
first="(SELECT min(batch_id) FROM metering.ingest_batch WHERE ledger_rows > 0)"
final="(SELECT min(invoice_id) FROM finance.invoice WHERE status = 'final')"

# The metered side.
crime 1 "a quantity in the ledger is raised" "UPDATE metering.usage_event SET output_text_tokens = output_text_tokens + 1 WHERE id = 'a'"
crime 2 "a quantity in the ledger is raised, seen from the intervals" "UPDATE metering.usage_event SET output_text_tokens = output_text_tokens + 1 WHERE id = 'a'"
crime 1 "an event is moved to another hour" "UPDATE metering.usage_event SET event_time = event_time + interval '1 hour' WHERE id = 'b'"
crime 1 "an event is given to another series" "UPDATE metering.usage_event SET series_id = (SELECT max(series_id) FROM metering.usage_series) WHERE id = 'b'"
crime 1 "an event gets another name" "UPDATE metering.usage_event SET id = 'x' WHERE id = 'b'"
crime 1 "a ledger row is deleted" "DELETE FROM metering.usage_event WHERE id = 'c'"
crime 1 "a reversal is deleted" "DELETE FROM metering.usage_event WHERE kind = 2"
crime 1 "a ledger row is doubled" "INSERT INTO metering.usage_event SELECT * FROM metering.usage_event WHERE id = 'c'"
crime 1 "a ledger row is deleted and the header made to fit" "SELECT spoil.take_away(event_id) FROM metering.usage_event WHERE id = 'c'; SELECT spoil.fit(); DELETE FROM metering.usage_event WHERE id = 'c';
	UPDATE metering.ingest_batch SET accepted = accepted - 1, records = records - 1, ledger_rows = ledger_rows - 1 WHERE batch_id = 2"
crime 1 "a batch header is deleted" "DELETE FROM metering.ingest_batch WHERE batch_id = $first"
crime 1 "the last batch of a source is deleted, with all its rows" "SELECT spoil.take_away(event_id) FROM metering.usage_event WHERE batch_id = 5; SELECT spoil.fit(); DELETE FROM metering.usage_event WHERE batch_id = 5;
	DELETE FROM metering.summed_batch WHERE batch_id = 5; DELETE FROM metering.ingest_batch WHERE batch_id = 5"
crime 1 "the digests of two batches are swapped" "UPDATE metering.ingest_batch SET digest = (SELECT digest FROM metering.ingest_batch o WHERE o.batch_id = 3 - metering.ingest_batch.batch_id) WHERE batch_id IN (1, 2)"
crime 1 "a batch is chained to another" "UPDATE metering.ingest_batch SET previous_digest = digest WHERE batch_id = 2"
crime 1 "a count in a header is changed" "UPDATE metering.ingest_batch SET duplicates = duplicates + 1, ignored = ignored - 1 WHERE batch_id = $first"
crime 1 "a key is deleted, so that its event could be booked again" "SELECT spoil.take_away(event_id) FROM metering.usage_event WHERE id = 'b'"
crime "1:records consumed" "a key is deleted, and the register made to fit" "SELECT spoil.take_away(event_id) FROM metering.usage_event WHERE id = 'b'; SELECT spoil.fit()"
crime 1 "a position is set back, so that records would be read again" "UPDATE metering.source_position SET next_record = 1, next_position = 0 WHERE last_batch IS NOT NULL"
crime 1 "a quarantined record is deleted" "DELETE FROM metering.quarantine"
crime 1 "the bytes of a quarantined record are changed" "UPDATE metering.quarantine SET raw = 'better' WHERE outcome = 'rejected'"
crime 1 "a correction's claim is deleted, so that its original could be corrected again" "DELETE FROM metering.usage_correction"
crime 1 "a series is given to another tenant" "UPDATE metering.usage_series SET tenant = 'bob' WHERE tenant = 'cyd'"
crime 8 "usage that is rated is given to another model" "UPDATE metering.usage_series SET model = 'large' WHERE tenant = 'cyd'"

# The charged side.
crime 2 "an interval is raised" "UPDATE metering.usage_interval SET output_text_tokens = output_text_tokens + 1 WHERE ctid IN (SELECT ctid FROM metering.usage_interval LIMIT 1)"
crime 2 "an interval is deleted" "DELETE FROM metering.usage_interval WHERE ctid IN (SELECT ctid FROM metering.usage_interval LIMIT 1)"
crime 2 "a batch is summed twice" "DELETE FROM metering.summed_batch WHERE batch_id = $first"
crime 8 "usage is moved from one interval to another" "UPDATE metering.usage_interval SET interval_start = interval_start + interval '15 minutes' WHERE series_id IN (SELECT series_id FROM metering.usage_series WHERE tenant = 'ann')"
crime 2 "a period is rated by nobody and waits for nobody" "DELETE FROM finance.rating_in_force WHERE tenant = 'cyd'; DELETE FROM finance.invoice_line WHERE invoice_id IN (SELECT invoice_id FROM finance.invoice WHERE tenant = 'cyd'); DELETE FROM finance.invoice WHERE tenant = 'cyd'"
crime 2 "a charge is deleted" "DELETE FROM finance.charge WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd') AND ordinal = 2"
crime 2 "a held quantity is changed" "UPDATE finance.hold SET quantity = quantity - 1 WHERE reason = 'unknown_tenant'"
crime 2 "a hold is deleted" "DELETE FROM finance.hold WHERE reason = 'period_invoiced'"
crime 2 "a charged quantity is changed, and its amount with it" "UPDATE finance.charge SET quantity = quantity * 2, amount = amount * 2 WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 3 "a charge's amount is changed by the last decimal but one" "UPDATE finance.charge SET amount = amount + 0.00000000000000001 WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd') AND ordinal = 2"
crime 8 "a charge's price is changed, and its amount with it" "UPDATE finance.charge SET price = price * 2, amount = amount * 2 WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 8 "a charge is put under another model" "UPDATE finance.charge SET model = 'large' WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 3 "what a charge bills is changed" "UPDATE finance.charge SET billed = quantity + 1 WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd') AND price > 0"
crime 8 "what a charge bills is changed, and its amount with it" "UPDATE finance.charge SET billed = quantity * 2, amount = amount * 2 WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 8 "what led to a price is changed" "UPDATE finance.charge SET detail = 'a guess' WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 8 "what a charge counted in is changed" "UPDATE finance.charge SET counter = 'ever rule' WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 3 "a discount is said to be a fee" "UPDATE finance.charge SET kind = 'fee' WHERE kind = 'discount'"
crime 3 "a discount loses its contract" "UPDATE finance.charge SET contract_id = NULL WHERE kind = 'discount'"
crime 3 "a fee is of another tenant's contract" "UPDATE finance.charge SET contract_id = (SELECT contract_id FROM finance.contract WHERE tenant = 'bob') WHERE kind = 'fee'"
crime 3 "usage is charged by no book" "UPDATE finance.charge SET price_book_version_id = NULL WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 3 "usage is said to be within a trial" "UPDATE finance.charge SET kind = 'trial' WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 3 "a fee of an invoiced month is raised" "UPDATE finance.charge SET price = price + 1, amount = amount + 1 WHERE kind = 'fee'"
crime 8 "the terms of a contract are changed" "UPDATE finance.contract SET terms = replace(terms, '10', '11') WHERE tenant = 'ann'"
crime 8 "a hold gets another reason" "UPDATE finance.hold SET reason = 'no_price' WHERE reason = 'unknown_tenant'"
crime 8 "the digest of a rating is changed" "UPDATE finance.rating SET output_digest = input_digest WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'cyd')"
crime 8 "a price in a published book is changed" "UPDATE finance.price_book_version SET document = replace(document, '\"price\": \"1\"', '\"price\": \"9\"') WHERE book = 'two'"
crime 3 "a published book is changed where nothing is priced by it" "UPDATE finance.price_book_version SET document = replace(document, '\"price\": \"3\"', '\"price\": \"9\"') WHERE book = 'two'"
crime 8 "a contract names another book" "UPDATE finance.price_book_version SET document = replace(document, '\"1\"', '\"9\"') WHERE book = 'two'"
crime 8 "the border of a month is moved" "UPDATE finance.billing_period SET ends = ends + interval '1 day' WHERE tenant = 'cyd'"

# Documents.
crime 4 "a line's amount is changed" "UPDATE finance.invoice_line SET amount_minor = amount_minor + 1 WHERE invoice_id = $final AND line = 1"
crime 4 "a line's amount and the total are changed" "UPDATE finance.invoice_line SET amount_minor = amount_minor + 1 WHERE invoice_id = $final AND line = 1; UPDATE finance.invoice SET total_minor = total_minor + 1 WHERE invoice_id = $final"
crime 4 "a total is changed" "UPDATE finance.invoice SET total_minor = total_minor + 1 WHERE invoice_id = $final"
crime 4 "a draft's total is changed" "UPDATE finance.invoice SET total_minor = total_minor + 1 WHERE status = 'draft'"
crime 4 "a line is deleted" "DELETE FROM finance.invoice_line WHERE invoice_id = $final AND line = 1"
crime 4 "two amounts are shifted so that the total stays" "UPDATE finance.invoice_line SET amount_minor = amount_minor + CASE line WHEN 1 THEN 1 ELSE -1 END WHERE invoice_id = $final AND line <= 2"
crime 4 "what a line is for is changed" "UPDATE finance.invoice_line SET model = 'huge' WHERE invoice_id = $final AND line = 1"
crime 4 "what a line is of is changed" "UPDATE finance.invoice_line SET kind = 'maximum' WHERE invoice_id = $final AND kind = 'discount'"
crime 4 "the arithmetic that a line shows is changed" "UPDATE finance.invoice_line SET detail = 'for nothing' WHERE invoice_id = $final AND kind = 'fee'"
crime 4 "what a line bills is changed" "UPDATE finance.invoice_line SET billed = quantity + 1 WHERE invoice_id = $final AND line = 1"
crime 4 "a line says more than it did" "UPDATE finance.invoice_line SET detail = 'with love' WHERE invoice_id = $final AND line = 1"
crime 4 "a discount is left out, and the total made to fit" "UPDATE finance.invoice v SET total_minor = total_minor - amount_minor, exact_total = exact_total - exact_amount FROM finance.invoice_line l
	WHERE l.invoice_id = v.invoice_id AND v.invoice_id = $final AND l.kind = 'discount'; DELETE FROM finance.invoice_line WHERE invoice_id = $final AND kind = 'discount'"
crime 4 "whom an invoice is to is changed" "UPDATE finance.invoice SET tenant_name = 'Nobody' WHERE invoice_id = $final"
crime 4 "an invoice's date is changed" "UPDATE finance.invoice SET issued_on = issued_on - 1 WHERE invoice_id = $final"
crime 3 "a charge of an invoiced month is changed" "UPDATE finance.charge SET quantity = quantity + 1, amount = amount + price / per WHERE rating_id IN (SELECT rating_id FROM finance.current_rating WHERE tenant = 'ann') AND price > 0"
crime 7 "an invoice is deleted" "DELETE FROM finance.invoice_line WHERE invoice_id = $final; DELETE FROM finance.invoice WHERE invoice_id = $final"
crime 7 "a number is skipped" "UPDATE finance.document_counter SET next_number = next_number + 1"
crime 7 "a counter is set back, so that a number would be given twice" "UPDATE finance.document_counter SET next_number = next_number - 1"
crime 7 "two numbers change places" "UPDATE finance.invoice SET series_number = 3 - series_number, issued_on = issued_on - series_number::integer WHERE status = 'final'"
crime 7 "a counter is deleted" "DELETE FROM finance.document_counter"

# Books where much was put right: dee's invoice was paid by credits, in part by money, and in part credited; its October was re-rated twice, and
# the first difference is on its November's invoice.  fay paid too much, gil's October was credited in full and invoiced again, hal will not
# pay, ida got late usage back by a credit note.
later=2026-12-05T00:00:00Z
vat=', "tax": {"name": "VAT", "percent": "20"}'
rerate() {
	local id
	id=$(tollbook rerate plan --quiet --as-of $later --format csv --period 2026-10 --tenant "$1" --reason "$2" | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
	[ -n "$id" ] && tollbook rerate approve --quiet --as-of $later --by eve "$id" && tollbook rerate apply --quiet --as-of $later "$id"
}
note() { tollbook credit-note issue --quiet --as-of $later --reason dispute "$@"; }
put_right() {
	tollbook init && prices one >"$room/book.json" && tollbook prices publish --quiet "$room/book.json" || return 1
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s, %s, %s, %s, %s]}' "$(contract dee one 2026-10-01 "$vat")" "$(contract fay one 2026-10-01 "$vat")" \
		"$(contract gil one 2026-10-01 "$vat")" "$(contract hal one)" "$(contract ida one 2026-10-01 "$vat")" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json" &&
		tollbook credit grant --quiet --as-of 2026-10-01 dee 2 --kind prepaid --reason prepaid_purchase --starts 2026-10-01 &&
		tollbook credit grant --quiet --as-of 2026-10-01 dee 1 --kind goodwill --reason goodwill --starts 2026-10-01 --expires 2026-11-01 || return 1
	local tenant
	for tenant in dee fay gil hal ida; do event $tenant-1 $tenant $october small 1000 500; event $tenant-2 $tenant $october large 1000 0; done >"$room/usage-1.ndjson"
	event dee-3 dee 2026-11-10T00:00:00Z small 1000 0 >"$room/usage-2.ndjson"
	finds ingest "$room/usage-1.ndjson" && finds rate && tollbook invoice draft --quiet --as-of $as_of && tollbook invoice finalize --quiet --as-of $as_of || return 1
	{ event dee-4 dee $october small 2000 0; correction ida-3 ida-2 ida $october large 500 0; } >"$room/usage-3.ndjson"
	as_of=$later finds ingest "$room/usage-2.ndjson" "$room/usage-3.ndjson" && as_of=$later finds rate && rerate dee late_usage && rerate ida metering_error || return 1
	tollbook invoice draft --quiet --as-of $later && tollbook invoice finalize --quiet --as-of $later || return 1
	event dee-5 dee $october small 3000 0 >"$room/usage-4.ndjson"
	as_of=$later finds ingest "$room/usage-4.ndjson" && as_of=$later finds rate && rerate dee late_usage || return 1
	printf 'reference,invoice,amount,currency,paid_on\nbank-1,%s,1.00,USD,2026-12-01\nbank-2,%s,10.00,USD,2026-12-01\n' "$(number_of dee)" "$(number_of fay)" >"$room/payments.csv"
	tollbook payment import --quiet --as-of $later "$room/payments.csv" && note "$(number_of dee)" --line 1=0.50 && note "$(number_of gil)" --full && note "$(number_of fay)" --amount 1 &&
		note "$(number_of ida)" --pending && tollbook invoice uncollectible --quiet --as-of $later "$(number_of hal)" --reason bankruptcy --ticket T-1 || return 1
	as_of=$later finds rate && tollbook invoice draft --quiet --as-of $later --tenant gil && tollbook invoice finalize --quiet --as-of $later --tenant gil && exits 0 tollbook reconcile
}
number_of() { sql "SELECT min(number) FROM finance.invoice WHERE tenant = '$1' AND status = 'final'"; }
new_database put_right
check "much is put right, and the books reconcile" put_right
books=put_right
invoice_of() { echo "(SELECT min(invoice_id) FROM finance.invoice WHERE tenant = '$1' AND status = 'final')"; }

crime 3:"the charges in force of an invoiced period = " "an adjustment is a cent more" "UPDATE finance.adjustment SET amount_minor = amount_minor + 1 WHERE adjustment_id = (SELECT max(adjustment_id) FROM finance.adjustment)"
crime 3:"the charges in force of an invoiced period = " "an adjustment is exactly a little more" "UPDATE finance.adjustment SET exact_amount = exact_amount + 0.000000000000000001 WHERE adjustment_id = (SELECT max(adjustment_id) FROM finance.adjustment)"
crime 3:"the charges in force of an invoiced period = " "an adjustment is of another model" "UPDATE finance.adjustment SET model = 'large' WHERE adjustment_id = (SELECT max(adjustment_id) FROM finance.adjustment)"
crime 3:"the charges in force of an invoiced period = " "an adjustment that waits is deleted" "DELETE FROM finance.adjustment WHERE adjustment_id = (SELECT max(adjustment_id) FROM finance.adjustment)"
crime 3:"the charges in force of an invoiced period = " "an adjustment is dropped for nothing" "INSERT INTO finance.adjustment_dropped SELECT max(adjustment_id), (SELECT min(credit_note_id) FROM finance.credit_note) FROM finance.adjustment"
crime 3:"the charges in force of an invoiced period that" "a line of the invoice that gil got again is left out" "DELETE FROM finance.invoice_line WHERE line = 1 AND invoice_id = (SELECT max(invoice_id) FROM finance.invoice WHERE tenant = 'gil')"
crime 3:"each adjustment waits" "an adjustment that was billed is waived" "UPDATE finance.adjustment SET outcome = 'waived' WHERE adjustment_id IN (SELECT adjustment_id FROM finance.invoice_line)"
crime 3:"each adjustment waits" "an adjustment that was billed is credited too" "UPDATE finance.credit_note_line SET adjustment_id = (SELECT min(adjustment_id) FROM finance.invoice_line) WHERE adjustment_id IS NOT NULL"
crime 3:"each line of an adjustment" "a line of an adjustment is a cent less" "UPDATE finance.invoice_line SET amount_minor = amount_minor - 1 WHERE adjustment_id IS NOT NULL"
crime 3:"each line of an adjustment" "an adjustment is credited with a cent more" "UPDATE finance.credit_note_line SET amount_minor = amount_minor + 1 WHERE adjustment_id IS NOT NULL"
crime 3:"each re-rate" "what a re-rate came to is changed" "UPDATE finance.rerate_item SET new_amount = new_amount + 1, up = up + 1 WHERE rerate_id = 1"
crime 3:"each re-rate" "a difference that was approved is deleted" "DELETE FROM finance.rerate_difference WHERE rerate_id = 1"
crime 3:"each final invoice" "a period is released, so that it would be invoiced again" "DELETE FROM finance.invoiced_period WHERE tenant = 'dee'"
crime 3:"each final invoice" "a period is taken for an invoice that was credited in full" "UPDATE finance.invoiced_period SET invoice_id = $(invoice_of gil) WHERE tenant = 'gil'"
crime 4:"each invoice total" "an invoice is said to be paid by more credits" "UPDATE finance.invoice SET credits_minor = credits_minor + 1 WHERE invoice_id = $(invoice_of dee)"
crime 4:"each invoice's tax" "tax is a cent less, and the total with it" "UPDATE finance.invoice SET tax_minor = tax_minor - 1, total_minor = total_minor - 1 WHERE invoice_id = $(invoice_of fay)"
crime 4:"final invoices" "tax gets another name" "UPDATE finance.invoice SET tax_name = 'GST' WHERE invoice_id = $(invoice_of fay)"
crime 4:"each invoice's tax" "a credit note gives a cent of tax more back" "UPDATE finance.credit_note SET tax_minor = tax_minor + 1, total_minor = total_minor + 1 WHERE invoice_id = $(invoice_of dee)"
crime 4:"each invoice's tax" "a credit note gives tax back at another rate" "UPDATE finance.credit_note SET tax_percent = 19 WHERE invoice_id = $(invoice_of dee)"
crime 4:"credit notes = " "a line of a credit note is a cent more" "UPDATE finance.credit_note_line SET amount_minor = amount_minor + 1 WHERE place = 1 AND invoice_id = $(invoice_of dee)"
crime 4:"credit notes = " "a line of a credit note is deleted" "DELETE FROM finance.credit_note_line WHERE place = 1 AND invoice_id = $(invoice_of fay)"
crime 4:"credit notes = " "a credit note is over another invoice" "UPDATE finance.credit_note SET invoice_id = $(invoice_of fay) WHERE invoice_id = $(invoice_of dee)"
crime 4:"credit notes = " "a line is credited twice" "INSERT INTO finance.credit_note_line SELECT credit_note_id, place + 100, invoice_id, line, NULL, amount_minor, credits_minor FROM finance.credit_note_line WHERE invoice_id = $(invoice_of gil)"
crime 4:"credit notes recomputed" "a credit note's note is changed" "UPDATE finance.credit_note SET note = 'with love' WHERE invoice_id = $(invoice_of fay)"
crime 4:"credit notes recomputed" "what was to be balanced is to be refunded" "UPDATE finance.credit_note SET refund_minor = balance_minor, balance_minor = 0 WHERE balance_minor > 0"
crime 5:"each credit begins" "a balance is a cent more" "UPDATE finance.credit_entry SET balance_after = balance_after + 1, amount_minor = amount_minor + 1 WHERE kind = 'use'"
crime 5:"each credit begins" "a use is deleted" "DELETE FROM finance.credit_use_line; DELETE FROM finance.credit_entry WHERE kind = 'use'"
crime 5:"each credit begins" "more is granted than was" "UPDATE finance.credit_grant SET amount_minor = amount_minor + 1"
crime 5:"each credit begins" "a credit has no entry" "DELETE FROM finance.credit_use_line; DELETE FROM finance.credit_entry WHERE grant_id = 2"
crime 5:"the credits of each invoice" "a use paid a cent less of a line" "UPDATE finance.credit_use_line SET amount_minor = amount_minor - 1 WHERE entry_id = (SELECT min(entry_id) FROM finance.credit_use_line)"
crime 5:"the credits of each invoice" "somebody else's credit was used" "UPDATE finance.credit_grant SET tenant = 'fay'"
crime 5:"what a credit paid for" "a credit is said to begin after what it paid for" "UPDATE finance.credit_grant SET starts = '2026-10-20T10:15:00Z' WHERE grant_id = 1"
crime 5:"what a credit paid for" "or to have ended before" "UPDATE finance.credit_grant SET expires = '2026-10-20T10:00:00Z' WHERE grant_id = 2"
crime 5:"what a credit paid for" "or to be for other meters" "UPDATE finance.credit_grant SET meters = '{output_reasoning_tokens}' WHERE grant_id = 1"
crime 6:"each tenant's balance" "a balance of a tenant is a cent more" "UPDATE finance.balance_entry SET amount_minor = amount_minor + 1, balance_after = balance_after + 1 WHERE place = 1"
crime 6:"each tenant's balance" "what was paid too much is gone" "DELETE FROM finance.balance_entry WHERE payment_id IS NOT NULL"
crime 6:"each entry of the journal" "an invoice's tax is in no account" "UPDATE finance.invoice SET credits_minor = credits_minor + 1 WHERE invoice_id = $(invoice_of fay)"
crime 6:"by tenant and currency" "more was paid than is due" "UPDATE finance.payment SET amount_minor = 100000 WHERE reference = 'bank-1'"
sealed=6:"what was booked is as it was booked"
crime "$sealed" "a payment is less, and more is due" "UPDATE finance.payment SET amount_minor = amount_minor - 1 WHERE reference = 'bank-1'"
crime "$sealed" "a payment was made on another day" "UPDATE finance.payment SET paid_on = paid_on - 1 WHERE reference = 'bank-1'"
crime "$sealed" "what was given is said to be paid in advance" "UPDATE finance.credit_grant SET kind = 'prepaid' WHERE kind = 'goodwill'"
crime "$sealed" "a credit expires later" "UPDATE finance.credit_grant SET expires = expires + interval '1 year' WHERE expires IS NOT NULL"
crime "$sealed" "a credit was given by somebody else" "UPDATE finance.credit_grant SET granted_by = 'eve' WHERE grant_id = 1"
crime "$sealed" "an adjustment has another reason" "UPDATE finance.adjustment SET reason = 'dispute'"
crime "$sealed" "a credit note has another ticket" "UPDATE finance.credit_note SET ticket = 'T-9'"
crime "$sealed" "less is written off, and more is due" "UPDATE finance.write_off SET amount_minor = amount_minor - 1"
crime "$sealed" "somebody else approved a re-rate" "UPDATE finance.rerate_decision SET who = 'ann' WHERE decision = 'approved'"
crime "$sealed" "what a re-rate was to come to is changed" "UPDATE finance.rerate_item SET output_digest = sha256(output_digest)"
crime "$sealed" "a write-off appears that nobody booked" "INSERT INTO finance.write_off SELECT invoice_id, 1, 'unreachable', 'T', now(), 'eve' FROM finance.invoice WHERE tenant = 'fay' AND status = 'final' LIMIT 1"
crime 7 "a credit note is deleted" "DELETE FROM finance.credit_note_line WHERE credit_note_id = 2; DELETE FROM finance.credit_note WHERE credit_note_id = 2"
crime 7 "a number of a credit note is skipped" "UPDATE finance.document_counter SET next_number = next_number + 1 WHERE series = 'CRN'"
crime 7 "a credit note has the number of an invoice" "UPDATE finance.credit_note SET number = replace(number, 'CRN', 'INV') WHERE credit_note_id = 1"
report
