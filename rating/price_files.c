/* price_files.c -- see price_files.h. */
#include "rating/price_files.h"

#include <string.h>

#include "base/document.h"

bool
price_word_is_file(const char *word)
{
	size_t length = strlen(word);

	return strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

bool
price_file_read(
    struct run *run, struct book_shelf *shelf, const char *path, struct text *text, struct price_book **out, struct error *err)
{
	const struct price_book_finder finder = book_shelf_finder(shelf, run->db);

	return document_read(path, text, err) && price_book_parse(text->bytes, text->length, path, 0, &finder, out, err);
}

/* A file onto the shelf. */
static bool
add_file(struct run *run, struct book_shelf *shelf, const char *path, struct price_book **book, struct error *err)
{
	struct text text = {0};
	bool fine = price_file_read(run, shelf, path, &text, book, err);

	text_release(&text);
	if (fine)
		(void)book_shelf_add(shelf, *book);
	return fine;
}

bool
price_files_with(struct run *run, struct book_shelf *shelf, struct error *err)
{
	struct price_book *book;

	for (size_t i = 0; option_each(run, "with", i) != NULL; i++)
		if (!add_file(run, shelf, option_each(run, "with", i), &book, err))
			return false;
	return true;
}

bool
price_word_split(struct run *run, const char *word, const char **book, int *version, struct error *err)
{
	const char *at = strrchr(word, '@');
	i128 number = 0;

	*book = at == NULL ? word : arena_copy(&run->arena, word, (size_t)(at - word));
	if (at != NULL && (!integer_parse(at + 1, strlen(at + 1), &number, err) || number < 1 || number > INT32_MAX))
		return error_set(err, ERROR_USAGE, "\"%s\" does not end in a version: write BOOK@1", word);
	*version = (int)number;
	return true;
}

static bool
refuse_unknown(struct error *err, const char *word)
{
	error_set(err, ERROR_STATE, "there is no published price book \"%s\"", word);
	return error_hint(err, "tollbook prices list shows what there is.");
}

bool
price_version_named(struct run *run, struct book_shelf *shelf, const char *word, struct price_version *out, struct error *err)
{
	const struct price_books *books;
	const char *name;
	int version;

	if (price_word_is_file(word)) {
		*out = (struct price_version){0};
		if (!add_file(run, shelf, word, &out->book, err))
			return false;
		out->effective = price_book_effective(out->book);
		return true;
	}
	if (!price_word_split(run, word, &name, &version, err) || !run_open_db(run, err) ||
	    !book_shelf_find(shelf, run->db, name, &books, err))
		return false;
	for (size_t i = books->count; i > 0; i--)
		if (books->item[i - 1].version != 0 && (version == 0 || books->item[i - 1].version == version)) {
			*out = books->item[i - 1];
			return true;
		}
	return refuse_unknown(err, word);
}

bool
price_version_at(
    struct run *run, struct book_shelf *shelf, const char *book, struct instant at, struct price_version *out, struct error *err)
{
	const struct price_version *version;
	const struct price_books *books;

	if (!run_open_db(run, err) || !book_shelf_find(shelf, run->db, book, &books, err))
		return false;
	version = price_books_at(books, at, INT64_MAX);
	if (version != NULL) {
		*out = *version;
		return true;
	}
	if (books->count == 0)
		return refuse_unknown(err, book);
	error_set(err, ERROR_STATE, "no version of \"%s\" is in force at that time", book);
	return error_hint(err, "tollbook prices list shows what there is.");
}
