/* books.c -- see books.h. */
#include "ledger/books.h"

bool
books_lock(struct run *run, struct error *err)
{
	struct rows lock;

	if (!db_one_row(run->db, SQL_LEDGER_BOOKS_LOCK, NO_PARAMS, &lock, err))
		return false;
	rows_release(&lock);
	return true;
}
