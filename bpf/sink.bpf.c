// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The XDP sink: accounts for every test packet as it enters the host, and drops it there. Nothing
 * is copied to user space, and the host's stack never sees it, so nobody answers.
 *
 * Who writes what, and why nothing is atomic: a receive queue is served by one NAPI instance, which
 * runs on one CPU at a time and hands its state over properly where it moves. So what is kept for
 * each queue (totals, histograms, bins) has one writer. A device hands a flow's packets to one
 * queue (RSS, by addresses and ports), so a flow's state has one writer too. Native XDP only:
 * generic XDP runs behind packet steering, on several CPUs for one queue.
 */
#include "sink.h"
#include "tag.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NETWORK16(value) __builtin_bswap16(value)
#else
#define NETWORK16(value) ((__u16)(value))
#endif

#define ALWAYS static inline __attribute__((always_inline))

#define ETHERNET_BYTES 14
#define FCS_BYTES 4
#define FRAME_LEAST 64 /* with FCS */
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define PROTOCOL_UDP 17
#define FRAGMENT 0x3fff /* fragment offset and more fragments */

#define CHUNK 512 /* the most that bpf_csum_diff() takes */
#define CHUNKS 18 /* a frame of 9018 bytes */
#define OFFSET_MOST 0x3fff /* in a packet; a mask, for the verifier */

/* The test header without a tag (agent/PROTOCOL.md). */
#define HEADER_BYTES 14
#define HEADER_MAGIC 0xc7
#define HEADER_TIME_BITS 40

#define NS_PER_MS 1000000ull

struct ipv4 {
	__u8 version_words, tos;
	__u16 length, id, fragment;
	__u8 ttl, protocol;
	__u16 check;
	__u8 addresses[8];
};

struct ipv6 {
	__u32 version_class_label;
	__u16 length;
	__u8 protocol, hops;
	__u8 addresses[32];
};

struct udp {
	__u16 source, destination, length, check;
};

enum kind { NOT_OURS, FOREIGN, FORGED, TEST, IP_SUM, UDP_SUM, NO_SUM };

/* What the IP header tells about a datagram. */
struct datagram {
	__u32 offset; /* in the frame */
	__u32 length;
	__u32 addresses; /* their sum */
	__u32 corrupt; /* the header's checksum is wrong: not 0 */
	__u8 mark; /* DSCP */
};

/* A packet on its way through the functions below. */
struct arrival {
	__u64 time_ns, delay_ns;
	__u32 frame_bytes;
	__u32 flow, sequence;
	__u16 source_port;
	__u8 run;
	__u8 negative; /* its delay was below 0 */
	__u8 mark; /* DSCP */
	__u8 headed; /* has a test header: of any run, or with the right tag */
};

ALWAYS __u16 be16(const __u8 *at)
{
	return (__u16)(at[0] << 8 | at[1]);
}

ALWAYS __u32 be32(const __u8 *at)
{
	return (__u32)be16(at) << 16 | be16(at + 2);
}

/* One's complement sum in 16 bits (RFC 1071), as the words lie in memory. */
ALWAYS __u16 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (__u16)sum;
}

/* Adds the next `bytes`, a constant, if length has this bit: steps over them. */
#define ADD_PART(bytes)                                                                            \
	do {                                                                                       \
		if (length & (bytes)) {                                                            \
			const __u8 *at = from + (done & OFFSET_MOST);                              \
			if (at + (bytes) > end)                                                    \
				return 0;                                                          \
			sum = (__u32)bpf_csum_diff(0, 0, at, bytes, sum);                          \
			done += (bytes);                                                           \
		}                                                                                  \
	} while (0)

/*
 * The sum of length bytes from `from` on, added to sum; 0, which no sum with a pseudo-header is, if
 * they are not all there. The helper needs sizes that the verifier can see. `done` is 0, but begins
 * as a number that the verifier does not know: else it would follow each way through separately,
 * since each would be at a place of its own, and give up after a million instructions.
 */
ALWAYS __u64 sum_bytes(const __u8 *from, const __u8 *end, __u32 length, __u32 sum, __u32 done)
{
	__u32 chunks = length / CHUNK;
	__u64 whole;

	if (chunks > CHUNKS)
		return 0;
	for (__u32 i = 0; i < CHUNKS && i < chunks; i++) {
		const __u8 *at = from + (done & OFFSET_MOST);

		if (at + CHUNK > end)
			return 0;
		sum = (__u32)bpf_csum_diff(0, 0, at, CHUNK, sum);
		done += CHUNK;
	}
	ADD_PART(256);
	ADD_PART(128);
	ADD_PART(64);
	ADD_PART(32);
	ADD_PART(16);
	ADD_PART(8);
	ADD_PART(4);
	whole = sum;
	from += done & OFFSET_MOST;
	if (length & 2) {
		if (from + 2 > end)
			return 0;
		whole += NETWORK16(be16(from));
		from += 2;
	}
	if (length & 1) {
		if (from + 1 > end)
			return 0;
		whole += NETWORK16((__u16)(*from << 8));
	}
	return whole;
}

/*
 * 0 where the UDP checksum, which is there, is right. A packet from a socket on this machine may
 * carry the sum of its pseudo-header alone (CHECKSUM_PARTIAL: a device would have added the rest):
 * right as well, as the ring takes it. A product, since the verifier would follow a branch.
 */
ALWAYS __u32 checksum_wrong(const struct datagram *datagram, const struct udp *udp, const __u8 *end,
			    __u32 zero)
{
	__u16 pseudo = fold((__u64)datagram->addresses + NETWORK16(PROTOCOL_UDP) + udp->length);
	__u16 sum;

	sum = fold(sum_bytes((const __u8 *)udp, end, NETWORK16(udp->length), pseudo, zero));
	return (__u32)(sum ^ 0xffff) * (__u32)(pseudo ^ udp->check);
}

/* Arrival less transmit time, modulo 2^bits, as a signed number. */
ALWAYS void take_delay(struct arrival *arrival, const struct sink_config *config, __u64 sent_ns,
		       int bits)
{
	__u64 delay_ns = (arrival->time_ns - config->clock_ns - sent_ns) << (64 - bits);

	/* Without a branch, each way of which the verifier would follow to the end. */
	arrival->negative = (__u8)(delay_ns >> 63);
	arrival->delay_ns = delay_ns >> (64 - bits) & ((__u64)arrival->negative - 1);
}

/* The header of agent/src/frame/header.h, at 14 bytes that are there. */
ALWAYS enum kind read_plain(struct arrival *arrival, const struct sink_config *config,
			    const __u8 *at)
{
	if (at[0] != HEADER_MAGIC)
		return FOREIGN;
	arrival->run = at[1];
	arrival->flow = (__u32)at[2] << 16 | be16(at + 3);
	arrival->sequence = be32(at + 5);
	take_delay(arrival, config, (__u64)at[9] << 32 | be32(at + 10), HEADER_TIME_BITS);
	return TEST;
}

/* That of agent/src/frame/tagged.h: it has no run, which the key stands for. */
ALWAYS enum kind read_tagged(struct arrival *arrival, const struct sink_config *config,
			     const __u8 *at)
{
	struct tag_content content = {
		.head = (__u64)be32(at + 3) << 32 | be32(at + 7),
		.tail = (__u32)at[11] << 16 | be16(at + 12),
	};
	__u32 tag = (__u32)be16(at) << 8 | at[2];

	arrival->run = (__u8)config->run;
	arrival->flow = tag_flow(&content);
	arrival->sequence = tag_sequence(&content);
	take_delay(arrival, config, tag_time(&content), TAG_TIME_BITS);
	return tag == tag_of(&config->key, &content) ? TEST : FORGED;
}

/* Reads the test header, if there is one. */
ALWAYS enum kind read_header(struct arrival *arrival, const struct sink_config *config,
			     const __u8 *at, const __u8 *end)
{
	enum kind kind;

	if (at + HEADER_BYTES > end)
		return FOREIGN;
	kind = CONSTANT(sink_keyed) ? read_tagged(arrival, config, at)
				    : read_plain(arrival, config, at);
	arrival->headed = kind == TEST;
	return kind;
}

ALWAYS enum kind read_udp(struct arrival *arrival, const struct sink_config *config,
			  const struct datagram *datagram, const __u8 *at, const __u8 *end)
{
	const struct udp *udp = (const struct udp *)(at + (datagram->offset & OFFSET_MOST));
	const __u8 *payload = (const __u8 *)(udp + 1);
	enum kind kind = FOREIGN;
	__u32 port, bytes, wrong;

	if (payload > end)
		return NOT_OURS;
	port = NETWORK16(udp->destination);
	if (port < config->port_low || port > config->port_high)
		return NOT_OURS;
	bytes = NETWORK16(udp->length);
	if (bytes < UDP_BYTES || bytes > datagram->length ||
	    datagram->offset + datagram->length > (__u32)(end - at))
		return FOREIGN;
	/* First, while there is one way to here: the verifier follows each through all the sum. */
	wrong = checksum_wrong(datagram, udp, end, config->zero);
	if (bytes >= UDP_BYTES + HEADER_BYTES)
		kind = read_header(arrival, config, payload, end);
	if (!udp->check)
		return NO_SUM;
	if (wrong)
		return UDP_SUM;
	arrival->source_port = NETWORK16(udp->source);
	return kind;
}

/* The sum of an IPv4 header of so many words, as sum_bytes(). */
ALWAYS __u32 sum_header(const __u8 *from, const __u8 *end, __u32 words, __u32 done)
{
	__u32 sum = (__u32)bpf_csum_diff(0, 0, from, IPV4_BYTES, 0), length;

	length = 4 * words - IPV4_BYTES;
	from += IPV4_BYTES;
	ADD_PART(32);
	ADD_PART(16);
	ADD_PART(8);
	ADD_PART(4);
	return sum;
}

/* Both return whether it may be UDP of ours. */
ALWAYS int read_ipv4(struct datagram *datagram, const struct sink_config *config, const __u8 *at,
		     const __u8 *end)
{
	const struct ipv4 *ip = (const struct ipv4 *)at;
	__u32 words, length;

	if (at + IPV4_BYTES > end)
		return 0;
	words = ip->version_words & 15;
	/* A fragment is none of our packets: all have DF. */
	if (ip->version_words >> 4 != 4 || words < IPV4_BYTES / 4 || ip->protocol != PROTOCOL_UDP ||
	    ip->fragment & NETWORK16(FRAGMENT))
		return 0;
	datagram->mark = ip->tos >> 2;
	datagram->corrupt = fold(sum_header(at, end, words, config->zero)) ^ 0xffff;
	length = NETWORK16(ip->length);
	datagram->offset = ETHERNET_BYTES + words * 4;
	/* Shorter than its own header: at our port, but with no room for a datagram. */
	datagram->length = length < words * 4 ? 0 : length - words * 4;
	datagram->addresses = (__u32)bpf_csum_diff(0, 0, ip->addresses, sizeof(ip->addresses), 0);
	return 1;
}

ALWAYS int read_ipv6(struct datagram *datagram, const __u8 *at, const __u8 *end)
{
	const struct ipv6 *ip = (const struct ipv6 *)at;

	if (at + IPV6_BYTES > end || at[0] >> 4 != 6 || ip->protocol != PROTOCOL_UDP)
		return 0;
	datagram->mark = (__u8)((be16(at) >> 4 & 0xff) >> 2);
	datagram->offset = ETHERNET_BYTES + IPV6_BYTES;
	datagram->length = NETWORK16(ip->length);
	datagram->addresses = (__u32)bpf_csum_diff(0, 0, ip->addresses, sizeof(ip->addresses), 0);
	return 1;
}

ALWAYS enum kind read_frame(struct arrival *arrival, const struct sink_config *config,
			    const __u8 *at, const __u8 *end)
{
	__u32 length = (__u32)(end - at);
	struct datagram datagram = { 0 };
	enum kind kind;
	__u16 type;

	if (at + ETHERNET_BYTES > end)
		return NOT_OURS;
	arrival->frame_bytes = length + FCS_BYTES < FRAME_LEAST ? FRAME_LEAST : length + FCS_BYTES;
	type = be16(at + 12);
	if (CONSTANT(sink_family) == 4 && type == TYPE_IPV4) {
		if (!read_ipv4(&datagram, config, at + ETHERNET_BYTES, end))
			return NOT_OURS;
	} else if (CONSTANT(sink_family) == 6 && type == TYPE_IPV6) {
		if (!read_ipv6(&datagram, at + ETHERNET_BYTES, end))
			return NOT_OURS;
	} else {
		return NOT_OURS;
	}
	arrival->mark = datagram.mark;
	kind = read_udp(arrival, config, &datagram, at, end);
	return kind != NOT_OURS && datagram.corrupt ? IP_SUM : kind;
}

ALWAYS void histogram_add(struct sink_histogram *histogram, __u64 value)
{
	histogram->count[sink_bucket(value) % SINK_BUCKETS]++;
	histogram->total++;
	if (value > histogram->most)
		histogram->most = value;
}

/* The bin only changes at its ends, so arrivals in order need no division. */
ALWAYS __u64 bin_of(struct sink_queue *queue, const struct sink_config *config, __u64 time_ns)
{
	__u64 bin;

	if (time_ns < config->t0_ns)
		return 0;
	if (time_ns < queue->bin_end_ns && time_ns >= queue->bin_end_ns - config->bin_ns)
		return queue->bin;
	bin = (time_ns - config->t0_ns) / config->bin_ns;
	queue->bin_end_ns = config->t0_ns + (bin + 1) * config->bin_ns;
	queue->bin = bin < config->bins ? bin : config->bins - 1;
	return queue->bin;
}

/* A time without an arrival, which this one has ended. */
ALWAYS void add_silence(struct sink_queue *queue, __u64 gap, __u32 index)
{
	__u32 key = index * SINK_SILENCES + (__u32)queue->silences;
	struct sink_silence *silence = 0;

	if (queue->silences < SINK_SILENCES)
		silence = bpf_map_lookup_elem(MAP(sink_silence), &key);
	if (silence) {
		silence->t_ns = queue->last_ns;
		silence->ns = gap;
	}
	queue->silences++;
	queue->silent_ns += gap;
}

ALWAYS void add_time(struct sink_queue *queue, const struct sink_config *config,
		     const struct arrival *arrival, __u32 index)
{
	__u32 key = index * config->bins + (__u32)bin_of(queue, config, arrival->time_ns);
	struct sink_bin *bin = bpf_map_lookup_elem(MAP(sink_bin), &key);

	if (!queue->first_ns) {
		queue->first_ns = arrival->time_ns;
	} else {
		__u64 gap = arrival->time_ns - queue->last_ns;

		histogram_add(&queue->gap, gap);
		if (gap > NS_PER_MS)
			queue->gaps_over_1ms++;
		if (gap > config->silence_ns)
			add_silence(queue, gap, index);
	}
	queue->last_ns = arrival->time_ns;
	if (!bin)
		return;
	bin->packets++;
	if (CONSTANT(sink_delay) == SINK_DELAY_NONE)
		return;
	bin->delay_sum_ns += arrival->delay_ns;
	if (arrival->delay_ns > bin->delay_max_ns)
		bin->delay_max_ns = arrival->delay_ns;
}

ALWAYS void add_unique(struct sink_queue *queue, struct sink_flow *flow,
		       const struct arrival *arrival)
{
	__u32 key = arrival->flow;

	queue->unique++;
	flow->unique++;
	queue->bytes += arrival->frame_bytes;
	if (CONSTANT(sink_delay) == SINK_DELAY_NONE)
		return;
	queue->delay_negative += arrival->negative;
	histogram_add(&queue->delay, arrival->delay_ns);
	if (CONSTANT(sink_delay) == SINK_DELAY_FLOW) {
		struct sink_histogram *delay = bpf_map_lookup_elem(MAP(sink_flow_delay), &key);

		if (delay)
			histogram_add(delay, arrival->delay_ns);
	}
}

/* The verdict of the window, or the ledger's where that knows better. */
ALWAYS enum sink_verdict take_number(const struct sink_config *config, struct sink_flow *flow,
				     const struct arrival *arrival)
{
	enum sink_verdict verdict = sink_window_add(flow, arrival->sequence);
	__u32 key = arrival->flow * config->words + arrival->sequence / 64;
	__u64 *word;

	if (arrival->sequence >= config->ledger)
		return verdict;
	word = bpf_map_lookup_elem(MAP(sink_ledger), &key);
	return word ? sink_ledger_add(word, arrival->sequence, verdict) : verdict;
}

/* Below the highest number: by how much (RFC 4737 section 4.2). */
ALWAYS void add_reordered(struct sink_queue *queue, struct sink_flow *flow,
			  const struct arrival *arrival)
{
	__u32 behind = (__u32)flow->next - 1 - arrival->sequence;

	queue->reordered++;
	flow->reordered++;
	queue->late[sink_log2(behind) % SINK_LATE_BUCKETS]++;
}

/* Of a number that comes twice only the first counts for order (RFC 4737 section 3.3). */
ALWAYS void add_test(struct sink_queue *queue, const struct sink_config *config,
		     struct sink_flow *flow, const struct arrival *arrival)
{
	if (!flow->next)
		flow->source_port = arrival->source_port;
	queue->port_changed += arrival->source_port != flow->source_port;
	if (arrival->mark != config->mark)
		queue->mark_changed++;
	switch (take_number(config, flow, arrival)) {
	case SINK_LATE:
		add_reordered(queue, flow, arrival);
		/* fall through */
	case SINK_AHEAD:
		add_unique(queue, flow, arrival);
		break;
	case SINK_DUPLICATE:
		queue->duplicated++;
		flow->duplicated++;
		break;
	case SINK_STALE:
		queue->stale++;
		add_reordered(queue, flow, arrival);
		break;
	}
	/* Last: who reads while we run sees no packet received that is in none of the above. */
	queue->received++;
}

/* False: its checksums are right. */
ALWAYS int add_corrupt(struct sink_queue *queue, enum kind kind)
{
	switch (kind) {
	case IP_SUM:
		queue->ip_sum++;
		break;
	case UDP_SUM:
		queue->udp_sum++;
		break;
	case NO_SUM:
		queue->no_sum++;
		break;
	default:
		return 0;
	}
	queue->corrupt++;
	return 1;
}

/* Whether the trial's sender can have made it by now. */
ALWAYS int is_possible(const struct sink_config *config, const struct arrival *arrival)
{
	__u64 elapsed_ns = arrival->time_ns - config->t0_ns;

	return bound_holds(&config->bound, arrival->sequence, elapsed_ns);
}

/* As account_add() of agent/src/count/account.c: what may be altered on its way is told apart. */
ALWAYS void add_foreign(struct sink_queue *queue, enum kind kind, const struct sink_flow *flow,
			int possible)
{
	queue->foreign++;
	queue->beyond += kind == TEST && flow && !possible;
	queue->header += kind == TEST || (kind == FORGED && possible);
}

SECTION(SINK_SECTION) int sink(struct xdp_md *context)
{
	struct arrival arrival = { .time_ns = bpf_ktime_get_ns() };
	__u32 zero = 0, index = context->rx_queue_index;
	struct sink_config *config = bpf_map_lookup_elem(MAP(sink_config), &zero);
	struct sink_queue *queue = bpf_map_lookup_elem(MAP(sink_queue), &index);
	struct sink_flow *flow = 0;
	enum kind kind;
	int possible;

	if (!config || !queue)
		return XDP_PASS;
	kind = read_frame(&arrival, config, (const __u8 *)(unsigned long)context->data,
			  (const __u8 *)(unsigned long)context->data_end);
	if (kind == NOT_OURS)
		return XDP_PASS;
	if (!add_corrupt(queue, kind)) {
		/* The map has an entry for each flow that is kept, and no other. */
		if (kind != FOREIGN && arrival.run == config->run)
			flow = bpf_map_lookup_elem(MAP(sink_flow), &arrival.flow);
		possible = flow && is_possible(config, &arrival);
		if (kind == TEST && flow && possible) {
			add_time(queue, config, &arrival, index);
			add_test(queue, config, flow, &arrival);
		} else {
			add_foreign(queue, kind, flow, possible);
		}
	}
	return config->every_port && !arrival.headed ? XDP_PASS : XDP_DROP;
}
