/*
 * document_where_fuzz.c -- any bytes up to the first NUL as a path, and behind it as a document, in memory that ends where it
 * does: what jansson accepts has a place for every path, and that place is in the document.
 */
#include "base/document.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void
check_place(const char *bytes, size_t length, size_t line, size_t column)
{
	size_t at = 0;

	must(line >= 1 && column >= 1);
	for (; line > 1; line--) {
		const char *end = memchr(bytes + at, '\n', length - at);

		must(end != NULL);
		at = (size_t)(end - bytes) + 1;
	}
	must(column - 1 < length - at);
}

static void
try_path(const char *bytes, size_t length, const char *path)
{
	size_t line = 0, column = 0;
	struct error err;
	json_t *root = document_parse(bytes, length, "fuzzed", &err);

	if (document_where(bytes, length, path, &line, &column))
		check_place(bytes, length, line, column);
	else
		must(root == NULL);
	json_decref(root);
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const uint8_t *split = size == 0 ? NULL : memchr(input, '\0', size);
	const char *path = split == NULL ? "rules[0].prices.requests.price" : (const char *)input;
	const uint8_t *from = split == NULL ? input : split + 1;
	size_t length = size - (size_t)(from - input);
	char *bytes = memory_new(length == 0 ? 1 : length, 1);

	if (length > 0)
		memcpy(bytes, from, length);
	try_path(bytes, length, path);
	free(bytes);
	return 0;
}
