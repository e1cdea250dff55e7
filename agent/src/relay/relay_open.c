// SPDX-License-Identifier: Apache-2.0
/* Memory and sockets of one way. */
#include "frame/frame.h"
#include "port/socket.h"
#include "relay/relay.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL_BYTES 64u /* of a frame: the least room that it takes in the store */
#define FRAMES_LEAST 1024u /* inside, whatever the request says */
#define FRAMES_MOST (1u << 18)
#define STORE_MOST (256ULL << 20)

static uint32_t frame_most(const struct relay *relay)
{
	return relay->from.mtu + ETHERNET_BYTES;
}

/* Of the line's own, and the most that its course adds. */
static uint64_t longest_ns(const struct schedule_options *options)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < options->steps; i++)
		if (options->step[i].fixed_ns > most_ns)
			most_ns = options->step[i].fixed_ns;
	return options->fixed_ns + most_ns;
}

/* Bytes that are behind the line: on their way through the fixed delay. */
static uint64_t delayed_bytes(const struct schedule_options *options)
{
	uint64_t fixed_ns = longest_ns(options);
	double bits = (double)options->rate_bps * (double)fixed_ns / (double)NS_PER_S;

	if (!fixed_ns)
		return 0;
	return options->rate_bps ? (uint64_t)(bits / 8) : STORE_MOST / 4;
}

/* Bytes that wait at most, by either bound. */
static uint64_t waiting_bytes(const struct relay *relay)
{
	const struct schedule_options *options = &relay->options;

	if (options->buffer_packets && !options->buffer_bytes)
		return options->buffer_packets * (frame_most(relay) + SMALL_BYTES);
	return 2 * options->buffer_bytes; /* of small frames that take a cache line each */
}

static int take_memory(struct relay *relay, const char *way_key, struct fault *fault)
{
	uint64_t bytes = waiting_bytes(relay) + 2 * delayed_bytes(&relay->options) +
			 (uint64_t)FRAMES_LEAST * (frame_most(relay) + SMALL_BYTES);
	uint64_t frames = bytes / SMALL_BYTES;

	if (bytes > STORE_MOST)
		return fault_set(fault, -EINVAL, way_key, "ask for a smaller buffer or delay",
				 "buffer and delay need %llu MiB; %llu is the most",
				 (unsigned long long)(bytes >> 20),
				 (unsigned long long)(STORE_MOST >> 20));
	frames = frames < FRAMES_MOST ? frames : FRAMES_MOST;
	relay->options.frame_most = frame_most(relay);
	relay->books = calloc(1, sizeof(*relay->books));
	relay->copy = calloc(1, sizeof(*relay->copy));
	relay->store.memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (relay->store.memory == MAP_FAILED)
		relay->store.memory = NULL;
	else
		relay->store.size = bytes;
	if (!relay->books || !relay->copy || !relay->store.memory ||
	    schedule_open(&relay->schedule, &relay->options, (size_t)frames))
		return fault_system(fault, -ENOMEM, way_key, "room for frames");
	return 0;
}

static int open_out(struct relay *relay, struct fault *fault)
{
	relay->out = socket_open_raw(relay->to.index, true, fault);
	if (relay->out >= 0)
		return 0;
	fault->key = relay->to_key;
	return relay->out;
}

void relay_prepare(struct relay *relay)
{
	relay->intake.fd = relay->out = relay->bell = relay->answer = -1;
}

int relay_open(struct relay *relay, const char *way_key, struct fault *fault)
{
	int error = take_memory(relay, way_key, fault);

	if (!error)
		error = open_out(relay, fault);
	if (error)
		return error;
	relay->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	relay->answer = eventfd(0, EFD_CLOEXEC);
	if (relay->bell < 0 || relay->answer < 0)
		return fault_system(fault, -errno, way_key, "an eventfd");
	return intake_open(&relay->intake, &relay->from, relay->from_key, fault);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void relay_close(struct relay *relay)
{
	if (relay->running)
		relay_ask(relay, RELAY_END);
	intake_close(&relay->intake);
	close_fd(relay->out);
	close_fd(relay->bell);
	close_fd(relay->answer);
	if (relay->store.memory)
		munmap(relay->store.memory, (size_t)relay->store.size);
	schedule_close(&relay->schedule);
	free(relay->books);
	free(relay->copy);
}
