/* base64.c -- see base64.h. */
#include "ingest/base64.h"

static int
base64_value(char byte)
{
	if (byte >= 'A' && byte <= 'Z')
		return byte - 'A';
	if (byte >= 'a' && byte <= 'z')
		return byte - 'a' + 26;
	if (byte >= '0' && byte <= '9')
		return byte - '0' + 52;
	return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

bool
base64_decode(struct arena *arena, struct bytes text, struct bytes *out)
{
	size_t padding = 0;
	unsigned bits = 0;
	char *decoded = arena_take(arena, text.length / 4 * 3 + 1), *to = decoded;

	if (text.length % 4 != 0)
		return false;
	while (padding < 2 && padding < text.length && text.at[text.length - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < text.length; i++) {
		int value = i < text.length - padding ? base64_value(text.at[i]) : 0;

		if (value < 0)
			return false;
		bits = (bits << 6 | (unsigned)value) & 0xffffff;
		if (i % 4 == 3) {
			*to++ = (char)(bits >> 16);
			*to++ = (char)(bits >> 8 & 0xff);
			*to++ = (char)(bits & 0xff);
		}
	}
	if (padding > 0 && (bits & (padding == 1 ? 0xffU : 0xffffU)) != 0)
		return false;
	*out = (struct bytes){decoded, (size_t)(to - decoded) - padding};
	return true;
}
