// SPDX-License-Identifier: Apache-2.0
/*
 * The afxdp port: sends whole frames through an AF_XDP socket
 * (Documentation/networking/af_xdp.rst), without libbpf and without an XDP program, which only
 * receiving needs. Zero-copy where the driver can, else the kernel copies each frame into an skb
 * (net/xdp/xsk.c, __xsk_generic_xmit()). On a veth it sends 1.3 to 1.5 times as much as raw, and
 * unlike live it can take turns with other senders.
 *
 * Frames lie in chunks of a memory area that both sides see. A chunk is filled, its descriptor goes
 * into the TX ring, and it comes back through the completion ring when the frame has left, on a
 * veth when the receiver has consumed it.
 */
#include "port/hop.h"
#include "port/port.h"
#include "time/clock.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_XDP
#define SOL_XDP 283
#endif
#ifndef AF_XDP
#define AF_XDP 44
#endif

#define CHUNKS                                                                                     \
	4096 /* frames on their way at most: the queues of a few devices, of 256 frames each */
#define RING_ENTRIES CHUNKS /* a power of two */
#define FILL_ENTRIES 2 /* a fill ring is required, although nothing is received */
#define CHUNK_BYTES 2048 /* or a page, where frames are larger */
#define CHUNK_MOST 4096
#define KICK_NS (10 * NS_PER_MS) /* how long a burst may wait for room in the device */
#define DRAIN_NS (100 * NS_PER_MS) /* how long what was handed over may take to leave at the end */
#define FREED_NS NS_PER_S /* how long the queue of a socket that was closed may take to be free */

/* A ring of one producer and one consumer; the indices run on and are masked. */
struct ring {
	uint32_t *producer, *consumer, *flags;
	void *entry;
	void *memory;
	size_t bytes;
};

struct afxdp {
	struct hop hop;
	struct frame frame;
	int fd;
	uint8_t *memory;
	uint32_t chunk_bytes;
	struct ring tx, completion;
	bool copies; /* the kernel does: it sends inside the system call */
	uint32_t spare[CHUNKS]; /* chunks that are ours, a stack */
	uint32_t spares;
};

static int make_memory(struct afxdp *afxdp, struct fault *fault)
{
	size_t bytes = (size_t)CHUNKS * afxdp->chunk_bytes;
	struct xdp_umem_reg area = { .len = bytes, .chunk_size = afxdp->chunk_bytes };
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return fault_system(fault, -errno, "port", "memory for AF_XDP");
	afxdp->memory = memory;
	area.addr = (uintptr_t)memory;
	if (setsockopt(afxdp->fd, SOL_XDP, XDP_UMEM_REG, &area, sizeof(area)) < 0)
		return fault_system(fault, -errno, "port", "registering memory for AF_XDP");
	for (uint32_t i = 0; i < CHUNKS; i++) {
		afxdp->spare[afxdp->spares++] = i;
		frame_build(&afxdp->frame, &afxdp->hop.route,
			    afxdp->memory + (size_t)i * afxdp->chunk_bytes);
	}
	return 0;
}

static int size_rings(const struct afxdp *afxdp, struct fault *fault)
{
	const struct {
		int option, entries;
	} wanted[] = { { XDP_UMEM_FILL_RING, FILL_ENTRIES },
		       { XDP_UMEM_COMPLETION_RING, RING_ENTRIES },
		       { XDP_TX_RING, RING_ENTRIES } };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (setsockopt(afxdp->fd, SOL_XDP, wanted[i].option, &wanted[i].entries,
			       sizeof(wanted[i].entries)) < 0)
			return fault_system(fault, -errno, "port", "sizing a ring of AF_XDP");
	return 0;
}

static int map_ring(const struct afxdp *afxdp, struct ring *ring,
		    const struct xdp_ring_offset *offset, size_t entry_bytes, uint64_t page)
{
	size_t bytes = (size_t)offset->desc + RING_ENTRIES * entry_bytes;
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			       afxdp->fd, (off_t)page);

	if (memory == MAP_FAILED)
		return -errno;
	*ring = (struct ring){
		.producer = (uint32_t *)(void *)(memory + offset->producer),
		.consumer = (uint32_t *)(void *)(memory + offset->consumer),
		.flags = (uint32_t *)(void *)(memory + offset->flags),
		.entry = memory + offset->desc,
		.memory = memory,
		.bytes = bytes,
	};
	return 0;
}

static int map_rings(struct afxdp *afxdp, struct fault *fault)
{
	struct xdp_mmap_offsets offsets = { 0 };
	socklen_t length = sizeof(offsets);
	int error;

	/* Before Linux 5.4 an offset had no flags, and the answer was shorter. */
	if (getsockopt(afxdp->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) < 0)
		return fault_system(fault, -errno, "port", "asking for the rings of AF_XDP");
	if (length != sizeof(offsets))
		return fault_set(fault, -ENOTSUP, "port", "use another port",
				 "AF_XDP needs Linux 5.4");
	error = map_ring(afxdp, &afxdp->tx, &offsets.tx, sizeof(struct xdp_desc),
			 XDP_PGOFF_TX_RING);
	if (!error)
		error = map_ring(afxdp, &afxdp->completion, &offsets.cr, sizeof(uint64_t),
				 XDP_UMEM_PGOFF_COMPLETION_RING);
	return error ? fault_system(fault, error, "port", "mapping a ring of AF_XDP") : 0;
}

/*
 * A worker of the kernel frees the queue some time after its socket was closed (xp_put_pool,
 * net/xdp/xsk_buff_pool.c). Until then the queue is busy, also for the next sender.
 */
static int bind_as(const struct afxdp *afxdp, uint16_t flags)
{
	const struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_ifindex = (uint32_t)afxdp->hop.device.index,
	};

	uint64_t until_ns = clock_now() + FREED_NS;

	while (bind(afxdp->fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno != EBUSY || clock_now() > until_ns)
			return -errno;
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	return 0;
}

/* To the device's first queue. A zero-copy driver that needs no call is not called. */
static int bind_socket(struct port *port, struct afxdp *afxdp, struct fault *fault)
{
	int error = bind_as(afxdp, XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP);

	port->mode = "zero-copy";
	if (error) {
		error = bind_as(afxdp, XDP_COPY);
		afxdp->copies = true;
		port->mode = "copy";
	}
	return error ? fault_system(fault, error, "port", "binding an AF_XDP socket") : 0;
}

static int open_socket(struct port *port, struct afxdp *afxdp, struct fault *fault)
{
	int error;

	afxdp->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (afxdp->fd < 0)
		return fault_system(fault, -errno, "port", "an AF_XDP socket");
	error = make_memory(afxdp, fault);
	if (!error)
		error = size_rings(afxdp, fault);
	if (!error)
		error = map_rings(afxdp, fault);
	return error ? error : bind_socket(port, afxdp, fault);
}

static int afxdp_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct afxdp *afxdp = calloc(1, sizeof(*afxdp));
	int error;

	port->state = afxdp;
	if (!afxdp)
		return fault_system(fault, -ENOMEM, NULL, "the afxdp port");
	afxdp->fd = -1;
	error = hop_find(&afxdp->hop, options, fault);
	if (error)
		return error;
	if (options->frame_most - FCS_BYTES > CHUNK_MOST)
		return fault_set(fault, -ENOTSUP, "frame_bytes", "send smaller frames, or use raw",
				 "a frame of AF_XDP has %d bytes at most, with FCS",
				 CHUNK_MOST + FCS_BYTES);
	afxdp->chunk_bytes = options->frame_most - FCS_BYTES > CHUNK_BYTES ? CHUNK_MOST
									   : CHUNK_BYTES;
	return port_unfit(open_socket(port, afxdp, fault));
}

/* Takes back the chunks whose frames have left. */
static void take_back(struct afxdp *afxdp)
{
	struct ring *ring = &afxdp->completion;
	const uint64_t *address = ring->entry;
	uint32_t producer = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	uint32_t consumer = *ring->consumer;

	for (; consumer != producer; consumer++)
		afxdp->spare[afxdp->spares++] =
			(uint32_t)(address[consumer % RING_ENTRIES] / afxdp->chunk_bytes);
	__atomic_store_n(ring->consumer, consumer, __ATOMIC_RELEASE);
}

/* Fills chunks and hands their descriptors over. There are as many chunks as descriptors. */
static void hand_over(struct afxdp *afxdp, const struct packet *packets, unsigned int count)
{
	struct xdp_desc *descriptor = afxdp->tx.entry;
	uint32_t producer = *afxdp->tx.producer;

	for (unsigned int i = 0; i < count; i++) {
		uint32_t chunk = afxdp->spare[--afxdp->spares];
		uint64_t address = (uint64_t)chunk * afxdp->chunk_bytes;

		frame_fill(&afxdp->frame, &packets[i], afxdp->memory + address);
		descriptor[(producer + i) % RING_ENTRIES] = (struct xdp_desc){
			.addr = address,
			.len = packets[i].frame_bytes - FCS_BYTES,
		};
	}
	__atomic_store_n(afxdp->tx.producer, producer + count, __ATOMIC_RELEASE);
}

static uint32_t count_waiting(const struct afxdp *afxdp)
{
	return *afxdp->tx.producer - __atomic_load_n(afxdp->tx.consumer, __ATOMIC_ACQUIRE);
}

/*
 * One call sends some 32 frames. EBUSY means that the device dropped a frame, which ends the call;
 * EAGAIN that there is more to do, or no room for now. 0, or -errno where nothing goes on for the
 * moment.
 */
static int send_some(const struct afxdp *afxdp, struct port_tally *tally)
{
	int error = sendto(afxdp->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? -errno : 0;

	tally->calls++;
	if (error == -EBUSY) {
		port_refuse(tally, -ENOBUFS, 1);
		tally->sent--;
		return 0;
	}
	return error == -EINTR ? 0 : error;
}

/* Has the kernel send what is in the ring. False: it has no room for it, or the device is down. */
static bool kick_copy(const struct afxdp *afxdp, struct port_tally *tally)
{
	uint64_t end = 0;

	while (count_waiting(afxdp)) {
		uint64_t now;

		if (!send_some(afxdp, tally))
			continue;
		now = clock_now();
		end = end ? end : now + KICK_NS;
		if (now >= end)
			return false;
	}
	return true;
}

static bool kick(const struct afxdp *afxdp, struct port_tally *tally)
{
	if (afxdp->copies)
		return kick_copy(afxdp, tally);
	if (*afxdp->tx.flags & XDP_RING_NEED_WAKEUP) {
		sendto(afxdp->fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
		tally->calls++;
	}
	return true;
}

/* What the last call left in the ring goes first: descriptors cannot be taken back. */
static unsigned int afxdp_send(struct port *port, const struct packet *packets, unsigned int count,
			       struct port_tally *tally)
{
	struct afxdp *afxdp = port->state;

	if (afxdp->copies && !kick_copy(afxdp, tally))
		return 0;
	take_back(afxdp);
	if (count > afxdp->spares)
		count = afxdp->spares;
	if (!count) {
		kick(afxdp, tally);
		return 0;
	}
	hand_over(afxdp, packets, count);
	tally->sent += count;
	kick(afxdp, tally);
	return count;
}

/* Copied frames have left with the call that took them; others when their chunks are back. */
static bool is_drained(struct afxdp *afxdp)
{
	take_back(afxdp);
	return afxdp->copies ? !count_waiting(afxdp) : afxdp->spares == CHUNKS;
}

/* Waits a moment for what is in the ring; what stays there was refused. */
static void afxdp_end(struct port *port, struct port_progress *progress)
{
	struct afxdp *afxdp = port->state;
	uint64_t until = clock_now() + DRAIN_NS;
	uint32_t left;

	while (!is_drained(afxdp) && clock_now() < until)
		kick(afxdp, &progress->tally);
	left = count_waiting(afxdp);
	if (left)
		port_refuse(&progress->tally, -ENOBUFS, left);
	progress->tally.sent -= left;
}

static void unmap(const struct ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, ring->bytes);
}

static void afxdp_close(struct port *port)
{
	struct afxdp *afxdp = port->state;

	if (!afxdp)
		return;
	unmap(&afxdp->tx);
	unmap(&afxdp->completion);
	if (afxdp->fd >= 0)
		close(afxdp->fd);
	if (afxdp->memory)
		munmap(afxdp->memory, (size_t)CHUNKS * afxdp->chunk_bytes);
	free(afxdp);
	port->state = NULL;
}

const struct port_kind port_afxdp = {
	.name = "afxdp",
	.makes_frames = true,
	.burst = 32,
	.burst_from_pps = 500000,
	.open = afxdp_open,
	.send = afxdp_send,
	.end = afxdp_end,
	.close = afxdp_close,
};
