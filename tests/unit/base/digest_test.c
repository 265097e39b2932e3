/* digest_test.c -- SHA-256, and fields that cannot run into each other. */
#include "base/digest.h"

#include "tests/support/unit.h"

/* The digest of up to two fields, as text; a NULL field is left out. */
static const char *
fields(const char *one, const char *two, char hex[DIGEST_HEX])
{
	unsigned char sum[DIGEST_SIZE];
	struct digest *digest = digest_new();

	digest_field(digest, one, strlen(one));
	if (two != NULL)
		digest_field(digest, two, strlen(two));
	digest_end(digest, sum);
	digest_free(digest);
	return digest_hex(sum, sizeof sum, hex);
}

static void
raw_bytes_give_the_digest_of_fips_180_4(void)
{
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];
	struct digest *digest = digest_new();

	digest_bytes(digest, "abc", 3);
	digest_end(digest, sum);
	EXPECT_TEXT(digest_hex(sum, sizeof sum, hex), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

	digest_begin(digest);
	digest_end(digest, sum);
	EXPECT_TEXT(digest_hex(sum, sizeof sum, hex), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	digest_free(digest);
}

static void
fields_that_join_to_the_same_text_differ(void)
{
	char one[DIGEST_HEX], two[DIGEST_HEX];

	CU_ASSERT_STRING_NOT_EQUAL(fields("ab", "c", one), fields("a", "bc", two));
	CU_ASSERT_STRING_NOT_EQUAL(fields("abc", NULL, one), fields("abc", "", two));
	EXPECT_TEXT(fields("ab", "c", one), fields("ab", "c", two));
}

static void
hexadecimal_goes_there_and_back(void)
{
	const unsigned char bytes[] = {0x00, 0x0f, 0xa5, 0xff};
	unsigned char back[sizeof bytes];
	char hex[2 * sizeof bytes + 1];

	EXPECT_TEXT(digest_hex(bytes, sizeof bytes, hex), "000fa5ff");
	digest_unhex(hex, sizeof back, back);
	CU_ASSERT_EQUAL(memcmp(bytes, back, sizeof bytes), 0);
}

UNIT_TESTS("base/digest", TEST(raw_bytes_give_the_digest_of_fips_180_4), TEST(fields_that_join_to_the_same_text_differ),
    TEST(hexadecimal_goes_there_and_back))
