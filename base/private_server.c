/* private_server.c -- see private_server.h; the cluster itself is private_cluster.c's. */
#include "base/private_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/private_cluster.h"

enum { START_SECONDS = 120, LOCK_SECONDS = 300, STOP_SECONDS = 120, GONE_SECONDS = 10, PAUSES_A_SECOND = 20 };

/* pg_ctl's answers to "status". */
enum { CTL_RUNNING = 0, CTL_STOPPED = 3 };

bool
private_server_home(struct text *home, struct error *err)
{
	const char *chosen = getenv("TOLLBOOK_HOME"), *user_home = getenv("HOME");
	char *here;

	if (chosen != NULL && chosen[0] == '/') {
		text_add_string(home, chosen);
	} else if (chosen != NULL && chosen[0] != '\0') {
		here = getcwd(NULL, 0);
		if (here == NULL)
			return error_set(err, ERROR_STATE, "the current folder has no name: %s", strerror(errno));
		text_add_format(home, "%s/%s", here, chosen);
		free(here);
	} else if (geteuid() == 0) {
		text_add_string(home, "/var/lib/tollbook");
	} else if (user_home != NULL && user_home[0] == '/') {
		text_add_format(home, "%s/.local/share/tollbook", user_home);
	} else {
		error_set(err, ERROR_STATE, "there is no place for a private server: HOME is not set");
		return error_hint(err, "Set TOLLBOOK_HOME to a folder, or name another PostgreSQL with --db.");
	}
	return true;
}

/* Ended with cluster_release(), also where it fails. */
static bool
open_cluster(struct cluster *cluster, struct error *err)
{
	struct text home = {0};
	bool fine;

	*cluster = (struct cluster){0};
	fine = private_server_home(&home, err) && cluster_init(cluster, text_string(&home), err);
	text_release(&home);
	return fine;
}

static void
pause_briefly(void)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};

	(void)nanosleep(&pause, NULL);
}

/* Held until cluster_release(). */
static bool
take_lock(struct cluster *cluster, struct error *err)
{
	cluster->lock_file = open(cluster->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (cluster->lock_file < 0)
		return cluster_file_failed("the private server's lock could not be opened", cluster->lock, err);
	if (!cluster_hand_over(cluster, cluster->lock, err))
		return false;
	for (int i = 0; i < LOCK_SECONDS * PAUSES_A_SECOND; i++) {
		if (flock(cluster->lock_file, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return cluster_file_failed("the private server's lock could not be taken", cluster->lock, err);
		pause_briefly();
	}
	error_set(
	    err, ERROR_BUSY, "another process has been starting or stopping the private server for %d seconds", LOCK_SECONDS);
	error_at(err, cluster->lock, 0);
	return error_hint(err, "See who holds the file (fuser -v), end it, and run again.");
}

/* --- starting ----------------------------------------------------------------------------------- */

/* Somebody listens; it may still be recovering. */
static bool
is_listening(const struct cluster *cluster)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool listening;

	if (file < 0)
		return false;
	must(strlen(cluster->socket) < sizeof address.sun_path);
	memcpy(address.sun_path, cluster->socket, strlen(cluster->socket) + 1);
	listening = connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
	close(file);
	return listening;
}

enum { PID_LINE_PROCESS = 1, PID_LINE_STATUS = 8, PID_LINE_BYTES = 256 };

/* A line of postmaster.pid, from 1; false where there is none. */
static bool
read_pid_line(struct cluster *cluster, int number, char line[PID_LINE_BYTES])
{
	FILE *file = fopen(arena_format(&cluster->arena, "%s/postmaster.pid", cluster->data), "r");
	int lines = 0;

	if (file == NULL)
		return false;
	while (lines < number && fgets(line, PID_LINE_BYTES, file) != NULL)
		lines++;
	(void)fclose(file); /* only read from */
	return lines == number;
}

static bool
is_ready(struct cluster *cluster)
{
	char line[PID_LINE_BYTES];

	return is_listening(cluster) && read_pid_line(cluster, PID_LINE_STATUS, line) && strncmp(line, "ready", 5) == 0;
}

/* A server that was killed may not be gone yet: its process waits to be buried, or still gives back its memory. */
static bool
is_going_away(struct cluster *cluster)
{
	char line[PID_LINE_BYTES];
	struct stat process;

	return read_pid_line(cluster, PID_LINE_PROCESS, line) && !is_listening(cluster) &&
	    stat(arena_format(&cluster->arena, "/proc/%ld", strtol(line, NULL, 10)), &process) == 0 &&
	    process.st_uid == cluster->account.uid;
}

static void
wait_until_gone(struct cluster *cluster)
{
	for (int i = 0; i < GONE_SECONDS * PAUSES_A_SECOND && is_going_away(cluster); i++)
		pause_briefly();
}

static bool
wait_until_ready(struct cluster *cluster, struct error *err)
{
	for (int i = 0; i < START_SECONDS * PAUSES_A_SECOND; i++) {
		if (is_ready(cluster))
			return true;
		pause_briefly();
	}
	error_set(err, ERROR_AWAY, "the private server is not ready after %d seconds", START_SECONDS);
	error_at(err, cluster->log, 0);
	return error_hint(err, "It may be recovering from a crash; its log says how far it is.  Try again later.");
}

/* The last lines of the server's log behind what pg_ctl said. */
static void
add_log(const struct cluster *cluster, struct text *output)
{
	char end[600];
	FILE *file = fopen(cluster->log, "r");
	size_t length;

	if (file == NULL)
		return;
	if (fseek(file, -(long)sizeof end, SEEK_END) != 0)
		rewind(file);
	length = fread(end, 1, sizeof end, file);
	(void)fclose(file); /* only read from */
	text_add_string(output, "\nserver.log: ");
	text_add(output, end, length);
}

static bool
run_start(struct cluster *cluster, struct error *err)
{
	const char *seconds = arena_format(&cluster->arena, "%d", START_SECONDS);
	const char *const arguments[] = {cluster_program(cluster, "pg_ctl"), "start", "-w", "-s", "-t", seconds, "-D",
	    cluster->data, "-l", cluster->log, NULL};
	struct text output = {0};
	int exit_code;
	bool fine = cluster_run(cluster, (struct program){.arguments = arguments}, &exit_code, &output, err);

	if (fine && exit_code != 0) {
		add_log(cluster, &output);
		fine = error_set(
		    err, ERROR_AWAY, "the private server (PostgreSQL %ld) could not be started", cluster_version(cluster));
		error_at(err, cluster->log, 0);
		error_detail(err, "%s", text_tail(&output, 900));
		error_hint(err, "Mend what its log says and run again; or name another server with --db.");
	}
	text_release(&output);
	return fine;
}

static bool
start_server(struct cluster *cluster, struct error *err)
{
	if (!cluster_make_home(cluster, err) || !take_lock(cluster, err))
		return false;
	if (is_listening(cluster)) /* somebody was faster */
		return wait_until_ready(cluster, err);
	if (!cluster_find_programs(cluster, err))
		return false;
	if (!path_exists(cluster->data) && !cluster_make(cluster, err))
		return false;
	wait_until_gone(cluster);
	return cluster_make_folder(cluster, cluster->run, err) && run_start(cluster, err);
}

bool
private_server_start(struct text *conninfo, struct error *err)
{
	struct cluster cluster;
	bool fine = open_cluster(&cluster, err);

	if (fine && !is_ready(&cluster))
		fine = start_server(&cluster, err);
	if (fine)
		text_add_format(conninfo, "host='%s' port=5432 user=tollbook dbname=tollbook", cluster.run);
	cluster_release(&cluster);
	return fine;
}

/* --- looking and stopping ----------------------------------------------------------------------- */

static bool
find_state(struct cluster *cluster, enum private_server_state *state, struct error *err)
{
	struct text output = {0};
	int exit_code;
	bool fine;

	*state = PRIVATE_SERVER_ABSENT;
	if (!path_exists(cluster->data))
		return true;
	if (access(cluster->data, R_OK | X_OK) != 0)
		return cluster_file_failed("the private server belongs to somebody else", cluster->data, err);
	if (!cluster_find_programs(cluster, err))
		return false;

	const char *const arguments[] = {cluster_program(cluster, "pg_ctl"), "status", "-D", cluster->data, NULL};

	fine = cluster_run(cluster, (struct program){.arguments = arguments}, &exit_code, &output, err);
	if (fine && exit_code != CTL_RUNNING && exit_code != CTL_STOPPED) {
		fine = error_set(err, ERROR_STATE, "the state of the private server could not be learnt");
		error_detail(err, "%s", text_tail(&output, 900));
		error_hint(err, "Its folder is %s.", cluster->home);
	}
	*state = exit_code == CTL_RUNNING ? PRIVATE_SERVER_RUNNING : PRIVATE_SERVER_STOPPED;
	text_release(&output);
	return fine;
}

bool
private_server_status(enum private_server_state *state, struct error *err)
{
	struct cluster cluster;
	bool fine = open_cluster(&cluster, err) && find_state(&cluster, state, err);

	cluster_release(&cluster);
	return fine;
}

static bool
run_stop(struct cluster *cluster, struct error *err)
{
	const char *seconds = arena_format(&cluster->arena, "%d", STOP_SECONDS);
	const char *const arguments[] = {
	    cluster_program(cluster, "pg_ctl"), "stop", "-w", "-s", "-m", "fast", "-t", seconds, "-D", cluster->data, NULL};

	return cluster_must_run(cluster, (struct program){.arguments = arguments}, "stopping the private server", err);
}

static bool
stop_server(struct cluster *cluster, bool *was_running, struct error *err)
{
	enum private_server_state state;
	struct error reason;

	if (!path_exists(cluster->home))
		return true;
	if (!take_lock(cluster, err) || !find_state(cluster, &state, err))
		return false;
	if (state != PRIVATE_SERVER_RUNNING)
		return true;
	*was_running = true;
	if (run_stop(cluster, &reason))
		return true;
	/* pg_ctl also complains of a server that died by itself meanwhile. */
	wait_until_gone(cluster);
	if (find_state(cluster, &state, err) && state != PRIVATE_SERVER_RUNNING)
		return true;
	*err = reason;
	return false;
}

bool
private_server_stop(bool *was_running, struct error *err)
{
	struct cluster cluster;
	bool fine;

	*was_running = false;
	fine = open_cluster(&cluster, err) && stop_server(&cluster, was_running, err);
	cluster_release(&cluster);
	return fine;
}

/* Returns only where psql could not be run. */
static bool
become_psql(struct cluster *cluster, const char *conninfo, char *const *arguments, struct error *err)
{
	size_t count = 0;
	const char **all;

	while (arguments[count] != NULL)
		count++;
	all = arena_take(&cluster->arena, (count + 4) * sizeof *all);
	all[0] = cluster_program(cluster, "psql");
	all[1] = "-d";
	all[2] = conninfo;
	for (size_t i = 0; i <= count; i++)
		all[3 + i] = arguments[i];
	(void)execv(all[0], (char *const *)(uintptr_t)all);
	error_set(err, ERROR_STATE, "psql could not be run: %s", strerror(errno));
	error_at(err, all[0], 0);
	return error_hint(err, "Install PostgreSQL's client programs (Debian: apt-get install postgresql-client).");
}

bool
private_server_psql(char *const *arguments, struct error *err)
{
	struct text conninfo = {0};
	struct cluster cluster = {0};

	if (private_server_start(&conninfo, err) && open_cluster(&cluster, err) && cluster_find_programs(&cluster, err))
		(void)become_psql(&cluster, text_string(&conninfo), arguments, err);
	text_release(&conninfo);
	cluster_release(&cluster);
	return false;
}
