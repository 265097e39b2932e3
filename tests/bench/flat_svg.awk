# flat_svg.awk -- draws flat.csv, and flat_old.csv where it is given, as an SVG: events a second over events in the ledger.  A dot is one
# million (or what a step was), the line the middle one of the five around it.  Steps with a note are left out.
BEGIN {
	FS = ","
	left = 76; top = 56; width = 760; height = 300; right = 24; bottom = 64
}
FNR == 1 { curves++; next }
$NF != "" { last_events[curves] = $1; next }
{
	i = ++count[curves]
	at[curves, i] = $1
	rate[curves, i] = ($1 - last_events[curves]) * 1000 / $2
	last_events[curves] = $1
	if ($1 > most_events) most_events = $1
	if (rate[curves, i] > most_rate) most_rate = rate[curves, i]
}
function nice_step(most, parts,    raw, size) {
	raw = most / parts
	for (size = 1; size * 10 <= raw; size *= 10) { }
	return raw <= size ? size : raw <= 2 * size ? 2 * size : raw <= 5 * size ? 5 * size : 10 * size
}
function x_of(events) { return left + width * events / x_most }
function y_of(per_second) { return top + height - height * per_second / y_most }
function middle(curve, i,    from, upto, k, m, value, swap, n) {
	from = i - 2 < 1 ? 1 : i - 2
	upto = i + 2 > count[curve] ? count[curve] : i + 2
	n = 0
	for (k = from; k <= upto; k++) value[++n] = rate[curve, k]
	for (k = 2; k <= n; k++)
		for (m = k; m > 1 && value[m] < value[m - 1]; m--) { swap = value[m]; value[m] = value[m - 1]; value[m - 1] = swap }
	return value[int((n + 1) / 2)]
}
function words(number,    text) {
	if (number >= 1000000) return number / 1000000 " million"
	return number >= 1000 ? int(number / 1000) ",000" : number ""
}
function curve_of(curve,    i, points) {
	for (i = 1; i <= count[curve]; i++) {
		printf "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" fill-opacity=\"0.45\"/>\n", curve, x_of(at[curve, i]), y_of(rate[curve, i])
		points = points sprintf("%s%.1f,%.1f", i == 1 ? "" : " ", x_of(at[curve, i]), y_of(middle(curve, i)))
	}
	printf "<polyline class=\"l%d\" points=\"%s\"/>\n", curve, points
}
END {
	if (curves == 0 || count[1] == 0) exit 1
	x_step = nice_step(most_events, 10); x_most = x_step * int((most_events + x_step - 1) / x_step)
	y_step = nice_step(most_rate, 6); y_most = y_step * int(most_rate / y_step + 1)
	all_width = left + width + right; all_height = top + height + bottom
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", all_width, all_height, all_width, all_height
	print "<title>Events a second into the ledger, over how many it holds</title>"
	print "<style>"
	print "text { font: 13px sans-serif; fill: #24292f } .paper { fill: #ffffff } .grid { stroke: #d0d7de; stroke-width: 1 } .head { font-size: 15px; font-weight: bold }"
	print ".c1 { fill: #0969da } .l1 { stroke: #0969da } .c2 { fill: #bc4c00 } .l2 { stroke: #bc4c00 } polyline { fill: none; stroke-width: 2.5 }"
	print "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .paper { fill: #0d1117 } .grid { stroke: #30363d } .c1 { fill: #58a6ff } .l1 { stroke: #58a6ff } .c2 { fill: #f0883e } .l2 { stroke: #f0883e } }"
	print "</style>"
	printf "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", all_width, all_height
	printf "<text class=\"head\" x=\"%d\" y=\"22\">Events a second, over events in the ledger</text>\n", left
	printf "<circle class=\"c1\" cx=\"%d\" cy=\"38\" r=\"5\"/><text x=\"%d\" y=\"43\">tollbook ingest, file to ledger</text>\n", left + 6, left + 18
	if (curves > 1)
		printf "<circle class=\"c2\" cx=\"%d\" cy=\"38\" r=\"5\"/><text x=\"%d\" y=\"43\">COPY alone, register with one primary key (the design of before)</text>\n", left + 246, left + 258
	for (y = 0; y <= y_most; y += y_step)
		printf "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left, y_of(y), left + width, y_of(y), left - 8, y_of(y) + 4, words(y)
	for (x = 0; x <= x_most; x += x_step)
		printf "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(x), top + height, x_of(x), top + height + 5, x_of(x), top + height + 22, x / 1000000
	printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">millions of events in the ledger</text>\n", left + width / 2, top + height + 46
	for (curve = curves; curve >= 1; curve--) curve_of(curve)
	print "</svg>"
}
