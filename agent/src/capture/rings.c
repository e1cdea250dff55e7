// SPDX-License-Identifier: Apache-2.0
/*
 * The agent's side of the rings. A program and the agent mostly share a CPU. Where they do not, the
 * order of the program's stores is that of the processor, which only x86 promises: so elsewhere a
 * block is taken one look later than its head was seen (`seen`).
 */
#include "capture/rings.h"
#include "kernel/cpus.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define RING_LEAST (1u << 16)
#define RING_MOST (1u << 28)
#define CLOCK_STEP_NS (100 * NS_PER_US) /* a smaller one is left: the reading spreads, too */

/* A number that the program may be writing. A processor of 32 bits reads it in two halves. */
static uint64_t look(const volatile __u64 *number)
{
	uint64_t before, now = *number;

	do {
		before = now;
		now = *number;
	} while (now != before);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return now;
}

static struct capture_ring *ring_of(const struct rings *rings, unsigned int cpu)
{
	size_t stride = (rings->map.value_bytes + 7u) & ~(size_t)7;

	return (struct capture_ring *)(void *)(rings->memory + cpu * stride);
}

/* A block does not go round the end: one finds room in an empty ring of two, wherever it stands. */
static uint32_t least_size(uint32_t snaplen)
{
	uint32_t size = RING_LEAST;

	while (size < 2 * (CAPTURE_BLOCK_BYTES + snaplen))
		size *= 2;
	return size;
}

static uint64_t memory_of(uint32_t size, unsigned int count)
{
	return CAPTURE_VALUE_BYTES((uint64_t)size) * count;
}

uint32_t rings_choose_size(uint64_t bytes, uint32_t snaplen, unsigned int count)
{
	uint32_t size = RING_MOST, least = least_size(snaplen);
	uint64_t most = bytes ? bytes : RINGS_PRESET_BYTES;

	while (size > least && memory_of(size, count) > most)
		size /= 2;
	return bytes && memory_of(size, count) > bytes ? 0 : size;
}

int rings_open(struct rings *rings, uint64_t bytes, uint32_t snaplen, struct fault *fault)
{
	int error;

	*rings = (struct rings){ .map.fd = -1 };
	error = cpus_possible(&rings->count, fault);
	if (error)
		return error;
	rings->ring_bytes = rings_choose_size(bytes, snaplen, rings->count);
	if (!rings->ring_bytes)
		return fault_set(fault, -EINVAL, "memory_bytes", "give more, or a shorter snaplen",
				 "%llu bytes are too few for the rings of %u CPUs, which need %llu",
				 (unsigned long long)bytes, rings->count,
				 (unsigned long long)memory_of(least_size(snaplen), rings->count));
	rings->map = (struct bpf_map){
		.name = CAPTURE_RING,
		.type = BPF_MAP_TYPE_ARRAY,
		.key_bytes = sizeof(uint32_t),
		.value_bytes = (uint32_t)CAPTURE_VALUE_BYTES(rings->ring_bytes),
		.entries = rings->count,
		.flags = BPF_F_MMAPABLE,
		.fd = -1,
	};
	error = bpf_map_create(&rings->map, fault);
	if (error)
		return error;
	rings->memory = bpf_map_memory(&rings->map);
	rings->seen = calloc(rings->count, sizeof(*rings->seen));
	if (!rings->memory || !rings->seen)
		return fault_system(fault, -errno, "memory_bytes", "mapping the rings");
	rings_set_clock(rings);
	return 0;
}

/* Where the blocks of the tail's lap end, of which the head is in the next. */
static uint64_t lap_end(const struct rings *rings, const struct capture_ring *ring, uint64_t tail)
{
	uint64_t mask = rings->ring_bytes - 1;
	uint64_t end = look(&ring->end);

	/* A lap whose last block fitted to the byte has no mark: it is of an earlier one, or 0. */
	return end && end >= tail ? end : (tail | mask) + 1;
}

/* From the tail to a position; between them is at most one end of a lap. */
static void drain(const struct rings *rings, const struct capture_ring *ring, uint64_t head,
		  struct capture_file *file)
{
	const uint8_t *blocks = (const uint8_t *)(ring + 1);
	uint64_t mask = rings->ring_bytes - 1, tail = ring->tail;

	if ((tail ^ head) & ~mask) {
		uint64_t end = lap_end(rings, ring, tail);

		if (end > tail)
			capture_file_put(file, blocks + (tail & mask), (size_t)(end - tail));
		tail = head & ~mask;
	}
	if (head > tail)
		capture_file_put(file, blocks + (tail & mask), (size_t)(head - tail));
}

/* How far this look may go. */
static uint64_t whole_until(struct rings *rings, unsigned int cpu, uint64_t head)
{
#if defined(__x86_64__)
	(void)rings, (void)cpu;
	return head;
#else
	uint64_t before = rings->seen[cpu];

	rings->seen[cpu] = head;
	return rings->count > 1 ? before : head;
#endif
}

void rings_drain(struct rings *rings, struct capture_file *file)
{
	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		struct capture_ring *ring = ring_of(rings, cpu);
		uint64_t seen = look(&ring->head);
		uint64_t head = whole_until(rings, cpu, seen);

		if (head == ring->tail)
			continue;
		drain(rings, ring, head, file);
		/* A tail that is read while half of it is written only makes the ring look full. */
		__atomic_thread_fence(__ATOMIC_RELEASE);
		*(volatile __u64 *)&ring->tail = head;
	}
}

unsigned int rings_fullness(const struct rings *rings)
{
	uint64_t most = 0;

	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		const struct capture_ring *ring = ring_of(rings, cpu);
		uint64_t used = look(&ring->head) - ring->tail;

		most = used > most ? used : most;
	}
	return (unsigned int)(most * 100 / rings->ring_bytes);
}

struct rings_count rings_count(const struct rings *rings)
{
	struct rings_count sum = { 0 };

	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		const struct capture_ring *ring = ring_of(rings, cpu);

		sum.captured += look(&ring->captured);
		sum.full += look(&ring->full);
		sum.bytes += look(&ring->bytes);
	}
	return sum;
}

void rings_set_clock(struct rings *rings)
{
	uint64_t realtime_ns = 0 - clock_realtime_offset();

	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		volatile __u64 *set = &ring_of(rings, cpu)->realtime_ns;

		if (realtime_ns - *set + CLOCK_STEP_NS > 2 * CLOCK_STEP_NS)
			*set = realtime_ns;
	}
}

void rings_close(struct rings *rings)
{
	if (rings->memory)
		bpf_map_unmap(&rings->map, rings->memory);
	free(rings->seen);
	rings->seen = NULL;
	if (rings->map.fd >= 0)
		close(rings->map.fd);
	rings->memory = NULL;
	rings->map.fd = -1;
}
