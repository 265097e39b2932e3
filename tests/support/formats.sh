# Sourced by tests of usage formats that need no database: $room is a folder for the script's files, removed at the end; $build
# says which tollbook is tested.
#   told NAME [FACT...]     what `formats try` makes of tests/data/formats/NAME.ndjson (or .sse, .json), as format_lines.py says it,
#                           with the options that the first line of NAME.expected has
#   as_expected NAME...     one check a format: each record becomes what NAME.expected says
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) PATH=$build:$PATH ;; *) PATH=$top/$build:$PATH ;; esac
export PATH TOLLBOOK_CONFIG=/dev/null
data=tests/data/formats

room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM

# Behind the file's name in "# tollbook formats try NAME FILE OPTIONS".
try_options() { sed -n '1s/^# tollbook formats try [^ ]* [^ ]* *//p' "$data/$1.expected"; }
data_file() {
	local kind
	for kind in ndjson sse json; do
		[ ! -f "$data/$1.$kind" ] || { echo "$data/$1.$kind"; return; }
	done
}
# try NAME FILE [OPTION...]: objects a line; records that are set aside are no failure here.
try() {
	local code=0
	tollbook formats try "$@" --json --all --quiet --as-of 2026-11-05 || code=$?
	[ "$code" = 0 ] || [ "$code" = 7 ] || echo "{\"record\": 0, \"outcome\": \"exit code $code\"}"
}
told() {
	local name=$1 options
	shift
	read -ra options < <(try_options "$name")
	# Asked for many facts, the program is run once.
	[ -f "$room/$name.told" ] || try "$name" "$(data_file "$name")" "${options[@]}" >"$room/$name.told"
	tests/support/format_lines.py "$@" <"$room/$name.told"
}
as_expected() {
	local name
	for name; do
		check "$name: each of $(($(wc -l <"$data/$name.expected") - 1)) records becomes what it should" \
			diff -u --label expected --label told <(tail -n +2 "$data/$name.expected") <(told "$name")
	done
}
