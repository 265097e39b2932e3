/*
 * parked.h -- tenants' periods that are set aside, each for a reason, so that the others can go on.
 *
 * Some reasons stand in the way of finalizing (finance.parked_now.blocks); the others say what failed, and is tried again each night.
 * What is parked is let go by itself when its cause is gone.  A person who releases it takes it as it is: the same reason parks that
 * period again only where more is measured than was then, where something that was known is not known now, or the other way round,
 * and of what failed where it fails with another error.  Of an estimate it counts what it is made of: its worth moves with what others use.
 */
#ifndef LEDGER_PARKED_H
#define LEDGER_PARKED_H

#include "base/command.h"

/* Reasons; the constraint of finance.parked has them all. */
#define PARKED_HELD "held_above_limit"
#define PARKED_JUMP "charge_jump"
#define PARKED_DIFFERENCE "reconcile_difference"
#define PARKED_CURRENCY "currency_mismatch"
#define PARKED_RATING "rating_failed"
#define PARKED_DRAFT "draft_failed"
#define PARKED_FINALIZE "finalize_failed"
#define PARKED_REFUSED "finalize_refused"
#define PARKED_DOCUMENT "document_failed"

/* A tenant's period to be parked. */
struct parking {
	const char *tenant, *period;
	const char *measured; /* decimal text of what is above a limit; "" where nothing is measured, or it is not known */
	const char *currency; /* of that; "" for none */
	const char *detail;   /* for people: the figures, or the error with its remedy */
	const char *extent;   /* where the measure is an estimate: how many units it is made of; "" or NULL elsewhere */
};

/* Those of one reason; zeroed to begin with, ended with parkings_release(). */
struct parkings {
	struct parking *item;
	size_t count, room;
	struct arena arena;
};

/* Adds one; the texts are copied.  A period that is added twice is parked once, with both details and the sum of both measures. */
void parkings_add(struct parkings *parkings, const struct parking *parking);
/* The same of an error: its message, where it happened and its remedy. */
void parkings_add_error(struct parkings *parkings, const char *tenant, const char *period, const struct error *err);
void parkings_release(struct parkings *parkings);

/* Makes what is parked for a reason what this list says, at run->now by run->by, in the caller's transaction: parks what is new, and
 * lets go what is not on it (but for rating_failed of a period that waits to be rated still).  What is measured differently now is
 * parked anew.  *now is how many are parked for this reason then: fewer than the list where persons released some. */
MUST_CHECK
bool parked_settle(struct run *run, const char *reason, const struct parkings *parkings, int64_t *now, struct error *err);

/* Parks one more, unless it is parked for this reason, or was released as it is; in the caller's transaction, if there is one. */
MUST_CHECK
bool parked_add(struct run *run, const char *reason, const struct parking *parking, struct error *err);
/* Its cause is gone; does nothing where it is not parked for this reason. */
MUST_CHECK
bool parked_lift(struct run *run, const char *reason, const char *tenant, const char *period, struct error *err);

/* Which parked periods a person releases, and why. */
struct parked_wish {
	char *const *ids; /* their numbers, as the command line has them */
	int id_count;
	const char *tenant; /* all of this one instead; "" for none */
	const char *note, *ticket;
};
/* Releases them, with an entry in the audit log for each, in a transaction of its own (rolled back for a dry run).  *released has the
 * columns of parked_release.sql and is ended with rows_release().  ERROR_STATE where one of them is not parked. */
MUST_CHECK
bool parked_release(struct run *run, const struct parked_wish *wish, struct rows *released, struct error *err);

#endif
