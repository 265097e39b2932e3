/* request_class.c -- see request_class.h. */
#include "rating/request_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/table.h"
#include "rating/event_context.h"

enum { MEMO_BYTES = 16 << 20 };

_Static_assert(METER_LIMIT <= 64, "a bit for each meter");

/* Engine and tags of a class. */
struct label {
	const char *engine, *tags;
};

/* The meters of a side in the order in which their tokens lie in the request. */
struct side {
	int meters[METER_LIMIT];
	size_t count;
	uint64_t all;
};

/* What a class is found by, as bytes. */
struct class_key {
	int64_t from[DISTINCT_BOUNDARIES];
	int64_t label;
};

struct request_classes {
	struct index keys; /* numbers of classes in `item` */
	struct request_class *item;
	int32_t *class_id;
	size_t room, id_room;
	int32_t next_id;
	struct index label_names;
	struct label *labels;
	size_t label_room;
	struct index memo; /* of contexts looked at lately ... */
	size_t *memo_label;
	size_t memo_room;
	struct text key, text; /* ... scratch */
	struct text fresh;     /* COPY text of classes that are not stored yet */
	int64_t fresh_count;
	struct class_key last_key; /* of the class found last */
	int32_t last_id;
	size_t *by_id; /* place in `item` + 1, by class number */
	size_t by_id_room;
	struct side input, output;
	uint64_t cache_reads;
};

/* --- meters ---------------------------------------------------------------------------------- */

enum { RANK_CACHE_READ, RANK_CACHE_WRITE, RANK_REST, RANKS };

static int
rank_of(const struct meter *meter)
{
	if (strstr(meter->name, "_cache_read_") != NULL)
		return RANK_CACHE_READ;
	return strstr(meter->name, "_cache_write_") != NULL ? RANK_CACHE_WRITE : RANK_REST;
}

static void
side_fill(struct side *side, enum meter_side which)
{
	for (int rank = 0; rank < RANKS; rank++)
		for (int id = 1; id < METER_LIMIT; id++) {
			const struct meter *meter = meter_of(id);

			if (meter->side != which || rank_of(meter) != rank)
				continue;
			side->meters[side->count++] = id;
			side->all |= UINT64_C(1) << id;
		}
}

static int64_t
absolute(int64_t quantity)
{
	return quantity < 0 ? -quantity : quantity;
}

/* At most 50 meters of at most 2^53 each: the sum fits. */
static int64_t
size_of(const struct usage_row *row, uint64_t meters)
{
	int64_t size = 0;

	for (uint64_t left = row->stated & meters; left != 0; left &= left - 1)
		size += absolute(row->quantity[__builtin_ctzll(left)]);
	return size;
}

/* --- engine and tags ------------------------------------------------------------------------- */

static size_t
label_number(struct request_classes *classes, const char *engine, size_t engine_length, const char *tags, size_t tags_length)
{
	struct text key = {0};
	bool is_new;
	size_t number;

	text_add(&key, engine, engine_length);
	text_add(&key, "", 1);
	text_add(&key, tags, tags_length);
	number = index_number(&classes->label_names, key.bytes, key.length, &is_new);
	if (is_new) {
		struct arena *arena = &classes->label_names.arena;

		classes->labels = memory_grow(classes->labels, &classes->label_room, number + 1, sizeof *classes->labels);
		classes->labels[number] =
		    (struct label){arena_copy(arena, engine, engine_length), arena_copy(arena, tags, tags_length)};
	}
	text_release(&key);
	return number;
}

/* Those of the tags that are told apart, as a JSON object. */
static void
add_tags(struct text *text, const struct era *era, struct bytes tags)
{
	size_t begins = text->length;
	struct text value = {0};

	text_add(text, "{", 1);
	for (size_t i = 0; i < era->tag_count; i++) {
		text_clear(&value);
		if (!json_text(json_member(tags, era->tags[i]), &value))
			continue;
		if (text->length > begins + 1)
			text_add(text, ",", 1);
		text_add_json(text, era->tags[i]);
		text_add(text, ":", 1);
		text_add_json(text, text_string(&value));
	}
	text_add(text, "}", 1);
	text_release(&value);
}

/* Looks into the objects that hold them. */
static size_t
read_label(struct request_classes *classes, const struct era *era, struct bytes engine, struct bytes tags)
{
	struct text *text = &classes->text;
	size_t engine_length;

	text_clear(text);
	if (era->engine)
		(void)json_text(json_member(engine, "name"), text);
	engine_length = text->length;
	add_tags(text, era, tags);
	return label_number(classes, text->bytes, engine_length, text->bytes + engine_length, text->length - engine_length);
}

/* Thousands of events in a row have the same engine and tags beside a trace of their own. */
static size_t
label_of(struct request_classes *classes, const struct era *era, struct bytes context)
{
	struct bytes engine = {NULL, 0}, tags = {NULL, 0};
	size_t number;
	bool is_new;

	if (era->engine)
		engine = json_member(context, "engine");
	if (era->tag_count > 0)
		tags = json_member(json_member(context, "attribution"), "tags");
	if (classes->memo.arena.bytes > MEMO_BYTES)
		index_clear(&classes->memo);
	text_clear(&classes->key);
	text_add(&classes->key, (const char *)&era, sizeof era);
	text_add(&classes->key, engine.at, engine.length);
	text_add(&classes->key, "", 1);
	text_add(&classes->key, tags.at, tags.length);
	number = index_number(&classes->memo, classes->key.bytes, classes->key.length, &is_new);
	if (is_new) {
		classes->memo_label =
		    memory_grow(classes->memo_label, &classes->memo_room, number + 1, sizeof *classes->memo_label);
		classes->memo_label[number] = read_label(classes, era, engine, tags);
	}
	return classes->memo_label[number];
}

/* --- classes --------------------------------------------------------------------------------- */

static void
enter(struct request_classes *classes, size_t place, int32_t class_id, const struct class_key *key)
{
	const struct label *label = &classes->labels[key->label];
	struct request_class *class;

	classes->item = memory_grow(classes->item, &classes->room, place + 1, sizeof *classes->item);
	classes->class_id = memory_grow(classes->class_id, &classes->id_room, place + 1, sizeof *classes->class_id);
	classes->by_id = memory_grow(classes->by_id, &classes->by_id_room, (size_t)class_id + 1, sizeof *classes->by_id);
	class = &classes->item[place];
	memcpy(class->from, key->from, sizeof class->from);
	class->engine = label->engine;
	class->tags = label->tags;
	classes->class_id[place] = class_id;
	classes->by_id[class_id] = place;
	if (class_id >= classes->next_id)
		classes->next_id = class_id + 1;
}

static void
note_fresh(struct request_classes *classes, int32_t class_id, const struct request_class *class)
{
	struct text *out = &classes->fresh;

	text_add_format(out, "%d", class_id);
	for (int kind = 0; kind < DISTINCT_BOUNDARIES; kind++)
		text_add_format(out, "\t%lld", (long long)class->from[kind]);
	text_add(out, "\t", 1);
	copy_text_field(out, class->engine, strlen(class->engine));
	text_add(out, "\t", 1);
	copy_text_field(out, class->tags, strlen(class->tags));
	text_add(out, "\n", 1);
	classes->fresh_count++;
}

static bool
class_number(struct request_classes *classes, const struct class_key *key, int32_t *out, struct error *err)
{
	size_t place;
	bool is_new;

	if (memcmp(key, &classes->last_key, sizeof *key) == 0) {
		*out = classes->last_id;
		return true;
	}
	place = index_number(&classes->keys, (const char *)key, sizeof *key, &is_new);
	if (is_new && place >= CLASSES_MAX) {
		error_set(err, ERROR_RANGE, "price books tell apart more than %d kinds of requests", CLASSES_MAX);
		return error_hint(err, "A tag that is different in each request cannot have prices; see metering.request_class.");
	}
	if (is_new) {
		enter(classes, place, classes->next_id, key);
		note_fresh(classes, classes->class_id[place], &classes->item[place]);
	}
	classes->last_key = *key;
	*out = classes->last_id = classes->class_id[place];
	return true;
}

static void
know(struct request_classes *classes, int32_t class_id, const struct class_key *key)
{
	bool is_new;
	size_t place = index_number(&classes->keys, (const char *)key, sizeof *key, &is_new);

	if (is_new)
		enter(classes, place, class_id, key);
}

struct request_classes *
request_classes_new(void)
{
	struct request_classes *classes = memory_new(1, sizeof *classes);

	side_fill(&classes->input, METER_SIDE_INPUT);
	side_fill(&classes->output, METER_SIDE_OUTPUT);
	for (int id = 1; id < METER_LIMIT; id++)
		if (rank_of(meter_of(id)) == RANK_CACHE_READ)
			classes->cache_reads |= UINT64_C(1) << id;
	classes->last_key = (struct class_key){{-1, -1, -1, -1}, (int64_t)label_number(classes, "", 0, "{}", 2)};
	know(classes, 0, &classes->last_key);
	return classes;
}

void
request_classes_free(struct request_classes *classes)
{
	if (classes == NULL)
		return;
	index_release(&classes->keys);
	index_release(&classes->label_names);
	index_release(&classes->memo);
	text_release(&classes->key);
	text_release(&classes->text);
	text_release(&classes->fresh);
	free(classes->item);
	free(classes->class_id);
	free(classes->by_id);
	free(classes->labels);
	free(classes->memo_label);
	free(classes);
}

bool
request_classes_load(struct request_classes *classes, struct db *db, struct error *err)
{
	enum { FIRST_SIZE = 1, ENGINE = FIRST_SIZE + DISTINCT_BOUNDARIES, TAGS };
	struct rows rows;

	if (!db_rows(db, SQL_RATING_REQUEST_CLASSES, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		struct class_key key;

		for (int kind = 0; kind < DISTINCT_BOUNDARIES; kind++)
			key.from[kind] = row_number(&rows, i, FIRST_SIZE + kind);
		key.label = (int64_t)label_number(classes, row_text(&rows, i, ENGINE), row_length(&rows, i, ENGINE),
		    row_text(&rows, i, TAGS), row_length(&rows, i, TAGS));
		know(classes, (int32_t)row_number(&rows, i, 0), &key);
	}
	rows_release(&rows);
	return true;
}

bool
request_classes_store(struct request_classes *classes, struct db *db, struct error *err)
{
	int64_t taken;

	if (classes->fresh_count == 0)
		return true;
	if (!db_copy_in_begin(db, SQL_RATING_REQUEST_CLASS_COPY, err) ||
	    !db_copy_in_bytes(db, classes->fresh.bytes, classes->fresh.length, err) || !db_copy_in_end(db, &taken, err))
		return false;
	must(taken == classes->fresh_count);
	text_clear(&classes->fresh);
	classes->fresh_count = 0;
	return true;
}

const struct request_class *
request_class_of(const struct request_classes *classes, int32_t class_id)
{
	must(class_id >= 0 && class_id < classes->next_id);
	return &classes->item[classes->by_id[class_id]];
}

struct request_class
request_class_within(const struct request_class *class, const struct era *era, struct arena *arena)
{
	struct request_class out = {{-1, -1, -1, -1}, "", "{}"};
	struct text tags = {0};

	if (era == NULL)
		return out;
	for (int kind = 0; kind < DISTINCT_BOUNDARIES; kind++)
		out.from[kind] = boundary_below(&era->boundaries[kind], class->from[kind]);
	if (era->engine)
		out.engine = class->engine;
	if (era->tag_count == 0 || strcmp(class->tags, "{}") == 0)
		return out;
	add_tags(&tags, era, (struct bytes){class->tags, strlen(class->tags)});
	out.tags = arena_copy(arena, tags.bytes, tags.length);
	text_release(&tags);
	return out;
}

/* --- splitting a row ------------------------------------------------------------------------- */

static bool
add_share(struct request_classes *classes, const struct class_key *key, int meter, int64_t quantity, struct usage_split *out,
    struct error *err)
{
	struct usage_share *share;

	out->shares = memory_grow(out->shares, &out->room, out->count + 1, sizeof *out->shares);
	share = &out->shares[out->count++];
	*share = (struct usage_share){.meter = meter, .quantity = quantity};
	return class_number(classes, key, &share->class_id, err);
}

/* How many of the places from `place` on belong to the same part. */
static int64_t
places_left(const struct boundaries *parts, int64_t place)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->at[i] > place)
			return parts->at[i] - place;
	return INT64_MAX;
}

/* The tokens of one meter, the first of which lies at *place, over the parts that they reach into. */
static bool
split_meter(struct request_classes *classes, const struct boundaries *parts, struct class_key *key, int meter, int64_t quantity,
    int64_t *place, struct usage_split *out, struct error *err)
{
	int64_t sign = quantity < 0 ? -1 : 1;

	for (int64_t left = absolute(quantity), taken; left > 0; left -= taken) {
		int64_t room = places_left(parts, *place);

		taken = left < room ? left : room;
		key->from[DISTINCT_PART] = boundary_below(parts, *place);
		if (!add_share(classes, key, meter, sign * taken, out, err))
			return false;
		*place += taken;
	}
	return true;
}

static bool
split_side(struct request_classes *classes, const struct side *side, const struct boundaries *parts, struct class_key *key,
    const struct usage_row *row, struct usage_split *out, struct error *err)
{
	int64_t place = 0;

	if ((row->stated & side->all) == 0)
		return true;
	for (size_t i = 0; i < side->count; i++) {
		int meter = side->meters[i];

		if ((row->stated >> meter & 1) != 0 && row->quantity[meter] != 0 &&
		    !split_meter(classes, parts, key, meter, row->quantity[meter], &place, out, err))
			return false;
	}
	return true;
}

/* What lies in no place: meters of neither side, and counts of zero. */
static bool
split_rest(struct request_classes *classes, struct class_key *key, const struct usage_row *row, struct usage_split *out,
    struct error *err)
{
	uint64_t placed = classes->input.all | classes->output.all;

	for (uint64_t left = row->stated; left != 0; left &= left - 1) {
		int meter = __builtin_ctzll(left);

		if (((placed >> meter & 1) == 0 || row->quantity[meter] == 0) &&
		    !add_share(classes, key, meter, row->quantity[meter], out, err))
			return false;
	}
	return true;
}

static void
fill_key(struct request_classes *classes, const struct era *era, const struct usage_row *row, struct class_key *key)
{
	const struct boundaries *boundaries = era->boundaries;
	uint64_t uncached = classes->input.all & ~classes->cache_reads;

	*key = (struct class_key){{-1, -1, -1, -1}, 0};
	if (boundaries[DISTINCT_INPUT].count > 0)
		key->from[DISTINCT_INPUT] = boundary_below(&boundaries[DISTINCT_INPUT], row->context_input_tokens);
	if (boundaries[DISTINCT_UNCACHED_INPUT].count > 0)
		key->from[DISTINCT_UNCACHED_INPUT] = boundary_below(&boundaries[DISTINCT_UNCACHED_INPUT], size_of(row, uncached));
	if (boundaries[DISTINCT_OUTPUT].count > 0)
		key->from[DISTINCT_OUTPUT] = boundary_below(&boundaries[DISTINCT_OUTPUT], size_of(row, classes->output.all));
	if (era->engine || era->tag_count > 0)
		key->label = (int64_t)label_of(classes, era, row->context);
}

bool
request_classes_split(struct request_classes *classes, const struct era *era, const struct usage_row *row,
    struct usage_split *out, struct error *err)
{
	struct class_key key;
	const struct boundaries *parts;

	out->whole = true;
	out->count = 0;
	out->class_id = 0;
	if (era == NULL)
		return true;
	fill_key(classes, era, row, &key);
	parts = &era->boundaries[DISTINCT_PART];
	if (parts->count > 0)
		key.from[DISTINCT_PART] = 0;
	/* Most requests end before the first boundary. */
	if (parts->count == 0 ||
	    (size_of(row, classes->input.all) <= parts->at[0] && size_of(row, classes->output.all) <= parts->at[0]))
		return class_number(classes, &key, &out->class_id, err);
	out->whole = false;
	return split_rest(classes, &key, row, out, err) && split_side(classes, &classes->input, parts, &key, row, out, err) &&
	    split_side(classes, &classes->output, parts, &key, row, out, err);
}
