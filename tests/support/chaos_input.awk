# Usage for a topic, a line a record, line i for partition (i - 1) % PARTITIONS: new events, one in twenty-five said again in any
# partition, one in a hundred with the id of an event of another tenant's, one in a hundred a correction or void of an event that
# stands earlier in the same partition, and now and then its repetition there.
#   awk -v COUNT=N -v SEED=N -v PARTITIONS=N -v DAYS='YYYY-MM-DD...' -v PREFIX=TEXT -f chaos_input.awk
# A quarter of the events is within a tenth of a second of midnight.
function random(below) { state = state * 16807 % 2147483647; return int(state / 2147483647 * below) }
function instant(day) {
	if (random(4) > 0) return sprintf("%sT%02d:%02d:%02d.%03dZ", day, random(24), random(60), random(60), random(1000))
	return random(2) ? sprintf("%sT23:59:59.%03dZ", day, 900 + random(100)) : sprintf("%sT00:00:00.%03dZ", day, random(100))
}
function quantities() {
	return sprintf("{\"requests\":1,\"input_text_uncached_tokens\":%d,\"output_text_tokens\":%d}", 1 + random(9000), 1 + random(2000))
}
function record(id, tenant, data) {
	return sprintf("{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gateway-%d\",\"id\":\"%s\",\"subject\":\"t%d\",\"time\":\"%s\",\"data\":{%s}}", \
		tenant % 3, id, tenant, instant(day[1 + random(days)]), data)
}
function usage(id, tenant) {
	return record(id, tenant, sprintf("\"operation\":\"chat\",\"provider\":\"p\",\"model\":\"m%d\",\"quantities\":%s", random(2), quantities()))
}
function taken_back(id, original, tenant) {
	original = sprintf("\"ref\":{\"source\":\"/gateway-%d\",\"id\":\"%s\"},", tenant % 3, original)
	if (random(3) == 0) return record(id, tenant, "\"kind\":\"void\"," original "\"quantities\":{}")
	return record(id, tenant, "\"kind\":\"correction\"," original "\"operation\":\"chat\",\"provider\":\"p\",\"model\":\"m" random(2) "\",\"quantities\":" quantities())
}
BEGIN {
	state = SEED % 2147483646 + 1
	for (i = 0; i < 5; i++) random(1)
	days = split(DAYS, day, " ")
	for (i = 1; i <= COUNT; i++) {
		partition = (i - 1) % PARTITIONS
		chance = random(100)
		if (chance < 4 && events > 0) {
			print line[1 + random(events)]
		} else if (chance < 5 && events > namesakes) {
			print usage(id_of[++namesakes], 90 + i % 7)
		} else if (chance < 6 && (partition in waiting)) {
			print said[partition] = taken_back("c" PREFIX i, id_of[waiting[partition]], tenant_of[waiting[partition]])
			delete waiting[partition]
		} else if (chance < 7 && (partition in said)) {
			print said[partition]
			delete said[partition]
		} else {
			tenant = random(8)
			events++
			id_of[events] = PREFIX i
			tenant_of[events] = tenant
			print line[events] = usage(PREFIX i, tenant)
			if (!(partition in waiting) || random(10) == 0) waiting[partition] = events
		}
	}
}
