# Sourced after report.sh and server.sh by tests that compare what two ways of working leave behind.
#   books_digest [REGEXP]   a line for each table (that the expression matches): its name, rows, digest; see books_digest.sql
#   books_rows [REGEXP]     the rows themselves, to see where two differ
#   files_digest FOLDER     a line for each file below: its digest, its name; of a night's manifest, what it says is its own
books_digest() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -v "tables=${1:-.*}" -f tests/support/books_digest.sql; }
books_rows() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -v "tables=${1:-.*}" -v rows=1 -f tests/support/books_digest.sql; }
files_digest() {
	python3 - "$1" <<'END'
import hashlib, json, os, sys
for folder, folders, names in sorted(os.walk(sys.argv[1])):
    for name in sorted(names):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            content = file.read()
        shown = os.path.relpath(path, sys.argv[1])
        is_manifest = shown.startswith("nights" + os.sep) and name.endswith(".json") and not name.startswith(".")
        print(json.loads(content)["digest"] if is_manifest else hashlib.sha256(content).hexdigest(), shown)
END
}
# same SENTENCE GOT WANTED: as equal(), of texts that are long: the first lines that differ are shown.
same() {
	local differs
	if [ -n "$3" ] && [ "$2" = "$3" ]; then ok "$1"; return; fi
	not_ok "$1"
	differs=$(diff <(printf '%s\n' "$3") <(printf '%s\n' "$2"))
	printf '%s\n' "$differs" | head -n 20 | cut -c 1-300 | sed 's/^/    /'
}
