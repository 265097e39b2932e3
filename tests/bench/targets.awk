# targets.awk -- facts of results.sh to a table of those that have a target; with json=1 all of them as a JSON array.
BEGIN {
	FS = "\t"
	if (json) printf "["
	else printf "%-74s %12s %-10s %-12s %s\n", "", "found", "", "wanted", "met"
}
function text(string) { gsub(/["\\]/, "\\\\&", string); return "\"" string "\"" }
function is_met(value, target,    part) {
	split(target, part, " ")
	return part[1] == ">=" ? value + 0 >= part[2] + 0 : value + 0 <= part[2] + 0
}
json {
	printf "%s\n {\"fact\": %s, \"value\": %s, \"unit\": %s, \"what\": %s", NR == 1 ? "" : ",", text($1), $2 + 0 == $2 ? $2 : text($2), text($3), text($4)
	if ($5 != "") printf ", \"target\": %s, \"met\": %s", text($5), is_met($2, $5) ? "true" : "false"
	printf "}"
	next
}
$5 != "" { printf "%-74s %12s %-10s %-12s %s\n", $4, $2, $3, $5, is_met($2, $5) ? "yes" : "NO" }
END { if (json) print "\n]" }
