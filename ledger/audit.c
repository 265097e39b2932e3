/* audit.c -- see audit.h. */
#include "ledger/audit.h"

static const char *
or_empty(const char *text)
{
	return text == NULL ? "" : text;
}

bool
audits_add(struct run *run, const struct audit *entries, size_t count, struct error *err)
{
	enum { ACTION, SUBJECT, REASON, TICKET, BEFORE, AFTER, COLUMNS };
	struct text column[COLUMNS] = {0};
	bool fine;

	for (size_t i = 0; i < count; i++) {
		elements_add(&column[ACTION], or_empty(entries[i].action));
		elements_add(&column[SUBJECT], or_empty(entries[i].subject));
		elements_add(&column[REASON], or_empty(entries[i].reason));
		elements_add(&column[TICKET], or_empty(entries[i].ticket));
		elements_add(&column[BEFORE], or_empty(entries[i].before));
		elements_add(&column[AFTER], or_empty(entries[i].after));
	}
	fine = db_change(run->db, SQL_LEDGER_AUDIT_ADD,
	    PARAMS(param_instant(&run->arena, run->now), run->by, elements_end(&column[ACTION]), elements_end(&column[SUBJECT]),
		elements_end(&column[REASON]), elements_end(&column[TICKET]), elements_end(&column[BEFORE]),
		elements_end(&column[AFTER])),
	    (int64_t)count, err);
	for (int i = 0; i < COLUMNS; i++)
		text_release(&column[i]);
	return fine;
}

bool
audit_add(struct run *run, const struct audit *entry, struct error *err)
{
	return audits_add(run, entry, 1, err);
}
