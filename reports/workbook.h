/*
 * workbook.h -- the workbook of a billing period: Summary, Charges, Invoices, Invoice lines, Holds, Control.
 *
 * All sheets tell of one moment of the books.  What goes on a flat sheet is added up while it is written and must
 * come to what the database adds up; the file is then read back cell by cell (workbook_file.h).
 */
#ifndef REPORTS_WORKBOOK_H
#define REPORTS_WORKBOOK_H

#include "base/command.h"
#include "reports/workbook_file.h"

struct workbook_request {
	const char *period; /* YYYY-MM, checked */
	const char *tenant; /* "" for all */
	const char *path;
};

struct workbook_result {
	struct workbook_proof proof;
	int differences; /* of the Control sheet */
};

/* STATE where nothing of the period is rated; RANGE where a sheet would need more rows than a spreadsheet has. */
MUST_CHECK
bool workbook_make(struct run *run, const struct workbook_request *request, struct workbook_result *result, struct error *err);

#endif
