// SPDX-License-Identifier: Apache-2.0
/* A ring of whole frames with stamps. */
#include "relay/intake.h"
#include "frame/bytes.h"
#include "frame/frame.h"
#include "time/clock.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23 /* since Linux 4.20 */
#endif

#define BLOCK_BYTES (256u << 10)
#define SLOT_LEAST 2048u
#define SLOT_HEAD 128u /* header, link address and alignment before the frame */
#define RING_BYTES (16u << 20)
#define ADDRESSES 12u /* of an Ethernet header; a tag stands behind them */

static struct tpacket2_hdr *slot_of(const struct intake *intake)
{
	return (struct tpacket2_hdr *)(void *)(intake->memory + intake->next * intake->slot_bytes);
}

static int map(struct intake *intake, uint32_t mtu)
{
	struct tpacket_req request = { .tp_block_size = BLOCK_BYTES };
	int version = TPACKET_V2;
	void *memory;

	intake->slot_bytes = SLOT_LEAST;
	while (intake->slot_bytes < mtu + ETHERNET_BYTES + INTAKE_TAG_BYTES + SLOT_HEAD)
		intake->slot_bytes *= 2;
	request.tp_block_nr = RING_BYTES / BLOCK_BYTES;
	request.tp_frame_size = (unsigned int)intake->slot_bytes;
	request.tp_frame_nr = RING_BYTES / request.tp_frame_size;
	intake->slots = request.tp_frame_nr;
	if (setsockopt(intake->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(intake->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return -errno;
	memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		      intake->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	intake->memory = memory;
	return 0;
}

static int listen_to(const struct intake *intake, int index)
{
	struct packet_mreq all = { .mr_ifindex = index, .mr_type = PACKET_MR_PROMISC };
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = index };
	int yes = 1;

	be16_store((uint8_t *)&address.sll_protocol, ETH_P_ALL);
	if (setsockopt(intake->fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0 ||
	    setsockopt(intake->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes)) < 0 ||
	    setsockopt(intake->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ||
	    bind(intake->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

int intake_open(struct intake *intake, const struct device *device, const char *key,
		struct fault *fault)
{
	int error;

	/* Protocol 0: nothing comes before the ring is in place. */
	intake->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (intake->fd < 0)
		return fault_system(fault, -errno, key, "a raw socket");
	error = map(intake, device->mtu);
	if (error)
		return fault_system(fault, error, key, "making a ring for frames");
	error = listen_to(intake, device->index);
	return error ? fault_system(fault, error, key, "listening to the device") : 0;
}

void intake_close(struct intake *intake)
{
	if (intake->memory)
		munmap(intake->memory, RING_BYTES);
	if (intake->fd >= 0)
		close(intake->fd);
	*intake = (struct intake){ .fd = -1 };
}

static uint32_t tag_of(const struct tpacket2_hdr *slot, uint32_t status)
{
	uint32_t type = status & TP_STATUS_VLAN_TPID_VALID ? slot->tp_vlan_tpid : ETH_P_8021Q;

	return status & TP_STATUS_VLAN_VALID ? type << 16 | slot->tp_vlan_tci : 0;
}

bool intake_look(const struct intake *intake, struct intake_frame *frame)
{
	const struct tpacket2_hdr *slot = slot_of(intake);
	uint32_t status = __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	frame->bytes = (const uint8_t *)slot + slot->tp_mac;
	frame->tag = tag_of(slot, status);
	frame->length = slot->tp_len + (frame->tag ? INTAKE_TAG_BYTES : 0);
	frame->stamp_ns = slot->tp_sec * NS_PER_S + slot->tp_nsec;
	frame->whole = slot->tp_snaplen == slot->tp_len && slot->tp_len >= ETHERNET_BYTES;
	frame->unfinished = status & TP_STATUS_CSUMNOTREADY;
	return true;
}

void intake_next(struct intake *intake)
{
	__atomic_store_n(&slot_of(intake)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	intake->next = intake->next + 1 == intake->slots ? 0 : intake->next + 1;
}

void intake_copy(const struct intake_frame *frame, uint8_t *to)
{
	if (!frame->tag) {
		memcpy(to, frame->bytes, frame->length);
		return;
	}
	memcpy(to, frame->bytes, ADDRESSES);
	be32_store(to + ADDRESSES, frame->tag);
	memcpy(to + ADDRESSES + INTAKE_TAG_BYTES, frame->bytes + ADDRESSES,
	       frame->length - INTAKE_TAG_BYTES - ADDRESSES);
}

uint64_t intake_dropped(const struct intake *intake)
{
	struct tpacket_stats statistics = { 0 };
	socklen_t length = sizeof(statistics);

	/* Reading sets the kernel's counters to zero. */
	getsockopt(intake->fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &length);
	return statistics.tp_drops;
}
