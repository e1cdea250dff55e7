// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Live frames: the sender's inner loop, in the kernel. BPF_PROG_TEST_RUN calls it once for each
 * packet (net/bpf/test_run.c, xdp_test_run_batch()) with a page that holds a frame of the largest
 * size. It waits by the clock until the packet is due, writes its headers, stamps it and has it
 * redirected out of the device. Where it stands is kept in a map.
 *
 * Pages come back as the receivers left them: a router has written MAC addresses and TTL, a NAT the
 * ports. So every byte of the headers is written each time; the payload behind them is zero.
 *
 * The arithmetic is that of agent/src/time/pace.h, frame.c and header.h.
 */
#include "live.h"
#include "tag.h"

#include "agent/src/count/histogram.h"

#define ETHERNET_BYTES 14
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define HEADER_BYTES 14
#define MAGIC 0xC7
#define NS_PER_MS 1000000
#define STEPS (1 << 16) /* a bound that the verifier sees; the clock ends the loop long before */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BE16(value) __builtin_bswap16((__u16)(value))
#define BE32(value) __builtin_bswap32(value)
#else
#define BE16(value) ((__u16)(value))
#define BE32(value) (value)
#endif

struct wait {
	__u64 until, now;
};

static long waited(__u32 step, void *context);

/* The test header as it is sent: three words of 32 bits and one of 16. */
struct content {
	__u32 first, second, third, last;
};

INLINE __u32 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (__u32)((sum & 0xffff) + (sum >> 16));
}

/* The schedule begins with the first call: a run takes tens of ms to begin (live_run.c). */
INLINE void begin(const struct live_plan *plan, struct live_state *state)
{
	__u64 t0 = bpf_ktime_get_ns() + LIVE_LEAD_NS;

	if (plan->gap_ns)
		t0 += LIVE_TICK_NS - t0 % LIVE_TICK_NS + plan->after_tick_ns;
	state->t0_ns = t0;
	state->end_ns = t0 + plan->lasts_ns;
	state->due_ns = t0;
	state->earliest_ns = t0;
	state->last_ns = t0;
}

/*
 * Waits until the packet may go, and returns the time then; 0 if it is to be called again. Packets
 * that follow the first of a burst go at once.
 */
INLINE __u64 wait_turn(const struct live_state *state)
{
	__u64 target = state->due_ns > state->earliest_ns ? state->due_ns : state->earliest_ns;
	struct wait wait;

	wait.now = bpf_ktime_get_ns();
	if (state->in_burst)
		return wait.now;
	if (target > state->end_ns)
		target = state->end_ns;
	if (wait.now >= target)
		return wait.now;
	wait.until = wait.now + live_hold_ns(target - wait.now);
	bpf_loop(STEPS, waited, &wait, 0);
	return wait.now < target ? 0 : wait.now;
}

/* Between two packets of a burst nothing is due but the next of them. */
INLINE void note_pause(const struct live_plan *plan, struct live_state *state, __u64 now)
{
	__u64 since = state->due_ns > state->earliest_ns ? state->due_ns : state->earliest_ns;
	struct live_pause *pause;
	__u32 key;

	if (state->in_burst || since < state->last_ns)
		since = state->last_ns;
	if (now < since || now - since <= plan->pause_ns)
		return;
	key = (__u32)state->pauses;
	pause = bpf_map_lookup_elem(MAP(live_pause), &key);
	if (pause) {
		pause->t_ns = since;
		pause->ns = now - since;
	}
	state->pauses++;
	state->paused_ns += now - since;
}

/* Lateness is that of a burst's first packet. */
INLINE void note_time(const struct live_plan *plan, struct live_state *state, __u64 now)
{
	struct histogram *late;
	__u32 key = 0;

	note_pause(plan, state, now);
	if (now > state->last_ns && now - state->last_ns > NS_PER_MS)
		state->gaps_over_1ms++;
	state->last_ns = now;
	if (state->in_burst || !(plan->gap_ns | plan->gap_fraction))
		return;
	late = bpf_map_lookup_elem(MAP(live_late), &key);
	if (!late || now < state->due_ns)
		return;
	now -= state->due_ns;
	late->count[histogram_bucket(now) & (HISTOGRAM_BUCKETS - 1)]++;
	late->total++;
	if (now > late->most)
		late->most = now;
}

/* The schedule, the flow, the number and the size move on. */
INLINE void step(const struct live_plan *plan, struct live_state *state, __u64 now)
{
	__u64 fraction = (__u64)state->due_fraction + plan->gap_fraction;
	__u64 gap = now - state->due_ns <= LIVE_EVEN_NS ? plan->even_gap_ns : plan->least_gap_ns;

	state->due_ns += plan->gap_ns + (fraction >> 32);
	state->due_fraction = (__u32)fraction;
	state->earliest_ns = (state->in_burst ? state->earliest_ns : now) + gap;
	if (++state->in_burst >= plan->burst)
		state->in_burst = 0;
	if (++state->size >= plan->sizes)
		state->size = 0;
	order_next(&plan->order, &state->place);
	state->tried++;
}

INLINE void copy_head(__u8 *frame, const struct live_plan *plan, __u32 words)
{
	for (__u32 i = 0; i < LIVE_ETHERNET_WORDS; i++)
		*(__u16 *)(frame + 2 * i) = plan->ethernet[i];
	for (__u32 i = 0; i < words; i++)
		*(__u32 *)(frame + ETHERNET_BYTES + 4 * i) = plan->ip[i];
}

/* The header of agent/src/frame/header.h. */
INLINE void plain(struct content *content, __u32 run, const struct order_place *place, __u64 now)
{
	__u32 flow = place->flow, sequence = place->number;

	content->first = (__u32)MAGIC << 24 | run << 16 | flow >> 8;
	content->second = (flow & 0xff) << 24 | sequence >> 8;
	content->third = (sequence & 0xff) << 24 | (__u32)(now >> 32 & 0xff) << 16 |
			 (__u32)(now >> 16 & 0xffff);
	content->last = (__u32)(now & 0xffff);
}

/* That of agent/src/frame/tagged.h. */
INLINE void tagged(struct content *content, const struct siphash_key *key,
		   const struct order_place *place, __u64 now)
{
	struct tag_content behind = tag_content(place->flow, place->number, now);

	content->first = tag_of(key, &behind) << 8 | (__u32)(behind.head >> 56);
	content->second = (__u32)(behind.head >> 24);
	content->third = (__u32)(behind.head & 0xffffff) << 8 | behind.tail >> 16;
	content->last = behind.tail & 0xffff;
}

/* Writes the 14 bytes of the test header; returns the sum of their 16-bit words. */
INLINE __u32 write_content(__u8 *to, const struct content *content)
{
	__u32 first = content->first, second = content->second, third = content->third;
	__u32 last = content->last;

	*(__u32 *)to = BE32(first);
	*(__u32 *)(to + 4) = BE32(second);
	*(__u32 *)(to + 8) = BE32(third);
	*(__u16 *)(to + 12) = BE16(last);
	return (first >> 16) + (first & 0xffff) + (second >> 16) + (second & 0xffff) +
	       (third >> 16) + (third & 0xffff) + last;
}

/* UDP with what follows; sum: the pseudo header's, without UDP's length. */
INLINE void write_udp(__u8 *udp, const struct live_flow *flow, __u32 length,
		      const struct content *content, __u64 sum)
{
	__u32 checksum;

	*(__u16 *)udp = BE16(flow->source_port);
	*(__u16 *)(udp + 2) = BE16(flow->destination_port);
	*(__u16 *)(udp + 4) = BE16(length);
	sum += (__u32)flow->source_port + flow->destination_port;
	sum += 2 * length; /* once here, once in the pseudo header */
	sum += write_content(udp + UDP_BYTES, content);
	checksum = ~fold(sum) & 0xffff;
	*(__u16 *)(udp + 6) = BE16(checksum ? checksum : 0xffff); /* 0 would mean none (RFC 768) */
}

INLINE void write_ipv4(__u8 *frame, const struct live_plan *plan, const struct live_flow *flow,
		       __u32 frame_bytes, const struct content *content)
{
	__u32 steps = (__u32)flow->source_step + flow->destination_step;
	__u32 length = frame_bytes - ETHERNET_BYTES;
	__u8 *ip = frame + ETHERNET_BYTES;

	copy_head(frame, plan, LIVE_IPV4_WORDS);
	*(__u16 *)(ip + 2) = BE16(length);
	*(__u16 *)(ip + 10) = BE16(~fold((__u64)plan->ip_sum + length + steps));
	ip[15] = (__u8)(ip[15] + flow->source_step);
	ip[19] = (__u8)(ip[19] + flow->destination_step);
	write_udp(ip + IPV4_BYTES, flow, length - IPV4_BYTES, content,
		  (__u64)plan->udp_sum + steps);
}

INLINE void write_ipv6(__u8 *frame, const struct live_plan *plan, const struct live_flow *flow,
		       __u32 frame_bytes, const struct content *content)
{
	__u32 steps = (__u32)flow->source_step + flow->destination_step;
	__u32 length = frame_bytes - ETHERNET_BYTES - IPV6_BYTES;
	__u8 *ip = frame + ETHERNET_BYTES;

	copy_head(frame, plan, LIVE_IPV6_WORDS);
	*(__u16 *)(ip + 4) = BE16(length);
	ip[23] = (__u8)(ip[23] + flow->source_step);
	ip[39] = (__u8)(ip[39] + flow->destination_step);
	write_udp(ip + IPV6_BYTES, flow, length, content, (__u64)plan->udp_sum + steps);
}

/* Cuts the frame to its size and writes its headers. False: there is no room for them. */
INLINE int write_frame(struct xdp_md *frame, const struct live_plan *plan,
		       const struct live_flow *flow, __u32 bytes, const struct content *content)
{
	int delta = (int)bytes - (int)(frame->data_end - frame->data);
	__u8 *data, *end;

	if (delta && bpf_xdp_adjust_tail(frame, delta))
		return 0;
	data = (__u8 *)(long)frame->data;
	end = (__u8 *)(long)frame->data_end;
	if (plan->family == 4) {
		if (data + ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + HEADER_BYTES > end)
			return 0;
		write_ipv4(data, plan, flow, bytes, content);
	} else {
		if (data + ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES + HEADER_BYTES > end)
			return 0;
		write_ipv6(data, plan, flow, bytes, content);
	}
	return 1;
}

SECTION(LIVE_SECTION) int live(struct xdp_md *frame)
{
	__u32 key = 0;
	struct live_plan *plan = bpf_map_lookup_elem(MAP(live_plan), &key);
	struct live_state *state = bpf_map_lookup_elem(MAP(live_state), &key);
	struct content content;
	struct live_flow *flow;
	__u32 *bytes;
	__u64 now;

	if (!plan || !state || state->over || state->tried >= plan->bound)
		return XDP_DROP;
	flow = bpf_map_lookup_elem(MAP(live_flow), &state->place.flow);
	bytes = bpf_map_lookup_elem(MAP(live_size), &state->size);
	if (!flow || !bytes)
		return XDP_DROP;
	if (!state->t0_ns)
		begin(plan, state);
	now = wait_turn(state);
	if (!now)
		return XDP_DROP;
	if (now >= state->end_ns) {
		state->over = 1;
		return XDP_DROP;
	}
	if (plan->keyed)
		tagged(&content, &plan->key, &state->place, now);
	else
		plain(&content, plan->run, &state->place, now);
	if (!write_frame(frame, plan, flow, *bytes, &content))
		return XDP_DROP;
	note_time(plan, state, now);
	state->bytes += *bytes;
	step(plan, state, now);
	return (int)bpf_redirect(plan->device, 0);
}

SECTION(LIVE_SECTION) static long waited(__u32 step, void *context)
{
	struct wait *wait = context;

	wait->now = bpf_ktime_get_ns();
	return wait->now >= wait->until;
}

/* A frame that the agent has made, as it is: does the device take live frames at all? */
SECTION(LIVE_PROBE_SECTION) int live_probe(struct xdp_md *frame)
{
	__u32 key = 0;
	struct live_plan *plan = bpf_map_lookup_elem(MAP(live_plan), &key);

	return plan ? (int)bpf_redirect(plan->device, 0) : XDP_DROP;
}
