// SPDX-License-Identifier: Apache-2.0
/*
 * The ring port: receives whole frames through a TPACKET_V3 ring that is shared with the kernel
 * (Documentation/networking/packet_mmap.rst).
 *
 * The kernel fills a block and hands it over when it is full or PORT_RETIRE_MS old, so the sink is
 * woken about a hundred times a second, not for every packet: it may share its CPU with the sender.
 * Bound to one Ethernet type it never sees what the host itself sends (ptype_base, not ptype_all).
 */
#include "kernel/device.h"
#include "port/filter.h"
#include "port/guard.h"
#include "port/port.h"
#include "time/clock.h"
#include "time/step.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK_BYTES (256u << 10)
#define FRAME_BYTES 2048 /* only has to divide a block: frames of a V3 ring are of any size */

#define CHECKED (TP_STATUS_CSUM_VALID | TP_STATUS_CSUMNOTREADY)

struct ring {
	int fd;
	uint8_t *memory;
	size_t blocks;
	size_t block; /* the next to be handed over */
	const uint8_t *packet; /* the next in it, if we hold it */
	uint32_t left; /* packets in it that are still to be read */
	uint64_t offset_ns; /* from CLOCK_REALTIME to CLOCK_MONOTONIC, for this block */
	struct step step; /* of CLOCK_REALTIME, since ring_open() */
	struct guard guard;
	const struct siphash_key *key;
};

static struct tpacket_block_desc *block_of(const struct ring *ring)
{
	return (struct tpacket_block_desc *)(void *)(ring->memory + ring->block * BLOCK_BYTES);
}

static int map_ring(struct ring *ring, size_t bytes, struct fault *fault)
{
	struct tpacket_req3 request = { 0 };
	int version = TPACKET_V3;
	void *memory;

	ring->blocks = bytes / BLOCK_BYTES;
	request.tp_block_size = BLOCK_BYTES;
	request.tp_block_nr = (unsigned int)ring->blocks;
	request.tp_frame_size = FRAME_BYTES;
	request.tp_frame_nr = request.tp_block_nr * (BLOCK_BYTES / FRAME_BYTES);
	request.tp_retire_blk_tov = PORT_RETIRE_MS;
	if (setsockopt(ring->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(ring->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return fault_system(fault, -errno, "ring_bytes", "making the ring");
	memory = mmap(NULL, ring->blocks * BLOCK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	if (memory == MAP_FAILED)
		return fault_system(fault, -errno, "ring_bytes", "mapping the ring");
	ring->memory = memory;
	return 0;
}

/*
 * Has packets stamped where they enter the host (netif_rx(), net/core/dev.c). Without, the ring
 * stamps them when it gets them, behind tc's ingress and the backlog; unless any other program of
 * the machine asks for stamps, which then hold for all (netstamp_needed_key): the same wire would
 * have two delays. A work item of the kernel turns them on, long before the barrier is over.
 */
static int ask_for_stamps(struct ring *ring, struct fault *fault)
{
	int yes = 1;

	if (setsockopt(ring->fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0)
		return fault_system(fault, -errno, "port", "asking for arrival times");
	return 0;
}

static int attach_filter(struct ring *ring, const struct port_options *options, struct fault *fault)
{
	const struct integers *ports = &options->destination_ports;
	int32_t low = ports->count ? UINT16_MAX : 0;
	int32_t high = ports->count ? 0 : UINT16_MAX;
	int error;

	for (size_t i = 0; i < ports->count; i++) {
		low = ports->item[i] < low ? ports->item[i] : low;
		high = ports->item[i] > high ? ports->item[i] : high;
	}
	error = filter_attach_ports(ring->fd, options->family, (uint16_t)low, (uint16_t)high);
	return error ? fault_system(fault, error, "port", "attaching the ring's filter") : 0;
}

static int bind_device(struct ring *ring, int family, int index, struct fault *fault)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = index };

	be16_store((uint8_t *)&address.sll_protocol, family == 4 ? ETH_P_IP : ETH_P_IPV6);
	if (bind(ring->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return fault_system(fault, -errno, "device", "binding the ring");
	return 0;
}

static int ring_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	struct device device;
	int error;

	port->state = ring;
	if (!ring)
		return fault_system(fault, -ENOMEM, NULL, "the ring port");
	ring->fd = -1;
	ring->key = options->key;
	step_offset(&ring->step);
	error = device_find(&device, options->device, 1, "device", fault);
	if (error)
		return error;
	error = guard_open(&ring->guard, options->family, &options->destination_ports, fault);
	if (error)
		return error;
	/* Protocol 0: nothing comes before filter and ring are in place. */
	ring->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (ring->fd < 0)
		return fault_system(fault, -errno, "port", "a raw socket");
	port->fd = ring->fd;
	error = attach_filter(ring, options, fault);
	if (!error)
		error = ask_for_stamps(ring, fault);
	if (!error)
		error = map_ring(ring, options->ring_bytes, fault);
	return error ? error : bind_device(ring, options->family, device.index, fault);
}

/* Takes over the next block if the kernel has filled it. */
static bool take_block(struct ring *ring)
{
	const struct tpacket_block_desc *block = block_of(ring);

	if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return false;
	ring->packet = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
	ring->left = block->hdr.bh1.num_pkts;
	ring->offset_ns = step_offset(&ring->step);
	return true;
}

static void return_block(struct ring *ring)
{
	__atomic_store_n(&block_of(ring)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	ring->packet = NULL;
	ring->block = ring->block + 1 == ring->blocks ? 0 : ring->block + 1;
}

static void read_packet(const struct ring *ring, struct arrival *arrival)
{
	const struct tpacket3_hdr *header = (const void *)ring->packet;

	parse_frame(arrival, ring->packet + header->tp_mac, header->tp_len, header->tp_snaplen,
		    header->tp_status & CHECKED, ring->key);
	arrival->time_ns = header->tp_sec * NS_PER_S + header->tp_nsec + ring->offset_ns;
}

static unsigned int ring_receive(struct port *port, struct arrival *arrivals, unsigned int count)
{
	struct ring *ring = port->state;
	unsigned int taken = 0;

	while (taken < count) {
		if (!ring->packet && !take_block(ring))
			break;
		if (!ring->left) {
			return_block(ring);
			continue;
		}
		read_packet(ring, &arrivals[taken++]);
		ring->packet +=
			((const struct tpacket3_hdr *)(const void *)ring->packet)->tp_next_offset;
		ring->left--;
	}
	return taken;
}

static void ring_settle(struct port *port)
{
	struct ring *ring = port->state;
	struct tpacket_stats_v3 statistics = { 0 };
	socklen_t length = sizeof(statistics);

	/* Reading sets the kernel's counters to zero. */
	getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &length);
	port->dropped += statistics.tp_drops;
	port->stepped_ns = ring->step.stepped_ns;
}

static void ring_close(struct port *port)
{
	struct ring *ring = port->state;

	if (!ring)
		return;
	if (ring->memory)
		munmap(ring->memory, ring->blocks * BLOCK_BYTES);
	if (ring->fd >= 0)
		close(ring->fd);
	guard_close(&ring->guard);
	free(ring);
	port->state = NULL;
}

const struct port_kind port_ring = {
	.name = "ring",
	.open = ring_open,
	.receive = ring_receive,
	.settle = ring_settle,
	.close = ring_close,
};
