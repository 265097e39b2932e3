#!/usr/bin/env bash
# Records that are broken, spoiled or made to break the reader, in every format that is compiled in: each is refused with its
# code, no number becomes another one, and the good records between them stay as they are.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/formats.sh

mapfile -t names < <(tollbook formats list --format csv | tail -n +2 | tr -d '"\r' | cut -d, -f1)
check "there are formats, many of them: ${#names[@]}" test "${#names[@]}" -gt 30
tests/support/format_hostile.py "$data" "$room" "${names[@]}" >"$room/said" 2>"$room/errors"
equal "the hostile records could be made, for every format" "$(cat "$room/errors") $(wc -l <"$room/said")" " ${#names[@]}"
while read -r name count wrong; do
	equal "$name: $count spoiled records are each refused with the right code, or mean what they meant" "$wrong" fine
done <"$room/said"
report
