/*
 * profile_event.c -- one event of a profile's values: who, when, what, and how much of it.
 *
 * Rules are asked first, because they may ignore the record or say what its fields are.  Faults are noted in a draft, which
 * tells the most basic one whatever the order here.
 */
#include <string.h>

#include "ingest/profile_making.h"

/* --- identity ----------------------------------------------------------------------------------- */

static const char *
key_name(const struct making *making, enum event_header attribute, enum profile_field field)
{
	const char *name = event_header_name(attribute);

	if (!making->envelope->is_event)
		return field_place(making, field);
	return making->envelope->headers != NULL ? name : name + sizeof EVENT_HEADER_PREFIX - 1;
}

/* What the command says of all records. */
static bool
said_by_command(const struct making *making, enum profile_field field, const char *text, struct said *out)
{
	if (text == NULL || text[0] == '\0')
		return false;
	*out = (struct said){{VALUE_STRING, bytes_of(text)}, field_place(making, field), "the command", true};
	return true;
}

static void
fill_key(struct making *making, enum key_role role, const struct said *said, const char *name)
{
	struct draft *draft = &making->draft;

	draft_key(draft, role, said->field, &said->value);
	if (said->value.type == VALUE_STRING)
		explain_text(making, name, said->value.text, said->from);
}

/* An id that is unique in its batch alone has the batch's in front of it. */
static bool
add_batch(struct making *making, struct said *id)
{
	const struct field_source *source = &making->profile->fields[FIELD_BATCH];
	struct bytes text = id->value.text;
	struct said batch;

	if (!said_of(making, FIELD_BATCH, &batch)) {
		if (source->paths.count == 0 && source->constant.length == 0)
			return true;
		draft_fault_words(&making->draft, E_ID_MISSING, field_place(making, FIELD_BATCH),
		    "the id is unique in its batch alone: say which with --constant batch=ID");
		return false;
	}
	accept_digits(&batch.value);
	if (batch.value.type != VALUE_STRING || id->value.type != VALUE_STRING)
		return true;
	id->value.text = bytes_of(arena_format(
	    making->arena, "%.*s/%.*s", (int)batch.value.text.length, batch.value.text.at, (int)text.length, text.at));
	if (making->explanation != NULL)
		id->from = arena_format(making->arena, "%s \"/\" %s", batch.from, id->from);
	return true;
}

static void
add_iteration(const struct making *making, struct said *id)
{
	if (making->iteration >= 0 && id->value.type == VALUE_STRING)
		id->value.text = bytes_of(
		    arena_format(making->arena, "%.*s/it%d", (int)id->value.text.length, id->value.text.at, making->iteration));
}

static void
fault_no_id(struct making *making)
{
	const struct profile *profile = making->profile;
	const char *words = "";

	if (!making->envelope->is_event && profile->fields[FIELD_ID].paths.count == 0)
		words = arena_format(making->arena,
		    "%s has no field that is safe as an id: name one with --field id=PATH, or capture in a CloudEvent",
		    profile->name);
	draft_fault_words(&making->draft, E_ID_MISSING, key_name(making, HEADER_ID, FIELD_ID), words);
}

/* The envelope's own, else what is said in the payload, and at last the record's position, where the command allows it.  False
 * with the fault noted. */
static bool
find_id(struct making *making, struct said *out)
{
	const char *position = making->draft.rules->position_id;

	if (said_by_envelope(making, HEADER_ID, out))
		return true;
	if (said_of(making, FIELD_ID, out)) {
		accept_digits(&out->value);
		return add_batch(making, out);
	}
	if (said_by_command(making, FIELD_ID, position, out))
		return true;
	fault_no_id(making);
	return false;
}

static void
fill_id(struct making *making)
{
	struct said id;

	if (!find_id(making, &id))
		return;
	add_iteration(making, &id);
	fill_key(making, KEY_ID, &id, "id");
}

/* The format does not say where it stands, and no CloudEvent says it. */
static bool
has_no_path(const struct making *making, enum profile_field field)
{
	return !making->envelope->is_event && making->profile->fields[field].paths.count == 0;
}

/* Whose the event is: source and tenant. */
static void
fill_owner(
    struct making *making, enum key_role role, enum event_header attribute, enum profile_field field, const char *otherwise)
{
	struct said said;

	if (said_by_envelope(making, attribute, &said)) {
		fill_key(making, role, &said, field_name(field));
	} else if (said_of(making, field, &said) || said_by_command(making, field, otherwise, &said)) {
		accept_digits(&said.value);
		fill_key(making, role, &said, field_name(field));
	} else if (field == FIELD_TENANT && has_no_path(making, field)) {
		draft_fault_words(&making->draft, E_SUBJECT_MISSING, field_place(making, field),
		    arena_format(making->arena, "%s does not tell whose it is: --field tenant=PATH, or --constant tenant=NAME",
			making->profile->name));
	} else {
		draft_key(&making->draft, role, key_name(making, attribute, field), NULL);
	}
}

/* What this event takes the place of: the provisional one of its source. */
static void
fill_revised(struct making *making)
{
	struct usage_event *event = &making->draft.event;
	struct said said;

	if (!said_of(making, FIELD_REVISES, &said))
		return;
	accept_digits(&said.value);
	event->kind = EVENT_CORRECTION;
	if (said.value.type != VALUE_STRING) {
		draft_fault(&making->draft, E_TYPE, said.field, json_value_shown(&said.value));
		return;
	}
	add_iteration(making, &said);
	if (key_check(said.value.text) != REASON_NONE) {
		draft_fault(&making->draft, E_VALUE, said.field, said.value.text);
		return;
	}
	event->ref_source = event->source;
	event->ref_id = said.value.text;
	explain_text(making, "kind", bytes_of("correction"), said.from);
	explain_text(making, "ref.id", said.value.text, said.from);
}

static void
fill_identity(struct making *making)
{
	fill_id(making);
	/* A CloudEvent must name its source, as our own must: its id is unique there alone. */
	fill_owner(making, KEY_SOURCE, HEADER_SOURCE, FIELD_SOURCE,
	    making->envelope->is_event ? NULL : making->draft.rules->default_source);
	fill_owner(making, KEY_TENANT, HEADER_SUBJECT, FIELD_TENANT, NULL);
	fill_time(making);
	fill_revised(making);
}

/* --- what usage is attributed to ----------------------------------------------------------------- */

static bool
is_account(enum profile_field field)
{
	return field == FIELD_PROJECT || field == FIELD_API_KEY || field == FIELD_DEPLOYMENT;
}

/* What a field may be, or NULL where that is anything. */
static const char *const *
words_of(enum profile_field field)
{
	return field == FIELD_STATUS      ? status_words
	    : field == FIELD_SPEED        ? speed_words
	    : field == FIELD_METHOD       ? method_words
	    : field == FIELD_SERVED_FROM  ? served_from_words
	    : field == FIELD_ADAPTER_KIND ? adapter_kind_words
					  : NULL;
}

static void
fill_text(struct making *making, enum profile_field field)
{
	struct draft *draft = &making->draft;
	enum series_field series;
	struct said said;

	if (!said_of(making, field, &said))
		return;
	series = field_series(field);
	if (is_account(field))
		accept_digits(&said.value);
	if (words_of(field) != NULL)
		draft_word(draft, series, said.field, &said.value, words_of(field));
	else
		draft_text(draft, series, said.field, &said.value);
	if (draft->event.series[series].length > 0)
		explain_text(making, field_name(field), draft->event.series[series], said.from);
}

/* A field that is found out and not said. */
static void
set_text(struct making *making, enum profile_field field, struct bytes text, const char *from)
{
	making->draft.event.series[field_series(field)] = text;
	explain_text(making, field_name(field), text, from);
}

static const char *
find_bytes(struct bytes text, struct bytes wanted)
{
	return memmem(text.at, text.length, wanted.at, wanted.length);
}

/* What stands behind the last `after`, or the first, and before the next `before`; false where `after` is not there or nothing is left. */
static bool
cut_name(const struct name_rule *rule, const struct name_cut *cut, struct bytes name, struct bytes *out)
{
	struct bytes rest = name;
	const char *found;

	if (!cut->stated)
		return false;
	/* A prefix that the name was chosen by is at its beginning, whatever it has further on. */
	if (cut->after.length > 0 && bytes_same(cut->after, rule->begins)) {
		rest = (struct bytes){name.at + cut->after.length, name.length - cut->after.length};
	} else if (cut->after.length > 0) {
		if (find_bytes(rest, cut->after) == NULL)
			return false;
		while ((found = find_bytes(rest, cut->after)) != NULL) {
			rest = (struct bytes){
			    found + cut->after.length, (size_t)(name.at + name.length - found) - cut->after.length};
			if (cut->first)
				break;
		}
	}
	if (cut->before.length > 0 && (found = find_bytes(rest, cut->before)) != NULL)
		rest.length = (size_t)(found - rest.at);
	*out = rest;
	return rest.length > 0;
}

static bool
name_rule_holds(const struct name_rule *rule, struct bytes name)
{
	return (rule->begins.length == 0 ||
		   (rule->begins.length <= name.length && memcmp(rule->begins.at, name.at, rule->begins.length) == 0)) &&
	    (rule->contains.length == 0 || find_bytes(name, rule->contains) != NULL);
}

/* What a served name says of its base model and adapter, where nothing else does. */
static void
follow_name(struct making *making, const struct name_rule *rule, struct bytes name)
{
	const struct bytes *series = making->draft.event.series;
	struct bytes part;

	if (series[SERIES_BASE_MODEL].length == 0 && cut_name(rule, &rule->base_model, name, &part))
		set_text(making, FIELD_BASE_MODEL, part, "the model's name");
	if (series[SERIES_ADAPTER].length > 0 || !cut_name(rule, &rule->adapter, name, &part))
		return;
	set_text(making, FIELD_ADAPTER, part, "the model's name");
	if (rule->adapter_kind.length > 0)
		set_text(making, FIELD_ADAPTER_KIND, rule->adapter_kind, "the model's name");
}

static void
follow_names(struct making *making)
{
	const struct profile *profile = making->profile;
	struct bytes *series = making->draft.event.series, name = series[SERIES_MODEL];

	for (size_t i = 0; i < profile->adapter_count && name.length > 0; i++) {
		const struct adapter_name *adapter = &profile->adapters[i];

		if (!bytes_same(adapter->served, name))
			continue;
		set_text(making, FIELD_BASE_MODEL, adapter->base_model, "the table of adapters");
		set_text(making, FIELD_ADAPTER_KIND, bytes_of("lora"), "the table of adapters");
		set_text(making, FIELD_ADAPTER, name, "the table of adapters");
		return;
	}
	for (size_t i = 0; i < profile->name_count && name.length > 0; i++)
		if (name_rule_holds(&profile->names[i], name)) {
			follow_name(making, &profile->names[i], name);
			break;
		}
	/* One without the other is no adapter that a price could name. */
	if (series[SERIES_ADAPTER].length == 0)
		series[SERIES_ADAPTER_KIND] = (struct bytes){NULL, 0};
	else if (series[SERIES_ADAPTER_KIND].length == 0)
		set_text(making, FIELD_ADAPTER_KIND, bytes_of("lora"), "an adapter without a kind");
}

/* A stream that was cut: what was served of it is known, and no more. */
static void
fill_closing(struct making *making, enum closing closing)
{
	bool is_cut = closing == CLOSING_CUT;
	struct said said;

	if (said_of(making, FIELD_CLOSED, &said)) {
		if (said.value.type != VALUE_STRING)
			draft_fault(&making->draft, E_TYPE, said.field, json_value_shown(&said.value));
		else if (bytes_are(said.value.text, "client") || bytes_are(said.value.text, "upstream"))
			is_cut = true;
		else if (bytes_are(said.value.text, "clean"))
			is_cut = false;
		else
			draft_fault(&making->draft, E_VALUE, said.field, said.value.text);
	}
	if (!is_cut)
		return;
	making->draft.event.flags |= F_PARTIAL;
	if ((making->ruled >> FIELD_STATUS & 1) == 0)
		set_text(making, FIELD_STATUS, bytes_of("aborted"), "the stream has no end");
}

/* What an iteration is, in the words of operations. */
static void
fill_iteration(struct making *making)
{
	const struct profile *profile = making->profile;
	short slot = profile->iteration_kind;
	struct bytes kind;

	if (making->item == NULL || !value_is_set(making->item, slot) || making->item->value[slot].type != VALUE_STRING)
		return;
	kind = making->item->value[slot].text;
	for (size_t i = 0; i < profile->iteration_operation_count; i++) {
		const struct word *word = &profile->iteration_operations[i];

		if (bytes_same(word->from, kind))
			set_text(making, FIELD_OPERATION, word->to, profile->slots[slot].path);
	}
}

/* The model that made this pass, where the item says it. */
static void
fill_iteration_model(struct making *making)
{
	const struct paths *paths = &making->profile->iteration_model;

	for (int i = 0; making->item != NULL && i < paths->count; i++) {
		short slot = paths->slot[i];

		if (!value_is_set(making->item, slot))
			continue;
		draft_text(&making->draft, SERIES_MODEL, making->profile->slots[slot].path, &making->item->value[slot]);
		explain_text(making, "model", making->draft.event.series[SERIES_MODEL], making->profile->slots[slot].path);
		return;
	}
}

static void
fill_texts(struct making *making, enum closing closing)
{
	struct usage_event *event = &making->draft.event;

	for (int field = FIELD_MODEL; field <= FIELD_API_KEY; field++)
		fill_text(making, (enum profile_field)field);
	fill_iteration(making);
	fill_iteration_model(making);
	fill_closing(making, closing);
	follow_names(making);
	if (bytes_are(event->series[SERIES_METHOD], "estimate"))
		event->flags |= F_ESTIMATED;
	if (event->series[SERIES_SERVED_FROM].length > 0 && bytes_are(event->series[SERIES_SERVED_FROM], "gateway_cache"))
		making->gateway_cache = true;
	else if (making->gateway_cache)
		set_text(making, FIELD_SERVED_FROM, bytes_of("gateway_cache"), "a rule");
}

/* --- all of it ------------------------------------------------------------------------------------- */

/* Told to a person alone. */
static void
explain_field(struct making *making, enum profile_field field)
{
	struct said said;

	if (said_of(making, field, &said) && said.value.type == VALUE_STRING)
		explain_text(making, field_name(field), said.value.text, said.from);
}

static const char *
part_place(const struct profile *profile, enum profile_part total, enum profile_part text)
{
	const struct paths *paths = &profile->parts[total].paths;

	if (paths->count == 0)
		paths = &profile->parts[text].paths;
	return paths->count > 0 ? profile->slots[paths->slot[0]].path : "usage";
}

static void
set_names(struct making *making)
{
	const struct profile *profile = making->profile;
	struct draft_names *out = making->names;

	out->reported_input = part_place(profile, PART_INPUT_TOTAL, PART_INPUT_TEXT);
	out->reported_output = part_place(profile, PART_OUTPUT_TOTAL, PART_OUTPUT_TEXT);
	out->usage = out->context = out->reported_input;
	out->model = field_place(making, FIELD_MODEL);
	out->time = field_place(making, FIELD_TIME);
}

static void
explain_rest(struct making *making, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
#define FLAG(bit, name, meaning) {1U << (bit), #name},
#include "ledger/flags.def"
#undef FLAG
	};
	const struct draft *draft = &making->draft;

	explain_field(making, FIELD_FINISH_REASON);
	explain_field(making, FIELD_MODEL_REQUESTED);
	if (draft->event.context_input_tokens >= 0)
		explain_text(making, "context_input_tokens",
		    bytes_of(arena_format(making->arena, "%lld", (long long)draft->event.context_input_tokens)),
		    "all of the input");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if ((flags & names[i].flag) != 0)
			explain_text(making, "flag", bytes_of(names[i].name), "");
}

/* Most events have no attributes beside those that CloudEvents asks for. */
static uint64_t
fields_said(const struct profile *profile, const struct envelope_values *envelope)
{
	uint64_t set = 0;

	if (envelope->is_event && envelope->values != NULL)
		for (int i = 0; i < PROFILE_SLOTS / 64; i++)
			set |= envelope->values->set[i] & profile->extension_slots[i];
	return profile->stated_fields | (set != 0 ? profile->extended_fields : 0);
}

void
profile_event(const struct profile *profile, const struct event_rules *rules, const struct envelope_values *envelope,
    const struct values *values, const struct values *item, int iteration, enum closing closing,
    struct profile_explanation *explanation, struct arena *arena, struct record *out)
{
	struct draft_names names;
	struct making making;

	making.profile = profile;
	making.envelope = envelope;
	making.values = values;
	making.item = item;
	making.iteration = iteration;
	making.explanation = explanation;
	making.arena = arena;
	making.names = &names;
	making.said = fields_said(profile, envelope);
	making.ruled = 0;
	making.gateway_cache = making.set_aside = false;
	set_names(&making);
	draft_begin(&making.draft, rules, &names, arena);
	making.draft.event.flags |= profile->flags;
	if (follow_rules(&making)) {
		fill_identity(&making);
		fill_texts(&making, closing);
		fill_context(&making);
		fill_usage(&making);
	}
	draft_finish(&making.draft, out);
	if (explanation != NULL)
		explain_rest(&making, out->event.flags);
}
