/*
 * usage_event.c -- see usage_event.h.
 *
 * Identities are made for every event, so the fields are gathered into one buffer and hashed at once, and
 * each thread keeps one SHA-256 context until it ends.
 */
#include "ledger/usage_event.h"

#include <endian.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

struct reason_row {
	const char *code;
	enum outcome outcome;
	enum release release;
	const char *meaning;
};

static const struct reason_row reasons[REASON_LIMIT] = {
    [REASON_NONE] = {"", OUTCOME_ACCEPTED, RELEASE_NEVER, ""},
#define REASON(code, outcome, release, meaning) [code] = {#code, OUTCOME_##outcome, RELEASE_##release, meaning},
#include "ledger/reason_codes.def"
#undef REASON
};

const char *
reason_code(enum reason reason)
{
	must(reason < REASON_LIMIT);
	return reasons[reason].code;
}

const char *
reason_meaning(enum reason reason)
{
	must(reason < REASON_LIMIT);
	return reasons[reason].meaning;
}

enum outcome
reason_outcome(enum reason reason)
{
	must(reason < REASON_LIMIT);
	return reasons[reason].outcome;
}

enum release
reason_release(enum reason reason)
{
	must(reason < REASON_LIMIT);
	return reasons[reason].release;
}

enum reason
reason_find(const char *code)
{
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++)
		if (strcmp(reasons[reason].code, code) == 0)
			return (enum reason)reason;
	return REASON_NONE;
}

static const struct {
	unsigned flag;
	const char *name;
} flag_names[] = {
#define FLAG(bit, name, meaning) {1U << (bit), #name},
#include "ledger/flags.def"
#undef FLAG
};

enum { FLAG_NAMES = sizeof flag_names / sizeof flag_names[0] };

const char *
flags_format(unsigned flags, char *out, size_t size)
{
	size_t used = 0;

	must(size > 0);
	out[0] = '\0';
	for (size_t i = 0; i < FLAG_NAMES; i++) {
		int wrote;

		if ((flags & flag_names[i].flag) == 0)
			continue;
		wrote = snprintf(out + used, size - used, "%s%s", used > 0 ? "," : "", flag_names[i].name);
		must(wrote > 0 && (size_t)wrote < size - used);
		used += (size_t)wrote;
	}
	return out;
}

unsigned
flags_find(const char *name)
{
	for (size_t i = 0; i < FLAG_NAMES; i++)
		if (strcmp(flag_names[i].name, name) == 0)
			return flag_names[i].flag;
	return 0;
}

static pthread_key_t digest_key;
static pthread_once_t digest_once = PTHREAD_ONCE_INIT;

static void
digest_end_of_thread(void *digest)
{
	digest_free(digest);
}

static void
digest_make_key(void)
{
	must(pthread_key_create(&digest_key, digest_end_of_thread) == 0);
}

static struct digest *
digest_of_thread(void)
{
	struct digest *digest;

	must(pthread_once(&digest_once, digest_make_key) == 0);
	digest = pthread_getspecific(digest_key);
	if (digest == NULL) {
		digest = digest_new();
		must(pthread_setspecific(digest_key, digest) == 0);
	}
	return digest;
}

/* What is to be hashed; long events are passed on in pieces. */
struct gathering {
	struct digest *digest;
	size_t length;
	unsigned char bytes[2048];
};

__attribute__((noinline)) static void
gather_flush(struct gathering *gathering)
{
	digest_bytes(gathering->digest, gathering->bytes, gathering->length);
	gathering->length = 0;
}

static inline void
gather_number(struct gathering *gathering, uint64_t number)
{
	uint64_t big_endian = htobe64(number);

	if (sizeof gathering->bytes - gathering->length < sizeof big_endian)
		gather_flush(gathering);
	memcpy(gathering->bytes + gathering->length, &big_endian, sizeof big_endian);
	gathering->length += sizeof big_endian;
}

static inline void
gather_field(struct gathering *gathering, struct bytes field)
{
	gather_number(gathering, field.length);
	if (field.length == 0)
		return;
	if (field.length > sizeof gathering->bytes - gathering->length)
		gather_flush(gathering);
	if (field.length > sizeof gathering->bytes) {
		digest_bytes(gathering->digest, field.at, field.length);
		return;
	}
	memcpy(gathering->bytes + gathering->length, field.at, field.length);
	gathering->length += field.length;
}

static void
gather_begin(struct gathering *gathering)
{
	gathering->digest = digest_of_thread();
	gathering->length = 0;
	digest_begin(gathering->digest);
}

static struct id128
gather_end(struct gathering *gathering)
{
	unsigned char sum[DIGEST_SIZE];
	struct id128 id;

	digest_bytes(gathering->digest, gathering->bytes, gathering->length);
	digest_end(gathering->digest, sum);
	memcpy(id.byte, sum, sizeof id.byte);
	return id;
}

static struct id128
identity_of(struct bytes tenant, struct bytes source, struct bytes id)
{
	struct gathering gathering;

	gather_begin(&gathering);
	gather_field(&gathering, tenant);
	gather_field(&gathering, source);
	gather_field(&gathering, id);
	return gather_end(&gathering);
}

/* Numbers are of fixed size and counts stand before lists, so that no two contents give the same bytes. */
static struct id128
content_of(const struct usage_event *event)
{
	struct gathering gathering;

	gather_begin(&gathering);
	gather_number(&gathering, (uint64_t)event->kind);
	gather_field(&gathering, event->ref_source);
	gather_field(&gathering, event->ref_id);
	for (int i = 0; i < SERIES_FIELDS; i++)
		if (i != SERIES_PROJECT && i != SERIES_API_KEY)
			gather_field(&gathering, event->series[i]);
	gather_number(&gathering, (uint64_t)event->context_input_tokens);
	gather_number(&gathering, event->quantity_count);
	for (size_t i = 0; i < event->quantity_count; i++) {
		gather_number(&gathering, (uint64_t)event->quantities[i].meter);
		gather_number(&gathering, (uint64_t)event->quantities[i].quantity);
	}
	return gather_end(&gathering);
}

void
event_identify(struct usage_event *event)
{
	event->event_id = identity_of(event->series[SERIES_TENANT], event->source, event->id);
	event->content = content_of(event);
}

struct id128
event_original(const struct usage_event *event)
{
	return identity_of(event->series[SERIES_TENANT], event->ref_source, event->ref_id);
}
