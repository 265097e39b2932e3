#!/usr/bin/env bash
# The program's quotes and a second, slow rater agree to the 18th decimal, on random price books and random usage.
#   PROPERTY_CASES   how many; 200 where it is not set
#   PROPERTY_SEED    which; the seed of a run that failed repeats it
#   PROPERTY_FIRST   the first case, 1 where it is not set: a single case is PROPERTY_FIRST=N PROPERTY_CASES=1
#   PROPERTY_WITHOUT, PROPERTY_ONLY   parts of the language, comma between them (FEATURES in generate.py)
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
build=${BUILD:-build}
cases=${PROPERTY_CASES:-200}
seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
keep=$build/property
export PYTHONDONTWRITEBYTECODE=1

only=()
[ -z "${PROPERTY_ONLY+set}" ] || only=(--only "$PROPERTY_ONLY")
mkdir -p "$keep"
python3 tests/property/slow_rater.py --self-test >"$keep/self_test" || true
cat "$keep/self_test"
passed=$((passed + $(grep -c '^ok - ' "$keep/self_test"))) failed=$((failed + $(grep -c '^not ok - ' "$keep/self_test")))
check "the second rater has cases computed by hand" [ "$(grep -c '^ok - ' "$keep/self_test")" -ge 20 ]

vectors=${TOLLBOOK_SHARED:-../shared}/data/vectors
if [ -d "$vectors" ]; then
	check "the second rater agrees with tables of other projects" python3 tests/property/vectors.py "$vectors"
else
	skip "the second rater against tables of other projects: $vectors is not there"
fi

echo "seed $seed, $cases cases"
check "seed $seed: quotes of $cases random books and usages agree with the second rater" \
	python3 tests/property/run_cases.py --program "$build/tollbook" --seed "$seed" --first "${PROPERTY_FIRST:-1}" --cases "$cases" \
	--keep "$keep" --without "${PROPERTY_WITHOUT:-}" ${only[@]+"${only[@]}"}
# Cases that once differed: requests without tags before those with tags; held usage that counted in its month and not in its year.
for case in 31337/581 31337/500 8675309/328; do
	check "a case that once differed agrees: $case" python3 tests/property/run_cases.py --program "$build/tollbook" \
		--seed "${case%/*}" --first "${case#*/}" --cases 1 --keep "$keep" --without ''
done
report
