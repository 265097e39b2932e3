/* period.h -- the name of a billing period, YYYY-MM, as verbs take it. */
#ifndef LEDGER_PERIOD_H
#define LEDGER_PERIOD_H

#include "base/command.h"

/* The value of --period, checked; "" when it is not given. */
MUST_CHECK
bool period_option(const struct run *run, const char **period, struct error *err);
/* Is this text, an operand, a period? */
MUST_CHECK
bool period_operand(const char *text, struct error *err);

#endif
