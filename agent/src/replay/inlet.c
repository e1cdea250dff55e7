// SPDX-License-Identifier: Apache-2.0
/* The ring of a replay (Documentation/networking/packet_mmap.rst). */
#include "replay/inlet.h"
#include "frame/frame.h"
#include "port/filter.h"
#include "time/clock.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK_BYTES (256u << 10)
#define SLOT_LEAST 2048u
#define SLOT_HEAD 128u /* header, link address and alignment before the packet */

#define CHECKED (TP_STATUS_CSUM_VALID | TP_STATUS_CSUMNOTREADY)

static struct tpacket2_hdr *slot_of(const struct inlet *inlet)
{
	return (struct tpacket2_hdr *)(void *)(inlet->memory + inlet->next * inlet->frame_bytes);
}

static int map_ring(struct inlet *inlet, uint32_t packet_most, size_t ring_bytes,
		    struct fault *fault)
{
	struct tpacket_req request = { .tp_block_size = BLOCK_BYTES };
	int version = TPACKET_V2;
	void *memory;

	inlet->frame_bytes = SLOT_LEAST;
	while (inlet->frame_bytes < packet_most + ETHERNET_BYTES + SLOT_HEAD)
		inlet->frame_bytes *= 2;
	request.tp_block_nr = (unsigned int)(ring_bytes / BLOCK_BYTES);
	request.tp_frame_size = (unsigned int)inlet->frame_bytes;
	request.tp_frame_nr = request.tp_block_nr * (BLOCK_BYTES / request.tp_frame_size);
	inlet->frames = request.tp_frame_nr;
	if (setsockopt(inlet->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(inlet->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return fault_system(fault, -errno, "ring_bytes", "making the ring");
	memory = mmap(NULL, inlet->frames * inlet->frame_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, inlet->fd, 0);
	if (memory == MAP_FAILED)
		return fault_system(fault, -errno, "ring_bytes", "mapping the ring");
	inlet->memory = memory;
	return 0;
}

int inlet_open(struct inlet *inlet, const struct inlet_options *options, struct fault *fault)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_ifindex = options->device_index };
	int family = options->family;
	int yes = 1;
	int error;

	/* Protocol 0: nothing comes before the ring is in place. */
	inlet->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (inlet->fd < 0)
		return fault_system(fault, -errno, "device", "a raw socket");
	/* Stamps from where packets enter the host: see ask_for_stamps() in port/ring.c. */
	if (setsockopt(inlet->fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0)
		return fault_system(fault, -errno, "device", "asking for arrival times");
	error = map_ring(inlet, options->packet_most, options->ring_bytes, fault);
	if (error)
		return error;
	if (options->far)
		error = filter_attach_host(inlet->fd, family, options->far, options->from_far);
	if (error)
		return fault_system(fault, error, "shared", "filtering by the far address");
	/* One Ethernet type: what the host itself sends is not seen (ptype_base, not ptype_all). */
	be16_store((uint8_t *)&address.sll_protocol, family == 4 ? ETH_P_IP : ETH_P_IPV6);
	if (bind(inlet->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return fault_system(fault, -errno, "device", "binding the ring");
	inlet_tune(inlet);
	return 0;
}

void inlet_close(struct inlet *inlet)
{
	if (inlet->memory)
		munmap(inlet->memory, inlet->frames * inlet->frame_bytes);
	if (inlet->fd >= 0)
		close(inlet->fd);
	*inlet = (struct inlet){ .fd = -1 };
}

void inlet_tune(struct inlet *inlet)
{
	inlet->offset_ns = step_offset(&inlet->step);
}

bool inlet_look(const struct inlet *inlet, struct arrived *frame)
{
	const struct tpacket2_hdr *slot = slot_of(inlet);
	uint32_t status = __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	frame->bytes = (const uint8_t *)slot + slot->tp_mac;
	frame->length = slot->tp_len;
	frame->captured = slot->tp_snaplen;
	frame->checked = status & CHECKED;
	frame->time_ns = slot->tp_sec * NS_PER_S + slot->tp_nsec + inlet->offset_ns;
	return true;
}

void inlet_next(struct inlet *inlet)
{
	__atomic_store_n(&slot_of(inlet)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	inlet->next = inlet->next + 1 == inlet->frames ? 0 : inlet->next + 1;
}

void inlet_settle(struct inlet *inlet)
{
	struct tpacket_stats statistics = { 0 };
	socklen_t length = sizeof(statistics);

	/* Reading sets the kernel's counters to zero. */
	getsockopt(inlet->fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &length);
	inlet->dropped += statistics.tp_drops;
	inlet_tune(inlet);
}
