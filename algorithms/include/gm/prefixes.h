/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of prefixes with a next hop each, and the queries that are asked of them.
 *
 * A key is left-aligned: an IPv4 address is the high half of `hi`, so that bit 0 of a prefix is
 * the highest bit of `hi` in both families.
 */
#ifndef GM_PREFIXES_H
#define GM_PREFIXES_H

#include <stddef.h>
#include <stdint.h>

enum gm_lpm_error {
	GM_LPM_OK = 0,
	GM_LPM_NO_MEMORY = -1,
	GM_LPM_TOO_LARGE = -2, /* more nodes, blocks or next hops than the structure can number */
	GM_LPM_ABSENT = -3, /* the prefix to delete is not in the table */
	GM_LPM_BAD_LINE = -4, /* a line of the file is no prefix */
	GM_LPM_STATIC = -5 /* this form of the structure takes no changes */
};

/* The highest next hop that all structures can store; 0 is "no route". */
enum { GM_NEXT_HOP_MOST = 0x7fff };

/* An address of 128 bits; an IPv4 address in the 32 highest. */
struct gm_key {
	uint64_t hi, lo;
};

struct gm_route {
	struct gm_key key; /* all bits beyond `length` are 0 */
	uint32_t length; /* 0..32 or 0..128 */
	uint32_t
		next_hop; /* 1..GM_NEXT_HOP_MOST: the number of an entry in the router's own table */
};

/* Routes of one family, sorted by address and then by length, each prefix once. */
struct gm_prefixes {
	struct gm_route *routes;
	uint32_t count;
	uint32_t capacity;
	uint32_t family; /* 4 or 6 */
	uint32_t next_hops; /* that the file names: they are numbered from 1; 0: it names none */
};

/* A file has perhaps thousands of bad lines: so many of them are named, the first ones. */
enum { GM_PREFIXES_NAMED = 3 };

struct gm_prefixes_bad {
	uint32_t line; /* from 1 */
	const char *reason;
};

/* Where a file of prefixes is wrong, and which of its lines are no part of the table. */
struct gm_prefixes_problem {
	uint32_t line; /* the first, from 1; 0: the file as a whole */
	const char *reason;
	uint32_t bad; /* lines that cannot be read */
	struct gm_prefixes_bad named[GM_PREFIXES_NAMED];
	uint32_t other_family; /* lines: routes of the other family */
	uint32_t no_route; /* withdrawals, states of sessions, other tables' routes, a head line */
	uint32_t repeated; /* routes whose prefix the file has before */
};

/*
 * Reads a table, a route a line, in one of the forms of src/table/line.h; keeps those of `family`.
 * Empty lines and those that begin
 * with # are left out, host bits are cleared, and the routes are sorted. Next hops are numbered by
 * their text, also by none where others name some; where no route names one, all are 0 until
 * gm_prefixes_next_hops(). Of several routes of a prefix the first of the file stays. Returns
 * GM_LPM_BAD_LINE and says where and how often, GM_LPM_TOO_LARGE of more than GM_NEXT_HOP_MOST next hops, or
 * GM_LPM_NO_MEMORY.
 */
int gm_prefixes_parse(struct gm_prefixes *prefixes, unsigned family, const char *text, size_t size,
		      struct gm_prefixes_problem *problem);

/*
 * Draws `count` IPv4 prefixes from a seed. Their nesting depth (how many prefixes of the table
 * cover one, itself among them) is `depth_permille` / 1000 on average and `deepest` at most; the
 * lengths are those of the Internet's table, nearly two thirds of them 24.
 */
int gm_prefixes_generate(struct gm_prefixes *prefixes, uint32_t count, uint64_t seed,
			 uint32_t depth_permille, uint32_t deepest);

/* Adds a route at the end; gm_prefixes_sort() belongs after the last. */
int gm_prefixes_add(struct gm_prefixes *prefixes, const struct gm_route *route);

/* Sorts the routes and leaves out those whose prefix is there already. */
void gm_prefixes_sort(struct gm_prefixes *prefixes);

/* Gives each prefix a next hop in 1..kinds that depends on address and length alone. */
void gm_prefixes_next_hops(struct gm_prefixes *prefixes, uint32_t kinds);

void gm_prefixes_free(struct gm_prefixes *prefixes);

/* The key of an IPv4 address. */
static inline struct gm_key gm_key4(uint32_t address)
{
	struct gm_key key = { (uint64_t)address << 32, 0 };

	return key;
}

/* The bits of a key below `length`, as a mask. */
static inline struct gm_key gm_key_mask(uint32_t length)
{
	struct gm_key mask = { 0, 0 };

	if (length)
		mask.hi = length >= 64 ? ~UINT64_C(0) : ~(~UINT64_C(0) >> length);
	if (length > 64)
		mask.lo = length >= 128 ? ~UINT64_C(0) : ~(~UINT64_C(0) >> (length - 64));
	return mask;
}

/* Bit `i` of a key, from the highest; i < 128. */
static inline uint32_t gm_key_bit(const struct gm_key *key, uint32_t i)
{
	return (uint32_t)((i < 64 ? key->hi >> (63 - i) : key->lo >> (127 - i)) & 1);
}

/* The `bits` bits from bit `offset` on, with zeros beyond the key's end; 0 < bits <= 32. */
static inline uint32_t gm_key_chunk(const struct gm_key *key, uint32_t offset, uint32_t bits)
{
	uint64_t window;

	if (offset == 0)
		window = key->hi;
	else if (offset < 64)
		window = key->hi << offset | key->lo >> (64 - offset);
	else
		window = offset < 128 ? key->lo << (offset - 64) : 0;
	return (uint32_t)(window >> (64 - bits));
}

enum gm_mix {
	GM_MIX_UNIFORM, /* any address */
	GM_MIX_IN_TABLE, /* a prefix of the table, with a random host part */
	GM_MIX_ZIPF /* one address a prefix, the r-th prefix 1/r times as often as the first */
};

/*
 * Writes `count` keys. The same table, mix and count give the same keys on every processor.
 * Returns GM_LPM_NO_MEMORY, or GM_LPM_ABSENT where the mix needs a table that is not empty.
 */
int gm_queries_draw(const struct gm_prefixes *prefixes, enum gm_mix mix, struct gm_key *keys,
		    size_t count);

#endif
