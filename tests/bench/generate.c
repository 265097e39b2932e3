/*
 * generate.c -- writes canonical usage events as NDJSON to standard output, fast and like real load:
 * `generate EVENTS [DUPLICATES [TENANTS]] [--from N] [--of N] [--days N] [--odd]`.
 *
 * EVENTS of a stream of `--of` events (EVENTS and `--from`, where it is not said) are written, from number `--from` (0) on; the
 * stream goes evenly over `--days` (30) up to noon of 31 October 2026.  DUPLICATES out of a thousand are followed by an event that
 * was there before: half of them by the same one, a third by one of the last thousands, the others by any earlier one.  One tenant has
 * 60 % of the events, the others have theirs by Zipf's law; TENANTS are t00000, t00001 ..., or the three of examples/tenants.json.
 * `--odd` adds what goes wrong with time: of 100,000 events 500 come up to three days late, 50 one to two months late, 20 are of the
 * month to come, and 2 are of next year, which no clock allows.
 *
 * Each event is a function of its number: the same arguments give the same bytes, and so do the parts of a stream.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 640, DAY_SECONDS = 86400, LAST_DAY = 20758, BUFFER = 1 << 20 }; /* LAST_DAY: 2026-11-01, in days since 1970 */

struct stream {
	uint64_t first, events, all, days, duplicates, tenants;
	bool odd;
};

/* --- numbers that look random ------------------------------------------------------------------- */

static uint64_t
scramble(uint64_t number)
{
	number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
	return number ^ (number >> 31);
}

/* Below `below`, by the stream of one event (splitmix64). */
static uint32_t
draw(uint64_t *state, uint32_t below)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(((scramble(*state) >> 32) * below) >> 32);
}

/* --- token lengths ------------------------------------------------------------------------------ */

/* Quantiles of public traces at 0, 5, 10, 20, ... 90, 95, 99 and 100 %.  Chat and code: Azure LLM inference trace 2023 (Microsoft,
 * CC-BY-4.0).  Agents: conversation trace of Mooncake (FAST'25), whose cached share is that of an unbounded cache of prefixes.
 * Summaries: arXiv lengths in Vidur (Microsoft). */
enum { QUANTILES = 14, KINDS = 4 };
static const uint32_t quantile_at[QUANTILES] = {0, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 990, 1000};
static const struct kind {
	uint32_t share, input[QUANTILES], output[QUANTILES]; /* share: of 100 */
	bool caches;
} kinds[KINDS] = {
    {45, {2, 181, 207, 387, 403, 703, 1020, 1071, 1130, 1315, 2734, 4083, 6212, 14050},
	{7, 41, 54, 77, 91, 103, 129, 177, 384, 400, 424, 451, 601, 1000}, false},
    {30, {3, 75, 147, 386, 770, 1075, 1469, 1909, 2433, 3192, 5186, 7302, 7437, 7437},
	{6, 6, 7, 8, 9, 11, 13, 16, 20, 29, 55, 90, 252, 1899}, false},
    {20, {891, 901, 964, 1662, 3263, 4993, 6909, 9570, 13196, 17869, 27367, 39549, 85401, 126195},
	{1, 10, 24, 100, 213, 291, 350, 399, 447, 504, 597, 698, 1120, 2000}, true},
    {5, {1, 749, 1242, 1802, 2150, 2453, 2730, 2996, 3249, 3490, 3702, 3813, 3933, 4054},
	{5, 60, 78, 104, 125, 145, 167, 192, 222, 268, 372, 736, 3270, 4056}, false},
};
static const uint32_t cached_per_mille[QUANTILES] = {0, 17, 27, 52, 89, 145, 362, 537, 573, 835, 948, 975, 999, 1000};

static uint32_t
draw_quantile(uint64_t *state, const uint32_t *quantiles)
{
	uint32_t at = draw(state, 1000), place = 0;

	while (at >= quantile_at[place + 1])
		place++;
	return quantiles[place] +
	    (quantiles[place + 1] - quantiles[place]) * (at - quantile_at[place]) / (quantile_at[place + 1] - quantile_at[place]);
}

static const struct kind *
draw_kind(uint64_t *state)
{
	uint32_t at = draw(state, 100), kind = 0;

	while (at >= kinds[kind].share)
		at -= kinds[kind++].share;
	return &kinds[kind];
}

/* --- tenants and models ------------------------------------------------------------------------- */

/* 0 for 60 %, else 1 to count - 1 by Zipf's law: each doubling of the rank is as probable as the one before. */
static uint32_t
draw_rank(uint64_t *state, uint32_t count)
{
	uint32_t octaves = 0, rank;

	if (count < 2 || draw(state, 10) < 6)
		return 0;
	while ((count - 1) >> octaves != 0)
		octaves++;
	do {
		uint32_t octave = draw(state, octaves);

		rank = (1U << octave) + draw(state, 1U << octave);
	} while (rank >= count);
	return rank;
}

static const struct {
	const char *name, *provider;
	bool thinks;
} models[] = {
    {"gpt-5-mini", "openai", true},
    {"claude-sonnet-4-5", "anthropic", false},
    {"deepseek-chat", "deepseek", false},
    {"gemini-2.5-flash", "gcp.gemini", false},
    {"kimi-k2", "moonshot_ai", false},
    {"qwen3-32b", "self", false},
};

/* --- when --------------------------------------------------------------------------------------- */

/* Seconds since 1970. */
static uint64_t
draw_time(uint64_t *state, const struct stream *stream, uint64_t number)
{
	uint64_t span = stream->days * DAY_SECONDS, day = DAY_SECONDS;
	uint64_t begin =
	    LAST_DAY * day - day / 2 - span; /* half a day earlier: whatever the tenant's zone, nearly all is of October */
	uint64_t now = begin + span / stream->all * number + span % stream->all * number / stream->all;
	uint32_t fate = draw(state, 100000), late = draw(state, 30);

	/* What is shipped together did not end at the same moment. */
	if (!stream->odd || fate >= 572)
		return now > begin + late ? now - late : now;
	if (fate < 500)
		return now - draw(state, 3 * DAY_SECONDS);
	if (fate < 550)
		return now - 31 * day - draw(state, 30 * DAY_SECONDS);
	if (fate < 570)
		return LAST_DAY * day + draw(state, DAY_SECONDS);
	return (LAST_DAY + 90) * day + draw(state, DAY_SECONDS);
}

/* --- writing ------------------------------------------------------------------------------------ */

static char *
put_text(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

static char *
put_number(char *at, uint64_t number, int digits_least)
{
	char digits[20];
	int count = 0;

	while (number > 0 || count < digits_least) {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	}
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

static char *
put_hex(char *at, uint64_t number, int digits)
{
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[number >> shift & 15];
	return at;
}

/* Days since 1970 in the proleptic Gregorian calendar, years from March on. */
static char *
put_date(char *at, uint64_t days)
{
	uint64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;

	at = put_number(at, era * 400 + year + (month >= 10), 4);
	*at++ = '-';
	at = put_number(at, month < 10 ? month + 3 : month - 9, 2);
	*at++ = '-';
	return put_number(at, of_year - (153 * month + 2) / 5 + 1, 2);
}

static char *
put_time(char *at, uint64_t second, uint32_t millisecond)
{
	at = put_date(at, second / DAY_SECONDS);
	*at++ = 'T';
	at = put_number(at, second / 3600 % 24, 2);
	*at++ = ':';
	at = put_number(at, second / 60 % 60, 2);
	*at++ = ':';
	at = put_number(at, second % 60, 2);
	*at++ = '.';
	at = put_number(at, millisecond, 3);
	*at++ = 'Z';
	return at;
}

static char *
put_tenant(char *at, uint64_t *state, const struct stream *stream)
{
	static const char *const named[] = {"acme", "blue", "ceres"};

	if (stream->tenants == 0)
		return put_text(at, named[draw_rank(state, 3)]);
	*at++ = 't';
	return put_number(at, draw_rank(state, (uint32_t)stream->tenants), 5);
}

static char *
put_quantities(char *at, uint64_t *state, bool thinks)
{
	const struct kind *kind = draw_kind(state);
	uint32_t input = draw_quantile(state, kind->input), output = draw_quantile(state, kind->output);
	uint32_t share = kind->caches ? draw_quantile(state, cached_per_mille) : 0;
	uint32_t cached = (uint32_t)((uint64_t)input * share / 1000 / 128 * 128), thought = thinks ? output / 3 : 0;

	at = put_text(at, "{\"requests\":1,\"input_text_uncached_tokens\":");
	at = put_number(at, input - cached, 1);
	at = put_text(at, ",\"input_text_cache_read_tokens\":");
	at = put_number(at, cached, 1);
	at = put_text(at, ",\"output_text_tokens\":");
	at = put_number(at, output - thought, 1);
	at = put_text(at, ",\"output_reasoning_tokens\":");
	at = put_number(at, thought, 1);
	return put_text(at, "}");
}

/* Returns where it ends. */
static char *
put_event(char *at, const struct stream *stream, uint64_t number)
{
	uint64_t state = scramble(number + 20261001);
	uint32_t model = draw(&state, sizeof models / sizeof models[0]);

	at = put_text(at, "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw/eu-1\",\"id\":\"req-");
	at = put_hex(at, number, 12);
	at = put_hex(at, draw(&state, 65536), 4);
	at = put_text(at, "\",\"time\":\"");
	at = put_time(at, draw_time(&state, stream, number), draw(&state, 1000));
	at = put_text(at, "\",\"subject\":\"");
	at = put_tenant(at, &state, stream);
	at = put_text(at, "\",\"data\":{\"operation\":\"chat\",\"provider\":\"");
	at = put_text(at, models[model].provider);
	at = put_text(at, "\",\"model\":\"");
	at = put_text(at, models[model].name);
	at = put_text(at, "\",\"status\":\"completed\",\"quantities\":");
	at = put_quantities(at, &state, models[model].thinks);
	return put_text(at, "}}\n");
}

/* Which event follows event `number` once more; false: none. */
static bool
draw_repeat(const struct stream *stream, uint64_t number, uint64_t *repeated)
{
	uint64_t state = scramble(~number), room = number + 1;
	uint32_t age;

	if (draw(&state, 1000) >= stream->duplicates)
		return false;
	age = draw(&state, 6);
	if (age < 3)
		*repeated = number;
	else if (age < 5)
		*repeated = number - draw(&state, (uint32_t)(room < 5000 ? room : 5000));
	else
		*repeated = scramble(state) % room;
	return true;
}

static bool
write_stream(const struct stream *stream)
{
	static char buffer[BUFFER + 2 * LINE];
	char *at = buffer;
	uint64_t repeated;

	for (uint64_t number = stream->first; number < stream->first + stream->events; number++) {
		at = put_event(at, stream, number);
		if (draw_repeat(stream, number, &repeated))
			at = put_event(at, stream, repeated);
		if (at < buffer + BUFFER)
			continue;
		if (fwrite(buffer, 1, (size_t)(at - buffer), stdout) != (size_t)(at - buffer))
			return false;
		at = buffer;
	}
	return fwrite(buffer, 1, (size_t)(at - buffer), stdout) == (size_t)(at - buffer) && fflush(stdout) == 0;
}

/* --- what is asked for -------------------------------------------------------------------------- */

static bool
read_number(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out <= most;
}

static bool
read_arguments(int count, char **arguments, struct stream *stream)
{
	uint64_t *const places[] = {&stream->events, &stream->duplicates, &stream->tenants};
	static const uint64_t most[] = {UINT64_C(1) << 40, 1000, 100000};
	size_t place = 0;

	for (int i = 1; i < count; i++) {
		const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
		bool fine, single = true;

		if (strcmp(name, "--odd") == 0) {
			fine = stream->odd = true;
		} else if (strncmp(name, "--", 2) != 0) {
			fine = place < 3 && read_number(name, most[place], places[place]);
			place++;
		} else {
			single = false;
			fine = strcmp(name, "--from") == 0 ? read_number(value, most[0], &stream->first)
			    : strcmp(name, "--of") == 0    ? read_number(value, most[0], &stream->all)
			    : strcmp(name, "--days") == 0  ? read_number(value, 3650, &stream->days)
							   : false;
		}
		if (!fine)
			return false;
		i += !single;
	}
	if (stream->all == 0)
		stream->all = stream->first + stream->events;
	return stream->events > 0 && stream->days > 0 && stream->first + stream->events <= stream->all;
}

int
main(int count, char **arguments)
{
	struct stream stream = {.days = 30};

	if (!read_arguments(count, arguments, &stream)) {
		fputs("usage: generate EVENTS [DUPLICATES-IN-A-THOUSAND [TENANTS]] [--from N] [--of N] [--days N] [--odd]\n",
		    stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!write_stream(&stream)) {
		perror("generate");
		return 1;
	}
	return 0;
}
