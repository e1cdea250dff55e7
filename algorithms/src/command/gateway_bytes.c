/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc size=BYTES polynomial=ethernet|castagnoli impl=auto|portable|bytewise|sse42: a frame check.
 * memcpy size=BYTES alignment=aligned|misaligned source=hot|cold: copying from one buffer, or from
 * all over an area that no cache holds.
 */
#include "command/gateway.h"
#include "common/processor.h"
#include "gm/crc32.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 64 };
enum { AUTO, PORTABLE, BYTEWISE, SSE42 };
static const char *const impls[] = { "auto", "portable", "bytewise", "sse42", NULL };
static const char *const polynomials[] = { "ethernet", "castagnoli", NULL };

struct crc {
	struct gateway gateway;
	struct gm_crc32 crc32;
	uint8_t *bytes;
	uint32_t size;
	int polynomial, impl;
};

static void crc_pass(void *state)
{
	struct crc *crc = state;

	for (uint32_t i = 0; i < FRAMES; i++) {
		const uint8_t *frame = crc->bytes + (size_t)i * crc->size;
		uint32_t *result = &crc->gateway.results[i];

		if (crc->impl == BYTEWISE)
			*result = gm_crc32_bytewise(&crc->crc32, 0, frame, crc->size);
		else if (crc->impl == PORTABLE)
			*result = gm_crc32_sliced(&crc->crc32, 0, frame, crc->size);
#ifdef __x86_64__
		else
			*result = gm_crc32c_sse42(0, frame, crc->size);
#endif
	}
}

int gateway_crc(struct ask *ask, const char *name)
{
	static struct crc crc;
	int can;

	crc.size = (uint32_t)ask_number(ask, "size", 1500, 1, 65536);
	crc.polynomial = ask_choice(ask, "polynomial", polynomials);
	crc.impl = ask_choice(ask, "impl", impls);
	can = gm_has_sse42() && crc.polynomial == 1;
	if (crc.impl == AUTO)
		crc.impl = can ? SSE42 : PORTABLE;
	if (crc.impl == SSE42 && !can)
		fail(2, "impl=sse42 needs its processor and polynomial=castagnoli");
	gateway_build(&crc.gateway, ask, FRAMES);
	crc.bytes = memory_new(FRAMES, crc.size);
	crc.gateway.bytes = sizeof(crc.crc32) + (uint64_t)FRAMES * crc.size;
	gateway_fill(crc.bytes, (uint64_t)FRAMES * crc.size, 1);
	gm_crc32_init(&crc.crc32, crc.polynomial ? GM_CRC32_CASTAGNOLI : GM_CRC32_ETHERNET);
	gateway_time(&crc.gateway, NULL, crc_pass, &crc, FRAMES);
	gateway_record(&crc.gateway, name, impls[crc.impl]);
	record_number("size", crc.size);
	record_text("polynomial", polynomials[crc.polynomial]);
	free(crc.bytes);
	return gateway_end(&crc.gateway, FRAMES);
}

enum { COPIES = 1024, COLD_BYTES = 64 << 20 };
static const char *const alignments[] = { "aligned", "misaligned", NULL };
static const char *const sources[] = { "hot", "cold", NULL };

struct copy {
	struct gateway gateway;
	uint8_t *area, *to;
	uint32_t size, places, place, stride;
	int misaligned;
};

/* Goes on where the last pass ended: what is cold is not met again soon. */
static void copy_pass(void *state)
{
	struct copy *copy = state;
	uint8_t *to = copy->to + (copy->misaligned ? 3 : 0);
	uint32_t last = copy->size - 1;

	for (uint32_t i = 0; i < COPIES; i++) {
		const uint8_t *from = copy->area + (size_t)copy->place * copy->stride;

		memcpy(to, from + (copy->misaligned ? 1 : 0), copy->size);
		copy->gateway.results[i] = to[last];
		copy->place += 7919; /* a prime: far away, and every place in turn */
		copy->place %= copy->places;
	}
}

int gateway_memcpy(struct ask *ask, const char *name)
{
	struct copy copy = { .size = (uint32_t)ask_number(ask, "size", 1500, 16, 65536) };
	int cold;

	copy.misaligned = ask_choice(ask, "alignment", alignments);
	cold = ask_choice(ask, "source", sources);
	/* A cache line more, so that a misaligned one stays within its place. */
	copy.stride = (copy.size + 127) / 64 * 64;
	copy.places = cold ? COLD_BYTES / copy.stride : 1;
	copy.gateway.bytes = (uint64_t)copy.places * copy.stride;
	if (!gateway_fits(ask, name, copy.gateway.bytes))
		return 0;
	gateway_build(&copy.gateway, ask, COPIES);
	copy.area = memory_new(copy.places, copy.stride);
	copy.to = memory_new(1, copy.stride);
	gateway_fill(copy.area, copy.gateway.bytes, 1);
	gateway_time(&copy.gateway, NULL, copy_pass, &copy, COPIES);
	copy.place = 0;
	copy_pass(&copy); /* the digest is that of the first places */
	gateway_record(&copy.gateway, name, "libc");
	record_number("size", copy.size);
	record_text("alignment", alignments[copy.misaligned]);
	record_text("source", sources[cold]);
	free(copy.area);
	free(copy.to);
	return gateway_end(&copy.gateway, COPIES);
}
