/* role.c -- see role.h. */
#include "ledger/role.h"

/* What role_may_give.sql knows of a person, in the order of its columns. */
struct standing {
	bool anybody_has_role, has_role, unlimited;
	int64_t per_grant, per_day;
	i128 given; /* today */
};

static bool
read_standing(struct run *run, const struct currency *currency, struct standing *out, struct error *err)
{
	struct rows row;

	if (!db_one_row(run->db, SQL_LEDGER_ROLE_MAY_GIVE, PARAMS(run->by, currency->code, param_instant(&run->arena, run->now)),
		&row, err))
		return false;
	*out = (struct standing){.anybody_has_role = row_bool(&row, 0, 0),
	    .has_role = row_bool(&row, 0, 1),
	    .unlimited = row_bool(&row, 0, 2),
	    .per_grant = row_number(&row, 0, 3),
	    .per_day = row_number(&row, 0, 4),
	    .given = row_integer(&row, 0, 5)};
	rows_release(&row);
	return true;
}

static bool
ask_somebody(struct error *err)
{
	return error_hint(err, "Somebody with a wider role may do it; tollbook role list shows who has which.");
}

static bool
too_much_at_once(const struct run *run, struct money amount, const struct standing *standing, struct error *err)
{
	char wanted[DECIMAL_TEXT], limit[DECIMAL_TEXT];

	error_set(err, ERROR_STATE, "%s may give %s %s at once, not %s", run->by,
	    money_format((struct money){standing->per_grant, amount.currency}, limit), amount.currency->code,
	    money_format(amount, wanted));
	return ask_somebody(err);
}

static bool
too_much_today(const struct run *run, struct money amount, const struct standing *standing, struct error *err)
{
	char wanted[DECIMAL_TEXT], limit[DECIMAL_TEXT], given[DECIMAL_TEXT];

	error_set(err, ERROR_STATE, "%s may give %s %s a day, and %s more would be above it", run->by,
	    money_format((struct money){standing->per_day, amount.currency}, limit), amount.currency->code,
	    money_format(amount, wanted));
	error_detail(err, "Given today (UTC): %s %s.",
	    money_format((struct money){(int64_t)standing->given, amount.currency}, given), amount.currency->code);
	return ask_somebody(err);
}

bool
role_may_give(struct run *run, struct money amount, struct error *err)
{
	struct standing standing;

	if (!read_standing(run, amount.currency, &standing, err))
		return false;
	if (!standing.anybody_has_role || standing.unlimited)
		return true;
	if (!standing.has_role) {
		error_set(err, ERROR_STATE, "%s has no role, and may give nothing", run->by);
		return ask_somebody(err);
	}
	if (amount.minor > standing.per_grant)
		return too_much_at_once(run, amount, &standing, err);
	if (standing.given + amount.minor > standing.per_day)
		return too_much_today(run, amount, &standing, err);
	return true;
}

bool
role_approval_limit(struct run *run, const struct currency *currency, struct money *out, struct error *err)
{
	struct rows row;

	if (!db_one_row(run->db, SQL_LEDGER_ROLE_APPROVAL_LIMIT, PARAMS(currency->code), &row, err))
		return false;
	*out = (struct money){row_number(&row, 0, 0), currency};
	rows_release(&row);
	return true;
}
