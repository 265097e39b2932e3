#!/usr/bin/env bash
# Every statement file is prepared against the migrated schema: a misspelt column or a schema left out stops here, and the
# types of its parameters are those that its comments promise.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

# The session every connection of tollbook has: names must be qualified.
session="SET search_path = pg_catalog;"

promised_types() {
	awk '/^-- \$[0-9]+(\.\.\$[0-9]+)? / {
		from = to = $2; sub(/\.\..*/, "", from); sub(/.*\.\./, "", to)
		for (i = substr(from, 2) + 0; i <= substr(to, 2) + 0; i++) { type[i] = $3; sub(/[,:]$/, "", type[i]) }
		if (i - 1 > n) n = i - 1
	} END { for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? "," : ""), type[i] }' "$1"
}

prepares() {
	local file=$1 result
	result=$(psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" 2>&1 <<-END
		$session
		PREPARE statement AS $(cat "$file")
		SELECT CASE WHEN parameter_types = '{$(promised_types "$file")}'::text[]::regtype[] THEN 'as promised'
		            ELSE 'parameters are ' || parameter_types::text || ', promised {$(promised_types "$file")}' END
		  FROM pg_prepared_statements;
	END
	)
	[ "$result" = 'as promised' ] || { printf '%s\n' "$result"; return 1; }
}

# COPY cannot be prepared.  In text format it takes no rows as it is; what it gives is thrown away.
copies_in() { { echo "$session"; sed 's/ *(FORMAT binary)//' "$1"; printf '\\.\n'; } | psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB"; }
copies_out() { { echo "$session"; cat "$1"; } | psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" >"$room/copied"; }

new_database prepare_all
check "the schema is made" tollbook init
check "it is up to date the second time" tollbook init
for file in $(find sql -name '*.sql' -not -path 'sql/migrations/*' | sort); do
	name=${file#sql/}
	case $(grep -v '^--' "$file") in
	'CREATE '* | 'SET '* | 'LOCK '* | 'VACUUM '*) ;; # nothing that could be prepared: run by every init, every start, every report
	'COPY '*'FROM STDIN'*) check "copies in: ${name%.sql}" copies_in "$file" ;;
	'COPY '*) check "copies out: ${name%.sql}" copies_out "$file" ;;
	*) check "prepares: ${name%.sql}" prepares "$file" ;;
	esac
done
report
