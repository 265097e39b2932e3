#!/usr/bin/env bash
# The private server: made on first use, started on demand, safe against kill -9, against two callers at once, and against
# other users.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
root=$(id -u)

state() { tollbook local status --format csv | tr -d '\r' | sed -n '2s/,.*//p'; }
show() { tollbook local psql -- -X -A -t -c "SHOW $1"; }
in_home() { TOLLBOOK_HOME=$1 "${@:2}"; }
in_home_stop() { TOLLBOOK_HOME=$1 tollbook local stop --quiet; }

equal "the helper's server runs" "$(state)" running
equal "it does not listen on TCP" "$(show listen_addresses)" ''
equal "its pages have checksums" "$(show data_checksums)" on
equal "a commit waits for the disk" "$(show fsync) $(show synchronous_commit)" 'on on'
equal "it keeps UTC" "$(show timezone)" UTC
equal "its folder is closed to others" "$(stat -c %a "$TOLLBOOK_HOME/run")" 700
equal "starting it again changes nothing" "$(tollbook local start)" "$server"

check "it stops" tollbook local stop
equal "it is stopped then" "$(state)" stopped
check "stopping it again is fine" tollbook local stop
check "a verb that needs it starts it" tollbook init
equal "it runs then" "$(state)" running

server_process() { head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid"; }
crash() {
	local process
	process=$(server_process) && kill -9 "$process"
	while kill -0 "$process" 2>/dev/null; do sleep 0.05; done
}
check "the server is killed" crash
check "a verb starts it again, over the pid file left behind" tollbook init
equal "and it runs" "$(state)" running

# Where somebody else has that number by now.
tollbook local stop --quiet
printf '%s\n%s\n1\n5432\n../run\n\n\nready\n' "$$" "$TOLLBOOK_HOME/data" >"$TOLLBOOK_HOME/data/postmaster.pid"
[ "$root" != 0 ] || chown "$(stat -c %u:%g "$TOLLBOOK_HOME/data")" "$TOLLBOOK_HOME/data/postmaster.pid"
check "a pid file that names another program's process does not stop it" tollbook local start

# Killed while it makes the cluster: at several moments of the first second.
for delay in 0.02 0.1 0.2 0.3 0.4 0.6; do
	other=$room/killed_$delay
	TOLLBOOK_HOME=$other tollbook local start >"$room/killed.out" 2>&1 &
	process=$!
	sleep "$delay"
	kill -9 "$process" 2>/dev/null
	wait "$process" 2>/dev/null
	check "killed after $delay s, the next start makes a whole cluster" in_home "$other" tollbook init
	in_home_stop "$other"
done

# Four callers at once on a folder that is not there.
other=$room/several
processes=()
for caller in 1 2 3 4; do
	TOLLBOOK_HOME=$other tollbook local psql -- -X -A -t -c 'SELECT 1' >"$room/caller_$caller" 2>&1 &
	processes+=($!)
done
wait "${processes[@]}"
equal "four first callers at once are all served" "$(cat "$room"/caller_? | tr '\n' ' ')" '1 1 1 1 '
in_home_stop "$other"

# The folder can be moved while the server is down.
mv "$other" "$room/moved"
check "a moved folder works as before" in_home "$room/moved" tollbook local start
in_home_stop "$room/moved"

long=$room/$(printf 'x%.0s' {1..90})
refused "a path too long for a socket is refused with the remedy" 4 'to a path of at most' in_home "$long" tollbook local start
refused "a name that a shell would read is refused" 4 'without quotes' in_home "$room/\$x" tollbook local start
refused "programs that are not there are refused with the remedy" 4 'TOLLBOOK_PG_BIN' \
	env TOLLBOOK_HOME="$room/none" TOLLBOOK_PG_BIN="$room" tollbook local start

damage() {
	tollbook local stop --quiet
	echo 'shared_buffers = nonsense' >>"$TOLLBOOK_HOME/data/postgresql.conf"
}
damage
refused "where it cannot start, the server's own words are shown" 5 'nonsense' tollbook local start
sed -i '$d' "$TOLLBOOK_HOME/data/postgresql.conf"
check "and it starts when that is mended" tollbook local start

if [ "$root" = 0 ]; then
	mkdir -m 700 "$room/closed"
	refused "a folder that the server's user cannot reach is named" 4 "$room/closed" in_home "$room/closed/home" tollbook local start

	# Another user, even with all doors open, is not taken by the server.
	chmod 755 "$TOLLBOOK_HOME" "$TOLLBOOK_HOME/run"
	chmod 777 "$TOLLBOOK_HOME/run/.s.PGSQL.5432"
	refused "the server does not take another user" 2 'Peer authentication failed' \
		runuser -u nobody -- psql -X -d "$server" -c 'SELECT 1'
	chmod 700 "$TOLLBOOK_HOME/run"

	# Without root it runs under its caller.
	mkdir -m 755 "$room/own" && cp "$top/$build/tollbook" "$room/own/tollbook" && mkdir "$room/own/area" && chown nobody "$room/own/area"
	as_nobody() { runuser -u nobody -- env TOLLBOOK_HOME="$room/own/area/home" "$room/own/tollbook" "$@"; }
	check "another user has a server of their own" as_nobody init
	equal "which belongs to them" "$(stat -c %U "$room/own/area/home/data")" nobody
	check "and root can look at it" in_home "$room/own/area/home" tollbook local psql -- -X -c 'TABLE tollbook.migration'
	check "and stop it" in_home "$room/own/area/home" tollbook local stop
	check "and start it, still under its owner" in_home "$room/own/area/home" tollbook local start
	check "so that the owner can stop it" as_nobody local stop
else
	skip "what root and other users may do needs root to be tried"
fi
report
