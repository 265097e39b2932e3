/*
 * invoice_finalize.c -- drafts become final, a chunk in a transaction; see invoice.h and invoicing.h.
 *
 * In a chunk everything is asked and written once for all: what stands in the way of each, numbers, claims of periods, credits, digests, the
 * invoices themselves, payments out of balances, audit rows, units of the night.
 */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/credit.h"
#include "ledger/document_number.h"
#include "ledger/invoicing.h"
#include "ledger/night_unit.h"
#include "ledger/payment.h"
#include "ledger/tax.h"

/* Columns of finals_listed.sql. */
enum listed_column { LISTED_TENANT, LISTED_PERIOD, LISTED_KIND, LISTED_LINES };

/* Columns of finals_due.sql. */
enum final_column {
	FINAL_PLACE,
	FINAL_INVOICE,
	FINAL_TENANT,
	FINAL_PERIOD,
	FINAL_ISSUER,
	FINAL_KIND,
	FINAL_CURRENCY,
	FINAL_MINOR_UNITS,
	FINAL_NET,
	FINAL_TAX_PERCENT,
	FINAL_ENDED,
	FINAL_IN_FORCE,
	FINAL_SETTLED, /* an adjustment on it, elsewhere */
	FINAL_CLAIMED,
	FINAL_CLOSED, /* for who asks */
	FINAL_DUE,
	FINAL_UNSUMMED,
	FINAL_NEGATIVE,
	FINAL_EARLIER,
	FINAL_PARKED, /* the reasons, NULL where none blocks */
};

/* A draft of the list. */
struct final {
	struct finalized told; /* a NULL number: it is gone by now, or final, or its grace is not over */
	const char *invoice_id, *issuer;
	struct currency currency;
	struct decimal tax_percent;
	int64_t place; /* of its number in the series */
	unsigned char digest[DIGEST_SIZE];
};

struct finalizing {
	struct run *run;
	struct invoice_scope scope;
	invoice_finalized *told;
	void *context;
	const char *date;
	struct rows listed;
	int first, count; /* the chunk, of the list */
	struct rows due;  /* of the chunk */
	struct final all[CHUNK_INVOICES];
	struct final *going[CHUNK_INVOICES]; /* of these, those that nothing stands in the way of */
	size_t going_count;
	struct arena arena; /* of the chunk */
};

/* --- which of them --------------------------------------------------------------------------- */

static const char *
reason_to_refuse(struct finalizing *finalizing, int row, bool *parked)
{
	const struct rows *due = &finalizing->due;

	*parked = false;
	if (row_bool(due, row, FINAL_CLAIMED))
		return "the period is invoiced already: run tollbook invoice draft again";
	if (!row_bool(due, row, FINAL_ENDED))
		return "the period has not ended yet";
	if (row_bool(due, row, FINAL_CLOSED))
		return "its month is closed: what it comes to becomes an adjustment, by tollbook rerate";
	*parked = !row_is_null(due, row, FINAL_PARKED);
	if (*parked)
		return arena_format(
		    &finalizing->arena, "parked (%s): tollbook parked list shows why", row_text(due, row, FINAL_PARKED));
	if (!row_bool(due, row, FINAL_IN_FORCE))
		return "the charges changed since it was drafted: run tollbook invoice draft again";
	if (row_bool(due, row, FINAL_SETTLED))
		return "an adjustment on it was settled elsewhere since it was drafted: run tollbook invoice draft again";
	if (row_bool(due, row, FINAL_DUE) || row_bool(due, row, FINAL_UNSUMMED))
		return "usage, prices or a contract of the period are not rated yet: run tollbook rate, then tollbook invoice "
		       "draft";
	if (row_bool(due, row, FINAL_EARLIER))
		return "what it costs counts on from an earlier period that is still a draft: finalize that first";
	if (row_bool(due, row, FINAL_NEGATIVE))
		return "its total is less than zero: look at the contract's terms, then run tollbook rate and tollbook invoice "
		       "draft";
	return NULL;
}

/* What stood there when the drafts were listed may have changed since: they are looked at under the lock. */
static bool
look_again(struct finalizing *finalizing, struct error *err)
{
	enum { PERIOD, TENANT, KIND, COLUMNS };
	struct run *run = finalizing->run;
	struct text column[COLUMNS] = {0};
	bool fine;

	for (int i = finalizing->first; i < finalizing->first + finalizing->count; i++) {
		elements_add(&column[PERIOD], row_text(&finalizing->listed, i, LISTED_PERIOD));
		elements_add(&column[TENANT], row_text(&finalizing->listed, i, LISTED_TENANT));
		elements_add(&column[KIND], row_text(&finalizing->listed, i, LISTED_KIND));
	}
	fine = db_rows(run->db, SQL_LEDGER_FINALS_DUE,
	    PARAMS(elements_end(&column[PERIOD]), elements_end(&column[TENANT]), param_instant(&finalizing->arena, run->now),
		elements_end(&column[KIND]), run->by,
		finalizing->scope.by_grace ? param_number(&finalizing->arena, finalizing->scope.grace_hours) : NULL),
	    &finalizing->due, err);
	for (int i = 0; i < COLUMNS; i++)
		text_release(&column[i]);
	return fine;
}

static void
judge(struct finalizing *finalizing, int row)
{
	const struct rows *due = &finalizing->due;
	struct final *final = &finalizing->all[row_number(due, row, FINAL_PLACE) - 1];
	const struct currency *currency = &final->currency;

	final->invoice_id = row_text(due, row, FINAL_INVOICE);
	final->issuer = row_text(due, row, FINAL_ISSUER);
	final->tax_percent = row_decimal(due, row, FINAL_TAX_PERCENT);
	final->currency.minor_units = (int)row_number(due, row, FINAL_MINOR_UNITS);
	snprintf(final->currency.code, sizeof final->currency.code, "%s", row_text(due, row, FINAL_CURRENCY));
	final->told.number = "";
	final->told.refused = reason_to_refuse(finalizing, row, &final->told.parked);
	final->told.net = (struct money){row_number(due, row, FINAL_NET), currency};
	final->told.credits = final->told.tax = final->told.total = final->told.from_balance = (struct money){0, currency};
	if (final->told.refused == NULL)
		finalizing->going[finalizing->going_count++] = final;
}

static bool
choose(struct finalizing *finalizing, struct error *err)
{
	if (!look_again(finalizing, err))
		return false;
	for (int i = 0; i < finalizing->due.count; i++)
		judge(finalizing, i);
	return true;
}

/* --- numbers and claims ---------------------------------------------------------------------- */

/* Those of one issuer stand together. */
static bool
take_numbers_from(struct finalizing *finalizing, size_t from, size_t *next, struct error *err)
{
	struct final *const *going = finalizing->going;
	struct document_numbers numbers;
	size_t end = from + 1;

	while (end < finalizing->going_count && strcmp(going[end]->issuer, going[from]->issuer) == 0)
		end++;
	if (!document_numbers_take(
		finalizing->run, going[from]->issuer, DOCUMENT_INVOICE, finalizing->date, (int64_t)(end - from), &numbers, err))
		return false;
	for (size_t i = from; i < end; i++) {
		going[i]->place = numbers.first + (int64_t)(i - from);
		going[i]->told.number = document_number_text(&finalizing->arena, &numbers, going[i]->place);
	}
	*next = end;
	return true;
}

static bool
take_numbers(struct finalizing *finalizing, struct error *err)
{
	size_t next = 0;

	while (next < finalizing->going_count)
		if (!take_numbers_from(finalizing, next, &next, err))
			return false;
	return true;
}

static bool
claim_periods(struct finalizing *finalizing, struct error *err)
{
	struct text invoices = {0};
	int64_t claims = 0;
	bool fine;

	for (size_t i = 0; i < finalizing->going_count; i++) {
		const struct final *final = finalizing->going[i];

		elements_add(&invoices, final->invoice_id);
		claims += strcmp(final->told.kind, "period") == 0;
	}
	fine = db_change(finalizing->run->db, SQL_LEDGER_FINAL_CLAIM, PARAMS(elements_end(&invoices)), claims, err);
	text_release(&invoices);
	return fine;
}

/* --- amounts --------------------------------------------------------------------------------- */

/* Tax is counted on what credits leave. */
static bool
settle_amounts(struct final *final, int64_t drawn, struct error *err)
{
	struct finalized *told = &final->told;
	struct money taxable = {told->net.minor - drawn, told->net.currency};

	must(drawn >= 0 && drawn <= told->net.minor);
	told->credits.minor = drawn;
	return tax_of(taxable, final->tax_percent, &told->tax, err) && money_add(taxable, told->tax, &told->total, err);
}

static bool
draw_credits(struct finalizing *finalizing, struct error *err)
{
	size_t count = finalizing->going_count;
	const char **invoices = memory_new(count, sizeof *invoices);
	int64_t *drawn = memory_new(count, sizeof *drawn);
	bool fine;

	for (size_t i = 0; i < count; i++)
		invoices[i] = finalizing->going[i]->invoice_id;
	fine = credits_draw(finalizing->run, invoices, count, drawn, err);
	for (size_t i = 0; fine && i < count; i++)
		fine = settle_amounts(finalizing->going[i], drawn[i], err);
	free(invoices);
	free(drawn);
	return fine;
}

static bool
find_digests(struct finalizing *finalizing, struct error *err)
{
	size_t count = finalizing->going_count;
	struct invoice_content *contents = memory_new(count, sizeof *contents);
	bool fine;

	for (size_t i = 0; i < count; i++) {
		const struct finalized *told = &finalizing->going[i]->told;

		contents[i] = (struct invoice_content){.invoice_id = finalizing->going[i]->invoice_id,
		    .number = told->number,
		    .date = finalizing->date,
		    .credits = told->credits.minor,
		    .tax = told->tax.minor,
		    .total = told->total.minor};
	}
	fine = invoice_content_digests(finalizing->run, contents, count, err);
	for (size_t i = 0; fine && i < count; i++)
		memcpy(finalizing->going[i]->digest, contents[i].digest, DIGEST_SIZE);
	free(contents);
	return fine;
}

/* --- what is written ------------------------------------------------------------------------- */

static bool
make_final(struct finalizing *finalizing, struct error *err)
{
	enum { INVOICE, NUMBER, PLACE, CREDITS, TAX, TOTAL, DIGEST, COLUMNS };
	struct run *run = finalizing->run;
	struct text column[COLUMNS] = {0};
	bool fine;

	for (size_t i = 0; i < finalizing->going_count; i++) {
		const struct final *final = finalizing->going[i];

		elements_add(&column[INVOICE], final->invoice_id);
		elements_add(&column[NUMBER], final->told.number);
		elements_add_number(&column[PLACE], final->place);
		elements_add_number(&column[CREDITS], final->told.credits.minor);
		elements_add_number(&column[TAX], final->told.tax.minor);
		elements_add_number(&column[TOTAL], final->told.total.minor);
		elements_add(&column[DIGEST], param_hex(&finalizing->arena, final->digest, DIGEST_SIZE));
	}
	fine = db_change(run->db, SQL_LEDGER_INVOICE_FINALIZE,
	    PARAMS(elements_end(&column[INVOICE]), elements_end(&column[NUMBER]), elements_end(&column[PLACE]),
		elements_end(&column[CREDITS]), elements_end(&column[TAX]), elements_end(&column[TOTAL]),
		elements_end(&column[DIGEST]), finalizing->date, param_instant(&finalizing->arena, run->now), run->by),
	    (int64_t)finalizing->going_count, err);
	for (int i = 0; i < COLUMNS; i++)
		text_release(&column[i]);
	return fine;
}

static bool
pay_from_balances(struct finalizing *finalizing, struct error *err)
{
	size_t count = finalizing->going_count;
	struct balance_payment *payments = memory_new(count, sizeof *payments);
	bool fine;

	for (size_t i = 0; i < count; i++)
		payments[i] = (struct balance_payment){.invoice_id = finalizing->going[i]->invoice_id,
		    .number = finalizing->going[i]->told.number,
		    .due = finalizing->going[i]->told.total.minor};
	fine = payments_from_balance(finalizing->run, payments, count, finalizing->date, err);
	for (size_t i = 0; fine && i < count; i++)
		finalizing->going[i]->told.from_balance.minor = payments[i].paid;
	free(payments);
	return fine;
}

static struct audit
audit_of(struct arena *arena, const struct finalized *told)
{
	char net[DECIMAL_TEXT], credits[DECIMAL_TEXT], tax[DECIMAL_TEXT], total[DECIMAL_TEXT];

	return (struct audit){.action = "invoice finalize",
	    .subject = told->number,
	    .before = arena_format(arena, "draft of %s, %s", told->tenant, told->period),
	    .after = arena_format(arena, "final: net %s, credits %s, tax %s, total %s %s", money_format(told->net, net),
		money_format(told->credits, credits), money_format(told->tax, tax), money_format(told->total, total),
		told->total.currency->code)};
}

static bool
audit_finalized(struct finalizing *finalizing, struct error *err)
{
	struct audit *entries = memory_new(finalizing->going_count, sizeof *entries);
	bool fine;

	for (size_t i = 0; i < finalizing->going_count; i++)
		entries[i] = audit_of(&finalizing->arena, &finalizing->going[i]->told);
	fine = audits_add(finalizing->run, entries, finalizing->going_count, err);
	free(entries);
	return fine;
}

static void
add_amount(struct text *json, const char *name, struct money amount)
{
	char text[DECIMAL_TEXT];

	text_add_format(json, ",\"%s\":\"%s\"", name, money_format(amount, text));
}

/* What the nightly run says of an invoice; texts alone, but for the digest in bytes. */
static struct night_unit
unit_of(struct arena *arena, const struct final *final)
{
	const struct finalized *told = &final->told;
	struct night_unit unit = {.digest = final->digest};
	char digest[DIGEST_HEX];
	struct text json = {0};

	text_add_string(&json, "{\"number\":");
	text_add_json(&json, told->number);
	text_add_string(&json, ",\"tenant\":");
	text_add_json(&json, told->tenant);
	text_add_format(
	    &json, ",\"period\":\"%s\",\"kind\":\"%s\",\"currency\":\"%s\"", told->period, told->kind, told->net.currency->code);
	add_amount(&json, "net", told->net);
	add_amount(&json, "credits", told->credits);
	add_amount(&json, "tax", told->tax);
	add_amount(&json, "total", told->total);
	text_add_format(&json, ",\"content_sha256\":\"%s\"}", digest_hex(final->digest, DIGEST_SIZE, digest));
	unit.name = arena_format(arena, "%s %s %s", told->tenant, told->period, told->kind);
	unit.result = arena_copy(arena, json.bytes, json.length);
	text_release(&json);
	return unit;
}

static bool
note_units(struct finalizing *finalizing, struct error *err)
{
	struct night_unit *units;
	bool fine;

	if (finalizing->run->night_run == 0)
		return true;
	units = memory_new(finalizing->going_count, sizeof *units);
	for (size_t i = 0; i < finalizing->going_count; i++)
		units[i] = unit_of(&finalizing->arena, finalizing->going[i]);
	fine = night_units_done(finalizing->run, "finalize", units, finalizing->going_count, err);
	free(units);
	return fine;
}

/* --- a chunk --------------------------------------------------------------------------------- */

static bool
finalize_chunk(struct finalizing *finalizing, struct error *err)
{
	if (!books_lock(finalizing->run, err) || !invoicing_plan(finalizing->run, err) || !choose(finalizing, err))
		return false;
	return finalizing->going_count == 0 ||
	    (take_numbers(finalizing, err) && claim_periods(finalizing, err) && draw_credits(finalizing, err) &&
		find_digests(finalizing, err) && make_final(finalizing, err) && pay_from_balances(finalizing, err) &&
		audit_finalized(finalizing, err) && note_units(finalizing, err));
}

static void
begin_chunk(struct finalizing *finalizing, int first, int count)
{
	finalizing->first = first;
	finalizing->count = count;
	finalizing->going_count = 0;
	for (int i = 0; i < count; i++)
		finalizing->all[i] = (struct final){.told = {.tenant = row_text(&finalizing->listed, first + i, LISTED_TENANT),
							.period = row_text(&finalizing->listed, first + i, LISTED_PERIOD),
							.kind = row_text(&finalizing->listed, first + i, LISTED_KIND)}};
}

static void
forget_chunk(struct finalizing *finalizing)
{
	rows_release(&finalizing->due);
	arena_reset(&finalizing->arena);
}

/* A dry run is one transaction for all: its numbers rise. */
static bool
finalize_within(struct finalizing *finalizing, struct error *err)
{
	struct run *run = finalizing->run;
	bool fine;

	if (!(run->dry_run ? db_savepoint(run->db, err) : db_begin(run->db, err)))
		return false;
	fine = finalize_chunk(finalizing, err);
	if (run->dry_run)
		return fine && db_release_savepoint(run->db, err);
	if (fine)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

static bool
undo_chunk(struct finalizing *finalizing, const struct error *failed, struct error *err)
{
	struct run *run = finalizing->run;

	if (invoicing_concerns_all(run, failed)) {
		*err = *failed;
		return false;
	}
	return !run->dry_run || (db_rollback_to_savepoint(run->db, err) && db_release_savepoint(run->db, err));
}

static void
tell_chunk(struct finalizing *finalizing)
{
	for (int i = 0; i < finalizing->count; i++)
		if (finalizing->all[i].told.number != NULL)
			finalizing->told(finalizing->context, &finalizing->all[i].told);
}

/* One that failed took no number; it is told as refused. */
static void
tell_failed(struct finalizing *finalizing, const struct error *failed)
{
	struct finalized *told = &finalizing->all[0].told;

	told->number = "";
	told->failed = failed;
	told->refused = failed->message;
	finalizing->told(finalizing->context, told);
}

/* Those of the list from `first` on, together if that goes, else in halves. */
static bool
finalize_span(struct finalizing *finalizing, int first, int count, struct error *err)
{
	struct error failed = {0};

	begin_chunk(finalizing, first, count);
	if (finalize_within(finalizing, &failed)) {
		tell_chunk(finalizing);
		forget_chunk(finalizing);
		return true;
	}
	if (!undo_chunk(finalizing, &failed, err))
		return error_wrap(err, "finalizing %s of %s", row_text(&finalizing->listed, first, LISTED_PERIOD),
		    row_text(&finalizing->listed, first, LISTED_TENANT));
	if (count == 1)
		tell_failed(finalizing, &failed);
	forget_chunk(finalizing);
	return count == 1 ||
	    (finalize_span(finalizing, first, count / 2, err) &&
		finalize_span(finalizing, first + count / 2, count - count / 2, err));
}

/* --- all of them ----------------------------------------------------------------------------- */

static bool
has_tenant(const struct finalizing *finalizing, int first, int end, const char *tenant)
{
	for (int i = first; i < end; i++)
		if (strcmp(row_text(&finalizing->listed, i, LISTED_TENANT), tenant) == 0)
			return true;
	return false;
}

/* Where the chunk ends that begins there. */
static int
chunk_end(const struct finalizing *finalizing, int first)
{
	const struct rows *listed = &finalizing->listed;
	int64_t lines = 0;
	int end = first;

	do
		lines += row_number(listed, end++, LISTED_LINES);
	while (end < listed->count && end - first < CHUNK_INVOICES &&
	    lines + row_number(listed, end, LISTED_LINES) <= CHUNK_LINES &&
	    !has_tenant(finalizing, first, end, row_text(listed, end, LISTED_TENANT)));
	return end;
}

static bool
finalize_all(struct finalizing *finalizing, struct error *err)
{
	int first = 0;

	while (first < finalizing->listed.count) {
		int end = chunk_end(finalizing, first);

		progress_count(finalizing->run, "invoices", first, finalizing->listed.count);
		if (!finalize_span(finalizing, first, end - first, err))
			return false;
		first = end;
	}
	progress_end(finalizing->run);
	return true;
}

bool
invoices_finalize(struct run *run, struct invoice_scope scope, invoice_finalized *told, void *context, struct error *err)
{
	struct finalizing *finalizing = memory_new(1, sizeof *finalizing);
	char now[INSTANT_TEXT];
	bool fine;

	finalizing->run = run;
	finalizing->scope = scope;
	finalizing->told = told;
	finalizing->context = context;
	finalizing->date = arena_format(&run->arena, "%.10s", instant_format(run->now, now));
	fine = db_rows(run->db, SQL_LEDGER_FINALS_LISTED, PARAMS(scope.period, scope.tenant), &finalizing->listed, err) &&
	    (!run->dry_run || db_begin(run->db, err)) && finalize_all(finalizing, err);
	if (run->dry_run)
		db_rollback(run->db);
	forget_chunk(finalizing);
	rows_release(&finalizing->listed);
	arena_release(&finalizing->arena);
	free(finalizing);
	return fine;
}
