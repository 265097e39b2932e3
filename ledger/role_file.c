/* role_file.c -- see role_file.h. */
#include "ledger/role_file.h"

#include <string.h>

#include "base/document.h"

enum { NAME_BYTES = 40, MEMBER_BYTES = 256, PATH_BYTES = 96 };

static const char *
keep(struct role_file *file, const char *text)
{
	return arena_copy(&file->arena, text, strlen(text));
}

static bool
is_role_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	return strchr(letters, name[0]) != NULL && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

/* The list `key` of an object; an empty one where it is missing and not required.  *out is borrowed, or NULL for an empty one. */
static bool
read_list(const struct document *document, json_t *object, const char *path, const char *key, bool required, json_t **out)
{
	char place[PATH_BYTES];

	*out = json_object_get(object, key);
	if (json_is_array(*out) || (*out == NULL && !required))
		return true;
	return document_refuse(document, document_path(place, sizeof place, path, key), *out, "\"%s\" is a list", key);
}

static bool
read_currency(const struct document *document, json_t *object, const char *path, const struct currency **out)
{
	char place[PATH_BYTES];
	const char *code;

	if (!document_text(document, object, path, "currency", true, 3, &code))
		return false;
	*out = currency_find(code);
	return *out != NULL ||
	    document_refuse(document, document_path(place, sizeof place, path, "currency"), json_object_get(object, "currency"),
		"not a current ISO 4217 currency code");
}

/* Decimal text, 0 or more, with no more decimals than the currency has; in minor units. */
static bool
read_amount(const struct document *document, json_t *object, const char *path, const char *key, const struct currency *currency,
    int64_t *minor)
{
	struct money money;
	struct error why;
	char place[PATH_BYTES];
	const char *text;

	if (!document_text(document, object, path, key, true, DECIMAL_TEXT, &text))
		return false;
	document_path(place, sizeof place, path, key);
	if (!money_parse(text, currency, &money, &why))
		return document_refuse(document, place, json_object_get(object, key), "%s", why.message);
	if (money.minor < 0)
		return document_refuse(document, place, json_object_get(object, key), "an amount below zero");
	*minor = money.minor;
	return true;
}

static bool
read_limit(const struct document *document, json_t *value, const char *path, struct role_row *role)
{
	struct role_limit_row *limit = &role->limits[role->limit_count];

	if (!json_is_object(value))
		return document_refuse(document, path, value, "a limit is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "currency", "per_grant", "per_day") ||
	    !read_currency(document, value, path, &limit->currency) ||
	    !read_amount(document, value, path, "per_grant", limit->currency, &limit->per_grant) ||
	    !read_amount(document, value, path, "per_day", limit->currency, &limit->per_day))
		return false;
	for (size_t i = 0; i < role->limit_count; i++)
		if (role->limits[i].currency == limit->currency)
			return document_refuse(
			    document, path, value, "a second limit of role \"%s\" for %s", role->role, limit->currency->code);
	role->limit_count++;
	return true;
}

static bool
read_limits(const struct document *document, json_t *object, const char *path, struct role_row *role, struct role_file *file)
{
	json_t *list, *value;
	size_t i;

	if (!read_list(document, object, path, "limits", false, &list))
		return false;
	if (role->unlimited && json_array_size(list) > 0)
		return document_refuse(document, arena_format(&file->arena, "%s.limits", path), NULL,
		    "role \"%s\" is unlimited and has limits", role->role);
	role->limits = arena_take(&file->arena, (json_array_size(list) + 1) * sizeof *role->limits);
	json_array_foreach(list, i, value)
	{
		if (!read_limit(document, value, arena_format(&file->arena, "%s.limits[%zu]", path, i), role))
			return false;
	}
	return true;
}

static bool
read_member(const struct document *document, json_t *value, const char *path, struct role_row *role, struct role_file *file)
{
	const char *name = json_string_value(value);

	if (name == NULL || name[0] == '\0' || strlen(name) > MEMBER_BYTES || json_string_length(value) != strlen(name))
		return document_refuse(document, path, value, "a member is a name of 1 to %d bytes", MEMBER_BYTES);
	for (size_t i = 0; i < role->member_count; i++)
		if (strcmp(role->members[i], name) == 0)
			return document_refuse(document, path, value, "a member of role \"%s\" twice", role->role);
	role->members[role->member_count++] = keep(file, name);
	return true;
}

static bool
read_members(const struct document *document, json_t *object, const char *path, struct role_row *role, struct role_file *file)
{
	json_t *list, *value;
	size_t i;

	if (!read_list(document, object, path, "members", true, &list))
		return false;
	role->members = arena_take(&file->arena, (json_array_size(list) + 1) * sizeof *role->members);
	json_array_foreach(list, i, value)
	{
		if (!read_member(document, value, arena_format(&file->arena, "%s.members[%zu]", path, i), role, file))
			return false;
	}
	return true;
}

static bool
read_unlimited(const struct document *document, json_t *object, const char *path, struct role_row *role)
{
	const json_t *value = json_object_get(object, "unlimited");
	char place[PATH_BYTES];

	role->unlimited = json_is_true(value);
	return value == NULL || json_is_boolean(value) ||
	    document_refuse(document, document_path(place, sizeof place, path, "unlimited"), value, "true or false");
}

static bool
read_role(const struct document *document, json_t *value, const char *path, struct role_file *file)
{
	struct role_row *role = &file->roles[file->role_count];
	char place[PATH_BYTES];
	const char *name;

	*role = (struct role_row){0};
	if (!json_is_object(value))
		return document_refuse(document, path, value, "a role is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "role", "members", "limits", "unlimited") ||
	    !document_text(document, value, path, "role", true, NAME_BYTES, &name))
		return false;
	document_path(place, sizeof place, path, "role");
	if (!is_role_name(name))
		return document_refuse(document, place, json_object_get(value, "role"),
		    "a role's name is a small letter, then small letters, digits and underscores");
	for (size_t i = 0; i < file->role_count; i++)
		if (strcmp(file->roles[i].role, name) == 0)
			return document_refuse(document, place, json_object_get(value, "role"), "a role twice");
	role->role = keep(file, name);
	if (!read_unlimited(document, value, path, role) || !read_members(document, value, path, role, file) ||
	    !read_limits(document, value, path, role, file))
		return false;
	file->role_count++;
	return true;
}

static bool
read_approval(const struct document *document, json_t *value, const char *path, struct role_file *file)
{
	struct approval_row *row = &file->approval[file->approval_count];

	if (!json_is_object(value))
		return document_refuse(document, path, value, "an approval limit is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "currency", "above") || !read_currency(document, value, path, &row->currency) ||
	    !read_amount(document, value, path, "above", row->currency, &row->above))
		return false;
	for (size_t i = 0; i < file->approval_count; i++)
		if (file->approval[i].currency == row->currency)
			return document_refuse(document, path, value, "a second approval limit for %s", row->currency->code);
	file->approval_count++;
	return true;
}

static bool
read_root(const struct document *document, json_t *root, struct role_file *file)
{
	json_t *roles, *approval, *value;
	size_t i;

	if (!json_is_object(root))
		return document_refuse(document, "", root, "the file is a JSON object with \"roles\"");
	if (!DOCUMENT_KEYS(document, root, "", "roles", "approval") || !read_list(document, root, "", "roles", true, &roles) ||
	    !read_list(document, root, "", "approval", false, &approval))
		return false;
	file->roles = arena_take(&file->arena, (json_array_size(roles) + 1) * sizeof *file->roles);
	file->approval = arena_take(&file->arena, (json_array_size(approval) + 1) * sizeof *file->approval);
	json_array_foreach(roles, i, value)
	{
		if (!read_role(document, value, arena_format(&file->arena, "roles[%zu]", i), file))
			return false;
	}
	json_array_foreach(approval, i, value)
	{
		if (!read_approval(document, value, arena_format(&file->arena, "approval[%zu]", i), file))
			return false;
	}
	return true;
}

bool
role_file_load(const char *path, struct role_file *out, struct error *err)
{
	struct text bytes = {0};
	json_t *root = NULL;
	bool fine;

	*out = (struct role_file){.path = path};
	fine = document_read(path, &bytes, err) && (root = document_parse(bytes.bytes, bytes.length, path, err)) != NULL;
	if (fine) {
		struct document document = {.file = path, .err = err, .bytes = bytes.bytes, .length = bytes.length};

		fine = read_root(&document, root, out);
	}
	json_decref(root);
	text_release(&bytes);
	if (!fine)
		role_file_release(out);
	return fine;
}

void
role_file_release(struct role_file *file)
{
	arena_release(&file->arena);
	*file = (struct role_file){0};
}
