/*
 * generate.c -- writes canonical usage events as NDJSON to standard output, fast: `generate EVENTS [DUPLICATES [TENANTS]]`, where
 * DUPLICATES out of a thousand are followed, a little later, by the same line again, and TENANTS are t00000, t00001 ..., half of the
 * events being a hundredth's of them.  The same arguments give the same bytes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 256, LINE = 640, MONTH_SECONDS = 31 * 86400 };

static uint64_t seed = 20261001;

/* Park and Miller's generator, as in examples/generate.awk. */
static uint32_t
draw(uint32_t below)
{
	seed = seed * 16807 % 2147483647;
	return (uint32_t)(seed % below);
}

static const char *const tenants[] = {"acme", "acme", "acme", "blue", "ceres"};
static uint32_t tenant_count;

static const char *
draw_tenant(void)
{
	static char name[16];

	if (tenant_count == 0)
		return tenants[draw(sizeof tenants / sizeof tenants[0])];
	snprintf(name, sizeof name, "t%05" PRIu32, draw(2) == 0 ? draw(tenant_count / 100 + 1) : draw(tenant_count));
	return name;
}

static const struct {
	const char *name, *provider;
} models[] = {
    {"gpt-5-mini", "openai"},
    {"claude-sonnet-4-5", "anthropic"},
    {"deepseek-chat", "deepseek"},
    {"gemini-2.5-flash", "gcp.gemini"},
    {"kimi-k2", "moonshot_ai"},
    {"qwen3-32b", "self"},
};

/* Long-tailed: half below some 7,000, a few up to 130,000. */
static uint32_t
draw_input(void)
{
	uint32_t base = 100 + draw(13000), shape = draw(100);

	return shape < 85 ? base : shape < 97 ? base * 3 : base * 10;
}

static int
write_event(char *line, uint64_t number, uint64_t events)
{
	uint32_t model = draw(sizeof models / sizeof models[0]), input = draw_input(), output = 1 + draw(700);
	uint32_t cached = input * draw(75) / 100 / 512 * 512, thought = model == 0 ? output / 3 : 0;
	uint64_t second = number * (MONTH_SECONDS - 86400) / events + 43200;

	return snprintf(line, LINE,
	    "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw/eu-1\",\"id\":\"req-%012" PRIx64
	    "%04" PRIx32 "\",\"time\":\"2026-10-%02dT%02d:%02d:%02d.%03dZ\",\"subject\":\"%s\",\"data\":{\"operation\":\"chat\","
	    "\"provider\":\"%s\","
	    "\"model\":\"%s\",\"status\":\"completed\",\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":%" PRIu32
	    ",\"input_text_cache_read_tokens\":%" PRIu32 ",\"output_text_tokens\":%" PRIu32
	    ",\"output_reasoning_tokens\":%" PRIu32 "}}}\n",
	    number, draw(65536), (int)(second / 86400 + 1), (int)(second / 3600 % 24), (int)(second / 60 % 60),
	    (int)(second % 60), (int)draw(1000), draw_tenant(), models[model].provider, models[model].name, input - cached,
	    cached, output - thought, thought);
}

static bool
put(const char *line, int length)
{
	return length > 0 && length < LINE && fwrite(line, 1, (size_t)length, stdout) == (size_t)length;
}

int
main(int count, char **arguments)
{
	static char lines[KEPT][LINE];
	uint64_t events = count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
	uint32_t duplicates = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 0;
	int lengths[KEPT];

	tenant_count = count > 3 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 0;
	if (events == 0) {
		fputs("usage: generate EVENTS [DUPLICATES-IN-A-THOUSAND [TENANTS]]\n", stderr);
		return 2;
	}
	for (uint64_t i = 0; i < events; i++) {
		char *line = lines[i % KEPT];
		uint64_t earlier = i > KEPT ? (i + 1) % KEPT : i % KEPT;

		lengths[i % KEPT] = write_event(line, i, events);
		if (!put(line, lengths[i % KEPT]) || (draw(1000) < duplicates && !put(lines[earlier], lengths[earlier]))) {
			perror("generate");
			return 1;
		}
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
