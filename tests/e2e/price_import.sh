#!/usr/bin/env bash
# Public price lists become price books that `prices check` takes: the invented ones of examples/ to the line, real ones whole.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
PATH=$PWD/${BUILD:-build}:$PATH
export PATH
room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
trap 'rm -rf "$room"' EXIT
lists=examples/price-lists
real=${TOLLBOOK_SHARED:-../shared}/data

# import LIST FILE [OPTION...]: the book and the report of it, in the room under the list's name.
import() {
	local list=$1 file=$2
	shift 2
	tollbook prices import "$list" "$file" --effective 2026-08-21 -o "$room/$list.json" --report "$room/$list.report" "$@" 2>"$room/$list.said"
}
# has SENTENCE FILE TEXT: some line of the file has the text.
has() { check "$1" grep -qF -- "$3" "$room/$2"; }
reasons() { sed 's/.*"reason": "\([^"]*\)", "imported": \([a-z]*\).*/\2 \1/' "$room/$1.report" | LC_ALL=C sort | uniq -c | sed 's/^ *//'; }

for list in litellm genai-prices openrouter models-dev; do
	file=$(ls "$lists/$list".*)
	check "$list: the example is imported" import "$list" "$file"
	check "$list: prices check takes the book" tollbook prices check "$room/$list.json"
	mv "$room/$list.json" "$room/$list.first"
	check "$list: it is imported again" import "$list" "$file"
	check "$list: the book has the same bytes again" cmp "$room/$list.json" "$room/$list.first"
	equal "$list: standard output is the book where no file is named" \
		"$(tollbook prices import "$list" "$file" --effective 2026-08-21 --quiet | cmp - "$room/$list.json" 2>&1)" ''
done

has "litellm: a price for a token is one for a million, to the digit" litellm.json \
	'"brackets": [{ "price": "0.0375" }, { "over": 200000, "price": "0.075" }], "per": 1000000'
has "litellm: a tier without the field has the standard price of the threshold" litellm.json \
	'"brackets": [{ "price": "0.06" }, { "over": 200000, "price": "0.075" }]'
has "litellm: a tier that has no price takes the standard one" litellm.json '"priority": { "inherit": "default" }'
has "litellm: a price of zero is a price" litellm.json '"output_text_tokens": { "price": "0", "per": 1000000 }'
has "litellm: the residue of a binary fraction is told with what was kept" litellm.report \
	'"value": "1.2000000000000002e-06", "reason": "the residue of a binary fraction is taken off", "imported": true, "kept": "0.0000012"'
has "litellm: an unknown price key is told" litellm.report '"field": "moonlight_cost_per_token"'
equal "litellm: everything that is told, by reason" "$(reasons litellm)" \
	"2 false a price by something that usage does not state
1 false a price that is not in the currency of the list
1 false an entry none of whose prices can be said; each is told on its own
1 false an entry without any price
1 false an unknown price key
1 false no meter counts this
1 false the entry prices the same by tokens; both would charge it twice
1 true the price for a search context of medium size is taken
1 true the residue of a binary fraction is taken off"
has "litellm: the summary counts entries" litellm.said '9 entries: 7 priced by 24 rules, 2 without a price'

has "genai-prices: an hour is an hour" genai-prices.json '"audio_input_seconds": { "price": "0.36", "per": "hour" }'
has "genai-prices: off-peak is a window" genai-prices.json '"times": [{ "window": "00:30 to 16:30 UTC", "price": "0.27" }]'
has "genai-prices: a match is a pattern" genai-prices.json '"model_pattern": "(?i:aurora-1)|(?i:aurora-1-2026.*)", "provider": "northlight"'
check "genai-prices: --all writes a book for each date" import genai-prices "$lists/genai-prices.json" --all
equal "genai-prices: they have their dates in their names" "$(cd "$room" && ls genai-prices.2*.json | tr '\n' ' ')" \
	"genai-prices.2026-08-21.json genai-prices.2026-09-01.json "
check "genai-prices: prices check takes each" tollbook prices check "$room/genai-prices.2026-08-21.json" "$room/genai-prices.2026-09-01.json"
has "genai-prices: the later one has the later prices" genai-prices.2026-09-01.json '{ "over": 200000, "price": "22.5" }'
check "genai-prices: one provider" import genai-prices "$lists/genai-prices.json" --provider southwind
equal "genai-prices: the rules of one provider ask for none" "$(grep -c '"provider"' "$room/genai-prices.json")" 0

has "openrouter: a second name is an alias" openrouter.json '"northlight/aurora-1-20260801": "northlight/aurora-1"'
has "openrouter: a price that varies is told" openrouter.report '"entry": "southwind/auto", "field": "prompt", "value": "-1"'
has "models-dev: provider and model" models-dev.json '"model": "aurora-1", "provider": "southwind"'
has "models-dev: an entry without a price is told" models-dev.report '"entry": "southwind/aurora-1-plan"'

refused "a list that is not known is refused" 2 'there is no price list "pricelist"' tollbook prices import pricelist "$lists/litellm.json"
refused "a file that is another list is refused" 3 'a list of providers' tollbook prices import genai-prices "$lists/litellm.json"
refused "a provider that is not in the list is refused" 3 'a book of 0 rules' \
	tollbook prices import models-dev "$lists/models-dev.csv" --provider nobody
refused "--all needs a file to write to" 2 '--all needs --output' tollbook prices import genai-prices "$lists/genai-prices.json" --all

# whole LIST FILE ENTRIES RULES
whole() {
	local list=$1 file=$2
	if [ ! -r "$real/$file" ]; then skip "$list: the real list $file is not there"; return; fi
	check "$list: the real list is imported" import "$list" "$real/$file"
	has "$list: it has $3 entries" "$list.said" "$3 entries: "
	equal "$list: the book has $4 rules" "$(grep -c '^    {$' "$room/$list.json")" "$4"
	check "$list: prices check takes the book of the real list" tollbook prices check "$room/$list.json"
}
whole litellm litellm/model_prices_2026-08-01.json 2985 3206
whole genai-prices genai-prices/data.json 1466 3392
whole openrouter openrouter/models_pricing_2026-08-01.csv 336 331
whole models-dev models-dev/models_cost.csv 4777 4716

report
