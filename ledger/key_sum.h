/*
 * key_sum.h -- by what a lost or changed key of the register shows: a hash of each key, summed.
 *
 * A sum does not depend on the order, so the keys of a batch have the same one in every run that they are merged into.  Entry and
 * run keep it (metering.register_entry, metering.key_run); the database compares them when a merge takes the place of
 * other runs, and tollbook reconcile when it reads all keys.  It is no proof against somebody who means to forge one.
 *
 * The hash is PostgreSQL's for values of 16 bytes, uuid_hash_extended(content, uuid_hash_extended(id, time)), so that
 * metering.key_hash() gives the same in SQL: Bob Jenkins' lookup3 (http://burtleburtle.net/bob/hash/doobs.html, public domain) as in
 * src/common/hashfn.c of PostgreSQL.
 */
#ifndef LEDGER_KEY_SUM_H
#define LEDGER_KEY_SUM_H

#include <stdint.h>

struct key_hash_state {
	uint32_t a, b, c;
};

static inline uint32_t
key_hash_turn(uint32_t word, int bits)
{
	return word << bits | word >> (32 - bits);
}

static inline void
key_hash_mix(struct key_hash_state *s)
{
	s->a = (s->a - s->c) ^ key_hash_turn(s->c, 4), s->c += s->b;
	s->b = (s->b - s->a) ^ key_hash_turn(s->a, 6), s->a += s->c;
	s->c = (s->c - s->b) ^ key_hash_turn(s->b, 8), s->b += s->a;
	s->a = (s->a - s->c) ^ key_hash_turn(s->c, 16), s->c += s->b;
	s->b = (s->b - s->a) ^ key_hash_turn(s->a, 19), s->a += s->c;
	s->c = (s->c - s->b) ^ key_hash_turn(s->b, 4), s->b += s->a;
}

static inline void
key_hash_end(struct key_hash_state *s)
{
	s->c = (s->c ^ s->b) - key_hash_turn(s->b, 14);
	s->a = (s->a ^ s->c) - key_hash_turn(s->c, 11);
	s->b = (s->b ^ s->a) - key_hash_turn(s->a, 25);
	s->c = (s->c ^ s->b) - key_hash_turn(s->b, 16);
	s->a = (s->a ^ s->c) - key_hash_turn(s->c, 4);
	s->b = (s->b ^ s->a) - key_hash_turn(s->a, 14);
	s->c = (s->c ^ s->b) - key_hash_turn(s->b, 24);
}

/* Four bytes as the hash takes them, lowest first. */
static inline uint32_t
key_hash_word(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t
key_hash_16(const unsigned char bytes[16], uint64_t seed)
{
	const uint32_t start = 0x9e3779b9U + 16 + 3923095;
	struct key_hash_state s = {start, start, start};

	if (seed != 0) {
		s.a += (uint32_t)(seed >> 32);
		s.b += (uint32_t)seed;
		key_hash_mix(&s);
	}
	s.a += key_hash_word(bytes);
	s.b += key_hash_word(bytes + 4);
	s.c += key_hash_word(bytes + 8);
	key_hash_mix(&s);
	s.a += key_hash_word(bytes + 12);
	key_hash_end(&s);
	return (uint64_t)s.b << 32 | s.c;
}

/* The hash of a key: its identity, the digest of its content, and its time in microseconds since 1970.  Sums of it are 128-bit integers. */
static inline int64_t
key_hash(const unsigned char id[16], const unsigned char content[16], int64_t us)
{
	return (int64_t)key_hash_16(content, key_hash_16(id, (uint64_t)us));
}

#endif
