/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream elements=N: a variant of STREAM's four kernels, rounds= of them, the first left out.
 * bandwidth size=BYTES kernel=memcpy|memset|read: how fast what fits into a cache is moved.
 */
#include "command/platform.h"
#include "gm/platform.h"
#include "program/instances.h"
#include "program/memory.h"
#include "program/record.h"
#include "program/timing.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, KERNELS = 5, ROUNDS_MOST = 64, ELEMENTS_LEAST = 1 << 20 };

struct stream {
	struct gm_stream_arrays arrays;
	uint32_t rounds;
	double mb_s[KERNELS][ROUNDS_MOST]; /* of each round but the first */
};

/* Four times the caches, or what half of the memory holds: then a cache may have helped. */
static uint32_t elements(int *suspect)
{
	uint64_t wanted = 4 * platform_last_cache() / sizeof(double);
	uint64_t room = memory_available() / 2 / 3 / sizeof(double);

	if (wanted < ELEMENTS_LEAST)
		wanted = ELEMENTS_LEAST;
	*suspect = wanted > room || !platform_last_cache();
	if (wanted > room)
		wanted = room;
	return (uint32_t)(wanted > 1U << 30 ? 1U << 30 : wanted);
}

static void run(struct stream *stream)
{
	static const double bytes[WORDS] = { 16, 16, 24, 24 };

	for (uint32_t round = 0; round < stream->rounds; round++) {
		for (int kernel = 0; kernel < WORDS; kernel++) {
			uint64_t began = timing_now();

			gm_stream_pass(&stream->arrays, (enum gm_stream)kernel);
			stream->mb_s[kernel][round] = bytes[kernel] * stream->arrays.count * 1e3 /
						      (double)(timing_now() - began);
		}
	}
}

/* The same amount of memory as words of 32 bits. */
static void run_words(struct stream *stream)
{
	uint32_t words = 2 * stream->arrays.count;
	uint32_t *from = memory_new(words, sizeof(*from));
	uint32_t *to = memory_new(words, sizeof(*to));
	uint32_t errors;

	gm_copy_u32_init(from, words);
	for (uint32_t round = 0; round < stream->rounds; round++) {
		uint64_t began = timing_now();

		gm_copy_u32(from, to, words);
		stream->mb_s[WORDS][round] = 8.0 * words * 1e3 / (double)(timing_now() - began);
	}
	errors = gm_copy_u32_errors(to, words);
	free(from);
	free(to);
	if (errors)
		fail(1, "stream: %u of %u words were not copied: memory or compiler is at fault",
		     errors, words);
}

static void stream_free(struct stream *stream)
{
	free(stream->arrays.a);
	free(stream->arrays.b);
	free(stream->arrays.c);
}

static void record_stream(const struct stream *stream, double error, int suspect)
{
	static const char *const names[] = { "copy_mb_s", "scale_mb_s", "add_mb_s", "triad_mb_s",
					     "copy_u32_mb_s" };

	platform_record("stream");
	record_text("label", "based on a variant of the STREAM benchmark code");
	record_number("elements", stream->arrays.count);
	record_number("bytes", 24ULL * stream->arrays.count);
	record_number("cache_suspect", (uint64_t)suspect);
	record_real("error", error);
	for (int kernel = 0; kernel < KERNELS; kernel++)
		record_reals(names[kernel], stream->mb_s[kernel] + 1, stream->rounds - 1);
	record_end();
}

int platform_stream(struct ask *ask)
{
	static struct stream stream;
	int suspect;
	uint32_t usual = elements(&suspect);
	double error;

	stream.arrays.count = (uint32_t)ask_number(ask, "elements", usual, 1, 1U << 30);
	/* The first round is left out. */
	stream.rounds = 1 + (uint32_t)ask_number(ask, "repeats", 10, 1, ROUNDS_MOST - 1);
	ask_number(ask, "pass_ms", 0, 0, 60000);
	ask_end(ask);
	suspect |= stream.arrays.count < usual;
	stream.arrays.a = memory_new(stream.arrays.count, sizeof(double));
	stream.arrays.b = memory_new(stream.arrays.count, sizeof(double));
	stream.arrays.c = memory_new(stream.arrays.count, sizeof(double));
	gm_stream_init(&stream.arrays);
	instances_meet();
	run(&stream);
	error = gm_stream_error(&stream.arrays, stream.rounds);
	stream_free(&stream);
	if (error > 1e-13)
		fail(1, "stream: the arrays are off by %g: memory or compiler is at fault", error);
	run_words(&stream);
	record_stream(&stream, error, suspect);
	return 0;
}

struct bandwidth {
	uint8_t *from, *to;
	uint32_t size, times;
	int kernel;
};

static volatile uint32_t sink;

/* So many times that a pass is long beside the clock's own time. */
static void bandwidth_pass(void *state)
{
	struct bandwidth *bandwidth = state;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bandwidth->times; i++) {
		if (bandwidth->kernel == 0)
			memcpy(bandwidth->to, bandwidth->from, bandwidth->size);
		else if (bandwidth->kernel == 1)
			memset(bandwidth->to, (int)(i & 255), bandwidth->size);
		else
			sum += gm_read_sum((const uint32_t *)(const void *)bandwidth->from,
					   bandwidth->size / 4);
		/* What was written is read, or a compiler could leave the writing out. */
		sum += bandwidth->to[i % bandwidth->size];
	}
	sink = sum;
}

int platform_bandwidth(struct ask *ask)
{
	static const char *const kernels[] = { "memcpy", "memset", "read", NULL };
	struct bandwidth bandwidth = { .size = (uint32_t)ask_number(ask, "size", 4096, 64,
								    1U << 30) };
	const char *why = memory_refused(2ULL * bandwidth.size);
	struct timing timing;

	bandwidth.kernel = ask_choice(ask, "kernel", kernels);
	timing_ask(&timing, ask);
	ask_end(ask);
	platform_record("bandwidth");
	record_text("kernel", kernels[bandwidth.kernel]);
	record_number("size", bandwidth.size);
	if (why) {
		record_text("skipped", why);
	} else {
		bandwidth.times = 1 + (1U << 20) / bandwidth.size;
		bandwidth.from = memory_new(bandwidth.size, 1);
		bandwidth.to = memory_new(bandwidth.size, 1);
		instances_meet();
		timing_run(&timing, bandwidth_pass, &bandwidth,
			   (uint64_t)bandwidth.size * bandwidth.times);
		timing_record(&timing, "", (uint64_t)bandwidth.size * bandwidth.times);
		free(bandwidth.from);
		free(bandwidth.to);
	}
	record_end();
	return 0;
}
