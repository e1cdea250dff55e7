// SPDX-License-Identifier: Apache-2.0
/* Captured packets rewritten. */
#include "replay/frames.h"
#include "bpf/wraps.h"
#include "frame/checksum.h"
#include "frame/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TTL 64
#define DF 0x4000
#define TCP_CHECKSUM_AT 16
#define TCP_SEQUENCE_AT 4
#define TCP_FLAGS_AT 13
#define TCP_FIN 0x01
#define TCP_PUSH 0x08
#define TCP_CWR 0x80
#define UDP_CHECKSUM_AT 6

void lab_client(const struct lab *lab, uint32_t client, uint8_t *address)
{
	size_t bytes = lab->family == 4 ? 4 : 16;

	memcpy(address, lab->client, bytes);
	be32_store(address + bytes - 4, be32_load(address + bytes - 4) + client);
}

static size_t checksum_at(uint8_t protocol)
{
	return protocol == PROTOCOL_TCP ? TCP_CHECKSUM_AT : UDP_CHECKSUM_AT;
}

/* In UDP over IPv4 a 0 means no checksum, so a sum of 0 is sent as its other form (RFC 768). */
static void store_checksum(uint8_t *l4, uint8_t protocol, uint16_t checksum)
{
	if (!checksum && protocol == PROTOCOL_UDP)
		checksum = 0xffff;
	be16_store(l4 + checksum_at(protocol), checksum);
}

static void fill_ipv4(uint8_t *ip, uint32_t bytes, uint32_t number)
{
	be16_store(ip + 2, (uint16_t)bytes);
	be16_store(ip + 4, (uint16_t)number);
	be16_store(ip + 6, be16_load(ip + 6) & DF);
	ip[8] = TTL;
	be16_store(ip + 10, 0);
	be16_store(ip + 10, (uint16_t)~checksum_fold(checksum_sum(ip, (size_t)(ip[0] & 15u) * 4)));
}

static void fill_ipv6(uint8_t *ip, uint32_t bytes, uint32_t number)
{
	be32_store(ip, (be32_load(ip) & 0xfff00000) | (number & 0xfffff));
	be16_store(ip + 4, (uint16_t)(bytes - IPV6_BYTES));
	ip[7] = TTL;
}

/*
 * What a piece has of its own: its place in the stream, and the flags of the end or of the begin
 * (net/ipv4/tcp_offload.c, tcp_gso_segment()).
 */
WRAPS static void fill_piece(uint8_t *tcp, const struct trace_packet *packet)
{
	uint8_t *sequence = tcp + TCP_SEQUENCE_AT;

	be32_store(sequence, be32_load(sequence) + packet->from);
	if (!packet->last)
		tcp[TCP_FLAGS_AT] &= (uint8_t)~(TCP_FIN | TCP_PUSH);
	if (packet->from)
		tcp[TCP_FLAGS_AT] &= (uint8_t)~TCP_CWR;
}

static void fill_l4(uint8_t *ip, const struct trace_packet *packet, const uint16_t ports[2])
{
	uint8_t protocol = packet->protocol;
	size_t length = packet->bytes - packet->header_bytes;
	uint8_t *l4 = ip + packet->header_bytes;
	size_t addresses = ip[0] >> 4 == 4 ? 8 : 32;
	uint64_t sum = protocol + length;

	be16_store(l4, ports[0]);
	be16_store(l4 + 2, ports[1]);
	if (protocol == PROTOCOL_UDP)
		be16_store(l4 + 4, (uint16_t)length);
	else
		fill_piece(l4, packet);
	be16_store(l4 + checksum_at(protocol), 0);
	sum += checksum_sum(ip + (addresses == 8 ? 12 : 8), addresses);
	sum += checksum_sum(l4, length);
	store_checksum(l4, protocol, (uint16_t)~checksum_fold(sum));
}

/* The bytes from a place of what was captured on; zeros where the capture had cut them off. */
static void copy(uint8_t *to, const struct trace_packet *packet, uint32_t from, uint32_t bytes)
{
	uint32_t there = from < packet->captured ? packet->captured - from : 0;

	if (there > bytes)
		there = bytes;
	memcpy(to, packet->ip + from, there);
	memset(to + there, 0, bytes - there);
}

static void build(uint8_t *frame, const struct trace *trace, const struct lab *lab, enum way way,
		  uint32_t number)
{
	const struct trace_entry *entry = &trace->entry[way][number];
	const struct trace_packet *packet = &trace->packet[entry->packet];
	const struct wire *flow = &trace->flow[entry->flow];
	size_t address_bytes = lab->family == 4 ? 4 : 16;
	uint8_t *ip = frame + ETHERNET_BYTES;
	uint8_t *near = ip + (lab->family == 4 ? 12 : 8);
	uint8_t *far = near + address_bytes;
	uint16_t ports[2] = { flow->lan_port, flow->far_port };

	memcpy(frame, lab->next_mac, 6);
	memcpy(frame + 6, lab->source_mac, 6);
	be16_store(frame + 12, lab->family == 4 ? 0x0800 : 0x86dd);
	copy(ip, packet, 0, packet->payload_at);
	copy(ip + packet->payload_at, packet, packet->payload_at + packet->from,
	     packet->bytes - packet->payload_at);
	mark_write(ip, trace_mark(trace, entry));
	if (way == WAY_DOWN) {
		uint8_t *swap = near;

		near = far;
		far = swap;
		ports[0] = flow->far_port;
		ports[1] = flow->lan_port;
	}
	lab_client(lab, flow->client, near);
	if (way == WAY_DOWN && lab->masked)
		memcpy(near, lab->mask, address_bytes);
	memcpy(far, lab->far, address_bytes);
	if (lab->family == 4)
		fill_ipv4(ip, entry->bytes, number);
	else
		fill_ipv6(ip, entry->bytes, number);
	fill_l4(ip, packet, ports);
}

int frames_open(struct frames *frames, const struct trace *trace, const struct lab *lab,
		enum way way, struct fault *fault)
{
	uint32_t count = trace->entries[way];
	uint64_t bytes = 0;

	frames->at = calloc((size_t)count + 1, sizeof(*frames->at));
	if (!frames->at)
		return fault_system(fault, -ENOMEM, "trace", "the trace's frames");
	if (!count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		bytes += ETHERNET_BYTES + trace->entry[way][i].bytes;
		if (bytes > FRAMES_BYTES_MAX)
			return fault_set(fault, -EINVAL, "trace",
					 "replay less of it, or clone less",
					 "its frames take more than %u MiB, clones included",
					 FRAMES_BYTES_MAX >> 20);
		frames->at[i + 1] = (size_t)bytes;
	}
	frames->bytes = malloc((size_t)bytes);
	if (!frames->bytes)
		return fault_system(fault, -ENOMEM, "trace", "the trace's frames");
	for (uint32_t i = 0; i < count; i++)
		build(frames->bytes + frames->at[i], trace, lab, way, i);
	return 0;
}

void frames_close(struct frames *frames)
{
	free(frames->bytes);
	free(frames->at);
	*frames = (struct frames){ 0 };
}

void frame_redirect(uint8_t *frame, const struct trace_packet *packet, uint16_t port)
{
	uint8_t *l4 = frame + ETHERNET_BYTES + packet->header_bytes;
	uint8_t *checksum = l4 + checksum_at(packet->protocol);
	uint16_t old_port = be16_load(l4 + 2);
	uint64_t sum = (uint64_t)(uint16_t)~be16_load(checksum) + (uint16_t)~old_port + port;

	be16_store(l4 + 2, port);
	store_checksum(l4, packet->protocol, (uint16_t)~checksum_fold(sum));
}
