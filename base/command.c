/* command.c -- see command.h. */
#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/migrate.h"
#include "base/table.h"

enum { OPTIONS_MAX = 40, WORDS_MAX = 2 };

/* Taken by every verb. */
static const struct option_spec common_options[] = {
    {"db", "CONNINFO", "the PostgreSQL to use; default: TOLLBOOK_DB, the PG* variables, the configuration, else a private server",
	0},
    {"config", "FILE", "the configuration; default: TOLLBOOK_CONFIG, else /etc/tollbook/tollbook.conf", 0},
    {"as-of", "INSTANT", "act as if it were this instant (RFC 3339, or YYYY-MM-DD for midnight UTC)", 0},
    {"by", "NAME", "who does it, for the audit log; default: $USER", 0},
    {"quiet", NULL, "say nothing on standard error but errors", 'q'},
    {"help", NULL, "show this help", 'h'},
    {0},
};
static const struct option_spec format_option = {"format", "table|json|csv", "how rows are printed; default: table", 0};
static const struct option_spec json_option = {"json", NULL, "short for --format json", 0};
static const struct option_spec dry_run_option = {"dry-run", NULL, "check and compute everything, and change nothing", 'n'};

static const struct {
	const char *name, *meaning;
} environment[] = {
    {"TOLLBOOK_DB", "the PostgreSQL to use, as libpq takes it, where --db is not given"},
    {"PGHOST, PGSERVICE, PGDATABASE ...", "the PostgreSQL to use where neither --db nor TOLLBOOK_DB is given"},
    {"TOLLBOOK_CONFIG",
	"the configuration, where --config is not given; default: /etc/tollbook/tollbook.conf, where it is there"},
    {"TOLLBOOK_SECTION_KEY",
	"a setting, stronger than the configuration: TOLLBOOK_NIGHT_AT is night.at; tollbook config show lists all"},
    {"TOLLBOOK_HOME", "where the private server lives; default: ~/.local/share/tollbook, for root /var/lib/tollbook"},
    {"TOLLBOOK_PG_BIN", "where initdb and pg_ctl of the private server are; default: the newest of the system"},
    {"NO_COLOR", "no bold headers on a terminal"},
    {"USER", "who does it, where --by is not given"},
};

/* A verb's own options, then those every verb takes. */
struct option_list {
	const struct option_spec *option[OPTIONS_MAX];
	const char *value[OPTIONS_MAX];
	size_t own, count;
};

static void
list_add(struct option_list *list, const struct option_spec *option)
{
	must(list->count < OPTIONS_MAX);
	list->option[list->count++] = option;
}

static struct option_list
list_options(const struct command *command)
{
	struct option_list list = {0};

	for (const struct option_spec *o = command->options; o != NULL && o->name != NULL; o++)
		list_add(&list, o);
	list.own = list.count;
	if (command->prints_rows) {
		list_add(&list, &format_option);
		list_add(&list, &json_option);
	}
	if (command->takes_dry_run)
		list_add(&list, &dry_run_option);
	for (const struct option_spec *o = common_options; o->name != NULL; o++)
		list_add(&list, o);
	return list;
}

/* Of an option that verbs share: a verb's own --format is another one. */
static const char *
list_value(const struct option_list *list, const char *name)
{
	for (size_t i = list->own; i < list->count; i++)
		if (strcmp(list->option[i]->name, name) == 0)
			return list->value[i];
	return NULL;
}

const char *
option_value(const struct run *run, const char *name)
{
	for (size_t i = 0; run->command->options != NULL && run->command->options[i].name != NULL; i++)
		if (strcmp(run->command->options[i].name, name) == 0)
			return run->values[i];
	must_failed("the option is declared", name, 0);
}

const char *
option_text(const struct run *run, const char *name)
{
	const char *value = option_value(run, name);

	return value == NULL ? "" : value;
}

const char *
option_each(const struct run *run, const char *name, size_t at)
{
	for (size_t i = 0; i < run->use_count; i++)
		if (strcmp(run->uses[i].option->name, name) == 0 && at-- == 0)
			return run->uses[i].value;
	return NULL;
}

bool
option_number(
    const struct run *run, const char *name, int64_t least, int64_t most, int64_t otherwise, int64_t *out, struct error *err)
{
	const char *text = option_value(run, name);
	i128 number;

	*out = otherwise;
	if (text == NULL)
		return true;
	if (!integer_parse(text, strlen(text), &number, err) || number < least || number > most) {
		error_set(err, ERROR_USAGE, "--%s takes a whole number from %lld to %lld, not \"%s\"", name, (long long)least,
		    (long long)most, text);
		return error_hint(err, "Run: tollbook %s --help", run->command->name);
	}
	*out = (int64_t)number;
	return true;
}

/* --- finding the verb ------------------------------------------------------------------------ */

/* How many of the arguments spell the command's name, or 0. */
static int
name_matches(const struct command *command, int argc, char **argv)
{
	const char *rest = command->name;

	for (int i = 0; i < argc && i < WORDS_MAX; i++) {
		size_t length = strlen(argv[i]);

		if (strncmp(rest, argv[i], length) != 0 || (rest[length] != ' ' && rest[length] != '\0'))
			return 0;
		if (rest[length] == '\0')
			return i + 1;
		rest += length + 1;
	}
	return 0;
}

static const struct command *
find_command(const struct command *const *commands, int argc, char **argv, int *words)
{
	for (; *commands != NULL; commands++) {
		*words = name_matches(*commands, argc, argv);
		if (*words > 0)
			return *commands;
	}
	return NULL;
}

static void
print_commands(FILE *out, const struct command *const *commands, const char *group)
{
	size_t length = strlen(group);

	for (; *commands != NULL; commands++)
		if (strncmp((*commands)->name, group, length) == 0)
			fprintf(out, "  %-22s %s\n", (*commands)->name, (*commands)->summary);
}

static void
print_overview(FILE *out, const struct command *const *commands)
{
	fputs("usage: tollbook VERB [OPTION...] [OPERAND...]\n"
	      "Meters LLM token usage into a ledger, rates it, invoices it, and proves every number.\n\n",
	    out);
	print_commands(out, commands, "");
	fputs("\ntollbook VERB --help says more, with an example; tollbook --manual prints the manual page, --version the "
	      "version.\n"
	      "Exit codes:\n  0  done\n",
	    out);
#define ERROR_KIND(name, exit_code, meaning) fprintf(out, "  %d  %s\n", exit_code, meaning);
#include "base/error_kinds.def"
#undef ERROR_KIND
}

static void
print_option(FILE *out, const struct option_spec *option)
{
	char left[64], letter[8] = "";

	if (option->letter != 0)
		snprintf(letter, sizeof letter, "-%c, ", option->letter);
	snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument == NULL ? "" : " ",
	    option->argument == NULL ? "" : option->argument);
	fprintf(out, "  %-28s %s\n", left, option->help);
}

static void
print_help(FILE *out, const struct command *command)
{
	struct option_list list = list_options(command);

	fprintf(out, "usage: tollbook %s%s%s%s\n%s\n", command->name, list.own > 0 ? " [OPTION...]" : "",
	    command->operands[0] == '\0' ? "" : " ", command->operands, command->summary);
	if (list.own > 0)
		fputs("\noptions:\n", out);
	for (size_t i = 0; i < list.own; i++)
		print_option(out, list.option[i]);
	fputs("\nfor every verb of this kind:\n", out);
	for (size_t i = list.own; i < list.count; i++)
		print_option(out, list.option[i]);
	fprintf(out, "\nexample:\n%s\n", command->example);
}

/* --- the manual page ------------------------------------------------------------------------- */

/* Text of ours in roff: a backslash, and a dot or quote at the beginning of a line, mean something there. */
static void
print_roff(const char *text)
{
	bool line_begins = true;

	for (; *text != '\0'; text++) {
		if (line_begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\' || *text == '-')
			putchar('\\');
		putchar(*text);
		line_begins = *text == '\n';
	}
}

static void
print_roff_option(const struct option_spec *option)
{
	fputs(".TP\n", stdout);
	if (option->letter != 0)
		printf("\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", stdout);
	print_roff(option->name);
	fputs("\\fR", stdout);
	if (option->argument != NULL)
		printf(" \\fI%s\\fR", option->argument);
	putchar('\n');
	print_roff(option->help);
	putchar('\n');
}

static void
print_roff_command(const struct command *command)
{
	struct option_list list = list_options(command);

	printf(".SS \"tollbook %s%s%s%s\"\n", command->name, list.own > 0 ? " [OPTION...]" : "",
	    command->operands[0] == '\0' ? "" : " ", command->operands);
	print_roff(command->summary);
	putchar('\n');
	for (size_t i = 0; i < list.own; i++)
		print_roff_option(list.option[i]);
	if (command->prints_rows) {
		print_roff_option(&format_option);
		print_roff_option(&json_option);
	}
	if (command->takes_dry_run)
		print_roff_option(&dry_run_option);
	fputs(".PP\n.nf\n", stdout);
	print_roff(command->example);
	fputs("\n.fi\n", stdout);
}

/* tollbook.1, from the tables that the parser and --help use. */
static void
print_manual(const struct command *const *commands)
{
	printf(".TH TOLLBOOK 1 \"\" \"tollbook %s\"\n.SH NAME\ntollbook \\- meter, rate and invoice LLM token usage\n",
	    TOLLBOOK_VERSION);
	fputs(".SH SYNOPSIS\n\\fBtollbook\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n.SH VERBS\n", stdout);
	for (; *commands != NULL; commands++)
		print_roff_command(*commands);
	fputs(".SH OPTIONS OF EVERY VERB\n", stdout);
	for (const struct option_spec *o = common_options; o->name != NULL; o++)
		print_roff_option(o);
	fputs(".SH EXIT STATUS\n.TP\n0\ndone\n", stdout);
#define ERROR_KIND(name, exit_code, meaning) printf(".TP\n%d\n%s\n", exit_code, meaning);
#include "base/error_kinds.def"
#undef ERROR_KIND
	fputs(".SH ENVIRONMENT\n", stdout);
	for (size_t i = 0; i < sizeof environment / sizeof environment[0]; i++)
		printf(".TP\n%s\n%s\n", environment[i].name, environment[i].meaning);
}

/* --- reading the command line ---------------------------------------------------------------- */

static bool
usage(struct error *err, const struct command *command)
{
	return error_hint(err, "Run: tollbook %s --help", command->name);
}

static ssize_t
find_option(const struct option_list *list, const char *name, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->option[i]->name) == length && memcmp(list->option[i]->name, name, length) == 0)
			return (ssize_t)i;
	return -1;
}

static ssize_t
find_letter(const struct option_list *list, char letter)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->option[i]->letter == letter)
			return (ssize_t)i;
	return -1;
}

static bool
repeats(const struct option_spec *option)
{
	size_t length = option->argument == NULL ? 0 : strlen(option->argument);

	return length > 3 && strcmp(option->argument + length - 3, "...") == 0;
}

static const char *const output_formats[] = {[FORMAT_TABLE] = "table", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv"};
enum { OUTPUT_FORMATS = sizeof output_formats / sizeof output_formats[0] };

static bool
is_output_format(const char *text)
{
	for (size_t i = 0; i < OUTPUT_FORMATS; i++)
		if (strcmp(text, output_formats[i]) == 0)
			return true;
	return false;
}

/* A verb may have a --format of its own beside that of printed rows: which of the two is meant is told by the value. */
static size_t
meant_option(const struct option_list *list, size_t found, const char *value)
{
	const char *name = list->option[found]->name;

	if (found >= list->own || strcmp(name, format_option.name) != 0 || !is_output_format(value))
		return found;
	for (size_t i = list->own; i < list->count; i++)
		if (strcmp(list->option[i]->name, name) == 0)
			return i;
	return found;
}

/* Reads one option at argv[*at]; leaves *at on the last word it used. */
static bool
read_option(struct run *run, struct option_list *list, int argc, char **argv, int *at, struct error *err)
{
	const struct command *command = run->command;
	char *word = argv[*at], *value = NULL;
	ssize_t found;

	if (word[1] == '-') {
		value = strchr(word, '=');
		found = find_option(list, word + 2, value == NULL ? strlen(word + 2) : (size_t)(value - word - 2));
		value = value == NULL ? NULL : value + 1;
	} else {
		found = find_letter(list, word[1]);
		value = word[2] == '\0' ? NULL : word + 2;
	}
	if (found < 0) {
		error_set(err, ERROR_USAGE, "%s does not take %s", command->name, word);
		return usage(err, command);
	}
	if (list->option[found]->argument == NULL) {
		if (value != NULL) {
			error_set(err, ERROR_USAGE, "--%s takes no value", list->option[found]->name);
			return usage(err, command);
		}
		value = word + strlen(word); /* a switch is "" */
	} else if (value == NULL) {
		if (++*at >= argc) {
			error_set(
			    err, ERROR_USAGE, "--%s needs a value: %s", list->option[found]->name, list->option[found]->argument);
			return usage(err, command);
		}
		value = argv[*at];
	}
	found = (ssize_t)meant_option(list, (size_t)found, value);
	if (repeats(list->option[found])) {
		run->uses[run->use_count++] = (struct option_use){list->option[found], value};
	} else if (list->value[found] != NULL) {
		error_set(err, ERROR_USAGE, "--%s is given twice", list->option[found]->name);
		return usage(err, command);
	}
	list->value[found] = value;
	return true;
}

/* Options may stand before, between and after operands; "--" ends them; "-" is an operand. */
static bool
read_words(struct option_list *list, struct run *run, int argc, char **argv, struct error *err)
{
	const struct command *command = run->command;
	bool options_ended = false;

	for (int i = 0; i < argc; i++) {
		if (!options_ended && strcmp(argv[i], "--") == 0) {
			options_ended = true;
		} else if (!options_ended && argv[i][0] == '-' && argv[i][1] != '\0') {
			if (!read_option(run, list, argc, argv, &i, err))
				return false;
		} else {
			run->operands[run->operand_count++] = argv[i];
		}
	}
	if (list_value(list, "help") != NULL)
		return true;
	if (run->operand_count < command->operands_min) {
		error_set(err, ERROR_USAGE, "%s needs %s", command->name, command->operands);
		return usage(err, command);
	}
	if (command->operands_max >= 0 && run->operand_count > command->operands_max) {
		error_set(err, ERROR_USAGE, "%s does not take \"%s\"", command->name, run->operands[command->operands_max]);
		return usage(err, command);
	}
	return true;
}

static bool
read_format(const char *text, enum output_format *out, struct error *err)
{
	*out = FORMAT_TABLE;
	if (text == NULL)
		return true;
	for (size_t i = 0; i < OUTPUT_FORMATS; i++)
		if (strcmp(text, output_formats[i]) == 0) {
			*out = (enum output_format)i;
			return true;
		}
	return error_set(err, ERROR_USAGE, "--format is table, json or csv, not \"%s\"", text);
}

/* --json says the same as --format json, and nothing beside another --format. */
static bool
read_how_printed(const struct option_list *list, struct run *run, struct error *err)
{
	const char *format = list_value(list, "format");

	if (!read_format(format, &run->format, err))
		return false;
	if (list_value(list, "json") == NULL)
		return true;
	if (format != NULL && run->format != FORMAT_JSON) {
		error_set(err, ERROR_USAGE, "--json and --format %s are given together", format);
		return usage(err, run->command);
	}
	run->format = FORMAT_JSON;
	return true;
}

static const char *
first_of(const char *one, const char *two, const char *otherwise)
{
	if (one != NULL && one[0] != '\0')
		return one;
	return two != NULL && two[0] != '\0' ? two : otherwise;
}

static bool
read_common(const struct option_list *list, struct run *run, struct error *err)
{
	const char *as_of = list_value(list, "as-of");

	run->values = (const char **)memory_new(list->count, sizeof *run->values);
	for (size_t i = 0; i < list->own; i++)
		run->values[i] = list->value[i];
	run->conninfo = list_value(list, "db");
	run->config_path = list_value(list, "config");
	run->quiet = list_value(list, "quiet") != NULL;
	run->dry_run = list_value(list, "dry-run") != NULL;
	run->by = first_of(list_value(list, "by"), getenv("USER"), "unknown");
	run->now = instant_now();
	run->as_of = as_of != NULL;
	if (as_of != NULL && !instant_option(as_of, &run->now, err))
		return error_wrap(err, "--as-of");
	return read_how_printed(list, run, err);
}

/* --- running --------------------------------------------------------------------------------- */

/* A configuration that is wrong stops who might have used it: what it says of the database cannot be known. */
static bool
open_db(struct run *run, struct error *err)
{
	struct config *config;
	bool fine;

	if (!config_open(run->config_path, NULL, 0, &config, err))
		return false;
	run->filter_mib = config_number(config, "register.filter_mib");
	fine = db_open(run->conninfo, config_text(config, "database.connection"), &run->db, err);
	config_free(config);
	return fine;
}

bool
run_open_db(struct run *run, struct error *err)
{
	return run->db != NULL || (open_db(run, err) && migrate_check(run->db, err));
}

static bool
open_and_run(struct run *run, struct error *err)
{
	if (run->command->needs != NEEDS_NOTHING && !open_db(run, err))
		return false;
	if ((run->command->needs & NEEDS_DB) != 0 && !migrate_check(run->db, err))
		return false;
	return run->command->run(run, err);
}

/* Success is told only after everything printed has really been written. */
static bool
flush_output(struct error *err)
{
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return true;
	error_set(err, ERROR_AWAY, "standard output could not be written");
	return error_hint(err, "The disk may be full or the reader gone; the work itself is done, ask for the output again.");
}

static void say_error(const struct run *run, const struct error *err);

static int
run_command(const struct command *command, int argc, char **argv)
{
	struct run run = {.command = command};
	struct option_list list = list_options(command);
	struct error err = {0};
	bool fine;

	run.operands = (char **)memory_new((size_t)argc + 1, sizeof *run.operands);
	run.uses = memory_new((size_t)argc + 1, sizeof *run.uses);
	fine = read_words(&list, &run, argc, argv, &err);
	if (fine && list_value(&list, "help") != NULL)
		print_help(stdout, command);
	else
		fine = fine && read_common(&list, &run, &err) && open_and_run(&run, &err);
	if (fine)
		fine = flush_output(&err);
	else
		(void)fflush(stdout);
	db_close(run.db);
	arena_release(&run.arena);
	free(run.operands);
	free(run.uses);
	free(run.values);
	if (!fine) {
		say_error(&run, &err);
		return error_exit_code(err.kind);
	}
	return error_exit_code(run.finding);
}

/* What is closed at the start would be the next file opened, and what is printed would go into the database's socket.  Opened the
 * wrong way round, it stays closed: writing to it fails. */
static bool
keep_standard_files(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
			return false;
	return true;
}

/* The exit code of a command that did nothing but print. */
static int
printed(void)
{
	struct error err = {0};

	if (flush_output(&err))
		return 0;
	error_print(stderr, &err);
	return error_exit_code(err.kind);
}

int
commands_main(const struct command *const *commands, int argc, char **argv)
{
	const struct command *command;
	struct error err = {0};
	int words;

	if (!keep_standard_files())
		return error_exit_code(ERROR_AWAY);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		print_overview(argc < 2 ? stderr : stdout, commands);
		return argc < 2 ? error_exit_code(ERROR_USAGE) : printed();
	}
	if (strcmp(argv[1], "--manual") == 0) {
		print_manual(commands);
		return printed();
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("tollbook %s\n", TOLLBOOK_VERSION);
		return printed();
	}
	command = find_command(commands, argc - 1, argv + 1, &words);
	if (command == NULL) {
		error_set(&err, ERROR_USAGE, "there is no verb \"%s%s%s\"", argv[1], argc > 2 && argv[2][0] != '-' ? " " : "",
		    argc > 2 && argv[2][0] != '-' ? argv[2] : "");
		error_hint(&err, "Run: tollbook help");
		error_print(stderr, &err);
		print_commands(stderr, commands, argv[1]);
		return error_exit_code(ERROR_USAGE);
	}
	return run_command(command, argc - 1 - words, argv + 1 + words);
}

/* --- talk ------------------------------------------------------------------------------------ */

/* A line of progress is on the terminal. */
static bool progress_stands;

static void
say_json(const struct run *run, const char *level, const char *message)
{
	char now[INSTANT_TEXT];
	struct text line = {0};

	text_add_format(&line, "{\"time\":\"%s\",\"level\":\"%s\"", instant_format(instant_now(), now), level);
	if (run->night_run > 0)
		text_add_format(&line, ",\"run\":%lld", (long long)run->night_run);
	text_add_string(&line, ",\"message\":");
	text_add_json(&line, message);
	fprintf(stderr, "%s}\n", text_string(&line));
	text_release(&line);
}

static void
say_error(const struct run *run, const struct error *err)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	if (!run->log_json) {
		error_print(stderr, err);
		return;
	}
	out = open_memstream(&text, &length);
	must(out != NULL);
	error_print(out, err);
	must(fclose(out) == 0);
	text[length - 1] = '\0'; /* in place of the last line's end */
	say_json(run, "error", text);
	free(text);
}

void
say(const struct run *run, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	if (run->quiet)
		return;
	progress_end(run);
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (run->log_json)
		say_json(run, "info", line);
	else if (run->night_run > 0)
		fprintf(stderr, "run %lld  %s\n", (long long)run->night_run, line);
	else
		fprintf(stderr, "%s\n", line);
}

int64_t
clock_ms(void)
{
	struct timespec now;

	must(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void
clock_wait(int64_t milliseconds)
{
	struct timespec wait = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};

	(void)nanosleep(&wait, NULL);
}

struct instant
run_clock(const struct run *run)
{
	return run->as_of ? run->now : instant_now();
}

void
progress(const struct run *run, const char *format, ...)
{
	static int64_t started, last;
	int64_t now;
	va_list arguments;

	if (run->quiet || run->log_json || isatty(STDERR_FILENO) == 0)
		return;
	now = clock_ms();
	if (started == 0)
		started = now;
	/* Nothing for what is over within two seconds. */
	if (now - started < 2000 || now - last < 100)
		return;
	last = now;
	fputc('\r', stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("\033[K", stderr);
	progress_stands = true;
}

/* ", 1200/s", or ", 30/min" of what is slower. */
static const char *
speed_text(int64_t done, int64_t elapsed_ms, char out[48])
{
	if (done * 1000 >= elapsed_ms)
		snprintf(out, 48, ", %lld/s", (long long)(done * 1000 / elapsed_ms));
	else
		snprintf(out, 48, ", %lld/min", (long long)(done * 60000 / elapsed_ms));
	return out;
}

void
progress_count(const struct run *run, const char *what, int64_t done, int64_t total)
{
	static char known[64];
	static int64_t started, first, last;
	int64_t elapsed, left;
	char speed[48] = "";

	if (strncmp(known, what, sizeof known - 1) != 0 || done < last) {
		snprintf(known, sizeof known, "%s", what);
		started = clock_ms();
		first = done;
	}
	last = done;
	elapsed = clock_ms() - started;
	/* The first second says little of how fast it is. */
	if (elapsed >= 1000 && done > first)
		(void)speed_text(done - first, elapsed, speed);
	if (total == 0) {
		progress(run, "%s: %lld%s", what, (long long)done, speed);
		return;
	}
	if (speed[0] == '\0') {
		progress(run, "%s: %lld of %lld", what, (long long)done, (long long)total);
		return;
	}
	left = (total - done) * elapsed / (done - first) / 1000;
	progress(run, "%s: %lld of %lld%s, %lld:%02lld left", what, (long long)done, (long long)total, speed,
	    (long long)(left / 60), (long long)(left % 60));
}

void
progress_end(const struct run *run)
{
	if (progress_stands && !run->quiet)
		fputs("\r\033[K", stderr);
	progress_stands = false;
}
