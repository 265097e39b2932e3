#!/usr/bin/env bash
# Shows what `tollbook prices quote` says as arithmetic, a line for each charge; docs/price-books.md uses it.
#   examples/quote.sh BOOK OPTION...    by default for 2026-10-01T12:00:00Z
set -uo pipefail
rows=$(tollbook prices quote --book "$1" --as-of 2026-10-01T12:00:00Z --format csv "${@:2}")
code=$?
awk -F, '
	NR == 1 { next }
	{
		kind = $4; meter = $5; as = $6; tier = $8; quantity = $9; billed = $10; price = $11; per = $12; amount = $13
		why = $14
		for (i = 15; i <= NF; i++)
			why = why "," $i
		gsub(/^"|"$/, "", why)
		step = tier > 0 ? "step " tier : ""
		why = step (step != "" && why != "" ? ", " : "") why
		what = meter == "" ? kind : meter (as == "" ? "" : " as " as) (kind == "usage" ? "" : ", " kind)
		sum = meter == "" ? "" : billed " x " price (per == 1 ? "" : " / " per) " = "
		units = billed == quantity || kind != "usage" ? "" : quantity " billed as "
		print what ": " units sum amount (why == "" ? "" : "   (" why ")")
	}' <<<"$rows"
exit "$code"
