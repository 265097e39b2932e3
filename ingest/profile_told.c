/* profile_told.c -- see profile_told.h. */
#include "ingest/profile_told.h"

#include <string.h>

#include "ingest/quantity.h"

const struct part_fact part_facts[PROFILE_PARTS] = {
#define PROFILE_PART(NAME, name, side, detail) [PART_##NAME] = {#name, (side) == METER_SIDE_INPUT ? INPUT : OUTPUT, detail},
#include "ingest/profile_parts.def"
#undef PROFILE_PART
};

const enum profile_part side_totals[SIDES] = {PART_INPUT_TOTAL, PART_OUTPUT_TOTAL};
const enum profile_part side_texts[SIDES] = {PART_INPUT_TEXT, PART_OUTPUT_TEXT};
const enum profile_part modality_parts[MODALITIES] = {
    [TEXT] = PART_INPUT_TEXT, [IMAGE] = PART_INPUT_IMAGE, [VIDEO] = PART_INPUT_VIDEO, [AUDIO] = PART_INPUT_AUDIO};
const enum profile_part read_parts[MODALITIES] = {[TEXT] = PART_TEXT_CACHE_READ,
    [IMAGE] = PART_IMAGE_CACHE_READ,
    [VIDEO] = PART_VIDEO_CACHE_READ,
    [AUDIO] = PART_AUDIO_CACHE_READ};
const enum profile_part write_parts[LIFETIMES] = {[WRITE_5M] = PART_CACHE_WRITE_5M,
    [WRITE_30M] = PART_CACHE_WRITE_30M,
    [WRITE_1H] = PART_CACHE_WRITE_1H,
    [WRITE_UNKNOWN] = PART_CACHE_WRITE};

static const struct told nothing_told[PROFILE_PARTS] = {
#define PROFILE_PART(NAME, name, side, detail) [PART_##NAME] = {.slot = NO_SLOT, .counts = PART_##NAME != PART_UNCACHED},
#include "ingest/profile_parts.def"
#undef PROFILE_PART
};

/* --- faults ------------------------------------------------------------------------------------- */

const char *
part_path(const struct algebra *algebra, enum profile_part part)
{
	const struct paths *paths = &algebra->profile->parts[part].paths;
	short slot = algebra->parts[part].slot;

	if (slot == NO_SLOT && paths->count > 0)
		slot = paths->slot[0];
	return slot == NO_SLOT ? part_facts[part].name : algebra->profile->slots[slot].path;
}

void
algebra_fail(struct algebra *algebra, enum reason reason, const char *path, const char *words)
{
	draft_fault_words(algebra->draft, reason, path, words);
	algebra->failed = true;
}

void
algebra_fail_sum(struct algebra *algebra, enum profile_part part, int64_t value, int64_t sum)
{
	algebra_fail(algebra, E_DETAIL_SUM, part_path(algebra, part),
	    arena_format(algebra->draft->arena, "%lld, but the parts add up to %lld", (long long)value, (long long)sum));
}

/* --- what is told ------------------------------------------------------------------------------- */

bool
profile_count(const struct profile *profile, struct draft *draft, short slot, const struct values *values, int64_t *out)
{
	const struct json_value *value = &values->value[slot];
	struct json_value number;

	*out = 0;
	if ((values->conflict[slot / 64] >> (slot % 64) & 1) != 0) {
		draft_fault_words(draft, E_DETAIL_CONFLICT, profile->slots[slot].path, "several values that differ");
		return false;
	}
	if (profile->slots[slot].kind == SLOT_COUNT) {
		*out = values->count[slot];
		return true;
	}
	if (profile->number_texts && value->type == VALUE_STRING && is_json_number(value->text)) {
		number = (struct json_value){VALUE_NUMBER, value->text};
		value = &number;
	}
	return draft_count(draft, profile->slots[slot].path, value, out);
}

/* Nearly all counts are numbers without a fault; false where there is more to say about one. */
static inline bool
read_plain_count(const struct algebra *algebra, short slot, int64_t *out)
{
	const struct json_value *value = &algebra->values->value[slot];

	return algebra->profile->slots[slot].kind == SLOT_VALUE && value->type == VALUE_NUMBER &&
	    (algebra->values->conflict[slot / 64] >> (slot % 64) & 1) == 0 && count_parse(value->text, out) == REASON_NONE;
}

bool
paths_read(struct algebra *algebra, const struct paths *paths, struct told *out)
{
	for (int i = 0; i < paths->count; i++) {
		short slot = paths->slot[i];
		int64_t count;

		if (!value_is_set(algebra->values, slot))
			continue;
		if (!read_plain_count(algebra, slot, &count) &&
		    !profile_count(algebra->profile, algebra->draft, slot, algebra->values, &count)) {
			algebra->failed = true;
			return false;
		}
		if (!out->told) {
			out->value = count;
			out->told = true;
			out->slot = slot;
			if ((paths->deprecated >> i & 1) != 0)
				algebra->draft->event.flags |= F_DEPRECATED_FIELD;
		} else if (count != out->value) {
			algebra_fail(algebra, E_DETAIL_CONFLICT, algebra->profile->slots[slot].path,
			    arena_format(algebra->draft->arena, "%lld, but %s is %lld", (long long)count,
				algebra->profile->slots[out->slot].path, (long long)out->value));
			return false;
		}
	}
	return true;
}

/* One count that several paths have a share of. */
static bool
shares_read(struct algebra *algebra, const struct paths *paths, struct told *out)
{
	int64_t sum = 0, count;

	for (int i = 0; i < paths->count; i++) {
		short slot = paths->slot[i];

		if (!value_is_set(algebra->values, slot))
			continue;
		if (!profile_count(algebra->profile, algebra->draft, slot, algebra->values, &count)) {
			algebra->failed = true;
			return false;
		}
		out->value = sum += count;
		out->told = true;
		out->slot = slot;
	}
	return true;
}

static bool
has_object(const struct algebra *algebra, const struct part_source *source)
{
	for (int i = 0; i < PATHS_MOST && source->object[i] != NO_SLOT; i++)
		if (value_is_set(algebra->values, source->object[i]))
			return true;
	return false;
}

static void
read_part(struct algebra *algebra, enum profile_part part)
{
	const struct part_source *source = &algebra->profile->parts[part];
	struct told *told = &algebra->parts[part];

	told->relation = source->relation;
	algebra->present[algebra->present_count++] = part;
	if (source->sum ? !shares_read(algebra, &source->paths, told) : !paths_read(algebra, &source->paths, told))
		return;
	if (told->told)
		algebra->told[part_facts[part].side] = true;
	else
		told->unknown =
		    source->absent == ABSENT_UNKNOWN || (source->absent == ABSENT_ZERO_IN_OBJECT && !has_object(algebra, source));
	algebra->has_unknown = algebra->has_unknown || told->unknown;
}

/* What must be told, where anything is. */
static void
check_missing(struct algebra *algebra)
{
	for (int i = 0; i < algebra->present_count && !algebra->failed; i++) {
		enum profile_part part = algebra->present[i];
		const struct part_source *source = &algebra->profile->parts[part];
		bool is_null;

		if (source->absent != ABSENT_FAULT || algebra->parts[part].told)
			continue;
		is_null = source->paths.count > 0 && value_is_seen(algebra->values, source->paths.slot[0]);
		algebra_fail(algebra, E_COUNT_NULL, part_path(algebra, part), is_null ? "null" : "missing");
	}
}

/* --- an aggregate and its split ----------------------------------------------------------------- */

/* Of an aggregate and its split, both of which may be told, one counts; told both, they are the same.  False with a fault where
 * they are not. */
static bool
choose_split(struct algebra *algebra, enum profile_part aggregate, const enum profile_part *split, int count)
{
	struct told *whole = &algebra->parts[aggregate];
	bool told = false, unknown = false;
	int64_t sum = 0;

	for (int i = 0; i < count; i++) {
		told = told || algebra->parts[split[i]].told;
		unknown = unknown || algebra->parts[split[i]].unknown;
		sum += algebra->parts[split[i]].value;
	}
	if (told && whole->told && sum != whole->value) {
		algebra_fail_sum(algebra, aggregate, whole->value, sum);
		return false;
	}
	whole->counts = !told;
	for (int i = 0; i < count; i++) {
		algebra->parts[split[i]].counts = told;
		algebra->parts[split[i]].unknown = false;
	}
	/* The aggregate speaks for the group; without one the split does. */
	if (told)
		whole->unknown = false;
	else if (whole->relation == RELATION_NONE)
		whole->unknown = whole->unknown || unknown;
	return true;
}

static void
choose_parts(struct algebra *algebra)
{
	if (choose_split(algebra, PART_CACHE_READ, read_parts, MODALITIES))
		(void)choose_split(algebra, PART_CACHE_WRITE, write_parts, WRITE_UNKNOWN);
}

bool
parts_read(struct algebra *algebra)
{
	const struct profile *profile = algebra->profile;

	memcpy(algebra->parts, nothing_told, sizeof algebra->parts);
	for (uint64_t left = profile->never_told & ~profile->present_parts; left != 0; left &= left - 1)
		algebra->has_unknown = algebra->parts[__builtin_ctzll(left)].unknown = true;
	for (uint64_t left = profile->present_parts; left != 0; left &= left - 1)
		read_part(algebra, (enum profile_part)__builtin_ctzll(left));
	if (!algebra->failed && !algebra->told[INPUT] && !algebra->told[OUTPUT])
		return false;
	check_missing(algebra);
	if (!algebra->failed)
		choose_parts(algebra);
	return true;
}
