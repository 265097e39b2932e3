/*
 * private_cluster.c -- see private_cluster.h.
 *
 * Who may connect: the socket's folder is closed to everybody but the account that the server runs under (and root),
 * and the server asks the kernel who is at the other end (peer) and takes only that account and root.
 *
 * A cluster is made as data.new and renamed when it is complete, database included, so that "data" is always whole.
 * What makes it inherits the lock: where tollbook is killed meanwhile, the next caller waits for the orphan.
 */
#include "base/private_cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/statement.h"

#define SOCKET_NAME ".s.PGSQL.5432"

/* pg_ctl puts the path between double quotes into a shell command, and libpq reads a comma as "or". */
static bool
check_home(const char *home, struct error *err)
{
	struct sockaddr_un address;

	for (const char *c = home; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr("\"'\\$`,", *c) != NULL) {
			error_set(err, ERROR_STATE, "a private server cannot live in a folder of this name");
			error_field(err, "TOLLBOOK_HOME", home, strlen(home));
			return error_hint(
			    err, "Set TOLLBOOK_HOME to a path without quotes, commas, backslashes, $ and control characters.");
		}
	if (strlen(home) + strlen("/run/" SOCKET_NAME) < sizeof address.sun_path)
		return true;
	error_set(err, ERROR_STATE, "the path of the private server's folder is too long for a Unix socket");
	error_field(err, "TOLLBOOK_HOME", home, strlen(home));
	return error_hint(
	    err, "Set TOLLBOOK_HOME to a path of at most %zu bytes.", sizeof address.sun_path - 1 - strlen("/run/" SOCKET_NAME));
}

/* As root: whoever owns the cluster, else the user postgres. */
static bool
choose_account(struct cluster *cluster, struct error *err)
{
	struct stat data;

	cluster->lent = geteuid() == 0;
	if (!cluster->lent)
		return account_own(&cluster->account, err);
	if (stat(cluster->data, &data) == 0 && data.st_uid != 0)
		return account_by_uid(data.st_uid, &cluster->account, err);
	if (account_by_name("postgres", &cluster->account, err))
		return true;
	error_detail(err, "PostgreSQL refuses to run as root.");
	return error_hint(
	    err, "Install the package postgresql, which makes that user; or run as another user; or name a server with --db.");
}

void
cluster_release(struct cluster *cluster)
{
	if (cluster->lock_file > 0)
		close(cluster->lock_file);
	arena_release(&cluster->arena);
}

bool
cluster_init(struct cluster *cluster, const char *home, struct error *err)
{
	*cluster = (struct cluster){0};
	if (!check_home(home, err))
		return false;
	cluster->home = arena_copy(&cluster->arena, home, strlen(home));
	cluster->data = arena_format(&cluster->arena, "%s/data", home);
	cluster->fresh = arena_format(&cluster->arena, "%s/data.new", home);
	cluster->run = arena_format(&cluster->arena, "%s/run", home);
	cluster->log = arena_format(&cluster->arena, "%s/server.log", home);
	cluster->lock = arena_format(&cluster->arena, "%s/lock", home);
	cluster->socket = arena_format(&cluster->arena, "%s/run/" SOCKET_NAME, home);
	return choose_account(cluster, err);
}

bool
path_exists(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0;
}

/* --- PostgreSQL's programs ---------------------------------------------------------------------- */

static bool
has_programs(struct cluster *cluster, const char *folder)
{
	return access(arena_format(&cluster->arena, "%s/initdb", folder), X_OK) == 0 &&
	    access(arena_format(&cluster->arena, "%s/pg_ctl", folder), X_OK) == 0;
}

/* The newest of Debian's side-by-side versions. */
static const char *
find_packaged(struct cluster *cluster)
{
	const char *newest = NULL;
	long newest_version = -1;
	glob_t found;

	if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		long version = strtol(found.gl_pathv[i] + strlen("/usr/lib/postgresql/"), NULL, 10);

		if (version > newest_version && has_programs(cluster, found.gl_pathv[i])) {
			newest_version = version;
			newest = arena_copy(&cluster->arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));
		}
	}
	globfree(&found);
	return newest;
}

static const char *
find_in_path(struct cluster *cluster)
{
	const char *path = getenv("PATH");

	while (path != NULL && *path != '\0') {
		size_t length = strcspn(path, ":");
		const char *folder = arena_copy(&cluster->arena, path, length);

		if (folder[0] == '/' && has_programs(cluster, folder))
			return folder;
		path += length + (path[length] == ':');
	}
	return NULL;
}

/* The major version that made the cluster, or 0. */
long
cluster_version(struct cluster *cluster)
{
	char text[16] = "";
	FILE *file = fopen(arena_format(&cluster->arena, "%s/PG_VERSION", cluster->data), "r");
	long version = 0;

	if (file == NULL)
		return 0;
	if (fgets(text, sizeof text, file) != NULL)
		version = strtol(text, NULL, 10);
	(void)fclose(file); /* only read from */
	return version;
}

/* A cluster needs the programs of the version that made it. */
bool
cluster_find_programs(struct cluster *cluster, struct error *err)
{
	const char *chosen = getenv("TOLLBOOK_PG_BIN");
	const char *same = arena_format(&cluster->arena, "/usr/lib/postgresql/%ld/bin", cluster_version(cluster));

	if (chosen != NULL && chosen[0] != '\0') {
		cluster->bin = chosen;
		if (chosen[0] == '/' && has_programs(cluster, chosen))
			return true;
		error_set(err, ERROR_STATE, "there is no initdb and pg_ctl in the folder that TOLLBOOK_PG_BIN names");
		error_field(err, "TOLLBOOK_PG_BIN", chosen, strlen(chosen));
		return error_hint(err, "Set it to the absolute path of PostgreSQL's bin folder, or unset it.");
	}
	cluster->bin = has_programs(cluster, same) ? same : find_packaged(cluster);
	if (cluster->bin == NULL)
		cluster->bin = find_in_path(cluster);
	if (cluster->bin != NULL)
		return true;
	error_set(err, ERROR_STATE, "PostgreSQL's programs (initdb, pg_ctl) were not found");
	error_detail(err, "Looked in /usr/lib/postgresql/*/bin and in PATH.");
	return error_hint(
	    err, "Install PostgreSQL (Debian: apt-get install postgresql), or set TOLLBOOK_PG_BIN, or name a server with --db.");
}

/* Runs one of them under the server's account. */
bool
cluster_run(struct cluster *cluster, struct program program, int *exit_code, struct text *output, struct error *err)
{
	program.account = cluster->lent ? &cluster->account : NULL;
	return program_run(&program, exit_code, output, err);
}

const char *
cluster_program(struct cluster *cluster, const char *name)
{
	return arena_format(&cluster->arena, "%s/%s", cluster->bin, name);
}

/* The end of a long text: where the reason of a failure stands. */
const char *
text_tail(struct text *text, size_t length)
{
	const char *string = text_string(text);

	return text->length > length ? string + text->length - length : string;
}

/* Like cluster_run, and fails with what the program said where it fails. */
bool
cluster_must_run(struct cluster *cluster, struct program program, const char *what, struct error *err)
{
	struct text output = {0};
	int exit_code;
	bool fine = cluster_run(cluster, program, &exit_code, &output, err);

	if (fine && exit_code != 0) {
		fine = error_set(err, ERROR_AWAY, "%s failed with exit code %d", what, exit_code);
		error_detail(err, "%s: %s", program.arguments[0], text_tail(&output, 800));
		error_hint(err, "Mend what it says (a full disk, a limit, a missing permission) and run again.");
	}
	text_release(&output);
	return fine;
}

/* --- folders and files -------------------------------------------------------------------------- */

bool
cluster_file_failed(const char *what, const char *path, struct error *err)
{
	error_set(err, ERROR_STATE, "%s: %s", what, strerror(errno));
	error_at(err, path, 0);
	return error_hint(err, "Make it possible, or set TOLLBOOK_HOME to another folder, or name a server with --db.");
}

/* What root makes for the server belongs to the server's account. */
bool
cluster_hand_over(const struct cluster *cluster, const char *path, struct error *err)
{
	if (cluster->lent && chown(path, cluster->account.uid, cluster->account.gid) != 0)
		return cluster_file_failed("the file could not be given to the server's user", path, err);
	return true;
}

bool
cluster_make_folder(const struct cluster *cluster, const char *path, struct error *err)
{
	if (path_exists(path))
		return true;
	if (mkdir(path, 0700) != 0)
		return cluster_file_failed("the folder could not be made", path, err);
	return cluster_hand_over(cluster, path, err);
}

/* Also the folders above it, as a person would make them. */
bool
cluster_make_home(struct cluster *cluster, struct error *err)
{
	struct text closed = {0};
	bool fine = true;

	for (const char *slash = strchr(cluster->home + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		const char *above = arena_copy(&cluster->arena, cluster->home, (size_t)(slash - cluster->home));

		if (!path_exists(above) && mkdir(above, 0755) != 0 && errno != EEXIST)
			return cluster_file_failed("the folder could not be made", above, err);
	}
	if (!cluster_make_folder(cluster, cluster->home, err))
		return false;
	if (cluster->lent)
		fine = account_first_closed(&cluster->account, cluster->home, &closed, err);
	if (fine && closed.length > 0) {
		fine = error_set(err, ERROR_STATE, "the user %s, who runs the private cluster, may not enter its folder",
		    cluster->account.name);
		error_at(err, text_string(&closed), 0);
		error_detail(err, "PostgreSQL refuses to run as root, so it runs as %s.", cluster->account.name);
		error_hint(err,
		    "Set TOLLBOOK_HOME to a folder that this user can reach, for example /var/lib/tollbook, or: chmod o+x %s",
		    text_string(&closed));
	}
	text_release(&closed);
	return fine;
}

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

/* Writes `content` at the end of a file, or instead of it. */
static bool
write_file(const char *path, bool at_end, const char *content, struct error *err)
{
	FILE *file = fopen(path, at_end ? "a" : "w");
	bool fine;

	if (file == NULL)
		return cluster_file_failed("a setting of the private server could not be written", path, err);
	fine = fputs(content, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
	if (fclose(file) != 0 || !fine)
		return cluster_file_failed("a setting of the private server could not be written", path, err);
	return true;
}

/* --- making the cluster ------------------------------------------------------------------------- */

/* A quarter of the memory, at most a gigabyte. */
static long
shared_buffers_mb(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	long quarter = pages > 0 && page > 0 ? pages / 1024 * page / 1024 / 4 : 128;

	return quarter < 64 ? 64 : quarter > 1024 ? 1024 : quarter;
}

/* Whether this build of PostgreSQL takes a value of a setting. */
static bool
takes_setting(struct cluster *cluster, const char *assignment)
{
	const char *const arguments[] = {
	    cluster_program(cluster, "postgres"), "-D", cluster->fresh, "-c", assignment, "-C", "wal_compression", NULL};
	struct text output = {0};
	struct error ignored;
	int exit_code;
	bool taken =
	    cluster_run(cluster, (struct program){.arguments = arguments}, &exit_code, &output, &ignored) && exit_code == 0;

	text_release(&output);
	return taken;
}

static bool
write_settings(struct cluster *cluster, struct error *err)
{
	const char *settings = arena_format(&cluster->arena,
	    "\n# tollbook's own; ALTER SYSTEM or a line below these overrides them\n"
	    "listen_addresses = ''\n"
	    "port = 5432\n"
	    "unix_socket_directories = '../run'\n"
	    "unix_socket_permissions = 0700\n"
	    "shared_buffers = %ldMB\n"
	    "max_wal_size = 8GB\n"
	    "checkpoint_timeout = 30min\n"
	    "wal_compression = %s\n"
	    "jit = off\n"
	    "timezone = 'UTC'\n"
	    "log_timezone = 'UTC'\n"
	    "log_line_prefix = '%%m [%%p] '\n"
	    "fsync = on\n"
	    "synchronous_commit = on\n"
	    "full_page_writes = on\n",
	    shared_buffers_mb(), takes_setting(cluster, "wal_compression=lz4") ? "lz4" : "on");
	const char *people = arena_format(&cluster->arena,
	    "# Who at the other end of the socket is the database user tollbook.\ntollbook root tollbook\ntollbook \"%s\" "
	    "tollbook\n",
	    cluster->account.name);

	return write_file(arena_format(&cluster->arena, "%s/postgresql.conf", cluster->fresh), true, settings, err) &&
	    write_file(arena_format(&cluster->arena, "%s/pg_ident.conf", cluster->fresh), false, people, err) &&
	    write_file(arena_format(&cluster->arena, "%s/pg_hba.conf", cluster->fresh), false,
		"# Only over the socket, only the users of pg_ident.conf.\nlocal all all peer map=tollbook\n", err);
}

/* The rename must outlive a power failure, like what it names. */
static bool
publish(struct cluster *cluster, struct error *err)
{
	int folder;
	bool fine;

	if (rename(cluster->fresh, cluster->data) != 0)
		return cluster_file_failed("the new cluster could not be put in place", cluster->data, err);
	folder = open(cluster->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fine = folder >= 0 && fsync(folder) == 0;
	if (folder >= 0)
		close(folder);
	return fine || cluster_file_failed("the new cluster could not be made durable", cluster->home, err);
}

bool
cluster_make(struct cluster *cluster, struct error *err)
{
	const char *const initdb[] = {cluster_program(cluster, "initdb"), "-D", cluster->fresh, "--username=tollbook",
	    "--encoding=UTF8", "--locale=C", "--data-checksums", "--auth-local=peer", "--auth-host=reject", "--no-instructions",
	    NULL};
	const char *const single[] = {
	    cluster_program(cluster, "postgres"), "--single", "-j", "-D", cluster->fresh, "postgres", NULL};
	/* Single-user mode takes a statement to end at a semicolon before an empty line. */
	const char *database = arena_format(&cluster->arena, "%s\n", statements[SQL_BASE_DATABASE_MAKE].text);

	if (path_exists(cluster->fresh) && nftw(cluster->fresh, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		return cluster_file_failed("what an interrupted start left could not be removed", cluster->fresh, err);
	if (!cluster_make_folder(cluster, cluster->fresh, err) ||
	    !cluster_must_run(cluster, (struct program){.arguments = initdb, .kept_file = cluster->lock_file},
		"making the private server's cluster", err) ||
	    !write_settings(cluster, err) ||
	    !cluster_must_run(cluster, (struct program){.arguments = single, .input = database, .kept_file = cluster->lock_file},
		"making the private server's database", err))
		return false;
	return publish(cluster, err);
}
