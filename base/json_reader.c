/* json_reader.c -- see json_reader.h. */
#include "base/json_reader.h"

#include <string.h>

static bool fail(struct json_reader *reader, enum json_fault fault, const char *problem);
static bool enter(struct json_reader *reader, enum value_type type, struct json_value *value);
static void leave(struct json_reader *reader);
static bool read_string(struct json_reader *reader, struct bytes *out);
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

/* The next byte that is no blank, not yet taken. */
static int
look(struct json_reader *reader)
{
	while (reader->at < reader->end && is_blank(*reader->at))
		reader->at++;
	return reader->at < reader->end ? (unsigned char)*reader->at : NOTHING;
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
	reader->key_count = 0;
	reader->keys = reader->own_keys;
	reader->keys_most = JSON_KEYS;
	reader->keys_room = JSON_DEPTH * JSON_KEYS;
	for (int i = 0; i <= depth; i++) {
		reader->begun[i] = false;
		reader->first_key[i] = 0;
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

bool
json_value(struct json_reader *reader, struct json_value *value)
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

static bool
repeated(const struct json_reader *reader, struct bytes key)
{
	for (size_t i = reader->first_key[reader->depth]; i < reader->key_count; i++)
		if (reader->keys[i].length == key.length && memcmp(reader->keys[i].at, key.at, key.length) == 0)
			return true;
	return false;
}

static bool
remember_key(struct json_reader *reader, struct bytes key)
{
	if (repeated(reader, key)) {
		reader->key = key;
		return fail(reader, JSON_FAULT_KEY_TWICE, "a key twice in an object");
	}
	if (reader->key_count - reader->first_key[reader->depth] == reader->keys_most || reader->key_count == reader->keys_room)
		return fail(reader, JSON_FAULT_SYNTAX,
		    reader->keys_most == JSON_KEYS ? "more than 256 keys in one object" : "too many keys in open objects");
	reader->keys[reader->key_count++] = key;
	return true;
}

/* Takes the comma before all but the first key or item; false at the closing bracket, which is taken, or on an error. */
static bool
another(struct json_reader *reader, char closing)
{
	int byte;

	if (reader->fault != JSON_FAULT_NONE)
		return false;
	must(reader->depth > 0);
	byte = look(reader);
	if (byte == closing) {
		reader->at++;
		leave(reader);
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

bool
json_key(struct json_reader *reader, struct bytes *key)
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
	if (!json_value(reader, &value))
		return false;
	if ((value.type == VALUE_ARRAY || value.type == VALUE_OBJECT) && !json_leave(reader))
		return false;
	if (raw != NULL)
		*raw = (struct bytes){from, (size_t)(reader->at - from)};
	return true;
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
	if (reader->depth == JSON_DEPTH)
		return fail(reader, JSON_FAULT_DEPTH, "more than 16 levels");
	reader->at++;
	reader->depth++;
	reader->begun[reader->depth] = false;
	reader->in_array[reader->depth] = type == VALUE_ARRAY;
	reader->first_key[reader->depth] = reader->key_count;
	value->type = type;
	return true;
}

static void
leave(struct json_reader *reader)
{
	reader->key_count = reader->first_key[reader->depth];
	reader->depth--;
}

/* True where one of eight bytes may be a quote, a backslash or a control byte: the usual tests for a zero byte and for a
 * byte below 0x20, of which only the lowest hit is exact. */
static bool
may_end_string(const char *bytes)
{
	const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
	uint64_t eight, quote, backslash;

	memcpy(&eight, bytes, sizeof eight);
	quote = eight ^ ones * '"';
	backslash = eight ^ ones * '\\';
	return (((eight - ones * 0x20) & ~eight) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & tops;
}

/* At an opening quote. */
static bool
read_string(struct json_reader *reader, struct bytes *out)
{
	const char *from = ++reader->at;

	while (reader->end - reader->at >= 8 && !may_end_string(reader->at))
		reader->at += 8;
	for (; reader->at < reader->end; reader->at++) {
		unsigned char byte = (unsigned char)*reader->at;

		if (byte == '"') {
			*out = (struct bytes){from, (size_t)(reader->at - from)};
			reader->at++;
			return true;
		}
		if (byte == '\\')
			return unescape(reader, from, out);
		if (byte < 0x20)
			return fail(reader, JSON_FAULT_SYNTAX, "a raw control byte in a string");
	}
	return fail(reader, JSON_FAULT_SYNTAX, "a string without its closing quote");
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

bool
utf8_check(const char *bytes, size_t length, size_t *at, bool *cut)
{
	size_t i = 0;

	*cut = false;
	while (i < length) {
		uint64_t eight;
		size_t step;

		/* Most input is ASCII: eight bytes at a time. */
		if (length - i >= sizeof eight) {
			memcpy(&eight, bytes + i, sizeof eight);
			if ((eight & 0x8080808080808080ULL) == 0) {
				i += sizeof eight;
				continue;
			}
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
