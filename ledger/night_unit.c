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
night_units_done(struct run *run, const char *step, const struct night_unit *units, size_t count, struct error *err)
{
	enum { NAME, RESULT, DIGEST, COLUMNS };
	struct text column[COLUMNS] = {0};
	bool fine;

	if (run->night_run == 0 || count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		char hex[DIGEST_HEX];

		elements_add(&column[NAME], units[i].name);
		elements_add(&column[RESULT], units[i].result);
		elements_add(&column[DIGEST], units[i].digest == NULL ? "" : digest_hex(units[i].digest, DIGEST_SIZE, hex));
	}
	fine = db_change(run->db, SQL_LEDGER_NIGHT_UNIT_DONE,
	    PARAMS(param_number(&run->arena, run->night_run), step, elements_end(&column[NAME]), elements_end(&column[RESULT]),
		elements_end(&column[DIGEST])),
	    -1, err);
	for (int i = 0; i < COLUMNS; i++)
		text_release(&column[i]);
	return fine;
}

bool
night_unit_done(struct run *run, const char *step, const char *unit, const char *result, const unsigned char digest[DIGEST_SIZE],
    struct error *err)
{
	return night_units_done(run, step, &(struct night_unit){unit, result, digest}, 1, err);
}

bool
night_units(struct run *run, const char *step, struct rows *out, struct error *err)
{
	return db_rows(run->db, SQL_LEDGER_NIGHT_UNITS, PARAMS(param_number(&run->arena, run->night_run), step), out, err);
}
