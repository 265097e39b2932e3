/* json_reader.c -- see json_reader.h. */
#include "base/json_reader.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

__attribute__((cold, noinline)) static bool fail(struct json_reader *reader, enum json_fault fault, const char *problem);
static bool enter(struct json_reader *reader, enum value_type type, struct json_value *value);
static inline bool read_string(struct json_reader *reader, struct bytes *out);
static bool read_other_string(struct json_reader *reader, const char *from, struct bytes *out);
static bool unescape(struct json_reader *reader, const char *from, struct bytes *out);
static bool read_number(struct json_reader *reader, struct bytes *out);
static bool read_word(struct json_reader *reader, const char *word, size_t length);

/* No byte of the text: distinct from every byte that can stand there. */
enum { NOTHING = -1 };

static bool
is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* The same where a blank stands, or the end. */
__attribute__((noinline)) static int
look_further(struct json_reader *reader)
{
	while (reader->at < reader->end && is_blank(*reader->at))
		reader->at++;
	return reader->at < reader->end ? (unsigned char)*reader->at : NOTHING;
}

/* The next byte that is no blank, not yet taken. */
static inline int
look(struct json_reader *reader)
{
	/* Most documents that machines write have no blanks. */
	if (reader->at < reader->end && (unsigned char)*reader->at > ' ')
		return (unsigned char)*reader->at;
	return look_further(reader);
}

void
json_begin(struct json_reader *reader, const char *bytes, size_t length, int depth, struct arena *arena)
{
	size_t at;

	must(depth >= 0 && depth < JSON_DEPTH);
	reader->start = reader->at = bytes;
	reader->end = bytes + length;
	reader->arena = arena;
	reader->fault = JSON_FAULT_NONE;
	reader->problem = "";
	reader->key = (struct bytes){NULL, 0};
	reader->cut = false;
	reader->depth = depth;
	reader->depth_most = JSON_DEPTH;
	reader->key_count = 0;
	reader->keys = reader->own_keys;
	reader->keys_most = JSON_KEYS;
	reader->keys_room = JSON_DEPTH * JSON_KEYS;
	for (int i = 0; i <= depth; i++) {
		reader->begun[i] = false;
		reader->first_key[i] = 0;
		memset(reader->key_bits[i], 0, sizeof reader->key_bits[i]);
	}
	if (!utf8_check(bytes, length, &at, &reader->cut)) {
		reader->at = bytes + at;
		reader->fault = JSON_FAULT_UTF8;
		reader->problem = reader->cut ? "a character that is cut off" : "bytes that are not UTF-8";
	}
}

void
json_allow_keys(struct json_reader *reader, struct bytes *keys, size_t room)
{
	must(reader->key_count == 0);
	reader->keys = keys;
	reader->keys_most = reader->keys_room = room;
}

void
json_allow_depth(struct json_reader *reader, int depth)
{
	must(depth >= reader->depth && depth <= JSON_DEPTH_MOST);
	reader->depth_most = depth;
}

static inline bool
read_value(struct json_reader *reader, struct json_value *value)
{
	int byte;

	if (reader->fault != JSON_FAULT_NONE)
		return false;
	byte = look(reader);
	value->text = (struct bytes){reader->at, 0};
	switch (byte) {
	case '{':
		return enter(reader, VALUE_OBJECT, value);
	case '[':
		return enter(reader, VALUE_ARRAY, value);
	case '"':
		value->type = VALUE_STRING;
		return read_string(reader, &value->text);
	case 't':
		value->type = VALUE_TRUE;
		return read_word(reader, "true", 4);
	case 'f':
		value->type = VALUE_FALSE;
		return read_word(reader, "false", 5);
	case 'n':
		value->type = VALUE_NULL;
		return read_word(reader, "null", 4);
	default:
		value->type = VALUE_NUMBER;
		return read_number(reader, &value->text);
	}
}

bool
json_value(struct json_reader *reader, struct json_value *value)
{
	return read_value(reader, value);
}

/* Of eight bytes, the lowest bit that is set is in the first one that is a quote, a backslash or a control byte; 0: there is
 * none.  The usual tests for a zero byte and for a byte below 0x20: bytes from 0x80 never borrow and are masked out, others
 * borrow only where they are a hit, so that nothing below the first hit can be wrong. */
static inline uint64_t
string_end_bits(const char *bytes)
{
	const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
	uint64_t eight, quote, backslash;

	memcpy(&eight, bytes, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	eight = __builtin_bswap64(eight);
#endif
	quote = eight ^ ones * '"';
	backslash = eight ^ ones * '\\';
	return ((eight - ones * 0x20) | (quote - ones) | (backslash - ones)) & ~eight & tops;
}

#ifdef __SSE2__
/* The same of sixteen bytes, a bit for each that is a hit: the instructions that every x86-64 has. */
static inline unsigned
string_end_marks(const char *bytes)
{
	__m128i many = _mm_loadu_si128((const __m128i *)(const void *)bytes);
	__m128i control = _mm_cmpeq_epi8(_mm_min_epu8(many, _mm_set1_epi8(0x1f)), many);
	__m128i quote = _mm_cmpeq_epi8(many, _mm_set1_epi8('"')), backslash = _mm_cmpeq_epi8(many, _mm_set1_epi8('\\'));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash)));
}
#endif

/* The first byte that is a quote, a backslash or a control byte, or the end. */
static inline const char *
string_end(const char *at, const char *end)
{
#ifdef __SSE2__
	for (; end - at >= 16; at += 16) {
		unsigned marks = string_end_marks(at);

		if (marks != 0)
			return at + __builtin_ctz(marks);
	}
#endif
	for (; end - at >= 8; at += 8) {
		uint64_t bits = string_end_bits(at);

		if (bits != 0)
			return at + __builtin_ctzll(bits) / 8;
	}
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
		at++;
	return at;
}

/* The same for keys that are alike at a glance: only where there was one must the object's other keys be looked at. */
static inline unsigned
key_sign(struct bytes key)
{
	const unsigned char *at = (const unsigned char *)key.at;

	if (key.length == 0)
		return 0;
	return (at[0] * 5U + at[key.length - 1] * 11U + at[key.length / 2] * 3U + (unsigned)key.length) % JSON_KEY_BITS;
}

__attribute__((noinline)) static bool
repeated(const struct json_reader *reader, struct bytes key)
{
	for (size_t i = reader->first_key[reader->depth]; i < reader->key_count; i++)
		if (reader->keys[i].length == key.length && memcmp(reader->keys[i].at, key.at, key.length) == 0)
			return true;
	return false;
}

static inline bool
remember_key(struct json_reader *reader, struct bytes key)
{
	unsigned sign = key_sign(key);
	uint64_t bit = 1ULL << (sign % 64), *bits = &reader->key_bits[reader->depth][sign / 64];

	if ((*bits & bit) != 0 && repeated(reader, key)) {
		reader->key = key;
		return fail(reader, JSON_FAULT_KEY_TWICE, "a key twice in an object");
	}
	*bits |= bit;
	if (reader->key_count == reader->keys_room)
		return fail(reader, JSON_FAULT_SYNTAX, "too many keys in open objects");
	if (reader->key_count - reader->first_key[reader->depth] == reader->keys_most)
		return fail(reader, JSON_FAULT_SYNTAX, "more than 256 keys in one object");
	reader->keys[reader->key_count++] = key;
	return true;
}

/* Takes the comma before all but the first key or item; false at the closing bracket, which is taken, or on an error. */
static inline bool
another(struct json_reader *reader, char closing)
{
	int byte;

	if (reader->fault != JSON_FAULT_NONE)
		return false;
	must(reader->depth > 0);
	byte = look(reader);
	if (byte == closing) {
		reader->at++;
		reader->key_count = reader->first_key[reader->depth];
		reader->depth--;
		return false;
	}
	if (!reader->begun[reader->depth]) {
		reader->begun[reader->depth] = true;
		return true;
	}
	if (byte != ',')
		return fail(reader, JSON_FAULT_SYNTAX,
		    closing == '}' ? "no comma and no } behind a value" : "no comma and no ] behind a value");
	reader->at++;
	return true;
}

/* Whatever stands there, faults too. */
__attribute__((noinline)) static bool
read_key(struct json_reader *reader, struct bytes *key)
{
	if (!another(reader, '}'))
		return false;
	if (look(reader) != '"')
		return fail(reader, JSON_FAULT_SYNTAX, "no key in double quotes");
	if (!read_string(reader, key) || !remember_key(reader, *key))
		return false;
	if (look(reader) != ':')
		return fail(reader, JSON_FAULT_SYNTAX, "no colon behind a key");
	reader->at++;
	return true;
}

/* Where a key stands as machines write it, with nothing between comma, quotes and colon, and is surely no repetition, takes it.
 * False where it is anything else; then nothing is taken. */
static inline bool
take_plain_key(struct json_reader *reader, struct bytes *key)
{
	const char *at = reader->at, *end = reader->end, *stop;
	int depth = reader->depth;
	uint64_t bit, *bits;
	unsigned sign;

	if (reader->fault != JSON_FAULT_NONE || depth == 0 || end - at < 2)
		return false;
	if (reader->begun[depth] && *at++ != ',')
		return false;
	if (*at++ != '"')
		return false;
	stop = string_end(at, end);
	if (end - stop < 2 || stop[0] != '"' || stop[1] != ':')
		return false;
	*key = (struct bytes){at, (size_t)(stop - at)};
	sign = key_sign(*key);
	bit = 1ULL << (sign % 64);
	bits = &reader->key_bits[depth][sign / 64];
	if ((*bits & bit) != 0 || reader->key_count >= reader->keys_room ||
	    reader->key_count - reader->first_key[depth] >= reader->keys_most)
		return false;
	*bits |= bit;
	reader->keys[reader->key_count++] = *key;
	reader->begun[depth] = true;
	reader->at = stop + 2;
	return true;
}

bool
json_key(struct json_reader *reader, struct bytes *key)
{
	return take_plain_key(reader, key) || read_key(reader, key);
}

bool
json_item(struct json_reader *reader)
{
	return another(reader, ']');
}

bool
json_leave(struct json_reader *reader)
{
	struct bytes key;
	int depth = reader->depth;

	must(depth > 0);
	if (reader->in_array[depth])
		while (json_item(reader) && json_skip(reader, NULL))
			;
	else
		while (json_key(reader, &key) && json_skip(reader, NULL))
			;
	return reader->fault == JSON_FAULT_NONE;
}

bool
json_skip(struct json_reader *reader, struct bytes *raw)
{
	struct json_value value;
	const char *from;

	(void)look(reader);
	from = reader->at;
	if (!read_value(reader, &value))
		return false;
	if ((value.type == VALUE_ARRAY || value.type == VALUE_OBJECT) && !json_leave(reader))
		return false;
	if (raw != NULL)
		*raw = (struct bytes){from, (size_t)(reader->at - from)};
	return true;
}

void
json_again(struct json_reader *reader, const char *from)
{
	must(from >= reader->start && from <= reader->at);
	if (reader->fault == JSON_FAULT_NONE)
		reader->at = from;
}

bool
json_end(struct json_reader *reader)
{
	if (reader->fault != JSON_FAULT_NONE)
		return false;
	if (look(reader) != NOTHING)
		return fail(reader, JSON_FAULT_SYNTAX, "something behind the end of the value");
	return true;
}

static bool
fail(struct json_reader *reader, enum json_fault fault, const char *problem)
{
	reader->fault = fault;
	reader->problem = problem;
	reader->cut = reader->at == reader->end && fault == JSON_FAULT_SYNTAX;
	return false;
}

static bool
enter(struct json_reader *reader, enum value_type type, struct json_value *value)
{
	if (reader->depth == reader->depth_most)
		return fail(reader, JSON_FAULT_DEPTH, arena_format(reader->arena, "more than %d levels", reader->depth_most));
	reader->at++;
	reader->depth++;
	reader->begun[reader->depth] = false;
	reader->in_array[reader->depth] = type == VALUE_ARRAY;
	reader->first_key[reader->depth] = reader->key_count;
	memset(reader->key_bits[reader->depth], 0, sizeof reader->key_bits[reader->depth]);
	value->type = type;
	return true;
}

size_t
json_plain(struct bytes text)
{
	return (size_t)(string_end(text.at, text.at + text.length) - text.at);
}

/* At an opening quote. */
static inline bool
read_string(struct json_reader *reader, struct bytes *out)
{
	const char *from = reader->at + 1, *at = string_end(from, reader->end);

	if (at == reader->end || *at != '"') {
		reader->at = at;
		return read_other_string(reader, from, out);
	}
	reader->at = at + 1;
	*out = (struct bytes){from, (size_t)(at - from)};
	return true;
}

/* A string that begins at `from`, at its first byte that is not to be taken as it stands. */
__attribute__((noinline)) static bool
read_other_string(struct json_reader *reader, const char *from, struct bytes *out)
{
	if (reader->at == reader->end)
		return fail(reader, JSON_FAULT_SYNTAX, "a string without its closing quote");
	if (*reader->at == '\\')
		return unescape(reader, from, out);
	return fail(reader, JSON_FAULT_SYNTAX, "a raw control byte in a string");
}

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

/* The four digits behind \u. */
static bool
read_hex(struct json_reader *reader, unsigned *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, reader->at++) {
		int value = reader->at < reader->end ? hex_value(*reader->at) : -1;

		if (value < 0)
			return fail(reader, JSON_FAULT_SYNTAX, "no four hexadecimal digits behind \\u");
		*out = *out << 4 | (unsigned)value;
	}
	return true;
}

static char *
utf8_put(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* Behind "\u": one character, whose second half is another escape where it lies beyond U+FFFF. */
static bool
read_code(struct json_reader *reader, unsigned *code)
{
	unsigned low;

	if (!read_hex(reader, code))
		return false;
	if (*code == 0)
		return fail(reader, JSON_FAULT_NUL, "an escaped U+0000");
	if (*code >= 0xdc00 && *code <= 0xdfff)
		return fail(reader, JSON_FAULT_UTF8, "the second half of a surrogate pair alone");
	if (*code < 0xd800 || *code > 0xdbff)
		return true;
	if (reader->end - reader->at < 2 && (reader->at == reader->end || *reader->at == '\\')) {
		reader->at = reader->end;
		return fail(reader, JSON_FAULT_SYNTAX, "a string without its closing quote");
	}
	if (reader->at[0] != '\\' || reader->at[1] != 'u')
		return fail(reader, JSON_FAULT_UTF8, "the first half of a surrogate pair alone");
	reader->at += 2;
	if (!read_hex(reader, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return fail(reader, JSON_FAULT_UTF8, "the first half of a surrogate pair alone");
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* At a backslash. */
static bool
read_escape(struct json_reader *reader, unsigned *code)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;

	reader->at++;
	if (reader->at == reader->end)
		return fail(reader, JSON_FAULT_SYNTAX, "a string without its closing quote");
	if (*reader->at == 'u') {
		reader->at++;
		return read_code(reader, code);
	}
	found = memchr(escapes, *reader->at, sizeof escapes - 1);
	if (found == NULL)
		return fail(reader, JSON_FAULT_SYNTAX, "an escape that JSON does not have");
	reader->at++;
	*code = (unsigned char)meant[found - escapes];
	return true;
}

/* At the first backslash of the string that starts at `from`.  Unescaped text is never longer than escaped. */
static bool
unescape(struct json_reader *reader, const char *from, struct bytes *out)
{
	size_t plain = (size_t)(reader->at - from), room = plain;
	const char *quote = reader->at;
	char *copy, *to;

	while (quote < reader->end && *quote != '"')
		quote += *quote == '\\' && reader->end - quote > 1 ? 2 : 1;
	room += (size_t)(quote - reader->at);
	copy = arena_take(reader->arena, room + 1);
	memcpy(copy, from, plain);
	to = copy + plain;
	while (reader->at < reader->end && *reader->at != '"') {
		unsigned code = (unsigned char)*reader->at;

		if (code == '\\') {
			if (!read_escape(reader, &code))
				return false;
			to = utf8_put(to, code);
		} else if (code < 0x20) {
			return fail(reader, JSON_FAULT_SYNTAX, "a raw control byte in a string");
		} else {
			*to++ = *reader->at++;
		}
	}
	if (reader->at == reader->end)
		return fail(reader, JSON_FAULT_SYNTAX, "a string without its closing quote");
	reader->at++;
	*to = '\0';
	*out = (struct bytes){copy, (size_t)(to - copy)};
	return true;
}

static const char *
digits_end(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* The end of the number at `at` (RFC 8259, section 6), or where it goes wrong, with *problem set. */
static const char *
number_end(const char *at, const char *end, const char **problem)
{
	const char *from;

	if (at < end && *at == '-')
		at++;
	from = at;
	at = at < end && *at == '0' ? at + 1 : digits_end(at, end);
	if (at == from) {
		*problem = "no value that JSON has";
		return at;
	}
	if (at < end && *at == '.') {
		from = ++at;
		at = digits_end(at, end);
		if (at == from) {
			*problem = "no digit behind the point of a number";
			return at;
		}
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		from = at;
		at = digits_end(at, end);
		if (at == from)
			*problem = "no digit in the exponent of a number";
	}
	return at;
}

static bool
read_number(struct json_reader *reader, struct bytes *out)
{
	const char *from = reader->at, *problem = NULL;

	reader->at = number_end(from, reader->end, &problem);
	if (problem != NULL)
		return fail(reader, JSON_FAULT_SYNTAX, problem);
	*out = (struct bytes){from, (size_t)(reader->at - from)};
	return true;
}

bool
is_json_number(struct bytes text)
{
	const char *problem = NULL;

	return number_end(text.at, text.at + text.length, &problem) == text.at + text.length && problem == NULL;
}

static bool
read_word(struct json_reader *reader, const char *word, size_t length)
{
	size_t left = (size_t)(reader->end - reader->at);

	if (left >= length && memcmp(reader->at, word, length) == 0) {
		reader->at += length;
		return true;
	}
	if (left < length && memcmp(reader->at, word, left) == 0)
		reader->at = reader->end;
	return fail(reader, JSON_FAULT_SYNTAX, "no value that JSON has");
}

/* How many bytes the sequence at `at` has, or 0 where it is wrong.  RFC 3629, section 4: the second byte's limits refuse
 * overlong forms, surrogates and codes beyond U+10FFFF. */
static size_t
utf8_sequence(const unsigned char *at, size_t left, bool *cut)
{
	unsigned char least = 0x80, most = 0xbf;
	size_t length;

	*cut = false;
	if (at[0] < 0x80)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	if (at[0] == 0xe0)
		least = 0xa0;
	else if (at[0] == 0xed)
		most = 0x9f;
	else if (at[0] == 0xf0)
		least = 0x90;
	else if (at[0] == 0xf4)
		most = 0x8f;
	for (size_t i = 1; i < length; i++, least = 0x80, most = 0xbf) {
		if (i == left) {
			*cut = true;
			return 0;
		}
		if (at[i] < least || at[i] > most)
			return 0;
	}
	return length;
}

static inline uint64_t
eight_of(const char *bytes)
{
	uint64_t eight;

	memcpy(&eight, bytes, sizeof eight);
	return eight;
}

static inline uint64_t
any_of_32(const char *bytes)
{
	return eight_of(bytes) | eight_of(bytes + 8) | eight_of(bytes + 16) | eight_of(bytes + 24);
}

bool
utf8_check(const char *bytes, size_t length, size_t *at, bool *cut)
{
	const uint64_t tops = 0x8080808080808080ULL;
	size_t i = 0;

	*cut = false;
	while (i < length) {
		size_t step;

		/* Most input is ASCII: many bytes at a time. */
		if (length - i >= 64 && ((any_of_32(bytes + i) | any_of_32(bytes + i + 32)) & tops) == 0) {
			i += 64;
			continue;
		}
		if (length - i >= 8 && (eight_of(bytes + i) & tops) == 0) {
			i += 8;
			continue;
		}
		step = utf8_sequence((const unsigned char *)bytes + i, length - i, cut);
		if (step == 0) {
			*at = i;
			return false;
		}
		i += step;
	}
	return true;
}
