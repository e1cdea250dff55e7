/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Longest prefix match of ours and of DPDK in one process, pass by pass in turn.
 *
 * fib TABLE FAMILY MIX STRUCTURE IMPL PEER ROUNDS, with IMPL portable or fast, PEER fib, fib-simd, lpm, fib6, fib6-simd,
 * lpm6, or none for ours alone; or PEER dump:FOLDER, which writes routes, keys and the digest for a
 * peer of another language. Prints a line of JSON with nanoseconds a look-up for each round.
 */
#include "command/lpm_structure.h"
#include "command/lpm_table.h"
#include "gm/digest.h"
#include "gm/prefixes.h"
#include "program/ask.h"
#include "program/timing.h"

#include <rte_eal.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_lpm.h>
#include <rte_lpm6.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 1 << 20, BULK = 32, ROUTES = 1 << 21, GROUPS = 1 << 15 };

static struct gm_prefixes prefixes;
static struct gm_key keys[QUERIES];
static uint32_t keys4[QUERIES];
static uint8_t keys6[QUERIES][16];
static uint32_t ours[QUERIES];
static uint32_t results[QUERIES];
static uint64_t results64[QUERIES];
static struct lpm_structure structure;
static int fast;
static struct rte_fib *fib;
static struct rte_fib6 *fib6;
static struct rte_lpm *lpm;
static struct rte_lpm6 *lpm6;

static void bytes_of(const struct gm_key *key, uint8_t *bytes)
{
	for (int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)((i < 8 ? key->hi : key->lo) >> (56 - 8 * (i & 7)));
}

static void load(const char *path, unsigned family, const char *mix)
{
	enum gm_mix asked = strcmp(mix, "zipf") == 0	  ? GM_MIX_ZIPF
			    : strcmp(mix, "uniform") == 0 ? GM_MIX_UNIFORM
							  : GM_MIX_IN_TABLE;

	lpm_table_read(&prefixes, path, family);
	gm_prefixes_next_hops(&prefixes, 256);
	if (gm_queries_draw(&prefixes, asked, keys, QUERIES))
		fail(1, "no queries");
	for (uint32_t i = 0; i < QUERIES; i++) {
		keys4[i] = (uint32_t)(keys[i].hi >> 32);
		bytes_of(&keys[i], keys6[i]);
	}
}

static void eal_begin(void)
{
	/* Vectors of 512 bits are switched off unless they are asked for. */
	char *words[] = { "fib",
			  "--no-huge",
			  "--no-pci",
			  "--no-shconf",
			  "--no-telemetry",
			  "-m",
			  "2048",
			  "-l",
			  "1",
			  "--log-level=1",
			  "--force-max-simd-bitwidth=512" };

	if (rte_eal_init(sizeof(words) / sizeof(words[0]), words) < 0)
		fail(1, "DPDK does not start");
}

static void fib_build(int simd)
{
	struct rte_fib_conf conf = { .type = RTE_FIB_DIR24_8, .max_routes = ROUTES };

	conf.dir24_8.nh_sz = RTE_FIB_DIR24_8_2B;
	conf.dir24_8.num_tbl8 = GROUPS - 1;
	fib = rte_fib_create("fib", SOCKET_ID_ANY, &conf);
	for (uint32_t i = 0; fib && i < prefixes.count; i++) {
		const struct gm_route *route = &prefixes.routes[i];

		if (rte_fib_add(fib, (uint32_t)(route->key.hi >> 32), (uint8_t)route->length,
				route->next_hop))
			fail(1, "rte_fib does not take route %u", i);
	}
	if (!fib || rte_fib_select_lookup(fib, simd ? RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512
						    : RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO))
		fail(1, "rte_fib has no such look-up here");
}

static void fib6_build(int simd)
{
	struct rte_fib6_conf conf = { .type = RTE_FIB6_TRIE, .max_routes = ROUTES };

	conf.trie.nh_sz = RTE_FIB6_TRIE_4B;
	conf.trie.num_tbl8 = 1 << 18;
	fib6 = rte_fib6_create("fib6", SOCKET_ID_ANY, &conf);
	for (uint32_t i = 0; fib6 && i < prefixes.count; i++) {
		uint8_t bytes[16];

		bytes_of(&prefixes.routes[i].key, bytes);
		if (rte_fib6_add(fib6, bytes, (uint8_t)prefixes.routes[i].length,
				 prefixes.routes[i].next_hop))
			fail(1, "rte_fib6 does not take route %u", i);
	}
	if (!fib6 || rte_fib6_select_lookup(fib6, simd ? RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512
						       : RTE_FIB6_LOOKUP_TRIE_SCALAR))
		fail(1, "rte_fib6 has no such look-up here");
}

static void lpm_build(void)
{
	struct rte_lpm_config conf = { .max_rules = ROUTES, .number_tbl8s = GROUPS };

	lpm = rte_lpm_create("lpm", SOCKET_ID_ANY, &conf);
	for (uint32_t i = 0; i < prefixes.count; i++) {
		const struct gm_route *route = &prefixes.routes[i];

		if (!lpm || rte_lpm_add(lpm, (uint32_t)(route->key.hi >> 32),
					(uint8_t)route->length, route->next_hop))
			fail(1, "rte_lpm does not take route %u", i);
	}
}

static void lpm6_build(void)
{
	struct rte_lpm6_config conf = { .max_rules = ROUTES, .number_tbl8s = 1 << 18 };

	lpm6 = rte_lpm6_create("lpm6", SOCKET_ID_ANY, &conf);
	for (uint32_t i = 0; i < prefixes.count; i++) {
		uint8_t bytes[16];

		bytes_of(&prefixes.routes[i].key, bytes);
		if (!lpm6 || rte_lpm6_add(lpm6, bytes, (uint8_t)prefixes.routes[i].length,
					  prefixes.routes[i].next_hop))
			fail(1, "rte_lpm6 does not take route %u", i);
	}
}

static void pass_ours(void)
{
	const struct lpm_kind *kind = structure.kind;

	if (prefixes.family == 4)
		(fast ? kind->lookup4_fast : kind->lookup4)(&structure, keys4, ours, QUERIES);
	else
		(fast ? kind->lookup6_fast : kind->lookup6)(&structure, keys, ours, QUERIES);
}

static void pass_peer(void)
{
	if (fib6)
		rte_fib6_lookup_bulk(fib6, keys6, results64, QUERIES);
	else if (fib)
		rte_fib_lookup_bulk(fib, keys4, results64, QUERIES);
	for (uint32_t i = 0; lpm && i < QUERIES; i += BULK)
		rte_lpm_lookup_bulk(lpm, keys4 + i, results + i, BULK);
	for (uint32_t i = 0; lpm6 && i < QUERIES; i += BULK)
		rte_lpm6_lookup_bulk_func(lpm6, keys6 + i, (int32_t *)results + i, BULK);
}

static void peer_build(const char *name)
{
	int simd = strstr(name, "-simd") != NULL;

	if (strcmp(name, "none") == 0)
		return;
	eal_begin();
	if (strncmp(name, "fib6", 4) == 0)
		fib6_build(simd);
	else if (strncmp(name, "fib", 3) == 0)
		fib_build(simd);
	else if (strcmp(name, "lpm6") == 0)
		lpm6_build();
	else
		lpm_build();
}

/* rte_lpm says whether there is a route by a bit, and rte_lpm6 says none by -1. */
static uint32_t peer_result(uint32_t i)
{
	if (lpm)
		return results[i] & RTE_LPM_LOOKUP_SUCCESS ? results[i] & 0xffffff : 0;
	if (lpm6)
		return results[i] == UINT32_MAX ? 0 : results[i];
	return (uint32_t)results64[i];
}

static double timed(void (*pass)(void))
{
	uint64_t began = timing_now();

	pass();
	return (double)(timing_now() - began) / QUERIES;
}

static void compare(int rounds)
{
	pass_ours();
	pass_peer();
	for (uint32_t i = 0; i < QUERIES && (fib || fib6 || lpm || lpm6); i++) {
		if (ours[i] != peer_result(i))
			fail(1, "query %u: ours %u, the peer's %u", i, ours[i], peer_result(i));
	}
	printf("{\"rounds\":[");
	for (int i = 0; i < rounds; i++) {
		double our_ns = timed(pass_ours);

		printf("%s[%.4f,%.4f]", i ? "," : "", our_ns, timed(pass_peer));
	}
	puts("]}");
}

static void file_write(const char *folder, const char *name, const void *data, size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		fail(1, "%s cannot be written", path);
}

/* In this machine's byte order, which the reader shares. */
static void dump(const char *folder)
{
	uint64_t digest;

	pass_ours();
	digest = gm_digest_u32s(GM_DIGEST_EMPTY, ours, QUERIES);
	file_write(folder, "routes", prefixes.routes, prefixes.count * sizeof(*prefixes.routes));
	file_write(folder, "keys", keys, sizeof(keys));
	printf("{\"digest\":\"%016llx\"}\n", (unsigned long long)digest);
}

int main(int argc, char **argv)
{
	if (argc != 8)
		fail(2, "fib TABLE FAMILY MIX STRUCTURE IMPL PEER ROUNDS");
	load(argv[1], (unsigned)atoi(argv[2]), argv[3]);
	lpm_structure_named(&structure, argv[4], &prefixes);
	fast = strcmp(argv[5], "fast") == 0 &&
	       (prefixes.family == 4 ? structure.kind->lookup4_fast != NULL
				     : structure.kind->lookup6_fast != NULL);
	if (structure.kind->build(&structure, &prefixes))
		fail(1, "%s cannot hold the table", argv[4]);
	if (strncmp(argv[6], "dump:", 5) == 0) {
		dump(argv[6] + 5);
		return 0;
	}
	peer_build(argv[6]);
	compare(atoi(argv[7]));
	return 0;
}
