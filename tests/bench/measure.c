/*
 * measure.c -- runs a program and appends to a file what it took: `measure FILE COMMAND [ARGUMENT...]` writes
 * "wall_ms user_ms system_ms peak_kb exit_code" and ends with the program's exit code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t
milliseconds(int64_t seconds, int64_t nanoseconds)
{
	return seconds * 1000 + nanoseconds / 1000000;
}

int
main(int count, char **arguments)
{
	struct timespec from, upto;
	struct rusage used;
	int status;
	pid_t child;
	FILE *out;

	if (count < 3) {
		fputs("usage: measure FILE COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	child = fork();
	if (child == 0) {
		execvp(arguments[2], arguments + 2);
		perror(arguments[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child) {
		perror("measure");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &upto);
	out = fopen(arguments[1], "a");
	if (out == NULL)
		return 1;
	fprintf(out, "%lld %lld %lld %ld %d\n",
	    (long long)(milliseconds(upto.tv_sec, upto.tv_nsec) - milliseconds(from.tv_sec, from.tv_nsec)),
	    (long long)milliseconds(used.ru_utime.tv_sec, used.ru_utime.tv_usec * 1000),
	    (long long)milliseconds(used.ru_stime.tv_sec, used.ru_stime.tv_usec * 1000), used.ru_maxrss,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	if (fclose(out) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
