/*
 * document.h -- JSON that a person wrote: price books, mappings, tenants.  Read strictly, with errors that say where.
 *
 * Usage events are not documents: no number of theirs may pass through a JSON library; see json_reader.h.
 * jansson's rules of ownership: what json_object_get() gives is borrowed and lives as long as the root.
 */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <jansson.h>

#include "base/memory.h"

enum { DOCUMENT_BYTES = 8 << 20 };

/* What a message needs to say where: without the bytes that were parsed, it names no line. */
struct document {
	const char *file;
	struct error *err;
	const char *bytes;
	size_t length;
};

/* A whole file of at most DOCUMENT_BYTES; "-" is standard input. */
MUST_CHECK
bool document_read(const char *path, struct text *out, struct error *err);
/* The root of a document, to be ended with json_decref(); NULL with *err set.  A key twice in an object is refused. */
json_t *document_parse(const char *bytes, size_t length, const char *file, struct error *err);

/*
 * Where the value begins that `path` names, for example rules[3].prices.requests.steps[0].price, in bytes that
 * document_parse() accepted; where the path leads further than the document, the last value on its way.  A key may itself have
 * dots and brackets in it: of several ways, it is the one that leads furthest, then the one with the longer key.
 * Lines and columns count from 1, columns in code points.  False where the bytes are no JSON; one pass over the bytes.
 */
MUST_CHECK
bool document_where(const char *bytes, size_t length, const char *path, size_t *line, size_t *column);
/* Says where on an error that is set already: file, and line and column of the value that `path` names.  Returns false. */
bool document_at(const struct document *document, const char *path);
/* Refuses a value: file, line and column, the path of the field, the value as JSON.  Returns false. */
bool document_refuse(const struct document *document, const char *path, const json_t *value, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Every key of `object` is one of `names`, or an error that suggests the nearest one.  `path` is the object's own, "" for the root. */
MUST_CHECK
bool document_keys(const struct document *document, json_t *object, const char *path, const char *const *names, size_t count);
#define DOCUMENT_KEYS(document, object, path, ...)                                                                               \
	document_keys(document, object, path, (const char *const[]){__VA_ARGS__},                                                \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* A text of 1 to `most` bytes, without control characters, borrowed into *out; NULL where it is missing and not required. */
MUST_CHECK
bool document_text(const struct document *document, json_t *object, const char *path, const char *key, bool required, size_t most,
    const char **out);
/* "path.key", or "key" for the root, in `out`. */
const char *document_path(char *out, size_t size, const char *path, const char *key);
/* Adds the nearest of `names` as a hint to the error, or all of them; returns false. */
bool document_suggest(struct error *err, const char *name, const char *const *names, size_t count);

#endif
