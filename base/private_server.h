/*
 * private_server.h -- the embedded default: a PostgreSQL of tollbook's own.
 *
 * It lives in $TOLLBOOK_HOME (default ~/.local/share/tollbook; for root /var/lib/tollbook, since PostgreSQL
 * refuses to run as root and the postgres user cannot see into /root): data/ the cluster, run/ the socket,
 * server.log the log.  No TCP.  It is made by initdb on first use, started on demand, and stays up until
 * private_server_stop().  As root it runs as the user postgres.  Two callers at once are serialised by a
 * lock file.
 */
#ifndef BASE_PRIVATE_SERVER_H
#define BASE_PRIVATE_SERVER_H

#include "base/memory.h"

/* Makes the cluster if there is none, starts it if it is down, makes the database "tollbook" if missing, and
 * appends to `conninfo` what libpq needs to reach it. */
MUST_CHECK
bool private_server_start(struct text *conninfo, struct error *err);
/* Fast shutdown, waits for it; *was_running says whether there was anything to stop. */
MUST_CHECK
bool private_server_stop(bool *was_running, struct error *err);

enum private_server_state { PRIVATE_SERVER_ABSENT, PRIVATE_SERVER_STOPPED, PRIVATE_SERVER_RUNNING };
MUST_CHECK
bool private_server_status(enum private_server_state *state, struct error *err);
/* $TOLLBOOK_HOME or its default, absolute; in `home`. */
MUST_CHECK
bool private_server_home(struct text *home, struct error *err);
/* Replaces this process by psql on the private server, started on demand; `arguments` (NULL-terminated) are passed on.
 * Returns only on failure. */
bool private_server_psql(char *const *arguments, struct error *err);

#endif
