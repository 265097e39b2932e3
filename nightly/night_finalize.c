/* night_finalize.c -- the step finalize: invoices of what is due, and what has expired of credits. */
#include "base/money.h"
#include "ledger/credit.h"
#include "ledger/invoice.h"
#include "ledger/parked.h"
#include "nightly/night.h"

/* What did not become final. */
struct finalizing {
	struct parkings failed, refused;
	int64_t parked; /* refused for that alone */
};

static void
note_final(void *context, const struct finalized *finalized)
{
	struct finalizing *finalizing = context;

	if (finalized->failed != NULL)
		parkings_add_error(&finalizing->failed, finalized->tenant, finalized->period, finalized->failed);
	else if (finalized->parked)
		finalizing->parked++;
	else if (finalized->refused != NULL)
		parkings_add(&finalizing->refused,
		    &(struct parking){finalized->tenant, finalized->period, "", "", finalized->refused, ""});
}

/* *waiting is how many of them a person should look at. */
static bool
park(struct run *run, const struct finalizing *finalizing, int64_t *waiting, struct error *err)
{
	int64_t failed, refused;

	if (!db_begin(run->db, err))
		return false;
	if (!parked_settle(run, PARKED_FINALIZE, &finalizing->failed, &failed, err) ||
	    !parked_settle(run, PARKED_REFUSED, &finalizing->refused, &refused, err)) {
		db_rollback(run->db);
		return false;
	}
	*waiting = failed + refused;
	return db_commit(run->db, err);
}

/* --- credits --------------------------------------------------------------------------------- */

static void
ignore_expired(void *context, const struct credit_expired *expired)
{
	(void)context;
	(void)expired;
}

/* A credit that cannot be taken holds nobody up: it is told, and tried again tomorrow. */
static bool
expire_credits(struct run *run, struct night_told *told, struct error *err)
{
	struct error failed = {0};

	if (credits_expire(run, ignore_expired, NULL, &failed))
		return true;
	if (failed.kind == ERROR_AWAY || failed.kind == ERROR_BUSY) {
		*err = failed;
		return false;
	}
	say(run, "credits that expired stay for now: %s%s%s", failed.message, failed.hint[0] == '\0' ? "" : ". ", failed.hint);
	text_add_format(&told->line, "credits that expired stay for now: %s; ", failed.message);
	told->findings = true;
	return true;
}

/* --- telling --------------------------------------------------------------------------------- */

static bool
tell_invoices(struct run *run, struct night_told *told, struct error *err)
{
	enum { CURRENCY, COUNT, NET, CREDITS, TAX, TOTAL };
	int64_t invoices = 0;
	struct text totals = {0};
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_FINALIZED, PARAMS(param_number(&run->arena, run->night_run)), &rows, err))
		return false;
	text_add_string(&told->json, "\"totals\":{");
	for (int i = 0; i < rows.count; i++) {
		const char *currency = row_text(&rows, i, CURRENCY);

		invoices += row_number(&rows, i, COUNT);
		text_add_format(&totals, ", %s %s", row_text(&rows, i, TOTAL), currency);
		text_add_format(&told->json,
		    "%s\"%s\":{\"invoices\":%s,\"net\":\"%s\",\"credits\":\"%s\",\"tax\":\"%s\",\"total\":\"%s\"}",
		    i == 0 ? "" : ",", currency, row_text(&rows, i, COUNT), row_text(&rows, i, NET), row_text(&rows, i, CREDITS),
		    row_text(&rows, i, TAX), row_text(&rows, i, TOTAL));
	}
	rows_release(&rows);
	text_add_format(&told->json, "},\"invoices\":%lld", (long long)invoices);
	text_add_format(&told->line, "%lld invoices%s", (long long)invoices, text_string(&totals));
	text_release(&totals);
	return true;
}

static bool
tell_credits(struct run *run, struct night_told *told, struct error *err)
{
	enum { CURRENCY, MINOR_UNITS, COUNT, AMOUNT };
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_CREDITS_EXPIRED, PARAMS(param_instant(&run->arena, run->now)), &rows, err))
		return false;
	text_add_string(&told->json, ",\"credits_expired\":{");
	for (int i = 0; i < rows.count; i++) {
		const char *currency = row_text(&rows, i, CURRENCY);
		const char *amount = money_text(&run->arena, row_number(&rows, i, AMOUNT), row_number(&rows, i, MINOR_UNITS));

		text_add_format(&told->line, "%s %s %s", i == 0 ? "; credits expired:" : ",", amount, currency);
		text_add_format(&told->json, "%s\"%s\":{\"credits\":%s,\"amount\":\"%s\"}", i == 0 ? "" : ",", currency,
		    row_text(&rows, i, COUNT), amount);
	}
	text_add_string(&told->json, "}");
	rows_release(&rows);
	return true;
}

/* Of all attempts together: what was made final by an earlier one is not due any more. */
static bool
tell(struct run *run, const struct finalizing *finalizing, struct night_told *told, struct error *err)
{
	if (!tell_invoices(run, told, err))
		return false;
	if (finalizing->parked > 0)
		text_add_format(&told->line, "; parked: %lld", (long long)finalizing->parked);
	if (finalizing->refused.count + finalizing->failed.count > 0)
		text_add_format(&told->line, "; refused: %zu", finalizing->refused.count + finalizing->failed.count);
	text_add_format(&told->json, ",\"parked\":%lld,\"refused\":%zu,\"failed\":%zu", (long long)finalizing->parked,
	    finalizing->refused.count, finalizing->failed.count);
	return tell_credits(run, told, err);
}

bool
night_finalize(struct night *night, struct night_told *told, struct error *err)
{
	const struct invoice_scope scope = {
	    .period = "", .tenant = "", .by_grace = true, .grace_hours = config_number(night->config, "night.grace_hours")};
	struct finalizing finalizing = {0};
	int64_t waiting;
	bool fine = invoices_finalize(night->run, scope, note_final, &finalizing, err) &&
	    park(night->run, &finalizing, &waiting, err) && expire_credits(night->run, told, err) &&
	    tell(night->run, &finalizing, told, err);

	if (fine && waiting + finalizing.parked > 0)
		told->findings = true;
	parkings_release(&finalizing.failed);
	parkings_release(&finalizing.refused);
	return fine;
}
