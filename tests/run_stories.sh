#!/usr/bin/env bash
# Tells each story again: runs its commands ("    $ COMMAND", continued by "    > MORE") in an empty folder with an empty
# database, and shows a diff where what they print is not what the story says.
#   tests/run_stories.sh [STORY...]          all stories where none is named
#   tests/run_stories.sh --write STORY...    writes what happened into the stories instead: read the change before it is kept
set -uo pipefail
cd "$(dirname "$0")/.."
. tests/support/report.sh
. tests/support/server.sh

write=false
if [ "${1-}" = --write ]; then
	write=true
	shift
fi
[ $# -gt 0 ] || set -- README.md docs/formats.md docs/price-books.md docs/support.md tests/stories/*.story

run() {
	local output code=0
	output=$(eval "$1" 2>&1 </dev/null) || code=$?
	[ -z "$output" ] || printf '%s\n' "$output" | sed 's/^/    /'
	[ "$code" = 0 ] || echo "    (exit $code)"
}

tell() {
	local line command= fenced=false
	while IFS= read -r line || [ -n "$line" ]; do
		# What stands between two ``` is shown, not told again.
		case $fenced$line in
		'true```'*) fenced=false ;;
		'false```'*) fenced=true ;;
		esac
		if $fenced && [ -z "$command" ]; then
			printf '%s\n' "$line"
			continue
		fi
		case $line in
		'    > '*)
			printf '%s\n' "$line"
			command+=$'\n'${line#????> }
			continue
			;;
		esac
		[ -z "$command" ] || { run "$command"; command=; }
		case $line in
		'    $ '*)
			printf '%s\n' "$line"
			command=${line#????\$ }
			;;
		'    '*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$1"
	[ -z "$command" ] || run "$command"
}

number=0
for story in "$@"; do
	number=$((number + 1))
	place=$room/story_$number
	mkdir "$place" && ln -s "$top/examples" "$place/examples"
	new_database "story_$number"
	(cd "$place" && tell "$top/$story") >"$place.told"
	if $write; then cp "$place.told" "$top/$story"; fi
	check "story: $(basename "$story" .story)" diff -u --label "$story, as it is written" --label "as it happened" "$story" "$place.told"
done
report
