# Invents a month of usage (October 2026) for three tenants, the same on every machine and with every awk: its own random
# numbers, whole numbers only.  The shape follows public traces of chat traffic: half of the requests bring less than some
# 7,000 input tokens and one in a hundred more than 85,000, a good third of the input comes from the cache in blocks of 512,
# answers have some 350 tokens.
#
#   awk -v OUT=DIR -f generate.awk     writes DIR/usage-1.ndjson   canonical events of the gateway /gw/eu-1
#                                             DIR/usage-2.ndjson   the short form, source /gw/us-1
#                                             DIR/usage-3.csv      a partner's own columns
#
# In it on purpose: one record in a hundred twice, a few of them with another time; one identity with two contents; two lines
# that are no events; usage of a tenant without a contract; usage that comes more than 35 days late; a correction; a void.
BEGIN {
	seed = 20261001
	input_points = points(input_share, input_tokens, "0 100 5 600 10 1200 25 3000 50 6900 75 13500 90 28000 95 45000 99 85000 100 126000")
	output_points = points(output_share, output_tokens, "0 1 10 40 25 140 50 350 75 480 90 700 99 1500 100 2000")

	# Where October begins in the tenant's zone, in seconds from 2026-10-01T00:00:00Z, and how long it is there.
	starts["acme"] = 4 * 3600; lasts["acme"] = 31 * 86400            # New York
	starts["blue"] = starts["ceres"] = -2 * 3600                     # Berlin, where summer time ends in it
	lasts["blue"] = lasts["ceres"] = 31 * 86400 + 3600
	starts["nobody"] = 0; lasts["nobody"] = 31 * 86400

	provider["gpt-5-mini"] = "openai"; provider["claude-sonnet-4-5"] = "anthropic"; provider["deepseek-chat"] = "deepseek"
	provider["gemini-2.5-flash"] = "gcp.gemini"; provider["kimi-k2"] = "moonshot_ai"; provider["qwen3-32b"] = "self"

	canonical(OUT "/usage-1.ndjson", 12000)
	short(OUT "/usage-2.ndjson", 5000)
	partner(OUT "/usage-3.csv", 3000)
}

# Park and Miller's generator: products stay below 2^53, so every awk computes them exactly.
function random(below) { seed = seed * 16807 % 2147483647; return seed % below }

function points(share, value, text,  part, n, i) {
	n = split(text, part, " ")
	for (i = 1; i * 2 <= n; i++) { share[i] = part[i * 2 - 1] * 100; value[i] = part[i * 2] }
	return n / 2
}
# A number whose distribution goes straight from point to point.
function drawn(share, value, n,  u, i) {
	u = random(10000)
	for (i = 2; i < n && u >= share[i]; i++) ;
	return value[i - 1] + int((value[i] - value[i - 1]) * (u - share[i - 1]) / (share[i] - share[i - 1]))
}

function pick_tenant(  u) { u = random(1000); return u < 600 ? "acme" : u < 850 ? "blue" : u < 998 ? "ceres" : "nobody" }
function pick_model(who,  u) {
	u = random(100)
	if (who == "acme") return u < 45 ? "gpt-5-mini" : u < 75 ? "claude-sonnet-4-5" : u < 90 ? "gemini-2.5-flash" : "deepseek-chat"
	if (who == "blue") return u < 40 ? "deepseek-chat" : u < 70 ? "kimi-k2" : u < 90 ? "qwen3-32b" : "gpt-5-mini"
	return u < 50 ? "gemini-2.5-flash" : u < 80 ? "qwen3-32b" : "claude-sonnet-4-5"
}

# One request, into tenant, model, tier, at, input, cached, written, output, thought; number i of n in its file.
function draw(i, n) {
	tenant = pick_tenant(); model = pick_model(tenant)
	tier = random(100) < 8 ? "batch" : "default"
	at = starts[tenant] + int(lasts[tenant] / n * i) + random(int(lasts[tenant] / n))
	input = drawn(input_share, input_tokens, input_points)
	cached = random(100) < 30 ? 0 : int(int(input / 512) * (7 + random(94)) / 100) * 512
	written = provider[model] == "anthropic" && random(4) == 0 ? int((input - cached) / 1024) * 512 : 0
	output = drawn(output_share, output_tokens, output_points)
	thought = model == "gpt-5-mini" ? int(output * random(60) / 100) : 0
}

function two(number) { return sprintf("%02d", number) }
# `t` seconds from the first of October, with milliseconds, "T" or " " between date and time.
function stamp(t, between,  day, month) {
	day = t < 0 ? -1 : int(t / 86400); t -= day * 86400
	month = day < 0 ? 9 : day < 31 ? 10 : 11
	day = day < 0 ? 30 : day < 31 ? day + 1 : day - 30
	return "2026-" two(month) "-" two(day) between two(int(t / 3600)) ":" two(int(t / 60) % 60) ":" two(t % 60) "." sprintf("%03d", (t * 7919) % 1000)
}

function envelope(id, at, who) {
	return "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw/eu-1\",\"id\":\"" id "\",\"time\":\"" stamp(at, "T") \
		"Z\",\"subject\":\"" who "\",\"datacontenttype\":\"application/json\",\"data\":{"
}
function quantities(fresh, cached, written, said, thought) {
	return "\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":" fresh ",\"input_text_cache_read_tokens\":" cached \
		(written > 0 ? ",\"input_text_cache_write_5m_tokens\":" written : "") ",\"output_text_tokens\":" said \
		(thought > 0 ? ",\"output_reasoning_tokens\":" thought : "") "}"
}
function details() {
	return "\"operation\":\"chat\",\"provider\":\"" provider[model] "\",\"model\":\"" model "\"" \
		(tier == "batch" ? ",\"service_tier\":\"batch\"" : "") ",\"status\":\"completed\",\"attribution\":{\"project_id\":\"project-" \
		random(5) + 1 "\",\"api_key_id\":\"key-" random(3) + 1 "\"},"
}

function canonical(file, n,  i, about, tail) {
	for (i = 0; i < n; i++) {
		draw(i, n); about = details()
		tail = about quantities(input - cached - written, cached, written, output - thought, thought) "}}"
		print envelope("eu1-" i, at, tenant) tail > file
		if (i % 100 == 50) print envelope("eu1-" i, i % 1000 == 50 ? at + 1 : at, tenant) tail > file
		if (i == 4000) print envelope("eu1-" i, at, tenant) about quantities(input + 1, 0, 0, output, 0) "}}" > file
		if (i == 6000) print substr(envelope("eu1-cut", at, tenant) tail, 1, 180) > file
		if (i == 7000) print envelope("eu1-less", at, tenant) about "\"quantities\":{\"requests\":1,\"output_text_tokens\":-5}}}" > file
		if (i == 8000) print envelope("eu1-" i "-final", at, tenant) "\"kind\":\"correction\",\"ref\":{\"source\":\"/gw/eu-1\",\"id\":\"eu1-" i "\"}," about \
			quantities(input - cached - written, cached, written, output - thought + 100, thought) "}}" > file
		if (i == 9000) print envelope("eu1-" i "-void", at, tenant) "\"kind\":\"void\",\"ref\":{\"source\":\"/gw/eu-1\",\"id\":\"eu1-" i "\"},\"quantities\":{}}}" > file
	}
	close(file)
}

function short(file, n,  i, line) {
	for (i = 0; i < n; i++) {
		draw(i, n)
		line = "{\"idempotency_key\":\"us1-" i "\",\"source\":\"/gw/us-1\",\"tenant\":\"" tenant "\",\"time\":\"" stamp(at, "T") "Z\",\"model\":\"" model \
			"\",\"input_tokens\":" input ",\"cached_input_tokens\":" cached ",\"output_tokens\":" output ",\"reasoning_tokens\":" thought \
			(tier == "batch" ? ",\"service_tier\":\"batch\"" : "") ",\"project\":\"project-" random(5) + 1 "\"}"
		print line > file
		if (i % 100 == 50) print line > file
	}
	close(file)
}

function partner(file, n,  i, line) {
	print "request,customer,finished_utc,model,tier,prompt_tokens,prompt_cached,completion_tokens" > file
	for (i = 0; i < n; i++) {
		draw(i, n)
		line = "p-" i "," tenant "," stamp(at, " ") "," model "," tier "," input "," cached "," output
		print line > file
		if (i % 100 == 50) print line > file
	}
	close(file)
}
