/* SPDX-License-Identifier: Apache-2.0 */
/* All structures for longest prefix match behind one face, for the program that times them. */
#ifndef GM_COMMAND_LPM_STRUCTURE_H
#define GM_COMMAND_LPM_STRUCTURE_H

#include "gm/dir20.h"
#include "gm/dir24.h"
#include "gm/dxr.h"
#include "gm/mtrie.h"
#include "gm/mtrie6.h"
#include "gm/poptrie.h"
#include "gm/shape_shifting_trie.h"
#include "gm/treebitmap.h"

struct lpm_structure;

/* What a kind of structure can do; NULL where it cannot. */
struct lpm_kind {
	const char *name; /* the begin of the structure's name */
	uint32_t batch; /* keys that a look-up interleaves */
	int (*build)(struct lpm_structure *structure, const struct gm_prefixes *prefixes);
	void (*lookup4)(const struct lpm_structure *structure, const uint32_t *keys,
			uint32_t *results, size_t count);
	void (*lookup6)(const struct lpm_structure *structure, const struct gm_key *keys,
			uint32_t *results, size_t count);
	void (*lookup4_fast)(const struct lpm_structure *structure, const uint32_t *keys,
			     uint32_t *results, size_t count);
	void (*lookup6_fast)(const struct lpm_structure *structure, const struct gm_key *keys,
			     uint32_t *results, size_t count);
	/* Writes the counts to the record, and returns the bytes of the structure. */
	size_t (*record)(const struct lpm_structure *structure, size_t *peak_bytes);
	const char *fast; /* what the fast ones need: "popcnt" or "avx512" */
};

struct lpm_structure {
	const struct lpm_kind *kind;
	uint32_t size; /* the number after the kind's name: stride, node size or direct bits */
	uint32_t bits; /* rN or pN: of a first array */
	int packed; /* pN */
	union {
		struct gm_treebitmap treebitmap;
		struct gm_sst sst;
		struct gm_poptrie poptrie;
		struct gm_dxr dxr;
		struct gm_mtrie mtrie;
		struct gm_mtrie6 mtrie6;
		struct gm_dir24 dir24;
		struct gm_dir20 dir20;
	} as;
};

/*
 * Reads a name such as tbm5, tbm6r13, tbm5p20, sst15, poptrie18, dxr20, mtrie, mtrie6, dir24 or
 * dir20; lpm4-best, lpm4-simd and lpm6-best are chosen by the table. Ends the program with a list
 * of names if there is none.
 */
void lpm_structure_named(struct lpm_structure *structure, const char *name,
			 const struct gm_prefixes *prefixes);

#endif
