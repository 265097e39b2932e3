#!/usr/bin/env bash
# The rules of the house; `make lint` builds what it needs first.
set -uo pipefail
cd "$(dirname "$0")/.."
. tests/support/report.sh

rooms=(base ledger ingest rating reports nightly)
build=${BUILD:-build}
mapfile -t sources < <(find "${rooms[@]}" tollbook.c -name '*.[ch]' | sort)
mapfile -t units < <(find "${rooms[@]}" tollbook.c -name '*.c' | sort)
mapfile -t statements < <(find sql -name '*.sql' | sort)

banned_words() { awk -f tests/lint/code.awk "${sources[@]}" | awk -v door=reports/output_xlsx.c -f tests/lint/words.awk; }
sql_text() { awk -v keep=strings -f tests/lint/code.awk "${units[@]}" | awk -f tests/lint/sql_text.awk; }
unfinished() { ! grep -rnwE 'TODO|FIXME' "${rooms[@]}" tollbook.c sql tests/unit docs examples README.md; }
shell_syntax() { local file; find tests examples .ci -type f \( -name '*.sh' -o -path '.ci/*' -o -path tests/kafka/broker \) | sort | while read -r file; do bash -n "$file" || return 1; done; }

run_cppcheck() {
	cppcheck --quiet -j 2 --std=c11 --enable=warning,portability,performance --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=unknownMacro --suppress=preprocessorErrorDirective --suppress=internalAstError \
		--cppcheck-build-dir="$build/cppcheck" -I. -I"$build/generated" -D__GNUC__ '-DTOLLBOOK_VERSION=""' "${units[@]}"
}
run_clang_tidy() { printf '%s\n' "${units[@]}" | xargs -P 2 -n 6 tests/lint/analyse clang-tidy; }

# Every verb explains itself with an example, and the documentation knows it.
verbs() { "$build/tollbook" help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p'; }
verbs_have_help() {
	local verb bad=0
	while read -r verb; do
		# shellcheck disable=SC2086
		"$build/tollbook" $verb --help | grep -A 1 '^example:' | grep -q tollbook || { echo "tollbook $verb --help has no example"; bad=1; }
	done < <(verbs)
	[ "$(verbs | wc -l)" -ge 20 ] || { echo "only these verbs were found: $(verbs | tr '\n' ',')"; bad=1; }
	return $bad
}
verbs_are_documented() {
	local verb bad=0
	while read -r verb; do
		grep -qE "^ +$verb +[a-z]" README.md || { echo "the list in README.md lacks: $verb"; bad=1; }
	done < <(verbs)
	return $bad
}

# What a record can be refused or flagged for is shown by a test.
codes_are_tested() {
	local code bad=0
	while read -r code; do
		grep -rqw "$code" tests/unit tests/e2e tests/stories || { echo "no test names: $code"; bad=1; }
	done < <(sed -nE 's/^REASON\(([A-Z0-9_]+),.*/\1/p' ledger/reason_codes.def; sed -nE 's/^FLAG\([0-9]+, ([A-Z0-9_]+),.*/\1/p' ledger/flags.def)
	return $bad
}

formatted() { find "${rooms[@]}" tests tollbook.c -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror; }

check "rooms include only what lies below them" awk -f tests/lint/arrows.awk "${sources[@]}"
check "each foreign library is known to one file" awk -f tests/lint/libraries.awk "${sources[@]}"
check "no banned call and no floating point in the code" banned_words
check "no SQL in C" sql_text
check "every SQL file says what it is for and what it binds" awk -f tests/lint/statements.awk "${statements[@]}"
check "nothing is left unfinished" unfinished
check "every C file is as make fmt leaves it" formatted
check "every shell script parses" shell_syntax
check "every verb has a help text with an example" verbs_have_help
check "every verb is in the documentation" verbs_are_documented
check "every reason code and flag is named in a test" codes_are_tested
mkdir -p "$build/cppcheck"
check "cppcheck finds nothing" run_cppcheck
check "clang-tidy finds nothing" run_clang_tidy
report
