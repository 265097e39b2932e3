/*
 * cut_proxy.c -- a network that is cut at COMMIT: `cut_proxy SOCKET EVERY HOW[,HOW...] SILENT_SECONDS`.
 *
 * Listens on a free port of the loopback interface, prints that port, and carries bytes between its clients and the PostgreSQL
 * server at the Unix socket SOCKET.  Of the protocol it knows one message, a client's simple query COMMIT.  Every EVERY-th one
 * of those, over all connections, it cuts, in one of these ways in turn:
 *   before   the client's connection ends, and the server never sees the COMMIT
 *   after    the server gets the COMMIT, and the client's connection ends before the reply
 *   silent   the server gets the COMMIT, the reply is swallowed, and the client hears nothing until its connection ends
 *            SILENT_SECONDS later
 * Each cut is a line on standard output, "of a merge" where what was committed is a merge of the dedupe register, not a batch.  It knows neither TLS nor GSSAPI; clients ask for none (sslmode=disable
 * gssencmode=disable).
 */
#include <err.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LINKS = 32, CHUNK = 1 << 16, MOST_HOWS = 8 };

enum how { BEFORE, AFTER, SILENT };
/* A simple query: its type, its length without the type, its text. */
static const unsigned char commit[] = {'Q', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', '\0'};
static const char *const how_names[] = {"before", "after", "silent"};

/* One client and its connection to the server; client -1 where it was cut off and the server is still to answer. */
struct link {
	int client, server;
	int64_t cut_ms; /* when a silence ends, or 0 */
	bool merged;    /* a merge of the register has been said since the last COMMIT */
};

static struct link links[MOST_LINKS];
static size_t link_count;
static const char *server_path;
static unsigned long every, commits, cuts;
static enum how hows[MOST_HOWS];
static size_t how_count;
static long silent_ms;

static int64_t
now_ms(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		err(1, "no clock");
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* --- connections ------------------------------------------------------------------------------ */

static int
listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		err(1, "cannot listen");
	printf("%u\n", (unsigned)ntohs(address.sin_port));
	return listener;
}

static void
accept_client(int listener)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int client = accept(listener, NULL, NULL), server = socket(AF_UNIX, SOCK_STREAM, 0);

	if (client < 0 || server < 0)
		err(1, "cannot accept a client");
	memcpy(address.sun_path, server_path, strlen(server_path) + 1);
	if (link_count < MOST_LINKS && connect(server, (const struct sockaddr *)&address, sizeof address) == 0) {
		links[link_count++] = (struct link){.client = client, .server = server};
		return;
	}
	close(client);
	close(server);
}

static void
end(int *file)
{
	if (*file >= 0)
		close(*file);
	*file = -1;
}

static void
end_link(struct link *link)
{
	end(&link->client);
	end(&link->server);
}

/* False where the other side is gone. */
static bool
send_all(int to, const unsigned char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		bytes += sent;
		length -= (size_t)sent;
	}
	return true;
}

static void
pass_on(struct link *link, const unsigned char *bytes, size_t length)
{
	if (!send_all(link->server, bytes, length))
		end_link(link);
}

static void
cut(struct link *link)
{
	enum how how = hows[cuts++ % how_count];

	printf("cut %s%s\n", how_names[how], link->merged ? " of a merge" : "");
	if (how == SILENT)
		link->cut_ms = now_ms() + silent_ms;
	else
		end(&link->client);
	if (how == BEFORE)
		end(&link->server);
	else
		pass_on(link, commit, sizeof commit);
}

/* A client waits for the reply to what it said before, then says COMMIT, so that message comes alone. */
static void
hear_client(struct link *link, const unsigned char *bytes, size_t length)
{
	/* The register is merged in transactions of its own, between batches. */
	link->merged = link->merged || memmem(bytes, length, "register_merge_done", strlen("register_merge_done")) != NULL;
	if (length == sizeof commit && memcmp(bytes, commit, sizeof commit) == 0 && ++commits % every == 0)
		cut(link);
	else
		pass_on(link, bytes, length);
	if (length == sizeof commit && memcmp(bytes, commit, sizeof commit) == 0)
		link->merged = false;
}

/* --- the loop --------------------------------------------------------------------------------- */

static void
carry(struct link *link, bool from_client)
{
	static unsigned char bytes[CHUNK];
	ssize_t got = recv(from_client ? link->client : link->server, bytes, sizeof bytes, 0);

	if (got <= 0)
		end_link(link);
	else if (from_client)
		hear_client(link, bytes, (size_t)got);
	/* What comes for a client that was cut off, or that is to hear nothing, is dropped. */
	else if (link->client >= 0 && link->cut_ms == 0 && !send_all(link->client, bytes, (size_t)got))
		end_link(link);
	/* The reply came, so the server is done; one that is silent keeps its client. */
	else if (link->client < 0)
		end_link(link);
}

static void
drop_ended(void)
{
	size_t left = 0;

	for (size_t i = 0; i < link_count; i++) {
		if (links[i].cut_ms > 0 && now_ms() >= links[i].cut_ms)
			end_link(&links[i]);
		if (links[i].server >= 0)
			links[left++] = links[i];
	}
	link_count = left;
}

static void
turn(int listener)
{
	struct pollfd files[1 + 2 * MOST_LINKS] = {{.fd = listener, .events = POLLIN}};
	size_t count = link_count;

	/* A negative descriptor is passed over. */
	for (size_t i = 0; i < count; i++) {
		files[1 + 2 * i] = (struct pollfd){.fd = links[i].client, .events = POLLIN};
		files[2 + 2 * i] = (struct pollfd){.fd = links[i].server, .events = POLLIN};
	}
	if (poll(files, 1 + 2 * count, 100) < 0)
		err(1, "cannot wait");
	for (size_t i = 0; i < count; i++) {
		if (files[1 + 2 * i].revents != 0)
			carry(&links[i], true);
		if (files[2 + 2 * i].revents != 0 && links[i].server >= 0)
			carry(&links[i], false);
	}
	if (files[0].revents != 0)
		accept_client(listener);
	drop_ended();
}

static void
read_hows(char *list)
{
	for (char *name = list, *next; name != NULL; name = next) {
		size_t how = 0;

		next = strchr(name, ',');
		if (next != NULL)
			*next++ = '\0';
		while (how < 3 && strcmp(name, how_names[how]) != 0)
			how++;
		if (how == 3 || how_count == MOST_HOWS)
			errx(1, "not a way to cut: %s", name);
		hows[how_count++] = (enum how)how;
	}
}

int
main(int argc, char **argv)
{
	int listener;

	if (argc != 5) {
		fputs("usage: cut_proxy SOCKET EVERY HOW[,HOW...] SILENT_SECONDS\n", stderr);
		return 2;
	}
	server_path = argv[1];
	every = strtoul(argv[2], NULL, 10);
	silent_ms = strtol(argv[4], NULL, 10) * 1000;
	if (every == 0 || silent_ms <= 0 || strlen(server_path) >= sizeof((struct sockaddr_un *)NULL)->sun_path)
		errx(1, "EVERY and SILENT_SECONDS are numbers from 1, SOCKET is a path that fits");
	read_hows(argv[3]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	listener = listen_somewhere();
	for (;;)
		turn(listener);
}
