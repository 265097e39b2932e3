/*
 * digest.c -- see digest.h.
 *
 * Events are hashed twice each, and are short: through the EVP interface of OpenSSL 3 a third of the time would go into finding the
 * way to the same functions.  These are deprecated in favour of it, and stay as long as OpenSSL 3 does.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct digest {
	SHA256_CTX context;
};

struct digest *
digest_new(void)
{
	struct digest *digest = memory_new(1, sizeof *digest);

	digest_begin(digest);
	return digest;
}

void
digest_free(struct digest *digest)
{
	free(digest);
}

void
digest_begin(struct digest *digest)
{
	must(SHA256_Init(&digest->context) == 1);
}

void
digest_bytes(struct digest *digest, const void *bytes, size_t length)
{
	must(SHA256_Update(&digest->context, bytes, length) == 1);
}

static void
big_endian(uint64_t number, unsigned char out[8])
{
	for (int i = 7; i >= 0; i--, number >>= 8)
		out[i] = (unsigned char)(number & 0xff);
}

void
digest_field(struct digest *digest, const void *bytes, size_t length)
{
	unsigned char prefix[8];

	big_endian(length, prefix);
	digest_bytes(digest, prefix, sizeof prefix);
	digest_bytes(digest, bytes, length);
}

void
digest_number(struct digest *digest, int64_t number)
{
	unsigned char bytes[8];

	big_endian((uint64_t)number, bytes);
	digest_field(digest, bytes, sizeof bytes);
}

void
digest_text(struct digest *digest, const char *text)
{
	digest_field(digest, text, strlen(text));
}

void
digest_integer(struct digest *digest, i128 number)
{
	char text[DECIMAL_TEXT];

	digest_text(digest, integer_format(number, text));
}

void
digest_end(struct digest *digest, unsigned char out[DIGEST_SIZE])
{
	must(SHA256_Final(out, &digest->context) == 1);
}

const char *
digest_hex(const unsigned char *bytes, size_t length, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < length; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * length] = '\0';
	return out;
}

void
digest_unhex(const char *hex, size_t length, unsigned char *out)
{
	for (size_t i = 0; i < 2 * length; i++) {
		int digit = hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10;

		must(digit >= 0 && digit < 16);
		out[i / 2] = (unsigned char)(i % 2 == 0 ? digit << 4 : out[i / 2] | digit);
	}
}
