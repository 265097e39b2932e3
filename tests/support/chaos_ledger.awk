# The ledger that usage of chaos_input.awk must give, a line a row, in no order; shares nothing with tollbook.  Each identity
# counts once.  A correction or void takes back the row that it names, under that row's time and series.
function text(name, from) {
	if (!match(from, "\"" name "\":\"[^\"]*\"")) return ""
	return substr(from, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
}
function number(name, from) {
	if (!match(from, "\"" name "\":[0-9]+")) return ""
	return substr(from, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}
function row(kind, who, time, model, sign) {
	printf "%d|%s|%s|%s|%d|%d|%d\n", kind, who, time, model, sign * requests, sign * input, sign * output
}
{
	who = text("subject", $0) "|" text("source", $0) "|" text("id", $0)
	if (who in time_of) next
	kind = text("kind", $0)
	time = time_of[who] = text("time", $0)
	model = text("model", $0); requests = number("requests", $0)
	input = number("input_text_uncached_tokens", $0); output = number("output_text_tokens", $0)
	if (kind != "") {
		ref = substr($0, index($0, "\"ref\":"))
		original = text("subject", $0) "|" text("source", ref) "|" text("id", ref)
		time = time_of[who] = time_of[original]
	}
	if (kind != "void") {
		row(1, who, time, model, 1)
		model_of[who] = model
		quantities[who] = requests " " input " " output
	}
	if (kind != "") {
		split(quantities[original], quantity, " ")
		requests = quantity[1]; input = quantity[2]; output = quantity[3]
		row(2, who, time, model_of[original], -1)
	}
}
