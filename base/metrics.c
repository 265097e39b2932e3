/* metrics.c -- see metrics.h. */
#include "base/metrics.h"

void
metric_begin(struct text *out, const char *name, const char *type, const char *help)
{
	text_add_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
add_label(struct text *out, const struct metric_label *label)
{
	text_add_format(out, "%s=\"", label->name);
	for (const char *at = label->value; *at != '\0'; at++)
		if (*at == '\n')
			text_add_string(out, "\\n");
		else
			text_add_format(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
	text_add_string(out, "\"");
}

void
metric_sample(struct text *out, const char *name, const struct metric_label *labels, size_t count, const char *value)
{
	text_add_string(out, name);
	for (size_t i = 0; i < count; i++) {
		text_add_string(out, i == 0 ? "{" : ",");
		add_label(out, &labels[i]);
	}
	text_add_format(out, "%s %s\n", count > 0 ? "}" : "", value);
}
