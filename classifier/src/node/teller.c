// SPDX-License-Identifier: Apache-2.0
/* Connections to action nodes, and what is due to be told. */
#include "node/teller.h"
#include "node/place.h"
#include "time/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RAP_PREFIX "rap:"
#define RETRY_MS 1000
#define GREETING_MS 5000 /* from connecting to the nonce, at most */

static int digit(int letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	letter |= 0x20;
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Whether nobody else can read it, or write another one there. */
static bool is_private(FILE *file)
{
	struct stat about;

	return !fstat(fileno(file), &about) && !(about.st_mode & (S_IRWXG | S_IRWXO)) &&
	       (about.st_uid == geteuid() || !about.st_uid);
}

int key_read(uint8_t key[SIPHASH_KEY_BYTES], const char *path, struct fault *fault)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	char text[2 * SIPHASH_KEY_BYTES + 1] = { 0 };
	int error = 0;
	size_t length;

	if (!path)
		return fault_set(fault, -EINVAL, "key", "such as --key FILE, with 32 hex digits",
				 "no key is named");
	if (!file)
		return fault_system(fault, -errno, "key", path);
	if (!is_private(file)) {
		fclose(file);
		return fault_set(fault, -EINVAL, "key", "chmod 600 and chown it to who runs this",
				 "%.100s: others can read or change this key", path);
	}
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	for (size_t i = 0; i < SIPHASH_KEY_BYTES; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			error = -EINVAL;
		key[i] = (uint8_t)(high << 4 | (low & 15));
	}
	if (length == sizeof(text) && digit(text[length - 1]) >= 0)
		error = -EINVAL;
	return error ? fault_set(fault, error, "key",
				 "write 32 hex digits, such as openssl rand -hex 16 prints",
				 "%.100s: no key", path)
		     : 0;
}

static int read_places(struct teller *teller, const char *to, struct fault *fault)
{
	struct sockaddr_storage address;

	for (const char *at = to; *at;) {
		bool is_rap = strncmp(at, RAP_PREFIX, sizeof(RAP_PREFIX) - 1) == 0;
		size_t length;
		int error;

		at += is_rap ? sizeof(RAP_PREFIX) - 1 : 0;
		length = strcspn(at, ",");
		error = place_read(&address, at, length, fault);

		if (error < 0)
			return error;
		if (teller->links == TELLER_MOST)
			return fault_set(fault, -EINVAL, "to", "name fewer",
					 "more than %d action nodes", TELLER_MOST);
		teller->link[teller->links].is_rap = is_rap;
		teller->link[teller->links++].place = at;
		at += length + (at[length] == ',');
	}
	return teller->links ? 0
			     : fault_set(fault, -EINVAL, "to", "such as --to 192.0.2.1",
					 "no action node is named");
}

int teller_open(struct teller *teller, const char *to, const char *key, uint16_t ttl_s,
		size_t flows, struct fault *fault)
{
	uint8_t secret[SIPHASH_KEY_BYTES], shared[SIPHASH_KEY_BYTES];
	int error;

	*teller = (struct teller){ .ttl_s = ttl_s };
	for (size_t i = 0; i < TELLER_MOST; i++)
		teller->link[i].fd = -1;
	error = key_read(shared, key, fault);
	if (!error)
		error = read_places(teller, to, fault);
	for (size_t i = 0; !error && i < teller->links; i++)
		memcpy(teller->link[i].seal.key, shared, sizeof(shared));
	if (!error && getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		error = fault_system(fault, -errno, NULL, "random numbers");
	if (!error && cache_open(&teller->told, 2 * flows, sizeof(struct flow_key),
				 sizeof(struct told), secret))
		error = fault_system(fault, -ENOMEM, NULL, "what was told");
	return error;
}

void teller_close(struct teller *teller)
{
	for (size_t i = 0; i < teller->links; i++)
		if (teller->link[i].fd >= 0)
			close(teller->link[i].fd);
	cache_close(&teller->told);
}

static void leave(struct teller *teller, struct link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
	link->state = LINK_AWAY;
	link->retry_ms = teller->now_ms + RETRY_MS;
}

static void reach(struct teller *teller, struct link *link)
{
	struct sockaddr_storage address;
	struct fault fault;
	const int on = 1;
	int length = place_read(&address, link->place, strcspn(link->place, ","), &fault);

	if (length < 0 || teller->now_ms < link->retry_ms)
		return;
	link->fd = socket(address.ss_family,
			  (link->is_rap ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC,
			  0);
	if (link->fd < 0)
		return;
	if (link->is_rap) {
		link->waiting_count = 0;
		link->state = LINK_FRESH;
		if (connect(link->fd, (const struct sockaddr *)&address, (socklen_t)length))
			leave(teller, link);
		return;
	}
	setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(link->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	link->nonce_bytes = 0;
	link->state = LINK_CONNECTING;
	link->retry_ms = teller->now_ms + GREETING_MS;
	if (connect(link->fd, (const struct sockaddr *)&address, (socklen_t)length) &&
	    errno != EINPROGRESS)
		leave(teller, link);
}

/* Whether the connection is there; a failed one is left. */
static void greet(struct teller *teller, struct link *link)
{
	struct pollfd waiting = { .fd = link->fd, .events = POLLIN };
	ssize_t got;

	poll(&waiting, 1, 0);
	if (!(waiting.revents & (POLLIN | POLLERR | POLLHUP))) {
		if (teller->now_ms > link->retry_ms)
			leave(teller, link);
		return;
	}
	got = recv(link->fd, link->seal.nonce + link->nonce_bytes,
		   ORDER_NONCE_BYTES - link->nonce_bytes, MSG_DONTWAIT);
	if (got <= 0) {
		leave(teller, link);
		return;
	}
	link->nonce_bytes += (size_t)got;
	if (link->nonce_bytes < ORDER_NONCE_BYTES)
		return;
	link->seal.number = 0;
	link->orders.records = 0;
	link->state = LINK_FRESH;
}

static bool hears(const struct link *link)
{
	return link->state >= LINK_FRESH;
}

/* An action node says nothing more: what can be read is its end. */
static void check(struct teller *teller, struct link *link)
{
	char byte;

	if (recv(link->fd, &byte, 1, MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR))
		leave(teller, link);
}

/* A datagram that nobody takes is lost, as all of UDP may be: the next tells it again. */
static void flush_rap(struct teller *teller, struct link *link)
{
	uint8_t bytes[ORDER_MOST];
	size_t length;

	if (link->fd >= 0 && link->waiting_count) {
		length = rap_write(bytes, link->sequence++, (uint32_t)time(NULL), link->waiting,
				   link->waiting_count,
				   teller->named->class_name[link->waiting->class]);
		send(link->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	link->waiting_count = 0;
}

static void flush(struct teller *teller, struct link *link)
{
	struct orders *orders = &link->orders;
	const struct message *message = &orders->message;

	if (link->is_rap) {
		flush_rap(teller, link);
		return;
	}
	if (!hears(link) || (orders->records == orders->before && link->state == LINK_READY))
		return;
	orders_end(orders, &link->seal, (uint32_t)time(NULL));
	if (send(link->fd, message->bytes, message->used, MSG_DONTWAIT | MSG_NOSIGNAL) !=
	    (ssize_t)message->used)
		leave(teller, link);
	else
		orders_begin(orders, false);
}

/* Templates, and the names of the classes that there are. */
static void introduce(struct teller *teller, struct link *link)
{
	const struct named_model *named = teller->named;

	orders_begin(&link->orders, true);
	for (uint32_t i = 0; i < named->model.classes; i++) {
		if (orders_add_name(&link->orders, (uint8_t)i, named->class_name[i]))
			continue;
		flush(teller, link);
		orders_add_name(&link->orders, (uint8_t)i, named->class_name[i]);
	}
}

/* What stands for a model: FNV-1a of what it is made of. */
static uint32_t model_sum(const struct named_model *named)
{
	const uint8_t *bytes = (const uint8_t *)named->model.node;
	size_t length = named->model.nodes * sizeof(struct node);
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

void teller_begin(struct teller *teller, const struct named_model *named)
{
	teller->named = named;
	teller->model = model_sum(named);
	teller->now_ms = clock_now() / NS_PER_MS;
	teller->tick++;
	for (size_t i = 0; i < teller->links; i++) {
		struct link *link = &teller->link[i];

		if (link->state == LINK_AWAY)
			reach(teller, link);
		else if (link->state == LINK_CONNECTING)
			greet(teller, link);
		else if (!link->is_rap)
			check(teller, link);
		if (link->is_rap)
			continue;
		if (link->state == LINK_FRESH)
			introduce(teller, link);
		else if (link->state == LINK_READY)
			orders_begin(&link->orders, false);
	}
}

/* RAP knows IPv4 alone. A message has flows of one class, as it names it once. */
static void add_rap(struct teller *teller, struct link *link, const struct order *order)
{
	if (order->key.family != 4)
		return;
	if (link->waiting_count == RAP_ORDERS_MOST ||
	    (link->waiting_count && link->waiting->class != order->class))
		flush_rap(teller, link);
	link->waiting[link->waiting_count++] = *order;
}

static void tell(struct teller *teller, const struct order *order, bool is_due)
{
	for (size_t i = 0; i < teller->links; i++) {
		struct link *link = &teller->link[i];

		if (!hears(link) || !(is_due || link->state == LINK_FRESH))
			continue;
		if (link->is_rap) {
			add_rap(teller, link, order);
			continue;
		}
		if (!orders_add(&link->orders, order)) {
			flush(teller, link);
			if (!hears(link) || !orders_add(&link->orders, order))
				continue;
		}
	}
}

void teller_note(struct teller *teller, const struct flow_key *key, const struct decision *decision,
		 bool is_preferred)
{
	struct told *told = cache_find(&teller->told, key, teller->now_ms);
	const uint64_t again_ms = teller->ttl_s * 1000ull / 2;
	struct order order = { *key,
			       is_preferred ? ORDER_PREFER : ORDER_NO_MORE,
			       decision->class,
			       decision->confidence,
			       teller->ttl_s,
			       teller->model };
	bool is_due;

	if (!told && !is_preferred)
		return;
	if (!told)
		told = cache_make(&teller->told, key, teller->now_ms, 0);
	is_due = told->action != order.action ||
		 (is_preferred && teller->now_ms - told->sent_ms >= again_ms);
	told->tick = teller->tick;
	if (is_due)
		told->sent_ms = teller->now_ms;
	told->action = order.action;
	if (is_due || is_preferred)
		tell(teller, &order, is_due);
}

/* A flow that is decided no more; if it was preferred it is told. */
static void forget(struct teller *teller)
{
	for (size_t i = 0; i < cache_places(&teller->told); i++) {
		const void *key;
		const struct told *told = cache_at(&teller->told, i, &key);
		struct order order = { .action = ORDER_NO_MORE, .model = teller->model };

		if (!told || told->tick == teller->tick)
			continue;
		order.key = *(const struct flow_key *)key;
		if (told->action == ORDER_PREFER)
			tell(teller, &order, true);
		cache_drop(&teller->told, &order.key);
	}
}

void teller_end(struct teller *teller)
{
	forget(teller);
	for (size_t i = 0; i < teller->links; i++) {
		struct link *link = &teller->link[i];

		flush(teller, link);
		if (link->state == LINK_FRESH)
			link->state = LINK_READY;
	}
}

unsigned int teller_ready(const struct teller *teller)
{
	unsigned int ready = 0;

	for (size_t i = 0; i < teller->links; i++)
		ready += teller->link[i].state == LINK_READY;
	return ready;
}
