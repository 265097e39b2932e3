/*
 * profile_algebra.c -- what a source counts, as disjoint meters.
 *
 * Of each side the full count is the total, where there is one, and what stands beside it.  What is told inside is taken out of
 * the full count, so that nothing is counted twice; what is left is text.  A remainder below zero, a sum that differs and a
 * count told twice with two values are faults: nothing is ever clamped or corrected.
 *
 * Counts are below 2^53 and there are less than 2^5 parts, so that no sum leaves an int64_t.
 */
#include <string.h>

#include "ingest/profile_told.h"

static const enum meter_id uncached_meters[MODALITIES] = {[TEXT] = METER_input_text_uncached_tokens,
    [IMAGE] = METER_input_image_uncached_tokens,
    [VIDEO] = METER_input_video_uncached_tokens,
    [AUDIO] = METER_input_audio_uncached_tokens};
static const enum meter_id read_meters[MODALITIES] = {[TEXT] = METER_input_text_cache_read_tokens,
    [IMAGE] = METER_input_image_cache_read_tokens,
    [VIDEO] = METER_input_video_cache_read_tokens,
    [AUDIO] = METER_input_audio_cache_read_tokens};
#define WRITE_METERS(modality)                                                                                                   \
	{                                                                                                                        \
		[WRITE_5M] = METER_input_##modality##_cache_write_5m_tokens,                                                     \
		[WRITE_30M] = METER_input_##modality##_cache_write_30m_tokens,                                                   \
		[WRITE_1H] = METER_input_##modality##_cache_write_1h_tokens,                                                     \
		[WRITE_UNKNOWN] = METER_input_##modality##_cache_write_tokens                                                    \
	}
static const enum meter_id write_meters[MODALITIES][LIFETIMES] = {
    [TEXT] = WRITE_METERS(text), [IMAGE] = WRITE_METERS(image), [VIDEO] = WRITE_METERS(video), [AUDIO] = WRITE_METERS(audio)};
#undef WRITE_METERS

/* What the output side has beside text. */
static const struct {
	enum profile_part part;
	enum meter_id meter;
} output_parts[] = {{PART_REASONING, METER_output_reasoning_tokens}, {PART_OUTPUT_AUDIO, METER_output_audio_tokens},
    {PART_OUTPUT_IMAGE, METER_output_image_tokens}, {PART_OUTPUT_VIDEO, METER_output_video_tokens},
    {PART_REJECTED_PREDICTION, METER_output_rejected_prediction_tokens}, {PART_CITATION, METER_output_citation_tokens}};
enum { OUTPUT_PARTS = sizeof output_parts / sizeof output_parts[0] };

static void add_sides(struct algebra *algebra);
static void check_total(struct algebra *algebra);
static void share_input(struct algebra *algebra);
static void share_output(struct algebra *algebra);
static void report(struct algebra *algebra);

static void
fail_exceeds(struct algebra *algebra, enum profile_part part, int64_t value, int64_t of)
{
	algebra_fail(algebra, E_SUBSET_EXCEEDS_TOTAL, part_path(algebra, part),
	    arena_format(algebra->draft->arena, "%lld of %lld", (long long)value, (long long)of));
}

/* --- sides and the total of all ------------------------------------------------------------------ */

static void
add_sides(struct algebra *algebra)
{
	for (int i = 0; i < algebra->present_count; i++) {
		enum profile_part part = algebra->present[i];
		enum side side = part_facts[part].side;
		int64_t value = part_counted(algebra, part);

		if (part == side_totals[side] || algebra->parts[part].relation == RELATION_BESIDE)
			algebra->full[side] += value;
		else if (algebra->parts[part].relation == RELATION_EITHER)
			algebra->either += value;
	}
}

static void
settle_either(struct algebra *algebra, enum relation relation)
{
	for (int part = 0; part < PROFILE_PARTS; part++) {
		struct told *told = &algebra->parts[part];

		if (told->relation != RELATION_EITHER)
			continue;
		told->relation = relation;
		if (relation == RELATION_BESIDE)
			algebra->full[part_facts[part].side] += part_counted(algebra, (enum profile_part)part);
	}
}

static enum profile_part
either_part(const struct algebra *algebra)
{
	enum profile_part part = 0;

	while (part < PROFILE_PARTS && (algebra->parts[part].relation != RELATION_EITHER || part_counted(algebra, part) == 0))
		part++;
	must(part < PROFILE_PARTS);
	return part;
}

static bool
fits_inside(const struct algebra *algebra)
{
	for (int part = 0; part < PROFILE_PARTS; part++)
		if (algebra->parts[part].relation == RELATION_EITHER &&
		    part_counted(algebra, (enum profile_part)part) > algebra->parts[side_totals[part_facts[part].side]].value)
			return false;
	return true;
}

static const char *
total_words(const struct algebra *algebra, int64_t total, int64_t sum)
{
	return arena_format(algebra->draft->arena, "%lld, but the counts add up to %lld", (long long)total, (long long)sum);
}

/* The total decides what may be read in two ways; a wrong reading would cost somebody money, so no habit is followed. */
static void
decide_either(struct algebra *algebra, const struct told *total)
{
	int64_t base = algebra->full[INPUT] + algebra->full[OUTPUT];
	enum profile_part part;

	if (algebra->either == 0)
		return;
	part = either_part(algebra);
	if (!total->told) {
		algebra_fail(
		    algebra, E_INCLUSION_AMBIGUOUS, part_path(algebra, part), "no total tells whether it is inside or beside");
	} else if (total->value == base + algebra->either) {
		settle_either(algebra, RELATION_BESIDE);
	} else if (total->value == base && fits_inside(algebra)) {
		settle_either(algebra, RELATION_INSIDE);
		algebra->draft->event.flags |= F_INCLUSION_BY_TOTAL;
	} else {
		/* To lift the check of the total does not tell how to read the part. */
		bool waived = algebra->draft->rules->waived == E_TOTAL_UNEXPLAINED;

		algebra_fail(algebra, waived || algebra->profile->total_only_flags ? E_INCLUSION_AMBIGUOUS : E_TOTAL_UNEXPLAINED,
		    algebra->profile->slots[total->slot].path, total_words(algebra, total->value, base + algebra->either));
	}
}

static void
check_total(struct algebra *algebra)
{
	const struct profile *profile = algebra->profile;
	struct told total = {.slot = NO_SLOT};
	int64_t sum;
	bool own_totals;

	if (!paths_read(algebra, &profile->total, &total))
		return;
	decide_either(algebra, &total);
	if (algebra->failed || !total.told)
		return;
	algebra->draft->reported[REPORTED_TOTAL] = total.value;
	sum = algebra->full[INPUT] + algebra->full[OUTPUT];
	if (total.value == sum)
		return;
	own_totals = profile->parts[PART_INPUT_TOTAL].relation != RELATION_NONE ||
	    profile->parts[PART_OUTPUT_TOTAL].relation != RELATION_NONE;
	if (profile->total_only_flags)
		algebra->draft->event.flags |= F_TOTAL_MISMATCH;
	else if (own_totals && algebra->draft->rules->waived == E_TOTAL_UNEXPLAINED)
		draft_fault_words(algebra->draft, E_TOTAL_UNEXPLAINED, profile->slots[total.slot].path, "");
	else
		algebra_fail(algebra, own_totals ? E_TOTAL_UNEXPLAINED : E_DETAIL_SUM, profile->slots[total.slot].path,
		    total_words(algebra, total.value, sum));
}

/* --- where meters come from, for a person --------------------------------------------------------- */

static bool
is_explained(const struct algebra *algebra)
{
	return algebra->explanation != NULL;
}

static void
explain_count(const struct algebra *algebra, const char *name, int64_t count, const char *from)
{
	const char *value = arena_format(algebra->draft->arena, "%lld", (long long)count);

	profile_explain(algebra->explanation, algebra->draft->arena, name, bytes_of(value), from);
}

/* Where a part is from, for people: of a sum all that is there. */
static const char *
part_words(const struct algebra *algebra, enum profile_part part)
{
	const struct part_source *source = &algebra->profile->parts[part];
	const char *words = "";

	if (!source->sum)
		return part_path(algebra, part);
	for (int i = 0; i < source->paths.count; i++)
		if (value_is_set(algebra->values, source->paths.slot[i]))
			words = arena_format(algebra->draft->arena, "%s%s%s", words, words[0] == '\0' ? "" : " + ",
			    algebra->profile->slots[source->paths.slot[i]].path);
	return words;
}

/* "usage/prompt_tokens - cache_read - audio": of a side's text; what is beside was never in there. */
static const char *
text_words(const struct algebra *algebra, enum side side)
{
	struct arena *arena = algebra->draft->arena;
	bool has_total = algebra->parts[side_totals[side]].relation != RELATION_NONE;
	const char *words = part_path(algebra, has_total ? side_totals[side] : side_texts[side]);

	for (int part = 0; part < PROFILE_PARTS; part++)
		if (part_facts[part].side == side && part != (int)side_totals[side] && part != (int)side_texts[side] &&
		    algebra->parts[part].relation == RELATION_INSIDE && part_counted(algebra, (enum profile_part)part) > 0)
			words = arena_format(arena, "%s - %s", words, part_facts[part].name);
	return words;
}

/* A meter of more than nothing; with where it came from, `except` taken out of it. */
static void
set_stated(struct algebra *algebra, enum meter_id meter, int64_t quantity, enum profile_part part, const char *except)
{
	const char *from;

	draft_set(algebra->draft, meter, quantity);
	if (!is_explained(algebra))
		return;
	from = part == PART_INPUT_TEXT ? text_words(algebra, INPUT)
	    : part == PART_OUTPUT_TEXT ? text_words(algebra, OUTPUT)
				       : part_words(algebra, part);
	if (except != NULL)
		from = arena_format(algebra->draft->arena, "%s - %s", from, except);
	explain_count(algebra, meter_of((int)meter)->name, quantity, from);
}

static inline void
set_meter(struct algebra *algebra, enum meter_id meter, int64_t quantity, enum profile_part part, const char *except)
{
	must(quantity >= 0);
	if (quantity > 0)
		set_stated(algebra, meter, quantity, part, except);
}

/* --- the input side ------------------------------------------------------------------------------ */

/* What each modality has, by cache state. */
struct shares {
	int64_t all[MODALITIES];
	int64_t left[MODALITIES]; /* not yet given to a cache state */
	int64_t reads[MODALITIES];
	int64_t writes[MODALITIES][LIFETIMES];
};

/* The text of a side as it is told beside a total must be what the total leaves to it. */
static void
check_text(struct algebra *algebra, enum side side, int64_t inside, int64_t arguable)
{
	const struct told *text = &algebra->parts[side_texts[side]], *total = &algebra->parts[side_totals[side]];

	if (algebra->failed || !text->told || text->relation != RELATION_INSIDE)
		return;
	if (text->value + inside != total->value && text->value + inside - arguable != total->value)
		algebra_fail_sum(algebra, side_totals[side], total->value, text->value + inside);
}

static int64_t
inside_of(const struct algebra *algebra, enum profile_part part)
{
	return algebra->parts[part].relation == RELATION_INSIDE ? part_counted(algebra, part) : 0;
}

static void
share_modalities(struct algebra *algebra, struct shares *shares)
{
	int64_t tool_use = part_counted(algebra, PART_TOOL_USE), others = tool_use, inside = 0;
	enum profile_part largest = PART_TOOL_USE;

	for (int modality = IMAGE; modality < MODALITIES; modality++) {
		enum profile_part part = modality_parts[modality];

		shares->all[modality] = part_counted(algebra, part);
		others += shares->all[modality];
		inside += inside_of(algebra, part);
		if (shares->all[modality] > part_counted(algebra, largest))
			largest = part;
	}
	shares->all[TEXT] = algebra->full[INPUT] - others;
	if (shares->all[TEXT] < 0)
		fail_exceeds(algebra, largest, others, algebra->full[INPUT]);
	/* What tools were given is text: a told text has it where it is inside. */
	check_text(algebra, INPUT, inside, 0);
	memcpy(shares->left, shares->all, sizeof shares->left);
}

/* Takes `count` tokens of an unstated modality: text first, then as the modalities are ordered. */
static void
take_in_order(
    struct algebra *algebra, struct shares *shares, enum profile_part part, int64_t count, int64_t *taken, size_t stride)
{
	int64_t wanted = count;

	if (count == 0)
		return;
	for (int modality = TEXT; modality < MODALITIES && wanted > 0; modality++) {
		int64_t share = wanted < shares->left[modality] ? wanted : shares->left[modality];

		taken[(size_t)modality * stride] += share;
		shares->left[modality] -= share;
		wanted -= share;
	}
	if (wanted > 0)
		fail_exceeds(algebra, part, count, algebra->full[INPUT]);
	else if (shares->all[IMAGE] + shares->all[VIDEO] + shares->all[AUDIO] > 0)
		algebra->draft->event.flags |= F_CACHE_MODALITY_ASSUMED;
}

static void
share_reads(struct algebra *algebra, struct shares *shares)
{
	for (int modality = TEXT; modality < MODALITIES && !algebra->failed; modality++) {
		enum profile_part part = read_parts[modality];
		int64_t read = part_counted(algebra, part);

		shares->reads[modality] = read;
		shares->left[modality] -= read;
		if (shares->left[modality] < 0)
			fail_exceeds(algebra, part, read, shares->all[modality]);
	}
	if (!algebra->failed)
		take_in_order(algebra, shares, PART_CACHE_READ, part_counted(algebra, PART_CACHE_READ), shares->reads, 1);
}

static bool
has_lifetimes(const struct profile *profile)
{
	for (int lifetime = 0; lifetime < WRITE_UNKNOWN; lifetime++)
		if (profile->parts[write_parts[lifetime]].relation != RELATION_NONE)
			return true;
	return false;
}

static void
share_writes(struct algebra *algebra, struct shares *shares)
{
	for (int lifetime = 0; lifetime < LIFETIMES && !algebra->failed; lifetime++)
		take_in_order(algebra, shares, write_parts[lifetime], part_counted(algebra, write_parts[lifetime]),
		    &shares->writes[0][lifetime], LIFETIMES);
	if (part_counted(algebra, PART_CACHE_WRITE) > 0 && has_lifetimes(algebra->profile))
		algebra->draft->event.flags |= F_CACHE_TTL_UNKNOWN;
}

static const char *
cached_words(const struct shares *shares, enum modality modality)
{
	bool writes = false;

	for (int lifetime = 0; lifetime < LIFETIMES; lifetime++)
		writes = writes || shares->writes[modality][lifetime] > 0;
	if (shares->reads[modality] > 0)
		return writes ? "cache_read - cache_write" : "cache_read";
	return writes ? "cache_write" : NULL;
}

static void
set_input_meters(struct algebra *algebra, const struct shares *shares)
{
	bool joint = !algebra->parts[PART_CACHE_READ].counts;

	for (int modality = TEXT; modality < MODALITIES; modality++) {
		/* The words for text name the cache already. */
		const char *except = modality == TEXT ? NULL : cached_words(shares, (enum modality)modality);

		/* All that is shared out below is a part of it. */
		if (shares->all[modality] == 0)
			continue;
		set_meter(algebra, uncached_meters[modality], shares->left[modality], modality_parts[modality], except);
		set_meter(algebra, read_meters[modality], shares->reads[modality], joint ? read_parts[modality] : PART_CACHE_READ,
		    NULL);
		for (int lifetime = 0; lifetime < LIFETIMES; lifetime++)
			set_meter(algebra, write_meters[modality][lifetime], shares->writes[modality][lifetime],
			    write_parts[lifetime], NULL);
	}
	set_meter(algebra, METER_input_tool_use_tokens, part_counted(algebra, PART_TOOL_USE), PART_TOOL_USE, NULL);
}

/* What is told as uncached must be what reads and writes have left; where it is not known what was read, nothing can be said. */
static void
check_uncached(struct algebra *algebra, const struct shares *shares)
{
	const struct told *uncached = &algebra->parts[PART_UNCACHED], *total = &algebra->parts[PART_INPUT_TOTAL];
	int64_t left = 0;

	if (!uncached->told || algebra->parts[PART_CACHE_READ].unknown)
		return;
	for (int modality = TEXT; modality < MODALITIES; modality++)
		left += shares->left[modality];
	if (left != uncached->value)
		algebra_fail_sum(algebra, PART_INPUT_TOTAL, total->value, total->value - left + uncached->value);
}

static void
share_input(struct algebra *algebra)
{
	struct shares shares = {0};
	int64_t reads = 0;

	share_modalities(algebra, &shares);
	if (!algebra->failed)
		share_reads(algebra, &shares);
	if (!algebra->failed)
		share_writes(algebra, &shares);
	if (!algebra->failed)
		check_uncached(algebra, &shares);
	if (algebra->failed)
		return;
	for (int modality = TEXT; modality < MODALITIES; modality++)
		reads += shares.reads[modality];
	if (algebra->profile->suspect_cache && reads > 0 && algebra->full[INPUT] - reads <= 1)
		algebra->draft->event.flags |= F_CACHE_SUSPECT;
	set_input_meters(algebra, &shares);
}

/* --- the output side ----------------------------------------------------------------------------- */

static void
share_output(struct algebra *algebra)
{
	enum profile_part rest = algebra->profile->output_rest != 0 ? algebra->profile->output_rest : PART_OUTPUT_TEXT;
	int64_t full = algebra->full[OUTPUT], inside = 0, text = part_counted(algebra, PART_OUTPUT_TEXT);
	int64_t others = rest == PART_OUTPUT_TEXT ? 0 : text;
	int64_t arguable = (algebra->draft->event.flags & F_INCLUSION_BY_TOTAL) != 0 ? inside_of(algebra, PART_REASONING) : 0;
	enum profile_part largest = PART_REASONING;

	for (int i = 0; i < OUTPUT_PARTS; i++) {
		enum profile_part part = output_parts[i].part;

		others += part_counted(algebra, part);
		inside += inside_of(algebra, part);
		if (part_counted(algebra, part) > part_counted(algebra, largest))
			largest = part;
	}
	if (others > full)
		fail_exceeds(algebra, largest, others, full);
	if (rest == PART_OUTPUT_TEXT)
		check_text(algebra, OUTPUT, inside, arguable);
	if (algebra->failed)
		return;
	set_meter(algebra, METER_output_text_tokens, rest == PART_OUTPUT_TEXT ? full - others : text, PART_OUTPUT_TEXT, NULL);
	for (int i = 0; i < OUTPUT_PARTS; i++) {
		enum profile_part part = output_parts[i].part;
		int64_t count = part_counted(algebra, part) + (part == rest ? full - others : 0);

		set_meter(algebra, output_parts[i].meter, count,
		    part == rest && !algebra->parts[part].told ? PART_OUTPUT_TOTAL : part, NULL);
	}
}

/* --- what is reported, what is unknown ------------------------------------------------------------ */

static void
report_unknown(struct algebra *algebra)
{
	const char *list = "";
	bool more_than_reasoning = false;

	for (int detail = 0; unknown_details[detail] != NULL; detail++)
		for (int part = 0; part < PROFILE_PARTS; part++) {
			if (!algebra->parts[part].unknown || strcmp(part_facts[part].detail, unknown_details[detail]) != 0)
				continue;
			more_than_reasoning = more_than_reasoning || part != PART_REASONING;
			if (is_explained(algebra))
				list = arena_format(
				    algebra->draft->arena, "%s%s%s", list, list[0] == '\0' ? "" : ",", unknown_details[detail]);
			break;
		}
	/* Reasoning is output all the same; the others have prices of their own. */
	if (more_than_reasoning)
		algebra->draft->event.flags |= F_DETAILS_UNKNOWN;
	if (list[0] != '\0')
		profile_explain(algebra->explanation, algebra->draft->arena, "unknown", bytes_of(list), "not told");
}

/* "use/new + cache_read": what a side is all in all. */
static const char *
full_words(const struct algebra *algebra, enum profile_part first)
{
	const char *words = part_words(algebra, first);

	for (int part = 0; part < PROFILE_PARTS; part++)
		if (part_facts[part].side == part_facts[first].side && part != (int)first &&
		    algebra->parts[part].relation == RELATION_BESIDE && part_counted(algebra, (enum profile_part)part) > 0)
			words = arena_format(algebra->draft->arena, "%s + %s", words, part_facts[part].name);
	return words;
}

static void
report_side(struct algebra *algebra, enum side side, const char *name)
{
	const struct told *total = &algebra->parts[side_totals[side]];

	/* A total that is zero because it is not there is one all the same; a side that is not told has none. */
	if (!algebra->told[side] && (total->relation == RELATION_NONE || total->unknown))
		return;
	algebra->draft->reported[side == INPUT ? REPORTED_INPUT : REPORTED_OUTPUT] = algebra->full[side];
	if (is_explained(algebra))
		explain_count(
		    algebra, name, algebra->full[side], full_words(algebra, total->told ? side_totals[side] : side_texts[side]));
}

static void
report(struct algebra *algebra)
{
	struct draft *draft = algebra->draft;

	report_side(algebra, INPUT, "reported.input_tokens");
	report_side(algebra, OUTPUT, "reported.output_tokens");
	if (is_explained(algebra) && draft->reported[REPORTED_TOTAL] >= 0)
		explain_count(algebra, "reported.total_tokens", draft->reported[REPORTED_TOTAL],
		    algebra->profile->slots[algebra->profile->total.slot[0]].path);
	/* An event that is no request of its own has a part of one. */
	if (algebra->profile->requests == 0)
		draft->no_context = true;
	else if (algebra->told[INPUT])
		draft->event.context_input_tokens = algebra->full[INPUT];
	if (algebra->has_unknown)
		report_unknown(algebra);
}

static void
note_unknown_count(struct algebra *algebra)
{
	struct draft *draft = algebra->draft;

	draft->event.flags |= F_UNKNOWN_FIELD;
	if (is_explained(algebra))
		profile_explain(algebra->explanation, draft->arena, "not_read", bytes_of(algebra->values->unknown_count),
		    "a number that the format does not know");
}

bool
profile_algebra(
    const struct profile *profile, const struct values *values, struct draft *draft, struct profile_explanation *explanation)
{
	struct algebra algebra;

	algebra.profile = profile;
	algebra.values = values;
	algebra.draft = draft;
	algebra.explanation = explanation;
	algebra.full[INPUT] = algebra.full[OUTPUT] = algebra.either = 0;
	algebra.told[INPUT] = algebra.told[OUTPUT] = algebra.failed = false;
	algebra.has_unknown = false;
	algebra.present_count = 0;
	if (values->unknown_count != NULL)
		note_unknown_count(&algebra);
	if (!parts_read(&algebra))
		return false;
	draft->has_usage = true;
	if (algebra.failed)
		return true;
	add_sides(&algebra);
	check_total(&algebra);
	if (!algebra.failed)
		share_input(&algebra);
	if (!algebra.failed)
		share_output(&algebra);
	if (!algebra.failed)
		report(&algebra);
	return true;
}
