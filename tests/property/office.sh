#!/usr/bin/env bash
# Months of an office at work, by chance: whatever support, finance and the nightly job do, in whatever order, the books hold; see office.py.
#   PROPERTY_OPERATIONS   how many; 250 where it is not set
#   PROPERTY_OFFICES      how many offices, each from its own seed; 1 where it is not set
#   PROPERTY_SEED         which; the seed of a run that failed repeats it
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
operations=${PROPERTY_OPERATIONS:-250}
export PYTHONDONTWRITEBYTECODE=1
works() {
	python3 tests/property/office.py --program "$build/tollbook" --seed "$1" --operations "$operations" --folder "$room/office_$office" \
		--every "$((operations > 1000 ? 250 : 50))" >"$room/office_$office/said" || { cat "$room/office_$office/said"; return 1; }
}
for ((office = 0; office < ${PROPERTY_OFFICES:-1}; office++)); do
	new_database "office_$office"
	mkdir -p "$room/office_$office"
	echo "seed $((seed + office)), $operations operations"
	check "seed $((seed + office)): after $operations random operations the books hold, and months cost what they are priced apart" works "$((seed + office))"
	tail -n 1 "$room/office_$office/said"
done
report
