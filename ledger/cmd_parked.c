/* cmd_parked.c -- `tollbook parked list|release`: tenants' periods that the nightly job set aside. */
#include "base/table.h"
#include "ledger/parked.h"

static bool list(struct run *run, struct error *err);
static bool release(struct run *run, struct error *err);

static const struct option_spec list_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {"all", NULL, "also what was released, with who did it and why", 'a'},
    {0},
};

const struct command cmd_parked_list = {
    .name = "parked list",
    .summary = "list tenants' periods that the nightly job set aside, and why",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook parked list\n  tollbook parked list --all --tenant acme --json",
    .run = list,
};

static const struct option_spec release_options[] = {
    {"tenant", "TENANT", "all that is parked of this tenant", 't'},
    {"note", "TEXT", "why it is right as it is", 'n'},
    {"ticket", "TICKET", "where it was decided", 'k'},
    {0},
};

const struct command cmd_parked_release = {
    .name = "parked release",
    .summary = "take what is parked as it is; it is parked again only where more is measured",
    .operands = "[ID...]",
    .operands_max = -1,
    .options = release_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook parked release 7 --note 'a launch, agreed with sales' --ticket FIN-91\n"
	       "  tollbook parked release --tenant acme --note 'they know'",
    .run = release,
};

/* What was released needs more columns than what is parked. */
static bool
list(struct run *run, struct error *err)
{
	enum { STATUS = 8, DETAIL = 13 };
#define PARKED_COLUMNS                                                                                                           \
	{"parked", "parked", COLUMN_NUMBER}, {"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},               \
	    {"reason", "reason", COLUMN_TEXT}, {"measured", "measured", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT},   \
	    {"parked_at", "parked at", COLUMN_TEXT}, {"parked_by", "by", COLUMN_TEXT},                                           \
	{                                                                                                                        \
		"status", "status", COLUMN_TEXT                                                                                  \
	}
	static const struct column short_columns[] = {PARKED_COLUMNS, {"detail", "why", COLUMN_TEXT}, {0}};
	static const struct column all_columns[] = {PARKED_COLUMNS, {"released_at", "released at", COLUMN_TEXT},
	    {"released_by", "by", COLUMN_TEXT}, {"note", "note", COLUMN_TEXT}, {"ticket", "ticket", COLUMN_TEXT},
	    {"detail", "why", COLUMN_TEXT}, {0}};
	bool all = option_value(run, "all") != NULL;
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_PARKED_LIST, PARAMS(option_text(run, "tenant"), all ? "true" : "false"), &rows, err))
		return false;
	table = table_new(all ? all_columns : short_columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j <= DETAIL; j++)
			if (all || j <= STATUS || j == DETAIL)
				table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "nothing is parked");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
read_wish(struct run *run, struct parked_wish *wish, struct error *err)
{
	*wish = (struct parked_wish){.ids = run->operands,
	    .id_count = run->operand_count,
	    .tenant = option_text(run, "tenant"),
	    .note = option_text(run, "note"),
	    .ticket = option_text(run, "ticket")};
	if ((wish->id_count == 0) == (wish->tenant[0] == '\0')) {
		error_set(err, ERROR_USAGE, "what is released is named by numbers, or by a tenant");
		return error_hint(err, "tollbook parked list shows what is parked: tollbook parked release 7, or --tenant acme.");
	}
	if (wish->note[0] != '\0')
		return true;
	error_set(err, ERROR_USAGE, "what is parked is released with a note");
	return error_hint(err, "Say why it is right as it is: --note 'a launch, agreed with sales'");
}

static bool
release(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"parked", "parked", COLUMN_NUMBER}, {"tenant", "tenant", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"reason", "reason", COLUMN_TEXT}, {"measured", "measured", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"detail", "why it was parked", COLUMN_TEXT}, {0}};
	struct parked_wish wish;
	struct rows released;
	struct table *table;

	if (!read_wish(run, &wish, err) || !parked_release(run, &wish, &released, err))
		return false;
	table = table_new(columns);
	table_rows(table, &released);
	table_print(table, run, "");
	table_free(table);
	rows_release(&released);
	return true;
}
