/* price_files.c -- see price_files.h. */
#include "rating/price_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "rating/price_list.h"

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
		book_shelf_add(shelf, *book);
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

/* --- places ---------------------------------------------------------------------------------- */

/* Counts on from a place in the text to another one behind it. */
static void
move_place(const struct text *text, struct price_place *place, size_t offset)
{
	for (; place->offset < offset; place->offset++) {
		unsigned char byte = (unsigned char)text->bytes[place->offset];

		if (byte == '\n') {
			place->line++;
			place->column = 1;
		} else if ((byte & 0xc0) != 0x80) {
			place->column++;
		}
	}
}

/* Without rules every place is looked for from the beginning. */
static void
find_rules(struct price_places *places)
{
	const struct text *text = places->text;
	struct price_place place = {.line = 1, .column = 1};
	struct error ignored = {0};
	const struct list_node *root, *rules;
	struct arena arena = {0};
	size_t room = 0;

	places->looked = true;
	if (list_parse(text->bytes, text->length, "", &arena, &root, &ignored)) {
		rules = list_get(root, "rules");
		for (const struct list_node *rule = rules == NULL ? NULL : rules->first; rule != NULL; rule = rule->next) {
			move_place(text, &place, (size_t)(rule->text.at - text->bytes));
			place.length = rule->text.length;
			places->rules = memory_grow(places->rules, &room, places->count + 1, sizeof *places->rules);
			places->rules[places->count++] = place;
		}
	}
	arena_release(&arena);
}

bool
price_place_of(struct price_places *places, const char *path, size_t *line, size_t *column)
{
	const struct price_place *rule;
	unsigned long number;
	char *end;

	if (!places->looked)
		find_rules(places);
	if (strncmp(path, "rules[", 6) != 0)
		return document_where(places->text->bytes, places->text->length, path, line, column);
	number = strtoul(path + 6, &end, 10);
	if (number >= places->count || *end != ']')
		return document_where(places->text->bytes, places->text->length, path, line, column);
	rule = &places->rules[number];
	end += 1 + (end[1] == '.');
	if (!document_where(places->text->bytes + rule->offset, rule->length, end, line, column))
		return false;
	*column += *line == 1 ? rule->column - 1 : 0;
	*line += rule->line - 1;
	return true;
}

void
price_places_release(struct price_places *places)
{
	free(places->rules);
	*places = (struct price_places){0};
}
