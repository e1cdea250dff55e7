/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our engines for literals and those of others, in one process and interleaved: literals and
 * records from files, each a record of u32 little-endian length and bytes. Every round times each
 * engine once; a line of JSON an engine has its MB/s by round, its pairs and its bytes.
 *
 *   literals LITERALS RECORDS ROUNDS
 */
#include "gm/literals.h"
#include "gm/aho_corasick.h"

#include <hs/hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 64, PAIRS = 1 << 22 };

static const double least_seconds = 0.1; /* of one engine's turn in a round */

struct peer;
struct peer *peer_ac_new(const uint8_t *bytes, const uint32_t *starts, uint32_t count, int dense);
size_t peer_ac_bytes(const struct peer *peer);
uint32_t peer_ac_scan(struct peer *peer, const uint8_t *bytes, const uint32_t *starts,
		      uint32_t count);

static struct gm_records literals;
static struct gm_records records;
static struct gm_pairs pairs;

static void fail(const char *reason, const char *what)
{
	fprintf(stderr, "literals: %s%s\n", reason, what);
	exit(1);
}

/* A file's strings, one after the other. */
static struct gm_records strings(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct gm_records read = { 0 };
	uint8_t *bytes;
	uint32_t *starts;
	uint8_t head[4];
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		fail("cannot read ", path);
	rewind(file);
	bytes = malloc((size_t)size + 1);
	starts = calloc((size_t)size / 4 + 2, sizeof(*starts));
	while (fread(head, 1, 4, file) == 4) {
		uint32_t length = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
				  (uint32_t)head[3] << 24;

		if (fread(bytes + starts[read.count], 1, length, file) != length)
			fail("cut off: ", path);
		starts[read.count + 1] = starts[read.count] + length;
		read.count++;
	}
	fclose(file);
	read.bytes = bytes;
	read.offsets = starts;
	return read;
}

/* Hyperscan, in block mode; it reports each literal once a record. */
static hs_database_t *database;
static hs_scratch_t *scratch;

static int counted(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
		   void *context)
{
	(void)from;
	(void)to;
	(void)flags;
	gm_pairs_add(&pairs, *(uint32_t *)context, id);
	return 0;
}

static size_t hyperscan_new(void)
{
	const char **texts = malloc(literals.count * sizeof(*texts));
	size_t *lengths = malloc(literals.count * sizeof(*lengths));
	unsigned *flags = malloc(literals.count * sizeof(*flags));
	unsigned *ids = malloc(literals.count * sizeof(*ids));
	hs_compile_error_t *error;
	size_t bytes = 0;

	for (uint32_t i = 0; i < literals.count; i++) {
		texts[i] = (const char *)literals.bytes + literals.offsets[i];
		lengths[i] = literals.offsets[i + 1] - literals.offsets[i];
		flags[i] = HS_FLAG_SINGLEMATCH;
		ids[i] = i;
	}
	if (hs_compile_lit_multi(texts, flags, ids, lengths, literals.count, HS_MODE_BLOCK, NULL,
				 &database, &error) != HS_SUCCESS)
		fail("Hyperscan: ", error->message);
	if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS)
		fail("Hyperscan: ", "no scratch");
	hs_database_size(database, &bytes);
	return bytes;
}

static void hyperscan_scan(void *state)
{
	(void)state;
	for (uint32_t i = 0; i < records.count; i++)
		hs_scan(database, (const char *)records.bytes + records.offsets[i],
			records.offsets[i + 1] - records.offsets[i], 0, scratch, counted, &i);
}

static void literals_scan(void *state)
{
	gm_literals_scan(state, &records, &pairs);
}

static void ours_ac_scan(void *state)
{
	gm_ac_scan(state, &records, &pairs);
}

static void crate_ac_scan(void *state)
{
	pairs.count += peer_ac_scan(state, records.bytes, records.offsets, records.count);
}

struct engine {
	const char *name;
	void *state;
	void (*scan)(void *state);
	size_t bytes;
	uint32_t pairs;
	uint64_t digest; /* 0: the engine only counts */
	double rates[ROUNDS];
};

static double now(void)
{
	struct timespec at;

	/* The processor's time, not the wall's: others may run on this core. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* Of the fastest scan in a turn: what else runs on this core also empties its caches. */
static double rate(struct engine *engine)
{
	double began = now();
	double fastest = 1e9;
	double last = began;
	double at;

	do {
		pairs.count = 0;
		engine->scan(engine->state);
		at = now();
		fastest = at - last < fastest ? at - last : fastest;
		last = at;
	} while (at - began < least_seconds);
	return (double)records.offsets[records.count] / fastest / 1e6;
}

static unsigned engines_new(struct engine *engines)
{
	static const char *const paths[] = { [GM_LITERALS_PORTABLE] = "portable",
					     [GM_LITERALS_AVX2] = "avx2",
					     [GM_LITERALS_AVX512] = "avx512" };
	struct gm_literal *given = malloc(literals.count * sizeof(*given));
	unsigned count = 0;

	for (uint32_t i = 0; i < literals.count; i++) {
		given[i].bytes = literals.bytes + literals.offsets[i];
		given[i].length = literals.offsets[i + 1] - literals.offsets[i];
		given[i].id = i;
		given[i].nocase = 0;
	}
	for (int impl = GM_LITERALS_PORTABLE; impl <= GM_LITERALS_AVX512; impl++) {
		struct gm_literals *ours =
			gm_literals_new(given, literals.count, (enum gm_literals_impl)impl);

		if (ours)
			engines[count++] = (struct engine){ .name = paths[impl],
							    .state = ours,
							    .scan = literals_scan,
							    .bytes = gm_literals_bytes(ours) };
	}
	for (int form = GM_AC_DENSE; form <= GM_AC_COMPACT; form++) {
		struct gm_ac *ours = gm_ac_new(given, literals.count, (enum gm_ac_form)form);
		struct peer *crate =
			peer_ac_new(literals.bytes, literals.offsets, literals.count, form == 0);

		engines[count++] = (struct engine){ .name = form ? "ac-compact" : "ac-dense",
						    .state = ours,
						    .scan = ours_ac_scan,
						    .bytes = gm_ac_counts(ours).bytes };
		engines[count++] = (struct engine){ .name = form ? "crate-compact" : "crate-dense",
						    .state = crate,
						    .scan = crate_ac_scan,
						    .bytes = peer_ac_bytes(crate) };
	}
	engines[count++] = (struct engine){ .name = "hyperscan",
					    .scan = hyperscan_scan,
					    .bytes = hyperscan_new() };
	return count;
}

static void engine_print(const struct engine *engine, unsigned rounds)
{
	printf("{\"engine\":\"%s\",\"bytes\":%zu,\"pairs\":%u,\"digest\":\"%016llx\",\"mb_s\":[",
	       engine->name, engine->bytes, engine->pairs, (unsigned long long)engine->digest);
	for (unsigned i = 0; i < rounds; i++)
		printf("%s%.1f", i ? "," : "", engine->rates[i]);
	puts("]}");
}

int main(int argc, char **argv)
{
	static struct engine engines[16];
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	unsigned count;

	if (argc != 4 || rounds < 1 || rounds > ROUNDS)
		fail("usage: literals LITERALS RECORDS ROUNDS", "");
	literals = strings(argv[1]);
	records = strings(argv[2]);
	pairs.pairs = malloc(PAIRS * sizeof(*pairs.pairs));
	pairs.room = PAIRS;
	count = engines_new(engines);
	for (unsigned i = 0; i < count; i++) {
		pairs.count = 0;
		engines[i].scan(engines[i].state);
		engines[i].pairs = pairs.count;
		if (engines[i].scan != crate_ac_scan) {
			gm_pairs_sort(&pairs);
			engines[i].digest = gm_pairs_digest(&pairs, records.count);
		}
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < count; i++)
			engines[i].rates[round] = rate(&engines[i]);
	}
	for (unsigned i = 0; i < count; i++)
		engine_print(&engines[i], rounds);
	return 0;
}
