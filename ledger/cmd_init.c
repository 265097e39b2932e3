/* cmd_init.c -- `tollbook init`: makes or updates the schema, copies the meter registry into it, and spreads the ledger over the machines
 * of a cluster where that is asked for. */
#include "base/command.h"
#include "base/migrate.h"
#include "ledger/distribute.h"
#include "ledger/meter.h"

static bool init(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"citus", NULL, "spread the ledger's rows over the machines of a Citus cluster; once, and for good", 0},
    {"shards", "N", "with --citus: in so many parts, 2 to 1024; default: 32", 0},
    {0},
};

const struct command cmd_init = {
    .name = "init",
    .summary = "make the database schema, or bring an older one up to date",
    .operands = "",
    .options = options,
    .needs = NEEDS_SERVER,
    .example = "  tollbook init\n  tollbook init --db 'host=db.example dbname=billing'\n  tollbook init --citus --shards 64",
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
make_schema(struct run *run, struct error *err)
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

static bool
distribute(struct run *run, int64_t shards, struct error *err)
{
	struct distribution spread;

	if (!ledger_distribute(run->db, shards, &spread, err))
		return false;
	printf("the ledger is distributed%s: %lld rows in %lld shards on %lld %s\n", spread.is_new ? " now" : "",
	    (long long)spread.rows, (long long)spread.shards, (long long)spread.machines,
	    spread.machines == 1 ? "machine" : "machines");
	return true;
}

static bool
init(struct run *run, struct error *err)
{
	bool citus = option_value(run, "citus") != NULL;
	int64_t shards;

	if (!option_number(run, "shards", SHARDS_LEAST, SHARDS_MOST, SHARDS_DEFAULT, &shards, err))
		return false;
	if (option_value(run, "shards") != NULL && !citus)
		return error_set(err, ERROR_USAGE, "--shards goes with --citus");
	return (!citus || citus_load(run->db, err)) && make_schema(run, err) && (!citus || distribute(run, shards, err));
}
