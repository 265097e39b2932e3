/*
 * json_reader.h -- a strict pull reader of JSON (RFC 8259) over bytes in memory.
 *
 * It builds nothing: the caller asks for the next key, item or value and gets the text of numbers and strings as it stands
 * in the input (strings with escapes are unescaped into the arena).  What the caller does not ask for is checked all the
 * same, by the same code: UTF-8 without overlong forms and surrogates, no raw control bytes, no escaped U+0000, at most
 * JSON_DEPTH levels (or what was allowed), no key twice in an object after unescaping.
 *
 * The first error stays: afterwards every function returns false, so a caller may look at `fault` once, at the end.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum { JSON_DEPTH = 16, JSON_DEPTH_MOST = 64, JSON_KEYS = 256 /* in one object */, JSON_KEY_BITS = 256 };

enum value_type { VALUE_NULL, VALUE_FALSE, VALUE_TRUE, VALUE_NUMBER, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

enum json_fault {
	JSON_FAULT_NONE,
	JSON_FAULT_UTF8,
	JSON_FAULT_NUL, /* an escaped U+0000 */
	JSON_FAULT_SYNTAX,
	JSON_FAULT_DEPTH,
	JSON_FAULT_KEY_TWICE,
};

struct json_value {
	enum value_type type;
	struct bytes text; /* of a string, unescaped; of a number, its digits; else where it starts in the input */
};

struct json_reader {
	const char *start, *at, *end;
	struct arena *arena;
	enum json_fault fault;                 /* JSON_FAULT_NONE while all is well */
	const char *problem;                   /* what is wrong, in words for a person */
	struct bytes key;                      /* of JSON_FAULT_KEY_TWICE: the key */
	bool cut;                              /* the error is that the bytes end too early */
	int depth;                             /* open arrays and objects */
	int depth_most;                        /* one more is a fault */
	bool in_array[JSON_DEPTH_MOST + 1];    /* by depth: the container is an array */
	bool begun[JSON_DEPTH_MOST + 1];       /* it has a first key or item */
	size_t first_key[JSON_DEPTH_MOST + 1]; /* where its keys start in `keys` */
	uint64_t key_bits[JSON_DEPTH_MOST + 1]
			 [JSON_KEY_BITS / 64]; /* of its keys so far: where a new one has a new bit, it is no repetition */
	size_t key_count;
	struct bytes *keys; /* of all open objects: own_keys, or what json_allow_keys() was given */
	size_t keys_most;   /* in one object */
	size_t keys_room;   /* in all that are open */
	struct bytes own_keys[JSON_DEPTH * JSON_KEYS];
};

/* `depth`: levels that the bytes stand in already (a decoded document inside another), else 0.  `bytes` and `arena` must
 * outlive what is read. */
void json_begin(struct json_reader *reader, const char *bytes, size_t length, int depth, struct arena *arena);
/* Behind json_begin(): lets objects have more than JSON_KEYS keys, `room` in all that are open at a time, whose texts are
 * kept in `keys`, which outlives the reading.  To find a key that stands twice takes time by the square of an object's keys. */
void json_allow_keys(struct json_reader *reader, struct bytes *keys, size_t room);
/* Behind json_begin(): another depth than JSON_DEPTH, at most JSON_DEPTH_MOST.  Open objects share the room for keys. */
void json_allow_depth(struct json_reader *reader, int depth);
/* Reads the next value: scalars whole; of an array or object only the opening bracket, to be followed by json_key or
 * json_item until they return false, or by json_leave. */
bool json_value(struct json_reader *reader, struct json_value *value);
/* In an object: the next key, its value to be read; false at the object's end, which is then left. */
bool json_key(struct json_reader *reader, struct bytes *key);
/* In an array: true where another item is to be read; false at the array's end, which is then left. */
bool json_item(struct json_reader *reader);
/* Checks and passes over the rest of the array or object entered last. */
bool json_leave(struct json_reader *reader);
/* Checks and passes over the next value; *raw, when not NULL, is its text in the input. */
bool json_skip(struct json_reader *reader, struct bytes *raw);
/* Goes back to a value that was read or passed over just now, and whose object or array is the one that is open: the next
 * json_value() or json_skip() reads it again.  `from` is where it begins, or a blank before it. */
void json_again(struct json_reader *reader, const char *from);
/* Nothing but blanks may be left. */
bool json_end(struct json_reader *reader);

/* How many bytes at the beginning of a text can stand in a JSON string as they are. */
size_t json_plain(struct bytes text);
/* True where all of the text is one JSON number. */
bool is_json_number(struct bytes text);
/* True where bytes are valid UTF-8 (RFC 3629); else *at is the first byte of the wrong sequence and *cut tells that it
 * only ends too early. */
bool utf8_check(const char *bytes, size_t length, size_t *at, bool *cut);

#endif
