/* contracts.h -- terms of contracts in tests: JSON with ' for ". */
#ifndef TESTS_UNIT_RATING_CONTRACTS_H
#define TESTS_UNIT_RATING_CONTRACTS_H

#include <stdlib.h>

#include "rating/contract_terms.h"
#include "tests/support/unit.h"

/* NULL with *err filled where they are refused; ended with contract_terms_free(). */
static inline struct contract_terms *
terms_or_error(const char *text, const char *zone, struct error *err)
{
	size_t length = strlen(text);
	char *json = malloc(length + 1);
	struct contract_terms *terms = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	for (size_t i = 0; i <= length; i++)
		json[i] = text[i] == '\'' ? '"' : text[i];
	*err = (struct error){0};
	if (!contract_terms_parse(json, length, "tenants.json", "tenants[0].terms", zone, &terms, err))
		terms = NULL;
	free(json);
	return terms;
}

static inline struct contract_terms *
terms_in(const char *text, const char *zone)
{
	struct error err;
	struct contract_terms *terms = terms_or_error(text, zone, &err);

	if (terms == NULL)
		printf("\n    %s: %s\n", err.field, err.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(terms);
	return terms;
}

static inline struct instant
moment(const char *text)
{
	struct instant instant = {0};

	CU_ASSERT_EQUAL_FATAL(instant_parse(text, strlen(text), 1, &instant), INSTANT_OK);
	return instant;
}

static inline struct decimal
amount_of(const char *text)
{
	struct decimal amount = {0};
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_parse(text, strlen(text), &amount, &err));
	return amount;
}

#endif
