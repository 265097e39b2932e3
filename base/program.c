/* program.c -- see program.h. */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_RUN = 127 };

static bool
account_fill(const struct passwd *entry, struct account *out, struct error *err)
{
	int length = snprintf(out->name, sizeof out->name, "%s", entry->pw_name);

	if (length < 0 || (size_t)length >= sizeof out->name)
		return error_set(err, ERROR_STATE, "the user name \"%s\" is too long", entry->pw_name);
	out->uid = entry->pw_uid;
	out->gid = entry->pw_gid;
	return true;
}

bool
account_by_name(const char *name, struct account *out, struct error *err)
{
	const struct passwd *entry = getpwnam(name);

	if (entry == NULL)
		return error_set(err, ERROR_STATE, "there is no user \"%s\" on this machine", name);
	return account_fill(entry, out, err);
}

bool
account_by_uid(uid_t uid, struct account *out, struct error *err)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry == NULL)
		return error_set(err, ERROR_STATE, "user %lu has no name on this machine", (unsigned long)uid);
	return account_fill(entry, out, err);
}

bool
account_own(struct account *out, struct error *err)
{
	return account_by_uid(geteuid(), out, err);
}

/* In the child, for good. */
static bool
become(const struct account *account)
{
	return account == NULL ||
	    (initgroups(account->name, account->gid) == 0 && setgid(account->gid) == 0 && setuid(account->uid) == 0);
}

static bool
cannot_fork(struct error *err)
{
	error_set(err, ERROR_AWAY, "no process could be started: %s", strerror(errno));
	return error_hint(err, "The machine is out of processes, file descriptors or memory; try again.");
}

static bool
wait_for(pid_t child, int *exit_code, struct error *err)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(err, ERROR_AWAY, "a started process could not be waited for: %s", strerror(errno));
	*exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* --- who may go where -------------------------------------------------------------------------- */

/* The length of the first `depth` folders of an absolute path; depth 0 is "/". */
static size_t
prefix_length(const char *path, int depth)
{
	size_t length = 0;

	if (depth == 0)
		return 1;
	for (int seen = 0; path[length] != '\0'; length++)
		if (path[length] == '/' && length > 0 && ++seen == depth)
			break;
	return length;
}

/* In the child: 1 + the depth of the first closed folder as exit code, or 0. */
static int
closed_depth(const char *path)
{
	char prefix[PATH_MAX];
	size_t length = 0, whole = strlen(path);

	for (int depth = 0; length < whole; depth++) {
		length = prefix_length(path, depth);
		memcpy(prefix, path, length);
		prefix[length] = '\0';
		if (access(prefix, X_OK) != 0)
			return depth + 1;
	}
	return 0;
}

bool
account_first_closed(const struct account *account, const char *path, struct text *out, struct error *err)
{
	int exit_code;
	pid_t child;

	must(path[0] == '/');
	if (strlen(path) >= PATH_MAX)
		return error_set(err, ERROR_STATE, "the path \"%.40s...\" is too long", path);
	child = fork();
	if (child < 0)
		return cannot_fork(err);
	if (child == 0)
		_exit(become(account) ? closed_depth(path) : NOT_RUN);
	if (!wait_for(child, &exit_code, err))
		return false;
	if (exit_code >= NOT_RUN)
		return error_set(err, ERROR_STATE, "this process cannot act as the user \"%s\"", account->name);
	if (exit_code > 0)
		text_add(out, path, prefix_length(path, exit_code - 1));
	return true;
}

/* --- running ----------------------------------------------------------------------------------- */

/* A file descriptor to read the input from. */
static int
open_input(const char *input)
{
	int ends[2];
	size_t length;

	if (input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	length = strlen(input);
	must(length <= PROGRAM_INPUT); /* a pipe takes that much without a reader */
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	if (write(ends[1], input, length) != (ssize_t)length) {
		close(ends[0]);
		ends[0] = -1;
	}
	close(ends[1]);
	return ends[0];
}

static void start(const struct program *program, int input, int output) __attribute__((noreturn));

/* In the child. */
static void
start(const struct program *program, int input, int output)
{
	bool ready = dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;

	/* PostgreSQL's programs insist on a working folder that they may enter. */
	ready = ready && (program->kept_file == 0 || fcntl(program->kept_file, F_SETFD, 0) == 0) && become(program->account) &&
	    chdir("/") == 0;
	umask(077);
	if (ready)
		(void)execv(program->arguments[0], (char *const *)(uintptr_t)program->arguments);
	dprintf(STDERR_FILENO, "%s: %s", program->arguments[0], strerror(errno));
	_exit(NOT_RUN);
}

static void
read_output(int file, struct text *output)
{
	char buffer[4096];
	size_t kept = 0;

	for (;;) {
		ssize_t length = read(file, buffer, sizeof buffer);
		size_t room = PROGRAM_OUTPUT - kept;

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return;
		text_add(output, buffer, (size_t)length < room ? (size_t)length : room);
		kept += (size_t)length < room ? (size_t)length : room;
	}
}

bool
program_run(const struct program *program, int *exit_code, struct text *output, struct error *err)
{
	int ends[2], input = open_input(program->input);
	pid_t child;

	if (input < 0)
		return cannot_fork(err);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		close(input);
		return cannot_fork(err);
	}
	child = fork();
	if (child == 0)
		start(program, input, ends[1]);
	close(input);
	close(ends[1]);
	if (child > 0)
		read_output(ends[0], output);
	close(ends[0]);
	if (child < 0)
		return cannot_fork(err);
	return wait_for(child, exit_code, err);
}
