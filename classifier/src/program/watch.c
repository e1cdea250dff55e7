// SPDX-License-Identifier: Apache-2.0
/*
 * watch: what attach does, for kernels without BPF. A packet socket at the LAN's device shows the
 * packets to this process, which cannot mark them: it tells an action node, here or elsewhere.
 */
#include "capture/head.h"
#include "kernel/hooks.h"
#include "live/stamp.h"
#include "live/tables.h"
#include "node/teller.h"
#include "port/control.h"
#include "program/program.h"
#include "replay/packet.h"
#include "time/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SNAP 192 /* bytes: the headers of all that is read */
#define BATCH 64
#define BUFFER_BYTES (4 << 20)
#define REPORT_MS 1000
/* Once all is open. It asks whether flows are offloaded, too. */
#define NEEDS (SANDBOX_PRINTS | SANDBOX_SOCKETS | SANDBOX_DIALS | SANDBOX_NETLINK | SANDBOX_DEVICES)

struct watch {
	struct named_model named;
	struct tables tables;
	struct stamps stamps;
	struct scratch scratch;
	struct teller teller;
	bool tells, by_packet;
	struct offloads offloads;
	int packets, signals;
	uint16_t link_type;
	uint64_t seen, other, marked, lost;
};

/* A packet's memory, and what the kernel says of it. */
struct place {
	uint8_t bytes[SNAP];
	struct sockaddr_ll from;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec)) + 64];
};

static struct place places[BATCH];

/* When the kernel saw it. */
static uint64_t time_us(const struct stamps *stamps, const struct msghdr *message)
{
	uint64_t time_ns;

	if (!control_stamp(message, &time_ns))
		return stamps->now_us;
	return stamps_time(stamps, time_ns / NS_PER_US);
}

static void set_end(uint32_t address[4], const uint8_t *bytes, const struct packet_view *view)
{
	memcpy(address, bytes, view->family == 4 ? 4 : 16);
}

/* What leaves by the LAN's device goes down, whichever end sent first. */
static void see(struct seen *seen, const struct packet_view *view, uint32_t way)
{
	struct flow_key *key = &seen->key;
	bool is_up = way == WAY_UP;

	*seen = (struct seen){ .moment = { .length = view->length, .way = way } };
	set_end(key->lan, is_up ? view->source : view->destination, view);
	set_end(key->wan, is_up ? view->destination : view->source, view);
	key->lan_port = htons(is_up ? view->source_port : view->destination_port);
	key->wan_port = htons(is_up ? view->destination_port : view->source_port);
	key->protocol = view->protocol;
	key->family = (uint8_t)view->family;
	seen->head = head_of(view);
}

static void print(const struct watch *watch, const struct seen *seen, const struct outcome *outcome)
{
	int family = seen->key.family == 4 ? AF_INET : AF_INET6;
	char lan[INET6_ADDRSTRLEN], wan[INET6_ADDRSTRLEN];

	inet_ntop(family, seen->key.lan, lan, sizeof(lan));
	inet_ntop(family, seen->key.wan, wan, sizeof(wan));
	printf("%s-%s-%u-%s-%u,%" PRIu64 ",%s,%s,%u,%s\n",
	       seen->key.protocol == CLASSIFY_TCP ? "tcp" : "udp", lan, ntohs(seen->key.lan_port),
	       wan, ntohs(seen->key.wan_port), (uint64_t)seen->moment.time_us,
	       seen->moment.way == WAY_UP ? "up" : "down",
	       outcome->class == CLASS_NONE ? "" : watch->named.class_name[outcome->class],
	       outcome->confidence, verdict_words[outcome->verdict]);
}

static void take(struct watch *watch, struct place *place, struct msghdr *message, size_t captured,
		 size_t length)
{
	const struct capture_packet packet = {
		.timed = true,
		.link = watch->link_type,
		.captured = (uint32_t)(captured < length ? captured : length),
		.length = (uint32_t)length,
		.bytes = place->bytes,
	};
	struct packet_view view;
	struct outcome outcome;
	struct seen seen;

	if (packet_read(&view, &packet) != PACKET_TAKEN) {
		watch->other++;
		return;
	}
	see(&seen, &view, place->from.sll_pkttype == PACKET_OUTGOING ? WAY_DOWN : WAY_UP);
	seen.moment.time_us = time_us(&watch->stamps, message);
	watch->tables.now_us = seen.moment.time_us;
	classify(&watch->tables, &watch->named.model, &watch->scratch, &seen, &outcome);
	watch->seen++;
	watch->marked += outcome.mark != 0;
	if (watch->by_packet)
		print(watch, &seen, &outcome);
}

/* Reads what there is, up to a batch. */
static int hear(struct watch *watch, struct fault *fault)
{
	struct mmsghdr message[BATCH];
	struct iovec part[BATCH];
	int got;

	for (size_t i = 0; i < BATCH; i++) {
		part[i] = (struct iovec){ places[i].bytes, SNAP };
		message[i] = (struct mmsghdr){ .msg_hdr = { .msg_name = &places[i].from,
							    .msg_namelen = sizeof(places[i].from),
							    .msg_iov = &part[i],
							    .msg_iovlen = 1,
							    .msg_control = places[i].control,
							    .msg_controllen =
								    sizeof(places[i].control) } };
	}
	got = recvmmsg(watch->packets, message, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN)
		return fault_system(fault, -errno, NULL, "reading packets");
	stamps_look(&watch->stamps, clock_read(CLOCK_REALTIME) / NS_PER_US,
		    clock_now() / NS_PER_US);
	for (int i = 0; i < got; i++)
		take(watch, &places[i], &message[i].msg_hdr, SNAP, message[i].msg_len);
	return 0;
}

/* Decisions that hold; the others make room. */
static uint64_t tell(struct watch *watch)
{
	const struct model *model = &watch->named.model;
	uint64_t now = clock_now() / NS_PER_US, left = 0;

	if (watch->tells)
		teller_begin(&watch->teller, &watch->named);
	for (size_t i = 0; i < cache_places(&watch->tables.decisions); i++) {
		const void *key;
		const struct decision *decision = cache_at(&watch->tables.decisions, i, &key);

		if (!decision || (now > decision->guard.last_us &&
				  now - decision->guard.last_us > model->idle_us))
			continue;
		left++;
		if (watch->tells)
			teller_note(&watch->teller, key, decision,
				    decision_prefers(model, decision));
	}
	if (watch->tells)
		teller_end(&watch->teller);
	return left;
}

static void report(struct watch *watch, uint64_t left)
{
	struct tpacket_stats stats = { 0 };
	socklen_t length = sizeof(stats);

	if (getsockopt(watch->packets, SOL_PACKET, PACKET_STATISTICS, &stats, &length) == 0)
		watch->lost += stats.tp_drops;
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%u\n",
	       watch->seen, watch->other, watch->lost, watch->tables.untracked, watch->marked, left,
	       watch->tables.full, watch->tells ? teller_ready(&watch->teller) : 0);
	fflush(stdout);
}

static int work(struct watch *watch, struct fault *fault)
{
	uint64_t told_ms = 0, shown_ms = 0;
	int error = 0;

	printf(watch->by_packet ? "flow,time_us,direction,class,confidence,verdict\n"
				: "seen,other,lost,untracked,marked,decisions,no_room,nodes\n");
	fflush(stdout);
	while (!error) {
		struct pollfd waiting[] = { { .fd = watch->packets, .events = POLLIN },
					    { .fd = watch->signals, .events = POLLIN } };
		uint64_t now, left;

		poll(waiting, 2, TELLER_TICK_MS);
		if (waiting[1].revents)
			break;
		error = hear(watch, fault);
		now = clock_now() / NS_PER_MS;
		if (now - told_ms < TELLER_TICK_MS)
			continue;
		told_ms = now;
		left = tell(watch);
		offloads_look(&watch->offloads, now * 1000);
		if (!watch->by_packet && now - shown_ms >= REPORT_MS) {
			shown_ms = now;
			report(watch, left);
		}
	}
	if (!watch->by_packet)
		report(watch, tell(watch));
	return error;
}

static int open_packets(struct watch *watch, const char *device, struct fault *fault)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(device) };
	const int on = 1, bytes = BUFFER_BYTES;

	if (!address.sll_ifindex)
		return fault_set(fault, -EINVAL, "device", "see ip link", "no device %.40s",
				 device);
	watch->link_type = hooks_link_type(device);
	watch->packets = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (watch->packets < 0)
		return fault_system(fault, -errno, NULL, "a packet socket");
	setsockopt(watch->packets, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	if (setsockopt(watch->packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(watch->packets, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(watch->packets, (struct sockaddr *)&address, sizeof(address)))
		return fault_system(fault, -errno, NULL, device);
	return 0;
}

static int open_tables(struct watch *watch, const struct options *options, struct fault *fault)
{
	struct tables *tables = &watch->tables;
	uint8_t secret[SIPHASH_KEY_BYTES];

	tables->slides = watch->named.slides;
	tables->keeps = watch->named.model.keeps;
	tables->idle_us = watch->named.model.idle_us;
	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return fault_system(fault, -errno, NULL, "random numbers");
	if (cache_open(&tables->flows, (size_t)options->flows, sizeof(struct flow_key),
		       sizeof(union live_window), secret) ||
	    cache_open(&tables->decisions, (size_t)options->decisions, sizeof(struct flow_key),
		       sizeof(struct decision), secret) ||
	    cache_open(&tables->hosts, LIVE_HOSTS, sizeof(((struct flow_key *)NULL)->lan),
		       sizeof(struct host), secret))
		return fault_system(fault, -ENOMEM, NULL, "the tables");
	return 0;
}

static void close_all(struct watch *watch)
{
	if (watch->packets >= 0)
		close(watch->packets);
	if (watch->signals >= 0)
		close(watch->signals);
	cache_close(&watch->tables.flows);
	cache_close(&watch->tables.decisions);
	cache_close(&watch->tables.hosts);
	if (watch->tells)
		teller_close(&watch->teller);
}

static int run(const struct options *options, struct fault *fault)
{
	static struct watch watch;
	int error;

	watch.packets = watch.signals = -1;
	watch.by_packet = options->by_packet;
	watch.tells = options->to != NULL;
	error = open_packets(&watch, options->word[1], fault);
	if (!error && watch.tells)
		error = teller_open(&watch.teller, options->to, options->key,
				    (uint16_t)options->ttl_s, (size_t)options->decisions, fault);
	if (!error)
		error = signals_open(&watch.signals, fault);
	sandbox_enter(NEEDS);
	if (!error)
		error = load_model(&watch.named, options, fault);
	/* A line of a packet has its flow's class, preferred or not. */
	if (!error && !watch.by_packet)
		mark_preferred(&watch.named.model, 1);
	if (!error)
		error = open_tables(&watch, options, fault);
	if (!error)
		error = work(&watch, fault);
	close_all(&watch);
	return error;
}

const struct command command_watch = {
	.name = "watch",
	.words = "MODEL DEVICE",
	.words_count = 2,
	.files = 1,
	.help = "classifies as attach does, by a packet socket, for kernels without BPF; CSV: "
		"counters",
	.options = "      --packets        a line for each packet in place of counters\n"
		   "      --priority NAMES, --guard N, --flows N, --decisions N  as attach\n"
		   "      --to, --key, --ttl  as attach\n",
	.run = run,
};
