# document.awk -- see document.sh: facts from standard input, then the document.
BEGIN { FS = "\t" }
FNR == 1 { files++ }
files == 1 { value[$1] = $2; unit[$1] = $3; what[$1] = $4; target[$1] = $5; next }
function is_met(found, wanted,    part) {
	split(wanted, part, " ")
	return part[1] == ">=" ? found + 0 >= part[2] + 0 : found + 0 <= part[2] + 0
}
function grouped(number,    sign, whole, rest, out) {
	split(number, rest, ".")
	whole = rest[1]
	while (length(whole) > 3) { out = "," substr(whole, length(whole) - 2) out; whole = substr(whole, 1, length(whole) - 3) }
	return whole out (rest[2] == "" ? "" : "." rest[2])
}
function shown(name) { return name in value ? grouped(value[name]) (unit[name] == "" ? "" : " " unit[name]) : "–" }
function plain_table(count, names,    i) {
	print "| | found |\n|---|---:|"
	for (i = 1; i <= count; i++) print "| " (names[i] in what ? trimmed(what[names[i]]) : names[i]) " | " shown(names[i]) " |"
}
function trimmed(text) { sub(/^ +/, "", text); return text }
function target_table(count, names,    i, name) {
	print "| | found | wanted | |\n|---|---:|---:|---|"
	for (i = 1; i <= count; i++) {
		name = names[i]
		print "| " (name in what ? trimmed(what[name]) : name) " | " shown(name) " | " (name in target ? target[name] : "") " | " (name in value ? (is_met(value[name], target[name]) ? "yes" : "no") : "") " |"
	}
}
function product(name, factor, places, units) { return name in value ? grouped(sprintf("%.*f", places, value[name] * factor)) " " units : "–" }
function sum_of(one, other, third) { return value[one] + value[other] + (third == "" ? 0 : value[third]) }
function cpu(one, other, third, factor, units) { return one in value ? grouped(sprintf("%.1f", sum_of(one, other, third) * factor)) " " units : "–" }
# A billion events: 1e9 x microseconds / 3.6e9 are core hours; a month of 30 days has 2,592,000 seconds.
function cost_table() {
	print "| a billion events a month | by formula | comes to |\n|---|---|---:|"
	print "| on average | 10^9 / 30 days | 386 events/s |"
	print "| ingest from files, CPU of tollbook and PostgreSQL | (ledger_client_us + ledger_server_us) x 10^9 | " cpu("ledger_client_us", "ledger_server_us", "", 1000 / 3600, "core hours") " |"
	print "| consume from Kafka, CPU of tollbook, PostgreSQL and the broker | (consume_client_us + consume_server_us + consume_broker_us) x 10^9 | " cpu("consume_client_us", "consume_server_us", "consume_broker_us", 1000 / 3600, "core hours") " |"
	print "| the same, cores that are busy all month | / 720 hours | " cpu("consume_client_us", "consume_server_us", "consume_broker_us", 1000 / 3600 / 720, "cores") " |"
	print "| hours on the machine of the table above, file to ledger | 10^9 / ledger_rate | " ("ledger_rate" in value ? sprintf("%.1f", 1e9 / value["ledger_rate"] / 3600) " hours" : "–") " |"
	print "| hours of summing | 10^9 / sum_one | " ("sum_one" in value ? sprintf("%.1f", 1e9 / value["sum_one"] / 3600) " hours" : "–") " |"
	print "| disk for ledger and register | ledger_bytes x 10^9 | " product("ledger_bytes", 1, 0, "GB") " |"
	print "| of that the register, for ever | flat_register_bytes x 10^9 | " product("flat_register_bytes", 1, 0, "GB") " |"
	print "| an archived month instead of its ledger rows | 15 bytes an event were measured, 32 with random ids | 15 to 32 GB |"
	print "| WAL | ledger_wal x 10^9 | " product("ledger_wal", 1, 0, "GB") " |"
	print "| memory of each writing process for filters, beside 400 MiB | 13 bits x all events ever | 1.6 GB |"
}
/^<!-- (facts|targets|cost)/ {
	print
	words = split($0, word, " ")
	count = 0
	for (i = 3; i < words; i++) names[++count] = word[i]
	if (word[2] == "cost") cost_table()
	else if (word[2] == "targets") target_table(count, names)
	else plain_table(count, names)
	skipping = 1
	next
}
/^<!-- end -->/ { skipping = 0 }
!skipping { print }
