/* error.c -- see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const int exit_codes[] = {
    0,
#define ERROR_KIND(name, exit_code, meaning) exit_code,
#include "base/error_kinds.def"
#undef ERROR_KIND
};

/* Error texts alone may be cut, and a cut one ends in "..." to say so. */
static void fill(char *out, size_t size, const char *format, va_list arguments) PRINTF_LIKE(3, 0);

static void
fill(char *out, size_t size, const char *format, va_list arguments)
{
	int length = vsnprintf(out, size, format, arguments);

	if (length < 0)
		snprintf(out, size, "(unprintable)");
	else if ((size_t)length >= size)
		memcpy(out + size - 4, "...", 4);
}

bool
error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	va_list arguments;

	must(kind != ERROR_NONE);
	*err = (struct error){.kind = kind};
	va_start(arguments, format);
	fill(err->message, sizeof err->message, format, arguments);
	va_end(arguments);
	return false;
}

bool
error_wrap(struct error *err, const char *format, ...)
{
	char context[sizeof err->message], whole[sizeof err->message * 2 + 4];
	va_list arguments;

	must(err->kind != ERROR_NONE);
	va_start(arguments, format);
	fill(context, sizeof context, format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof whole, "%s: %s", context, err->message);
	whole[sizeof err->message - 1] = '\0';
	memcpy(err->message, whole, sizeof err->message);
	return false;
}

bool
error_detail(struct error *err, const char *format, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	fill(err->detail, sizeof err->detail, format, arguments);
	va_end(arguments);
	/* libpq ends its messages with a line end. */
	length = strlen(err->detail);
	if (length > 0 && err->detail[length - 1] == '\n')
		err->detail[length - 1] = '\0';
	return false;
}

bool
error_hint(struct error *err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(err->hint, sizeof err->hint, format, arguments);
	va_end(arguments);
	return false;
}

bool
error_at(struct error *err, const char *file, uint64_t line)
{
	snprintf(err->file, sizeof err->file, "%s", file);
	err->line = line;
	err->column = 0;
	return false;
}

bool
error_column(struct error *err, uint64_t column)
{
	err->column = column;
	return false;
}

bool
error_field(struct error *err, const char *field, const char *value, size_t length)
{
	size_t used = 0;

	snprintf(err->field, sizeof err->field, "%s", field);
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)value[i];
		int wrote;

		if (used + 8 > sizeof err->value) {
			memcpy(err->value + used, "...", 4);
			return false;
		}
		if (byte < 0x20 || byte == 0x7f)
			wrote = snprintf(err->value + used, sizeof err->value - used, "\\x%02x", byte);
		else
			wrote = snprintf(err->value + used, sizeof err->value - used, "%c", byte);
		used += (size_t)wrote;
	}
	err->value[used] = '\0';
	return false;
}

void
error_print(FILE *out, const struct error *err)
{
	fprintf(out, "tollbook: %s\n", err->message);
	if (err->file[0] != '\0' || err->field[0] != '\0') {
		fprintf(out, "at: %s", err->file);
		if (err->line > 0 && err->column > 0)
			fprintf(out, ":%llu:%llu", (unsigned long long)err->line, (unsigned long long)err->column);
		else if (err->line > 0)
			fprintf(out, ", line %llu", (unsigned long long)err->line);
		if (err->field[0] != '\0')
			fprintf(out, "%sfield %s, value \"%s\"", err->file[0] != '\0' ? ", " : "", err->field, err->value);
		fputc('\n', out);
	}
	if (err->detail[0] != '\0')
		fprintf(out, "detail: %s\n", err->detail);
	if (err->hint[0] != '\0')
		fprintf(out, "hint: %s\n", err->hint);
}

int
error_exit_code(enum error_kind kind)
{
	return exit_codes[kind];
}

void
must_failed(const char *condition, const char *file, int line)
{
	fprintf(
	    stderr, "tollbook: this is a bug: \"%s\" does not hold (%s:%d); nothing more was booked\n", condition, file, line);
	abort();
}
