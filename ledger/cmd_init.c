/* cmd_init.c -- `tollbook init`: makes or updates the schema, and copies the meter registry into it. */
#include "base/command.h"
#include "base/migrate.h"
#include "ledger/meter.h"

static bool init(struct run *run, struct error *err);

const struct command cmd_init = {
    .name = "init",
    .summary = "make the database schema, or bring an older one up to date",
    .operands = "",
    .needs = NEEDS_SERVER,
    .example = "  tollbook init\n  tollbook init --db 'host=db.example dbname=billing'",
    .run = init,
};

static bool
store_meters(struct run *run, struct error *err)
{
	static const char *const sides[] = {
	    [METER_SIDE_OTHER] = "other", [METER_SIDE_INPUT] = "input", [METER_SIDE_OUTPUT] = "output"};

	for (int id = 1; id < METER_LIMIT; id++) {
		const struct meter *meter = meter_of(id);

		if (!db_change(run->db, SQL_LEDGER_METER_STORE,
			PARAMS(param_number(&run->arena, id), meter->name, sides[meter->side],
			    param_number(&run->arena, meter->decimals)),
			1, err))
			return false;
	}
	return true;
}

static bool
init(struct run *run, struct error *err)
{
	int applied;

	if (!migrate_apply(run->db, run->now, &applied, err) || !db_begin(run->db, err))
		return false;
	if (!store_meters(run, err) || !db_commit(run->db, err)) {
		db_rollback(run->db);
		return false;
	}
	printf("the schema is up to date: %d of %zu migrations applied now, %d meters registered\n", applied, migration_count,
	    METER_LIMIT - 1);
	return true;
}
