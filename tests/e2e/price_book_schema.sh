#!/usr/bin/env bash
# The schemas of price books and tenant files say what the program says: both know the same meters and keys, and judge the same files
# alike, but for what a schema cannot say (tests/data/*/beyond_schema.txt).
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

books=tests/data/price_books contracts=tests/data/tenants
book_schema=docs/price-book.schema.json tenant_schema=docs/tenants.schema.json
schema() { /usr/bin/python3 tests/support/schema.py "$@"; }

# The program's word on each file of a folder: "FILE: yes", or "FILE: " and why not.  The first file that is refused is told on
# standard error, so one that is no book comes first.
book_verdicts() {
	echo '?' >"$room/no-book"
	tollbook prices check --with "$books/base.json" "$room/no-book" "$1"/*.json 2>/dev/null |
		sed -nE 's|^.*/([0-9]+\.json)[0-9:]*: error: |\1: |p; s|^.*/([0-9]+\.json): .*: fine, .*|\1: yes|p'
}
tenant_verdicts() {
	local file said
	for file in "$1"/*.json; do
		if said=$(tollbook tenant apply --dry-run --quiet "$file" 2>&1); then said=yes; else said=$(head -n 1 <<<"$said"); fi
		printf '%s: %s\n' "$(basename "$file")" "$said"
	done
}
# books_agree FOLDER, tenants_agree FOLDER
books_agree() { schema agree "$book_schema" "$1" "$books/beyond_schema.txt" < <(book_verdicts "$1"); }
tenants_agree() { schema agree "$tenant_schema" "$1" "$contracts/beyond_schema.txt" < <(tenant_verdicts "$1"); }
# all_said WORD SCHEMA FOLDER: the schema's own word on every file, so that agreement is not on the wrong side.
all_accepted() { schema valid "$1" "$2"/*.json; }
all_refused() { local file; for file in "$2"/*.json; do ! schema valid "$1" "$file" >/dev/null || { cat "$file"; return 1; }; done; }

new_database schema
check "the database is set up" tollbook init

# Price books.
check "the schema of price books has the meters of ledger/meters.def" schema meters "$book_schema" ledger/meters.def
check "it accepts every example" schema valid "$book_schema" examples/prices/*.json examples/support/list-*.json
check "and the two books of this test" schema valid "$book_schema" "$books/base.json" "$books/every_key.json"
check "tollbook accepts them too" tollbook prices check --with "$books/base.json" "$books/base.json" "$books/every_key.json"
check "every key of the schema stands in them" schema keys "$book_schema" "$books/every_key.json"
check "copies with one change are made" schema change "$books/every_key.json" "$room/changed-book"
check "each is judged alike: a key left out, one added, a value of another type" books_agree "$room/changed-book"
check "books that are right in more ways are made" schema patch "$books/every_key.json" "$room/good-books" <"$books/accepted.txt"
check "each is accepted by both" books_agree "$room/good-books"
check "and by the schema" all_accepted "$book_schema" "$room/good-books"
check "books that are wrong are made" schema patch "$books/every_key.json" "$room/bad-books" <"$books/refused.txt"
check "each is refused by both" books_agree "$room/bad-books"
check "and by the schema" all_refused "$book_schema" "$room/bad-books"

# Tenant files.
check "the schema of tenant files has the meters of ledger/meters.def" schema meters "$tenant_schema" ledger/meters.def
check "it accepts every example" schema valid "$tenant_schema" examples/tenants.json examples/tenants-traces.json examples/tour-tenants.json examples/support/tenants.json
check "and the file of this test" schema valid "$tenant_schema" "$contracts/every_key.json"
check "tollbook accepts it too" tollbook tenant apply --dry-run --quiet "$contracts/every_key.json"
check "every key of the schema stands in it" schema keys "$tenant_schema" "$contracts/every_key.json"
echo '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": []}' >"$room/issuer.json"
check "the issuer is known, so that a file need not name it" tollbook tenant apply --quiet "$room/issuer.json"
check "files that are right in more ways are made" schema patch "$contracts/every_key.json" "$room/good-tenants" <"$contracts/accepted.txt"
check "each is accepted by both" tenants_agree "$room/good-tenants"
check "and by the schema" all_accepted "$tenant_schema" "$room/good-tenants"
check "files that are wrong are made" schema patch "$contracts/every_key.json" "$room/bad-tenants" <"$contracts/refused.txt"
check "each is refused by both" tenants_agree "$room/bad-tenants"
check "and by the schema" all_refused "$tenant_schema" "$room/bad-tenants"
report
