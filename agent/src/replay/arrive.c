// SPDX-License-Identifier: Apache-2.0
/* Which packet an arrival is; no field is trusted. */
#include "replay/arrive.h"
#include "frame/checksum.h"
#include "frame/frame.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_LEAST 64
#define DRAIN_NS (10 * NS_PER_S) /* how far the bins reach beyond the replay */
#define BINS_MAX 1000000

/* The fields of a frame that identify its packet. */
struct label {
	uint32_t number, turn; /* its number modulo turn */
	uint32_t bytes; /* behind IP's headers, of which a gateway may take some off */
	uint8_t protocol, mark;
	uint16_t source_port, destination_port;
	const uint8_t *source, *destination;
};

enum verdict { SOUND, FOREIGN, CORRUPT };

int arrive_open(struct arrive *arrive, const struct trace *trace, const struct lab *lab,
		enum way way, uint64_t bin_ns, struct fault *fault)
{
	uint32_t count = trace->entries[way];
	uint64_t bins = (trace->length_ns + DRAIN_NS) / bin_ns + 1;

	*arrive = (struct arrive){ .trace = trace, .lab = lab, .way = way, .highest = -1 };
	arrive->flow = calloc(trace->flows ? trace->flows : 1, sizeof(*arrive->flow));
	arrive->seen = calloc(count / 64 + 1, sizeof(*arrive->seen));
	if (!arrive->flow || !arrive->seen ||
	    bins_open(&arrive->rate, bins < BINS_MAX ? (size_t)bins : BINS_MAX, bin_ns) < 0)
		return fault_system(fault, -ENOMEM, "trace", "the accounts of the arrivals");
	for (uint32_t i = 0; i < trace->flows; i++)
		arrive->flow[i].highest = -1;
	if (count > ARRIVE_COLUMNS_MAX)
		return 0;
	arrive->number = calloc((size_t)count + 1, sizeof(*arrive->number));
	arrive->time_ns = calloc((size_t)count + 1, sizeof(*arrive->time_ns));
	if (!arrive->number || !arrive->time_ns)
		return fault_system(fault, -ENOMEM, "trace", "the accounts of the arrivals");
	return 0;
}

void arrive_close(struct arrive *arrive)
{
	free(arrive->flow);
	free(arrive->seen);
	free(arrive->number);
	free(arrive->time_ns);
	bins_close(&arrive->rate);
	*arrive = (struct arrive){ 0 };
}

/* Of IPv4; that of IPv6 has none. */
static bool is_header_sound(const uint8_t *ip, size_t captured)
{
	size_t header = (size_t)(ip[0] & 15) * 4;

	if (captured < IPV4_BYTES || ip[0] >> 4 != 4 || header < IPV4_BYTES || captured < header)
		return true; /* it is no packet of ours */
	return checksum_fold(checksum_sum(ip, header)) == 0xffff;
}

/* The checksum of TCP or UDP. */
static bool is_sum_right(const struct packet_view *view)
{
	uint32_t length = view->length - view->header_bytes;
	uint64_t sum = view->protocol + (uint64_t)length;

	sum += checksum_sum(view->source, view->family == 4 ? 8 : 32);
	sum += checksum_sum(view->ip + view->header_bytes, length);
	return checksum_fold(sum) == 0xffff;
}

static void fill_label(struct label *label, const struct packet_view *view)
{
	bool is_ipv4 = view->family == 4;

	*label = (struct label){
		.number = is_ipv4 ? be16_load(view->ip + 4) : be32_load(view->ip) & 0xfffff,
		.turn = is_ipv4 ? 1u << 16 : 1u << 20,
		.bytes = view->length - view->header_bytes,
		.protocol = view->protocol,
		.mark = mark_read(view->ip),
		.source_port = view->source_port,
		.destination_port = view->destination_port,
		.source = view->source,
		.destination = view->destination,
	};
}

static enum verdict read_label(struct label *label, const struct arrived *frame, int family)
{
	struct capture_packet packet = { .link = LINK_RAW };
	struct packet_view view;

	if (frame->captured <= ETHERNET_BYTES)
		return FOREIGN;
	packet.bytes = frame->bytes + ETHERNET_BYTES;
	packet.captured = frame->captured - ETHERNET_BYTES;
	packet.length = packet.captured;
	if (family == 4 && !is_header_sound(packet.bytes, packet.captured))
		return CORRUPT;
	if (packet_read(&view, &packet) != PACKET_TAKEN || view.family != family)
		return FOREIGN;
	fill_label(label, &view);
	return frame->checked || is_sum_right(&view) ? SOUND : CORRUPT;
}

/* Whether a frame can be this packet. The LAN side's port is not what it was behind a NAT. */
static bool fits(const struct arrive *arrive, const struct label *label, int64_t number)
{
	const struct trace *trace = arrive->trace;
	const struct trace_packet *packet;
	const struct trace_entry *entry;
	const struct wire *flow;

	if (number < 0 || number >= trace->entries[arrive->way])
		return false;
	entry = &trace->entry[arrive->way][number];
	flow = &trace->flow[entry->flow];
	packet = &trace->packet[entry->packet];
	if (label->bytes != packet->bytes - packet->header_bytes ||
	    label->protocol != flow->protocol)
		return false;
	if (arrive->way == WAY_UP)
		return label->destination_port == flow->far_port;
	return label->source_port == flow->far_port && label->destination_port == flow->lan_port;
}

/* The packet nearest to the highest seen that it can be; -1: none. */
static int64_t find(const struct arrive *arrive, const struct label *label)
{
	int64_t turn = label->turn;
	int64_t highest = arrive->highest < 0 ? 0 : arrive->highest;
	int64_t ahead = (label->number - highest % turn + turn + turn / 2) % turn - turn / 2;
	int64_t near = highest + ahead;

	for (int64_t away = 0; near + away < arrive->trace->entries[arrive->way] || near >= away;
	     away += turn) {
		if (fits(arrive, label, near + away))
			return near + away;
		if (away && fits(arrive, label, near - away))
			return near - away;
	}
	return -1;
}

static bool same(const uint8_t *a, const uint8_t *b, int family)
{
	return memcmp(a, b, family == 4 ? 4 : 16) == 0;
}

/* Whether a NAT let a packet past as it was: it did not do its work, so this is no delivery. */
static bool is_unmasked(const struct arrive *arrive, const struct label *label, int64_t number)
{
	uint32_t flow = arrive->trace->entry[arrive->way][number].flow;
	uint8_t client[16];

	if (arrive->way != WAY_UP || !arrive->lab->masked)
		return false;
	lab_client(arrive->lab, arrive->trace->flow[flow].client, client);
	return same(label->source, client, arrive->lab->family);
}

static void note_time(struct arrive *arrive, uint64_t time_ns)
{
	uint64_t gap = time_ns > arrive->last_ns ? time_ns - arrive->last_ns : 0;

	if (arrive->received) {
		histogram_add(&arrive->gap, gap);
		arrive->gaps_over_1ms += gap > NS_PER_MS;
	} else {
		arrive->first_ns = time_ns;
	}
	arrive->last_ns = time_ns;
	arrive->received++;
	bins_add(&arrive->rate, time_ns, 1);
}

/* The first arrival of a packet. */
static void note_unique(struct arrive *arrive, const struct label *label, uint32_t number,
			const struct arrived *frame)
{
	const struct trace_entry *entry = &arrive->trace->entry[arrive->way][number];
	struct arrive_flow *flow = &arrive->flow[entry->flow];
	uint64_t due_ns = arrive->t0_ns + entry->due_ns;
	uint64_t length = frame->length + FCS_BYTES;

	if (arrive->number) {
		arrive->number[arrive->unique] = number;
		arrive->time_ns[arrive->unique] = frame->time_ns;
	}
	arrive->unique++;
	arrive->bytes += length < FRAME_LEAST ? FRAME_LEAST : length;
	histogram_add(&arrive->behind, frame->time_ns > due_ns ? frame->time_ns - due_ns : 0);
	flow->unique++;
	arrive->mark_changed += label->mark != trace_mark(arrive->trace, entry);
	/* RFC 4737 section 3: below the highest seen of its flow. */
	if (number < flow->highest)
		arrive->reordered++;
	else
		flow->highest = number;
	if ((int64_t)number > arrive->highest)
		arrive->highest = number;
	if (!flow->port)
		flow->port = arrive->way == WAY_UP ? label->source_port : label->destination_port;
}

int64_t arrive_add(struct arrive *arrive, const struct arrived *frame)
{
	struct label label = { 0 };
	enum verdict verdict = read_label(&label, frame, arrive->lab->family);
	int64_t number = verdict == SOUND ? find(arrive, &label) : -1;
	uint64_t *word;

	if (verdict == CORRUPT) {
		arrive->corrupt++;
		return -1;
	}
	if (number < 0) {
		arrive->foreign++;
		return -1;
	}
	if (is_unmasked(arrive, &label, number)) {
		arrive->foreign++;
		arrive->unmasked++;
		return -1;
	}
	note_time(arrive, frame->time_ns);
	word = &arrive->seen[number / 64];
	if (*word >> (number % 64) & 1) {
		arrive->duplicated++;
	} else {
		*word |= 1ull << (number % 64);
		note_unique(arrive, &label, (uint32_t)number, frame);
	}
	return arrive->trace->entry[arrive->way][number].flow;
}
