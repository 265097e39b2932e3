/* audit.c -- see audit.h. */
#include "ledger/audit.h"

static const char *
or_empty(const char *text)
{
	return text == NULL ? "" : text;
}

bool
audit_add(struct run *run, const struct audit *entry, struct error *err)
{
	return db_change(run->db, SQL_LEDGER_AUDIT_ADD,
	    PARAMS(param_instant(&run->arena, run->now), run->by, or_empty(entry->action), or_empty(entry->subject),
		or_empty(entry->reason), or_empty(entry->ticket), or_empty(entry->before), or_empty(entry->after)),
	    1, err);
}
