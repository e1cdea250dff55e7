// SPDX-License-Identifier: Apache-2.0
/*
 * act: an action node. It takes orders from classifier nodes that have its key and marks their flows
 * until a signal comes. Without a CN its marks time out, and packets are forwarded as ever.
 */
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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SESSIONS 16
#define SIGNALS 0 /* places of what is waited for */
#define LISTENER 1
#define RAP 2
#define FIRST 3
#define RAP_TTL_S 30 /* of an order of RAP without a timeout */
#define ALIVE_IDLE_S 30 /* a CN that vanished is known after 60 s, so that its place is free */
#define ALIVE_AGAIN_S 10
#define ALIVE_TIMES 3
#define GREETING_S 5 /* until the first right message, so that no stranger keeps a place */

struct session {
	struct act *act;
	int fd; /* -1: none */
	uint64_t since; /* s */
	bool is_known; /* a right message came */
	size_t got;
	uint8_t bytes[ORDER_MOST];
	struct reader reader;
};

struct act {
	uint8_t key[SIPHASH_KEY_BYTES];
	int signals, listener, rap; /* rap: -1: none */
	struct session session[SESSIONS];
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

	sets_take(&session->act->sets, order, session->reader.name[order->class], SETS_FLOWS);
}

static void take_rap(void *context, const struct order *order)
{
	sets_take(context, order, NULL, SETS_FLOWS_UNKEYED);
}

static void end(struct session *session)
{
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}

static void refuse(struct act *act, struct session *session, const struct fault *fault)
{
	act->refused++;
	fprintf(stderr, "gm-classifier: %s: %s; the connection ends\n", fault->reason, fault->fix);
	end(session);
}

/* A place for a connection; NULL: all are taken. */
static struct session *free_session(struct act *act)
{
	for (size_t i = 0; i < SESSIONS; i++)
		if (act->session[i].fd < 0)
			return &act->session[i];
	return NULL;
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

static void welcome(struct act *act)
{
	int fd = accept4(act->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct session *session = free_session(act);
	uint8_t nonce[ORDER_NONCE_BYTES];

	if (fd < 0)
		return;
	if (!session || getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce) ||
	    send(fd, nonce, sizeof(nonce), MSG_NOSIGNAL) != sizeof(nonce)) {
		close(fd);
		return;
	}
	keep_alive(fd);
	*session = (struct session){ .act = act, .fd = fd, .since = now_s() };
	memcpy(session->reader.seal.key, act->key, sizeof(act->key));
	memcpy(session->reader.seal.nonce, nonce, sizeof(nonce));
	session->reader.take = take;
	session->reader.context = session;
}

/* How many bytes of the message that is coming are to be read next; 0: it is none. */
static size_t wanted(const struct session *session)
{
	size_t length = ORDER_HEADER_BYTES;

	if (session->got >= length)
		length = order_length(session->bytes);
	return length > session->got ? length - session->got : 0;
}

static void read_message(struct act *act, struct session *session)
{
	struct fault fault = { 0 };

	if (order_read(&session->reader, session->bytes, session->got, &fault)) {
		refuse(act, session, &fault);
		return;
	}
	act->messages++;
	session->is_known = true;
	session->got = 0;
}

static void hear(struct act *act, struct session *session)
{
	size_t more = wanted(session);
	ssize_t got = recv(session->fd, session->bytes + session->got, more, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		end(session);
		return;
	}
	session->got += (size_t)got;
	if (wanted(session))
		return;
	if (!order_length(session->bytes)) {
		struct fault fault = { .reason = "no message of IPFIX",
				       .fix = "let gm-classifier send" };

		refuse(act, session, &fault);
		return;
	}
	read_message(act, session);
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
	    (type == SOCK_STREAM && listen(*descriptor, SESSIONS)))
		return fault_system(fault, -errno, NULL, place);
	return 0;
}

static void report(const struct act *act)
{
	unsigned int known = 0;

	for (size_t i = 0; i < SESSIONS; i++)
		known += act->session[i].fd >= 0 && act->session[i].is_known;
	printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
	       known, act->messages, act->refused, act->sets.added, act->sets.removed, act->renewed,
	       act->sets.untaken);
	fflush(stdout);
}

static void end_all(struct act *act)
{
	for (size_t i = 0; i < SESSIONS; i++)
		end(&act->session[i]);
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
	for (size_t i = 0; i < SESSIONS; i++) {
		struct session *session = &act->session[i];

		if (session->fd >= 0 && waiting[FIRST + i].fd == session->fd &&
		    waiting[FIRST + i].revents)
			hear(act, session);
		if (session->fd >= 0 && !session->is_known && now_s() - session->since > GREETING_S)
			end(session);
	}
}

static int work(struct act *act, struct fault *fault)
{
	struct pollfd waiting[FIRST + SESSIONS];
	int error = 0;
	uint64_t shown = 0;

	printf("nodes,messages,refused,added,removed,renewed,untaken\n");
	fflush(stdout);
	while (!error) {
		waiting[SIGNALS] = (struct pollfd){ .fd = act->signals, .events = POLLIN };
		waiting[LISTENER] = (struct pollfd){ .fd = act->listener, .events = POLLIN };
		waiting[RAP] = (struct pollfd){ .fd = act->rap, .events = POLLIN };
		for (size_t i = 0; i < SESSIONS; i++)
			waiting[FIRST + i] =
				(struct pollfd){ .fd = act->session[i].fd, .events = POLLIN };
		poll(waiting, FIRST + SESSIONS, 1000);
		if (waiting[SIGNALS].revents)
			break;
		hear_all(act, waiting);
		if (waiting[LISTENER].revents)
			welcome(act);
		if (waiting[RAP].revents)
			hear_rap(act);
		error = apply(act, fault);
		if (now_s() != shown)
			report(act);
		shown = now_s();
	}
	report(act);
	return error;
}

static int run(const struct options *options, struct fault *fault)
{
	static struct act act;
	struct mark mark;
	int error = mark_read(&mark, options->mark ? options->mark : "1", fault);

	signal(SIGPIPE, SIG_IGN); /* nft may end before it has read all */
	act.listener = act.signals = act.rap = -1;
	for (size_t i = 0; i < SESSIONS; i++)
		act.session[i].fd = -1;
	if (!error)
		error = key_read(act.key, options->key, fault);
	if (!error)
		error = signals_open(&act.signals, fault);
	if (!error)
		error = listen_at(&act.listener, options->word[0], SOCK_STREAM, fault);
	if (!error && options->rap)
		error = listen_at(&act.rap, options->rap, SOCK_DGRAM, fault);
	if (!error)
		error = sets_open(&act.sets, mark.value, mark.mask, fault);
	if (!error) {
		error = work(&act, fault);
		sets_close(&act.sets);
	}
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
