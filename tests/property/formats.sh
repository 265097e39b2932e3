#!/usr/bin/env bash
# Random usage that is true, written as each vendor writes it by tests/property/formats.py, becomes the meters that it was made of; and
# where one of its counts is one more than the others say, it is set aside.
#   PROPERTY_RECORDS   how many of each writer; 200 where it is not set
#   PROPERTY_SEED      which; the seed of a run that failed repeats it
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/formats.sh

seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')} records=${PROPERTY_RECORDS:-200}
while IFS= read -r line; do
	case $line in
	"ok - "*) ok "${line#ok - }" ;;
	"not ok - "*) not_ok "${line#not ok - } (PROPERTY_SEED=$seed)" ;;
	*) printf '%s\n' "$line" ;;
	esac
done < <(python3 tests/property/formats.py "$seed" "$records" 2>&1 || echo 'not ok - every record becomes what it was made of')
check "30 writers of 25 formats were asked" test $((passed + failed)) -ge 30
report
