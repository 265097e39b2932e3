/*
 * digest.c -- see digest.h.
 *
 * OpenSSL 3 looks an algorithm up by name at each EVP_DigestInit_ex; fetched once and kept in the
 * context it costs nothing per event.  EVP_DigestInit_ex2 with a NULL type restarts with the same one.
 */
#include "base/digest.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct digest {
	EVP_MD *algorithm;
	EVP_MD_CTX *context;
};

struct digest *
digest_new(void)
{
	struct digest *digest = memory_new(1, sizeof *digest);

	digest->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
	must(digest->algorithm != NULL);
	digest->context = EVP_MD_CTX_new();
	must(digest->context != NULL);
	must(EVP_DigestInit_ex2(digest->context, digest->algorithm, NULL) == 1);
	return digest;
}

void
digest_free(struct digest *digest)
{
	if (digest == NULL)
		return;
	EVP_MD_CTX_free(digest->context);
	EVP_MD_free(digest->algorithm);
	free(digest);
}

void
digest_begin(struct digest *digest)
{
	must(EVP_DigestInit_ex2(digest->context, NULL, NULL) == 1);
}

void
digest_bytes(struct digest *digest, const void *bytes, size_t length)
{
	must(EVP_DigestUpdate(digest->context, bytes, length) == 1);
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
	unsigned int length = 0;

	must(EVP_DigestFinal_ex(digest->context, out, &length) == 1);
	must(length == DIGEST_SIZE);
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
