/* cmd_local.c -- `tollbook local start|stop|status|psql`: the private server, by hand. */
#include "base/private_server.h"
#include "base/table.h"

static bool local_start(struct run *run, struct error *err);
static bool local_stop(struct run *run, struct error *err);
static bool local_status(struct run *run, struct error *err);
static bool local_psql(struct run *run, struct error *err);

const struct command cmd_local_start = {
    .name = "local start",
    .summary = "start the private server, made on first use; prints how to connect to it",
    .operands = "",
    .needs = NEEDS_NOTHING,
    .example = "  tollbook local start\n  pg_dump -d \"$(tollbook local start)\" -f books.sql",
    .run = local_start,
};

const struct command cmd_local_stop = {
    .name = "local stop",
    .summary = "stop the private server",
    .operands = "",
    .needs = NEEDS_NOTHING,
    .example = "  tollbook local stop",
    .run = local_stop,
};

const struct command cmd_local_status = {
    .name = "local status",
    .summary = "say whether there is a private server, where it is, and whether it runs",
    .operands = "",
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook local status",
    .run = local_status,
};

const struct command cmd_local_psql = {
    .name = "local psql",
    .summary = "open psql on the private server, started on demand; operands behind -- go to psql",
    .operands = "[-- ARGUMENT...]",
    .operands_max = -1,
    .needs = NEEDS_NOTHING,
    .example = "  tollbook local psql\n  tollbook local psql -- -c 'TABLE metering.meter'",
    .run = local_psql,
};

static const struct column columns[] = {
    {"state", "state", COLUMN_TEXT},
    {"home", "home", COLUMN_TEXT},
    {"log", "log", COLUMN_TEXT},
    {0},
};

static bool
local_start(struct run *run, struct error *err)
{
	struct text conninfo = {0};
	bool fine;

	(void)run;
	fine = private_server_start(&conninfo, err);
	if (fine)
		printf("%s\n", text_string(&conninfo));
	text_release(&conninfo);
	return fine;
}

static bool
local_stop(struct run *run, struct error *err)
{
	bool was_running;

	if (!private_server_stop(&was_running, err))
		return false;
	say(run, was_running ? "stopped" : "it was not running");
	return true;
}

static bool
local_status(struct run *run, struct error *err)
{
	static const char *const states[] = {
	    [PRIVATE_SERVER_ABSENT] = "absent", [PRIVATE_SERVER_STOPPED] = "stopped", [PRIVATE_SERVER_RUNNING] = "running"};
	struct text home = {0};
	enum private_server_state state;
	struct table *table;

	if (!private_server_home(&home, err) || !private_server_status(&state, err)) {
		text_release(&home);
		return false;
	}
	table = table_new(columns);
	table_row(table);
	table_cell(table, states[state]);
	table_cell(table, text_string(&home));
	table_cell_format(table, "%s/server.log", text_string(&home));
	table_print(table, run, "");
	table_free(table);
	text_release(&home);
	return true;
}

static bool
local_psql(struct run *run, struct error *err)
{
	return private_server_psql(run->operands, err);
}
