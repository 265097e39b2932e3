/*
 * vectors.h -- runs a table of inputs with expected results that other projects asserted; read where it lies, in the folder
 * that TOLLBOOK_SHARED names (../shared otherwise).  What does not run is counted by its reason, and too few that ran are a failure.
 */
#ifndef TESTS_SUPPORT_VECTORS_H
#define TESTS_SUPPORT_VECTORS_H

#include <stdlib.h>

#include "tests/support/unit.h"

enum { VECTOR_COLUMNS_MAX = 32, VECTOR_LINE_MAX = 8192, VECTOR_VERDICTS_MAX = 8 };

struct vectors {
	const char *name; /* below data/vectors */
	size_t columns;
	size_t rows_min;
	const char *const *reasons; /* by verdict; verdict 0 is "ran" */
	size_t verdicts;
	size_t (*row)(char *const *column); /* checks one row, or says why not */
};

/* Splits at commas; only the last column, a note, may be quoted, and takes the rest. */
static size_t
vectors_split(char *line, char **column, size_t columns)
{
	size_t count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line != NULL && count + 1 < columns)
		column[count++] = strsep(&line, ",");
	if (line != NULL)
		column[count++] = line;
	return count;
}

static void
vectors_run(const struct vectors *table)
{
	const char *shared = getenv("TOLLBOOK_SHARED");
	size_t counts[VECTOR_VERDICTS_MAX] = {0}, rows = 0;
	char path[VECTOR_LINE_MAX], line[VECTOR_LINE_MAX], *column[VECTOR_COLUMNS_MAX];
	FILE *file;

	CU_ASSERT_TRUE_FATAL(table->verdicts <= VECTOR_VERDICTS_MAX && table->columns <= VECTOR_COLUMNS_MAX);
	snprintf(path, sizeof path, "%s/data/vectors/%s", shared != NULL ? shared : "../shared", table->name);
	file = fopen(path, "r");
	if (file == NULL) {
		printf("\n    SKIPPED: %s is not there (set TOLLBOOK_SHARED)\n", path);
		return;
	}
	CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file) != NULL) {
		CU_ASSERT_EQUAL_FATAL(vectors_split(line, column, table->columns), table->columns);
		counts[table->row(column)]++;
		rows++;
	}
	CU_ASSERT_FALSE(ferror(file));
	fclose(file);
	printf("\n    %s: %zu of %zu rows ran", table->name, counts[0], rows);
	for (size_t i = 1; i < table->verdicts; i++)
		printf("; %zu: %s", counts[i], table->reasons[i]);
	printf("\n");
	CU_ASSERT_TRUE(counts[0] >= table->rows_min);
}

#endif
