// SPDX-License-Identifier: Apache-2.0
/* Packets of AF_PACKET sockets as blocks. */
#include "capture/packets.h"
#include "bpf/capture.h"
#include "capture/tap.h"
#include "time/clock.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define RING_BLOCK_BYTES (128u << 10)
#define RING_FRAME_BYTES 2048 /* only has to divide a block */
/* Where a packet's link address stands behind its header: TPACKET_ALIGN() of its size. */
#define LINK_AT ((sizeof(struct tpacket3_hdr) + 15u) & ~15u)
#define ROOM_BYTES                                                                                 \
	((size_t)2 * RING_BLOCK_BYTES) /* a hand-over's blocks: a head here is no longer */

static int set(int fd, int level, int name, const void *value, socklen_t bytes)
{
	return setsockopt(fd, level, name, value, bytes) < 0 ? -errno : 0;
}

/* A filter's answer is how many bytes are wanted: no more than the snaplen. */
static int attach_filter(const struct packets *packets, int fd)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, packets->snaplen);
	struct sock_fprog program = { .len = (unsigned short)packets->filter->count,
				      .filter = packets->filter->code };

	if (!packets->filter->count)
		program = (struct sock_fprog){ 1, &all };
	return set(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int map_ring(const struct packets *packets, struct packets_device *device)
{
	uint64_t each = packets->memory_bytes / packets->devices->count;
	unsigned int blocks = (unsigned int)(each / RING_BLOCK_BYTES);
	struct tpacket_req3 request = {
		.tp_block_size = RING_BLOCK_BYTES,
		.tp_block_nr = blocks,
		.tp_frame_size = RING_FRAME_BYTES,
		.tp_frame_nr = blocks * (RING_BLOCK_BYTES / RING_FRAME_BYTES),
		.tp_retire_blk_tov = PACKETS_RETIRE_MS,
	};
	int version = TPACKET_V3;
	int error = set(device->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version));

	if (!error)
		error = set(device->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request));
	if (error)
		return error;
	device->bytes = (size_t)blocks * RING_BLOCK_BYTES;
	device->memory =
		mmap(NULL, device->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device->fd, 0);
	if (device->memory != MAP_FAILED)
		return 0;
	device->memory = NULL;
	return -errno;
}

static int open_device(struct packets *packets, size_t place)
{
	struct packets_device *device = &packets->device[place];
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)if_nametoindex(packets->devices->item[place]),
	};
	uint8_t every[2] = { ETH_P_ALL >> 8, ETH_P_ALL & 255 };
	int error;

	memcpy(&address.sll_protocol, every, sizeof(every));
	device->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (device->fd < 0)
		return -errno;
	error = attach_filter(packets, device->fd);
	if (!error)
		error = map_ring(packets, device);
	if (!error && bind(device->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		error = -errno;
	return error;
}

int packets_open(struct packets *packets, struct fault *fault)
{
	for (size_t i = 0; i < sizeof(packets->device) / sizeof(packets->device[0]); i++)
		packets->device[i].fd = -1;
	packets->block = malloc(ROOM_BYTES);
	if (!packets->block)
		return fault_system(fault, -ENOMEM, "memory_bytes", "room for blocks");
	if (packets->memory_bytes / packets->devices->count < ROOM_BYTES)
		return fault_set(fault, -EINVAL, "memory_bytes", "give 256 KiB a device or more",
				 "the memory is too little for a ring");
	for (size_t i = 0; i < packets->devices->count; i++) {
		int error = open_device(packets, i);

		if (error)
			return fault_system(fault, error, "devices", packets->devices->item[i]);
	}
	return 0;
}

/* The interface of a packet in the file, or -1 where its way is not asked for. */
static int interface_of(const struct packets *packets, size_t place, uint8_t type)
{
	enum hooks_way way = type == PACKET_OUTGOING ? HOOKS_OUT : HOOKS_IN;
	int ways = packets->ways == (HOOKS_IN | HOOKS_OUT) ? 2 : 1;

	if (!(packets->ways & way))
		return -1;
	return (int)place * ways + (ways == 2 && way == HOOKS_OUT);
}

/* Copies a packet, its tag back in its place; returns its bytes in the file. */
static uint32_t copy_packet(const struct packets *packets, const struct tpacket3_hdr *from,
			    struct capture_block *to)
{
	const uint8_t *data = (const uint8_t *)from + from->tp_mac;
	uint32_t tag = from->tp_status & TP_STATUS_VLAN_VALID ? CAPTURE_TAG_BYTES : 0;
	uint32_t bytes = from->tp_snaplen + tag;

	bytes = bytes < packets->snaplen ? bytes : packets->snaplen;
	if (tag && bytes >= 16) {
		uint8_t vlan[CAPTURE_TAG_BYTES] = { (uint8_t)(from->hv1.tp_vlan_tpid >> 8),
						    (uint8_t)from->hv1.tp_vlan_tpid,
						    (uint8_t)(from->hv1.tp_vlan_tci >> 8),
						    (uint8_t)from->hv1.tp_vlan_tci };

		memcpy(to->packet, data, 12);
		memcpy(to->packet + 12, vlan, sizeof(vlan));
		memcpy(to->packet + 16, data + 12, bytes - 16);
	} else {
		memcpy(to->packet, data, bytes);
	}
	to->length = from->tp_len + tag;
	return bytes;
}

/* Writes one block; returns its bytes, 0 where the packet is not wanted. */
static size_t take(struct packets *packets, size_t place, const struct tpacket3_hdr *from,
		   uint8_t *at)
{
	const struct sockaddr_ll *link = (const void *)((const uint8_t *)from + LINK_AT);
	struct capture_block *block = (struct capture_block *)(void *)at;
	uint64_t time_ns = from->tp_sec * NS_PER_S + from->tp_nsec;
	int interface = interface_of(packets, place, link->sll_pkttype);
	uint32_t padded;

	if (interface < 0)
		return 0;
	block->type = CAPTURE_BLOCK_TYPE;
	block->interface = (uint32_t)interface;
	block->time_high = (uint32_t)(time_ns >> 32);
	block->time_low = (uint32_t)time_ns;
	block->captured = copy_packet(packets, from, block);
	padded = (block->captured + 3) & ~3u;
	memset(block->packet + block->captured, 0, padded - block->captured);
	block->bytes = CAPTURE_BLOCK_BYTES + padded;
	memcpy(block->packet + padded, &block->bytes, sizeof(block->bytes));
	packets->captured++;
	packets->bytes += block->length;
	return block->bytes;
}

static void hand_over(struct packets *packets, size_t place,
		      const struct tpacket_block_desc *handed, struct capture_file *file)
{
	const struct tpacket3_hdr *packet =
		(const void *)((const uint8_t *)handed + handed->hdr.bh1.offset_to_first_pkt);
	size_t used = 0;

	for (uint32_t i = 0; i < handed->hdr.bh1.num_pkts; i++) {
		if (used + CAPTURE_BLOCK_BYTES + packet->tp_snaplen + 8 > ROOM_BYTES) {
			capture_file_put(file, packets->block, used);
			used = 0;
		}
		used += take(packets, place, packet, packets->block + used);
		packet = (const void *)((const uint8_t *)packet + packet->tp_next_offset);
	}
	if (used)
		capture_file_put(file, packets->block, used);
}

static void drain_device(struct packets *packets, size_t place, struct capture_file *file)
{
	struct packets_device *device = &packets->device[place];

	for (;;) {
		struct tpacket_block_desc *handed =
			(void *)(device->memory + device->next * RING_BLOCK_BYTES);

		if (!(__atomic_load_n(&handed->hdr.bh1.block_status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER))
			return;
		hand_over(packets, place, handed, file);
		__atomic_store_n(&handed->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		device->next = (device->next + 1) % (device->bytes / RING_BLOCK_BYTES);
	}
}

void packets_drain(struct packets *packets, struct capture_file *file)
{
	for (size_t i = 0; i < packets->devices->count; i++)
		drain_device(packets, i, file);
}

void packets_count(struct packets *packets)
{
	for (size_t i = 0; i < packets->devices->count; i++) {
		struct tpacket_stats_v3 stats = { 0 };
		socklen_t bytes = sizeof(stats);

		/* The kernel begins to count anew with each question. */
		if (getsockopt(packets->device[i].fd, SOL_PACKET, PACKET_STATISTICS, &stats,
			       &bytes) == 0)
			packets->dropped += stats.tp_drops;
	}
}

void packets_close(struct packets *packets)
{
	for (size_t i = 0; packets->devices && i < packets->devices->count; i++) {
		struct packets_device *device = &packets->device[i];

		if (device->memory)
			munmap(device->memory, device->bytes);
		if (device->fd >= 0)
			close(device->fd);
	}
	free(packets->block);
	packets->block = NULL;
}
