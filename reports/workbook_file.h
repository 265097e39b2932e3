/*
 * workbook_file.h -- a workbook that appears whole or not at all.
 *
 * It is written into a folder of its own beside the target, together with a plain record of what was meant to
 * stand in every cell.  Then it is opened again, by other code than wrote it, every cell is compared with the
 * record, and only then it is renamed to the target.  On any failure nothing is left behind.
 */
#ifndef REPORTS_WORKBOOK_FILE_H
#define REPORTS_WORKBOOK_FILE_H

#include "reports/output_xlsx.h"

struct workbook_file;

struct workbook_proof {
	uint64_t sheets, rows, cells; /* read back and found as meant */
};

MUST_CHECK
bool workbook_file_open(
    const char *target, const char *title, struct instant created, struct workbook_file **out, struct error *err);
MUST_CHECK
bool workbook_file_sheet(struct workbook_file *file, const struct xlsx_sheet *sheet, struct error *err);
MUST_CHECK
bool workbook_file_row(struct workbook_file *file, const struct cell *cells, size_t count, struct error *err);
MUST_CHECK
bool workbook_file_chart(struct workbook_file *file, const struct xlsx_chart *chart, struct error *err);
int64_t workbook_file_rows(const struct workbook_file *file); /* of the newest sheet */
/* Closes, syncs, proves, renames.  An existing target is replaced. */
MUST_CHECK
bool workbook_file_finish(struct workbook_file *file, struct workbook_proof *proof, struct error *err);
/* Removes what was not finished; NULL is fine. */
void workbook_file_release(struct workbook_file *file);

/* The three steps of finishing, for the tests that damage the file in between. */
MUST_CHECK
bool workbook_file_write(struct workbook_file *file, struct error *err);
MUST_CHECK
bool workbook_file_prove(struct workbook_file *file, struct workbook_proof *proof, struct error *err);
MUST_CHECK
bool workbook_file_publish(struct workbook_file *file, struct error *err);
/* Where it is before it is published. */
const char *workbook_file_path(const struct workbook_file *file);

#endif
