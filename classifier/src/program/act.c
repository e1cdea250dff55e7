// SPDX-License-Identifier: Apache-2.0
/*
 * act: an action node. It takes orders from classifier nodes that have its key and marks their flows
 * until a signal comes. Without a CN its marks time out, and packets are forwarded as ever.
 */
#include "node/guests.h"
#include "node/place.h"
#include "node/rap.h"
#include "node/sets.h"
#include "node/teller.h"
#include "program/program.h"
#include "time/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SESSIONS 16
#define SIGNALS 0 /* places of what is waited for */
#define LISTENER 1
#define RAP 2
#define KEEPER 3
#define FIRST 4
#define FIRST_GUEST (FIRST + SESSIONS)
#define WAITING (FIRST_GUEST + GUESTS)
#define BACKLOG 128
#define WELCOMED_MOST 8 /* connections at a time: what guests say is heard in between */
#define RAP_TTL_S 30 /* of an order of RAP without a timeout */
#define ALIVE_IDLE_S 30 /* a CN that vanished is known after 60 s, so that its place is free */
#define ALIVE_AGAIN_S 10
#define ALIVE_TIMES 3

/* A CN: a connection that began with a right message. */
struct session {
	struct act *act;
	int fd; /* -1: none */
	uint64_t heard; /* when it said something last: the number of messages by then */
	size_t got;
	uint8_t bytes[ORDER_MOST];
	struct reader reader;
};

struct act {
	uint8_t key[SIPHASH_KEY_BYTES];
	int signals, listener, rap; /* rap: -1: none */
	struct session session[SESSIONS];
	struct guests guests;
	struct sets sets;
	uint64_t messages, refused, renewed; /* renewed: tables */
};

static uint64_t now_s(void)
{
	return clock_now() / NS_PER_S;
}

static void take(void *context, const struct order *order)
{
	struct session *session = context;

	sets_take(&session->act->sets, order, session->reader.name[order->class], HELD_KEYED);
}

static void take_rap(void *context, const struct order *order)
{
	sets_take(context, order, NULL, HELD_UNKEYED);
}

static void end(struct session *session)
{
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}

static void count_refused(struct act *act, const struct fault *fault)
{
	act->refused++;
	fprintf(stderr, "gm-classifier: %s: %s; the connection ends\n", fault->reason, fault->fix);
}

/* A free place, or that of the CN that has been silent for longest. */
static struct session *session_place(struct act *act)
{
	struct session *place = &act->session[0];

	for (size_t i = 0; i < SESSIONS; i++) {
		struct session *session = &act->session[i];

		if (session->fd < 0)
			return session;
		if (session->heard < place->heard)
			place = session;
	}
	return place;
}

/* A CN says nothing while nothing is preferred, and one that lost its power says no end. */
static void keep_alive(int fd)
{
	const int on = 1, idle = ALIVE_IDLE_S, again = ALIVE_AGAIN_S, times = ALIVE_TIMES;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &again, sizeof(again));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
}

/* Whoever connects is a guest, and is sent a nonce. */
static void welcome(struct act *act)
{
	for (int i = 0; i < WELCOMED_MOST; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t length = sizeof(from);
		int fd = accept4(act->listener, (struct sockaddr *)&from, &length,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct guest *guest;

		if (fd < 0)
			return;
		guest = guests_take(&act->guests, fd, &from, now_s());
		if (getrandom(guest->nonce, sizeof(guest->nonce), 0) != sizeof(guest->nonce) ||
		    send(fd, guest->nonce, sizeof(guest->nonce), MSG_NOSIGNAL) !=
			    sizeof(guest->nonce))
			guest_end(guest);
	}
}

static void read_message(struct act *act, struct session *session)
{
	struct fault fault = { 0 };

	if (order_read(&session->reader, session->bytes, session->got, &fault)) {
		count_refused(act, &fault);
		end(session);
		return;
	}
	session->heard = ++act->messages;
	session->got = 0;
}

/* Its first message has the right tag: it gets a place of a CN's. */
static void admit(struct act *act, struct guest *guest, const struct seal *seal)
{
	struct session *session = session_place(act);

	end(session);
	*session = (struct session){ .act = act, .fd = guest->fd, .got = guest->got };
	memcpy(session->bytes, guest->bytes, guest->got);
	session->reader.seal = *seal;
	session->reader.take = take;
	session->reader.context = session;
	guest->fd = -1;
	keep_alive(session->fd);
	read_message(act, session);
}

static const struct fault no_message = { .reason = "no message of IPFIX",
					 .fix = "let gm-classifier send" };
static const struct fault no_tag = { .reason = "a message without the right tag",
				     .fix = ORDER_FIX };

static void hear_guest(struct act *act, struct guest *guest)
{
	enum heard heard = message_hear(guest->fd, guest->bytes, &guest->got);
	struct seal seal = { .number = 0 };

	if (heard == HEARD_PART)
		return;
	memcpy(seal.key, act->key, sizeof(seal.key));
	memcpy(seal.nonce, guest->nonce, sizeof(seal.nonce));
	if (heard == HEARD_MESSAGE && order_is_sealed(&seal, guest->bytes, guest->got)) {
		admit(act, guest, &seal);
		return;
	}
	if (heard != HEARD_END)
		count_refused(act, heard == HEARD_NONSENSE ? &no_message : &no_tag);
	guest_end(guest);
}

static void hear(struct act *act, struct session *session)
{
	switch (message_hear(session->fd, session->bytes, &session->got)) {
	case HEARD_MESSAGE:
		read_message(act, session);
		break;
	case HEARD_NONSENSE:
		count_refused(act, &no_message);
		end(session);
		break;
	case HEARD_END:
		end(session);
		break;
	case HEARD_PART:
		break;
	}
}

/* Datagrams of RAP, which anyone may have sent. */
static void hear_rap(struct act *act)
{
	uint8_t bytes[2048];
	struct fault fault = { 0 };
	ssize_t got = recv(act->rap, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (got <= 0)
		return;
	if (rap_read(bytes, (size_t)got, RAP_TTL_S, take_rap, &act->sets, &fault))
		act->refused++;
	else
		act->messages++;
}

static int listen_at(int *descriptor, const char *place, int type, struct fault *fault)
{
	struct sockaddr_storage address;
	const int on = 1;
	int length = place_read(&address, place, strlen(place), fault);

	if (length < 0)
		return length;
	*descriptor = socket(address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*descriptor < 0)
		return fault_system(fault, -errno, NULL, "a socket");
	setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(*descriptor, (const struct sockaddr *)&address, (socklen_t)length) ||
	    (type == SOCK_STREAM && listen(*descriptor, BACKLOG)))
		return fault_system(fault, -errno, NULL, place);
	return 0;
}

static void report(const struct act *act)
{
	unsigned int known = 0;

	for (size_t i = 0; i < SESSIONS; i++)
		known += act->session[i].fd >= 0;
	printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
	       known, act->messages, act->refused, act->sets.added, act->sets.removed, act->renewed,
	       act->sets.untaken);
	fflush(stdout);
}

static void end_all(struct act *act)
{
	for (size_t i = 0; i < SESSIONS; i++)
		end(&act->session[i]);
	for (size_t i = 0; i < GUESTS; i++)
		guest_end(&act->guests.guest[i]);
}

/*
 * Applies what was heard. Where nft refuses it, the table is gone: a reload of the firewall takes it
 * along. It is made anew, and each CN, whose connection ends, tells all that holds when it connects
 * again. What came by RAP is told again in its time. No set is ever full (node/held.h).
 */
static int apply(struct act *act, struct fault *fault)
{
	struct fault refused = { 0 };

	if (!sets_apply(&act->sets, &refused))
		return 0;
	act->renewed++;
	fprintf(stderr, "gm-classifier: %s: %s; the table is made anew\n", refused.reason,
		refused.fix);
	end_all(act);
	return sets_renew(&act->sets, fault);
}

static void hear_all(struct act *act, const struct pollfd *waiting)
{
	for (size_t i = 0; i < SESSIONS; i++)
		if (waiting[FIRST + i].fd >= 0 && waiting[FIRST + i].revents)
			hear(act, &act->session[i]);
}

/* After hear_all(): who is admitted may take the place of a CN that was just heard. */
static void hear_guests(struct act *act, const struct pollfd *waiting)
{
	for (size_t i = 0; i < GUESTS; i++) {
		struct guest *guest = &act->guests.guest[i];

		if (guest->fd >= 0 && waiting[FIRST_GUEST + i].revents)
			hear_guest(act, guest);
		if (guest->fd >= 0 && now_s() - guest->since_s > GUEST_S)
			guest_end(guest);
	}
}

static void wait_for_any(const struct act *act, struct pollfd waiting[WAITING])
{
	waiting[SIGNALS] = (struct pollfd){ .fd = act->signals, .events = POLLIN };
	waiting[LISTENER] = (struct pollfd){ .fd = act->listener, .events = POLLIN };
	waiting[RAP] = (struct pollfd){ .fd = act->rap, .events = POLLIN };
	waiting[KEEPER] = (struct pollfd){ .fd = act->sets.keeper }; /* for its end alone */
	for (size_t i = 0; i < SESSIONS; i++)
		waiting[FIRST + i] = (struct pollfd){ .fd = act->session[i].fd, .events = POLLIN };
	for (size_t i = 0; i < GUESTS; i++)
		waiting[FIRST_GUEST + i] =
			(struct pollfd){ .fd = act->guests.guest[i].fd, .events = POLLIN };
	poll(waiting, WAITING, 1000);
}

static int work(struct act *act, struct fault *fault)
{
	struct pollfd waiting[WAITING];
	int error = 0;
	uint64_t shown = 0;

	printf("nodes,messages,refused,added,removed,renewed,untaken\n");
	fflush(stdout);
	while (!error) {
		wait_for_any(act, waiting);
		if (waiting[SIGNALS].revents)
			break;
		hear_all(act, waiting);
		hear_guests(act, waiting);
		if (waiting[LISTENER].revents)
			welcome(act);
		if (waiting[RAP].revents)
			hear_rap(act);
		error = waiting[KEEPER].revents ? sets_lost(fault) : apply(act, fault);
		if (now_s() != shown)
			report(act);
		shown = now_s();
	}
	report(act);
	return error;
}

/* All that takes rights. Nothing of a network's is read before the sandbox. */
static int open_all(struct act *act, const struct options *options, struct fault *fault)
{
	struct mark mark;
	int error = mark_read(&mark, options->mark ? options->mark : "1", fault);

	if (!error)
		error = key_read(act->key, options->key, fault);
	if (!error)
		error = signals_open(&act->signals, fault);
	if (!error)
		error = sets_open(&act->sets, mark.value, mark.mask, fault);
	if (!error)
		error = listen_at(&act->listener, options->word[0], SOCK_STREAM, fault);
	if (!error && options->rap)
		error = listen_at(&act->rap, options->rap, SOCK_DGRAM, fault);
	return error ? error : sets_renew(&act->sets, fault);
}

static int run(const struct options *options, struct fault *fault)
{
	static struct act act;
	int error;

	act.listener = act.signals = act.rap = act.sets.keeper = -1;
	for (size_t i = 0; i < SESSIONS; i++)
		act.session[i].fd = -1;
	guests_open(&act.guests);
	error = open_all(&act, options, fault);
	sandbox_enter(SANDBOX_PRINTS | SANDBOX_SOCKETS);
	if (!error)
		error = work(&act, fault);
	sets_close(&act.sets);
	end_all(&act);
	if (act.listener >= 0)
		close(act.listener);
	if (act.rap >= 0)
		close(act.rap);
	if (act.signals >= 0)
		close(act.signals);
	return error;
}

const struct command command_act = {
	.name = "act",
	.words = "ADDRESS[:PORT] --key FILE",
	.words_count = 1,
	.help = "an action node: takes orders from attach --to, and marks their flows; CSV: "
		"counters",
	.options = "      --mark N[/MASK]  of their packets at the forward hook (1)\n"
		   "      --rap ADDRESS[:PORT]  hears DIFFUSE's RAP there too, which has no key\n",
	.run = run,
};
