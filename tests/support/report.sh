# Sourced by test scripts: each thing proved is one line, "ok - SENTENCE" or "not ok - SENTENCE", which tests/check.sh counts.
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); printf 'ok - %s\n' "$1"; }
not_ok() { failed=$((failed + 1)); printf 'not ok - %s\n' "$1"; }

# check SENTENCE COMMAND...: true where the command succeeds; what it printed is shown where it does not.
check() {
	local sentence=$1 output
	shift
	if output=$("$@" 2>&1); then ok "$sentence"; else not_ok "$sentence"; printf '%s\n' "$output" | sed 's/^/    /'; fi
}

# equal SENTENCE GOT WANTED
equal() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; printf '    got:    %s\n    wanted: %s\n' "$2" "$3"; fi
}

# refused SENTENCE EXIT-CODE TEXT COMMAND...: true where the command ends with this exit code and says this text.
refused() {
	local sentence=$1 wanted=$2 text=$3 output code=0
	shift 3
	output=$("$@" 2>&1) || code=$?
	if [ "$code" = "$wanted" ] && grep -qF -- "$text" <<<"$output"; then ok "$sentence"; return; fi
	not_ok "$sentence"
	printf '    exit code %s, wanted %s with "%s"\n' "$code" "$wanted" "$text"
	printf '%s\n' "$output" | sed 's/^/    /'
}

skip() { skipped=$((skipped + 1)); printf 'SKIPPED: %s\n' "$1"; }

# The last thing a script does.
report() {
	printf '%d passed, %d failed%s\n' "$passed" "$failed" "$([ "$skipped" = 0 ] || printf ', %d skipped' "$skipped")"
	[ "$failed" = 0 ]
}
