/*
 * private_cluster.h -- the folder of a private server, the account it runs under, the programs it needs, and how the
 * cluster in it is made.  Only private_server.c uses it.
 */
#ifndef BASE_PRIVATE_CLUSTER_H
#define BASE_PRIVATE_CLUSTER_H

#include "base/program.h"

struct cluster {
	struct arena arena;
	const char *home, *data, *fresh, *run, *log, *lock, *socket; /* paths */
	struct account account;                                      /* that the server runs under */
	bool lent;                                                   /* root starts it and lends it that account */
	const char *bin; /* where PostgreSQL's programs are, after cluster_find_programs() */
	int lock_file;   /* held while it is > 0 */
};

/* `home` is absolute.  Ended with cluster_release(), also where it fails, which gives back the lock. */
MUST_CHECK
bool cluster_init(struct cluster *cluster, const char *home, struct error *err);
void cluster_release(struct cluster *cluster);

/* The home folder, and those above it, where they are missing; fails where the server's account may not enter. */
MUST_CHECK
bool cluster_make_home(struct cluster *cluster, struct error *err);
/* One folder of the server's own, where it is missing. */
MUST_CHECK
bool cluster_make_folder(const struct cluster *cluster, const char *path, struct error *err);
/* What root makes for the server is given to the server's account. */
MUST_CHECK
bool cluster_hand_over(const struct cluster *cluster, const char *path, struct error *err);
bool cluster_file_failed(const char *what, const char *path, struct error *err); /* with errno; returns false */
bool path_exists(const char *path);

/* TOLLBOOK_PG_BIN, else the version that made the cluster, else the newest installed one, else from PATH. */
MUST_CHECK
bool cluster_find_programs(struct cluster *cluster, struct error *err);
const char *cluster_program(struct cluster *cluster, const char *name);
/* The major version that made the cluster, or 0. */
long cluster_version(struct cluster *cluster);
/* Runs one of them under the server's account. */
MUST_CHECK
bool cluster_run(struct cluster *cluster, struct program program, int *exit_code, struct text *output, struct error *err);
/* The same, and fails with what the program said where it fails; `what` was being done. */
MUST_CHECK
bool cluster_must_run(struct cluster *cluster, struct program program, const char *what, struct error *err);
/* At most the last `length` bytes of a text: where the reason of a failure stands. */
const char *text_tail(struct text *text, size_t length);

/* Makes the cluster and its database "tollbook".  The lock is held, the home folder is there. */
MUST_CHECK
bool cluster_make(struct cluster *cluster, struct error *err);

#endif
