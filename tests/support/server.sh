# Sourced by test scripts that need a database: one private server in a folder of its own, stopped when the script ends.
#   new_database NAME   makes an empty database there and points TOLLBOOK_DB at it
#   sql TEXT            runs SQL on it and prints the rows, unaligned
# $room is a folder for the script's files, removed at the end.  $build says which tollbook is tested.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-build}
PATH=$top/$build:$PATH
export PATH
unset TOLLBOOK_DB PGHOST PGSERVICE PGDATABASE PGHOSTADDR PGPORT PGUSER PGOPTIONS
export USER=tester
# No configuration, also where this machine has one.
export TOLLBOOK_CONFIG=/dev/null

# The server may run under another user, who must be able to get to its folder.
room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
chmod 711 "$room"
# A script that sets $home before has its cluster there, and it is kept.
export TOLLBOOK_HOME=${home:-$room/home}

# What ends with the script: functions, the last first.  One that fails makes the script fail.
at_end=(server_end)
server_end() { tollbook local stop --quiet; }
script_end() {
	local code=$? i
	for ((i = ${#at_end[@]} - 1; i >= 0; i--)); do "${at_end[i]}" || code=1; done
	rm -rf "$room"
	exit "$code"
}
trap script_end EXIT
trap 'exit 130' INT TERM

server=$(tollbook local start) || exit 1

new_database() {
	psql -X -q -v ON_ERROR_STOP=1 -d "$server" -c "CREATE DATABASE \"$1\"" || exit 1
	export TOLLBOOK_DB="${server/dbname=tollbook/dbname=$1}"
}

use_database() { export TOLLBOOK_DB="${server/dbname=tollbook/dbname=$1}"; }

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "$1"; }
