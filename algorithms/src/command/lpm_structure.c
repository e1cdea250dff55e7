/* SPDX-License-Identifier: Apache-2.0 */
#include "command/lpm_structure.h"

#include "program/ask.h"
#include "program/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The face of a structure with look-ups of one name: FACE(poptrie, lookup4, uint32_t). */
#define FACE(structure, lookup, key)                                                               \
	static void structure##_##lookup(const struct lpm_structure *s, const key *keys,           \
					 uint32_t *results, size_t count)                          \
	{                                                                                          \
		gm_##structure##_##lookup##_n(&s->as.structure, keys, results, count);             \
	}

#ifdef __x86_64__
#define FACE_POPCNT(structure, lookup, key)                                                        \
	static void structure##_##lookup##_popcnt(const struct lpm_structure *s, const key *keys,  \
						  uint32_t *results, size_t count)                 \
	{                                                                                          \
		gm_##structure##_##lookup##_n_popcnt(&s->as.structure, keys, results, count);      \
	}
#define POPCNT(name) name##_popcnt
#define AVX512(name) name##_avx512

static void dir24_lookup_avx512(const struct lpm_structure *s, const uint32_t *keys,
				uint32_t *results, size_t count)
{
	gm_dir24_lookup_n_avx512(&s->as.dir24, keys, results, count);
}

static void dir20_lookup_avx512(const struct lpm_structure *s, const uint32_t *keys,
				uint32_t *results, size_t count)
{
	gm_dir20_lookup_n_avx512(&s->as.dir20, keys, results, count);
}
#else
#define FACE_POPCNT(structure, lookup, key)
#define POPCNT(name) NULL
#define AVX512(name) NULL
#endif

FACE(treebitmap, lookup4, uint32_t)
FACE(treebitmap, lookup6, struct gm_key)
FACE_POPCNT(treebitmap, lookup4, uint32_t)
FACE_POPCNT(treebitmap, lookup6, struct gm_key)
FACE(sst, lookup4, uint32_t)
FACE(sst, lookup6, struct gm_key)
FACE_POPCNT(sst, lookup4, uint32_t)
FACE_POPCNT(sst, lookup6, struct gm_key)
FACE(poptrie, lookup4, uint32_t)
FACE(poptrie, lookup6, struct gm_key)
FACE_POPCNT(poptrie, lookup4, uint32_t)
FACE_POPCNT(poptrie, lookup6, struct gm_key)
FACE(dxr, lookup, uint32_t)
FACE(mtrie, lookup, uint32_t)
FACE(mtrie6, lookup, struct gm_key)
FACE(dir24, lookup, uint32_t)
FACE(dir20, lookup, uint32_t)

static int treebitmap_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return s->packed ? gm_treebitmap_build_packed(&s->as.treebitmap, prefixes, s->size, s->bits)
			 : gm_treebitmap_build(&s->as.treebitmap, prefixes, s->size, s->bits);
}

static size_t treebitmap_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("nodes", gm_treebitmap_nodes(&s->as.treebitmap));
	*peak_bytes = s->as.treebitmap.peak_bytes;
	return gm_treebitmap_bytes(&s->as.treebitmap);
}

static int sst_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_sst_build(&s->as.sst, prefixes, s->size, s->bits ? GM_SST_MERGED : GM_SST_HEIGHT);
}

static size_t sst_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("nodes", s->as.sst.node_count);
	record_number("height", s->as.sst.height);
	*peak_bytes = s->as.sst.peak_bytes;
	return gm_sst_bytes(&s->as.sst);
}

static int poptrie_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_poptrie_build(&s->as.poptrie, prefixes, s->size);
}

static size_t poptrie_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("nodes", s->as.poptrie.node_count);
	record_number("leaves", s->as.poptrie.leaf_count);
	*peak_bytes = s->as.poptrie.peak_bytes;
	return gm_poptrie_bytes(&s->as.poptrie);
}

static int dxr_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_dxr_build(&s->as.dxr, prefixes, s->size);
}

static size_t dxr_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("ranges", s->as.dxr.range_count);
	*peak_bytes = s->as.dxr.peak_bytes;
	return gm_dxr_bytes(&s->as.dxr);
}

static int mtrie_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_mtrie_build(&s->as.mtrie, prefixes);
}

static size_t mtrie_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("blocks", s->as.mtrie.block_count);
	*peak_bytes = s->as.mtrie.peak_bytes;
	return gm_mtrie_bytes(&s->as.mtrie);
}

static int mtrie6_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_mtrie6_build(&s->as.mtrie6, prefixes);
}

static size_t mtrie6_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("blocks", s->as.mtrie6.block_count);
	*peak_bytes = s->as.mtrie6.peak_bytes;
	return gm_mtrie6_bytes(&s->as.mtrie6);
}

static int dir24_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_dir24_build(&s->as.dir24, prefixes);
}

static size_t dir24_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("groups", s->as.dir24.group_count);
	*peak_bytes = s->as.dir24.peak_bytes;
	return gm_dir24_bytes(&s->as.dir24);
}

static int dir20_build(struct lpm_structure *s, const struct gm_prefixes *prefixes)
{
	return gm_dir20_build(&s->as.dir20, prefixes);
}

static size_t dir20_record(const struct lpm_structure *s, size_t *peak_bytes)
{
	record_number("blocks", s->as.dir20.block_count);
	record_number("groups", s->as.dir20.group_count);
	*peak_bytes = s->as.dir20.peak_bytes;
	return gm_dir20_bytes(&s->as.dir20);
}

static const struct lpm_kind treebitmap = { "tbm",
					    32,
					    treebitmap_build,
					    treebitmap_lookup4,
					    treebitmap_lookup6,
					    POPCNT(treebitmap_lookup4),
					    POPCNT(treebitmap_lookup6),
					    treebitmap_record,
					    "popcnt" };
static const struct lpm_kind sst = { "sst",
				     32,
				     sst_build,
				     sst_lookup4,
				     sst_lookup6,
				     POPCNT(sst_lookup4),
				     POPCNT(sst_lookup6),
				     sst_record,
				     "popcnt" };
static const struct lpm_kind poptrie = { "poptrie",
					 64,
					 poptrie_build,
					 poptrie_lookup4,
					 poptrie_lookup6,
					 POPCNT(poptrie_lookup4),
					 POPCNT(poptrie_lookup6),
					 poptrie_record,
					 "popcnt" };
static const struct lpm_kind dxr = { "dxr", 1,	  dxr_build,  dxr_lookup, NULL,
				     NULL,  NULL, dxr_record, NULL };
static const struct lpm_kind mtrie = { "mtrie", 8,    mtrie_build,  mtrie_lookup, NULL,
				       NULL,	NULL, mtrie_record, NULL };
static const struct lpm_kind mtrie6 = { "mtrie6", 32,	mtrie6_build,  NULL, mtrie6_lookup,
					NULL,	  NULL, mtrie6_record, NULL };
static const struct lpm_kind dir24 = { "dir24",	     16,	   dir24_build,
				       dir24_lookup, NULL,	   AVX512(dir24_lookup),
				       NULL,	     dir24_record, "avx512" };

static const struct lpm_kind dir20 = { "dir20",	     64,	   dir20_build,
				       dir20_lookup, NULL,	   AVX512(dir20_lookup),
				       NULL,	     dir20_record, "avx512" };

/*
 * IPv4: a table with more prefixes leaves the caches in either, and DIR-24-8 needs fewer loads;
 * vectors gain more by fewer bytes.
 * IPv6: a table with more may have more blocks than mtrie6 can number.
 */
enum { MTRIE_MOST = 200000, MTRIE6_MOST = 250000 };

static const struct {
	const char *name;
	const struct lpm_kind *kind;
	uint32_t size;
} named[] = {
	{ "tbm4", &treebitmap, 4 },    { "tbm5", &treebitmap, 5 },    { "tbm6", &treebitmap, 6 },
	{ "sst7", &sst, 7 },	       { "sst15", &sst, 15 },	      { "poptrie16", &poptrie, 16 },
	{ "poptrie18", &poptrie, 18 }, { "poptrie20", &poptrie, 20 }, { "dxr16", &dxr, 16 },
	{ "dxr18", &dxr, 18 },	       { "dxr20", &dxr, 20 },	      { "mtrie6", &mtrie6, 0 },
	{ "mtrie", &mtrie, 0 },	       { "dir24", &dir24, 0 },	      { "dir20", &dir20, 0 },
};

static const char *best(const char *name, const struct gm_prefixes *prefixes)
{
	if (strcmp(name, "lpm6-best") == 0)
		return prefixes->count > MTRIE6_MOST ? "poptrie18" : "mtrie6";
	if (strcmp(name, "lpm4-simd") == 0)
		return prefixes->count > MTRIE_MOST ? "dir20" : "mtrie";
	if (strcmp(name, "lpm4-best") == 0)
		return prefixes->count > MTRIE_MOST ? "dir24" : "mtrie";
	return name;
}

/* What follows the name: rBITS or pBITS for a first array, -merged for pieces that are merged. */
static int suffix_fits(struct lpm_structure *structure, const char *suffix)
{
	char *end;

	if (*suffix == 0)
		return 1;
	if (structure->kind == &sst) {
		structure->bits = 1;
		return strcmp(suffix, "-merged") == 0;
	}
	structure->packed = *suffix == 'p';
	if (structure->kind != &treebitmap || (*suffix != 'r' && !structure->packed))
		return 0;
	structure->bits = (uint32_t)strtoul(suffix + 1, &end, 10);
	return *end == 0 && structure->bits >= (structure->packed ? 5 : 1) && structure->bits <= 20;
}

void lpm_structure_named(struct lpm_structure *structure, const char *name,
			 const struct gm_prefixes *prefixes)
{
	const char *chosen = best(name, prefixes);

	memset(structure, 0, sizeof(*structure));
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		size_t length = strlen(named[i].name);

		if (strncmp(chosen, named[i].name, length) != 0)
			continue;
		structure->kind = named[i].kind;
		structure->size = named[i].size;
		if (suffix_fits(structure, chosen + length))
			return;
	}
	fail(2,
	     "structure=%s is none of tbm4 tbm5 tbm6 (with rBITS, 1 to 20, for a first array, or "
	     "pBITS, 5 to 20, for a packed one), "
	     "sst7 sst15 (with -merged), poptrie16 poptrie18 poptrie20, dxr16 dxr18 dxr20, "
	     "mtrie, mtrie6, dir24, dir20, lpm4-best, lpm4-simd, lpm6-best",
	     name);
}
