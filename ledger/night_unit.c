/* night_unit.c -- see night_unit.h. */
#include "ledger/night_unit.h"

bool
night_unit_plan(struct run *run, const char *step, const char *unit, const char *plan, struct error *err)
{
	return run->night_run == 0 ||
	    db_change(run->db, SQL_LEDGER_NIGHT_UNIT_PLAN, PARAMS(param_number(&run->arena, run->night_run), step, unit, plan),
		-1, err);
}

bool
night_unit_done(struct run *run, const char *step, const char *unit, const char *result, const unsigned char digest[DIGEST_SIZE],
    struct error *err)
{
	return run->night_run == 0 ||
	    db_change(run->db, SQL_LEDGER_NIGHT_UNIT_DONE,
		PARAMS(param_number(&run->arena, run->night_run), step, unit, result,
		    digest == NULL ? NULL : param_hex(&run->arena, digest, DIGEST_SIZE)),
		-1, err);
}

bool
night_units(struct run *run, const char *step, struct rows *out, struct error *err)
{
	return db_rows(run->db, SQL_LEDGER_NIGHT_UNITS, PARAMS(param_number(&run->arena, run->night_run), step), out, err);
}
