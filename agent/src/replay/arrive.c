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
	uint32_t bytes; /* of the IP packet */
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

static enum verdict read_ipv4(struct label *label, const uint8_t *ip, size_t captured,
			      size_t *header)
{
	if (captured < IPV4_BYTES || ip[0] >> 4 != 4)
		return FOREIGN;
	*header = (size_t)(ip[0] & 15) * 4;
	if (*header < IPV4_BYTES || captured < *header)
		return FOREIGN;
	if (checksum_fold(checksum_sum(ip, *header)) != 0xffff)
		return CORRUPT;
	label->bytes = be16_load(ip + 2);
	label->number = be16_load(ip + 4);
	label->turn = 1u << 16;
	label->protocol = ip[9];
	label->mark = mark_read(ip);
	label->source = ip + 12;
	label->destination = ip + 16;
	return be16_load(ip + 6) & 0x3fff ? FOREIGN : SOUND;
}

static enum verdict read_ipv6(struct label *label, const uint8_t *ip, size_t captured,
			      size_t *header)
{
	if (captured < IPV6_BYTES || ip[0] >> 4 != 6)
		return FOREIGN;
	*header = IPV6_BYTES;
	label->bytes = IPV6_BYTES + be16_load(ip + 4);
	label->number = be32_load(ip) & 0xfffff;
	label->turn = 1u << 20;
	label->protocol = ip[6];
	label->mark = mark_read(ip);
	label->source = ip + 8;
	label->destination = ip + 24;
	return SOUND;
}

static enum verdict read_l4(struct label *label, const uint8_t *ip, size_t header, bool checked)
{
	size_t least = label->protocol == PROTOCOL_TCP ? 20 : UDP_BYTES;
	size_t addresses = ip[0] >> 4 == 4 ? 8 : 32;
	size_t length = label->bytes - header;
	uint64_t sum = label->protocol + length;

	if (label->protocol != PROTOCOL_TCP && label->protocol != PROTOCOL_UDP)
		return FOREIGN;
	if (label->bytes < header + least)
		return FOREIGN;
	label->source_port = be16_load(ip + header);
	label->destination_port = be16_load(ip + header + 2);
	sum += checksum_sum(label->source, addresses) + checksum_sum(ip + header, length);
	return checked || checksum_fold(sum) == 0xffff ? SOUND : CORRUPT;
}

static enum verdict read_label(struct label *label, const struct arrived *frame, int family)
{
	const uint8_t *ip = frame->bytes + ETHERNET_BYTES;
	size_t captured, header;
	enum verdict verdict;

	if (frame->captured < ETHERNET_BYTES)
		return FOREIGN;
	captured = frame->captured - ETHERNET_BYTES;
	verdict = family == 4 ? read_ipv4(label, ip, captured, &header)
			      : read_ipv6(label, ip, captured, &header);
	if (verdict != SOUND)
		return verdict;
	if (label->bytes > captured)
		return FOREIGN;
	return read_l4(label, ip, header, frame->checked);
}

/* Whether a frame can be this packet. The LAN side's port is not what it was behind a NAT. */
static bool fits(const struct arrive *arrive, const struct label *label, int64_t number)
{
	const struct trace *trace = arrive->trace;
	const struct trace_entry *entry;
	const struct wire *flow;

	if (number < 0 || number >= trace->entries[arrive->way])
		return false;
	entry = &trace->entry[arrive->way][number];
	flow = &trace->flow[entry->flow];
	if (label->bytes != entry->bytes || label->protocol != flow->protocol)
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
