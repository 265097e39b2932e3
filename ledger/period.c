/* period.c -- see period.h. */
#include "ledger/period.h"

#include <ctype.h>
#include <string.h>

static bool
is_period(const char *text)
{
	if (strlen(text) != 7 || text[4] != '-')
		return false;
	for (int i = 0; i < 7; i++)
		if (i != 4 && !isdigit((unsigned char)text[i]))
			return false;
	return (text[5] == '0' && text[6] != '0') || (text[5] == '1' && text[6] <= '2');
}

bool
period_option(const struct run *run, const char **period, struct error *err)
{
	const char *text = option_value(run, "period");

	*period = text == NULL ? "" : text;
	if (text == NULL || is_period(text))
		return true;
	error_set(err, ERROR_USAGE, "--period is a month, YYYY-MM, not \"%s\"", text);
	return error_hint(err, "For example: --period 2026-10");
}

bool
period_operand(const char *text, struct error *err)
{
	if (is_period(text))
		return true;
	error_set(err, ERROR_USAGE, "a period is a month, YYYY-MM, not \"%s\"", text);
	return error_hint(err, "For example: 2026-10");
}
