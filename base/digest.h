/*
 * digest.h -- SHA-256 (FIPS 180-4) over length-prefixed fields.
 *
 * Every field is preceded by its length as 8 big-endian bytes, so that ("ab","c") and ("a","bc")
 * differ.  This is the only file that knows libcrypto.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdint.h>

#include "base/decimal.h"

enum { DIGEST_SIZE = 32, DIGEST_HEX = 65 };

struct digest;

struct digest *digest_new(void);
void digest_free(struct digest *digest);
void digest_begin(struct digest *digest);
void digest_bytes(struct digest *digest, const void *bytes, size_t length); /* no prefix: raw bytes of a file */
void digest_field(struct digest *digest, const void *bytes, size_t length); /* with its length before it */
void digest_number(struct digest *digest, int64_t number);                  /* as 8 big-endian bytes, prefixed */
void digest_text(struct digest *digest, const char *text);                  /* a field: a string */
void digest_integer(struct digest *digest, i128 number);                    /* a field: its decimal digits */
void digest_end(struct digest *digest, unsigned char out[DIGEST_SIZE]);
/* 2 x length lower-case digits and a NUL into out; returns out. */
const char *digest_hex(const unsigned char *bytes, size_t length, char *out);
/* The other way: `hex` is exactly 2 x length lower-case digits, as the server gives them. */
void digest_unhex(const char *hex, size_t length, unsigned char *out);

#endif
