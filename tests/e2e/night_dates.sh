#!/usr/bin/env bash
# Which night it is: clocks that go wrong, and an instant that would lie before the last one.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

# night AT ZONE OPTION...
night() {
	local at=$1 zone=$2
	shift 2
	tollbook nightly --set night.at="$at" --set night.zone="$zone" --quiet "$@"
}
nights() { sql "SELECT string_agg(to_char(night, 'MM-DD') || to_char(at, ' = MM-DD HH24:MI'), ', ' ORDER BY night) FROM finance.night_run"; }

new_database dates
check "the books are set up" tollbook init --quiet
check "the first night, in New York at 22:00" night 22:00 America/New_York --as-of 2026-11-03T03:00:00Z
refused "a clock that is behind it is not taken for a night that is done" 4 'the night of 2026-11-02 was run, and has not come yet by this clock' \
	night 22:00 America/New_York --as-of 2026-11-03T02:59:59Z
refused "a night that somebody names is done all the same" 9 '' night 22:00 America/New_York --date 2026-11-02 --as-of 2026-11-03T03:10:00Z
refused "a time of night that was put off is no wrong clock" 9 '' night 23:30 America/New_York --as-of 2026-11-03T03:10:00Z
refused "in Kiritimati, at 00:30 of the third, it was still the second's morning: the night would lie before the last one" 4 \
	'the night of 2026-11-03 would be at 2026-11-02T10:30:00Z, but the one before it was at 2026-11-03T03:00:00Z' \
	night 00:30 Pacific/Kiritimati --as-of 2026-11-03T11:00:00Z
equal "nothing was begun" "$(nights)" "11-02 = 11-03 03:00"
check "in Auckland, at 22:00, it is later" night 22:00 Pacific/Auckland --as-of 2026-11-03T09:00:00Z
equal "and the night is run" "$(nights)" "11-02 = 11-03 03:00, 11-03 = 11-03 09:00"
report
