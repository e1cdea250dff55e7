// SPDX-License-Identifier: Apache-2.0
/* Sets by nft(8), which every gateway with nftables has: one process for all orders of a moment. */
#include "node/sets.h"
#include "time/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TABLE "inet gatemark_act"
#define ELEMENT_MOST 160
#define LATER_S 2 /* nft hears of a flow after us, and the kernel clears away once a second */

/*
 * Elements of a set. Above what we hold there is room for those that ended and were not cleared
 * away yet, and for those that one transaction takes away and adds: some thousands. So many cost
 * the kernel no more memory than SETS_FLOWS: its hash table has a power of two of places, at least
 * 4/3 of this.
 */
#define ELEMENTS (SETS_FLOWS / 2 * 3)

/* Both directions show the LAN's own addresses there: NAT's way out is behind, its way in before. */
static const char made[] =
	"table " TABLE "\n"
	"delete table " TABLE "\n"
	"table " TABLE " {\n"
	"  set flows4 {\n"
	"    type ipv4_addr . inet_service . ipv4_addr . inet_service . inet_proto\n"
	"    flags timeout\n"
	"    size %d\n"
	"  }\n"
	"  set flows6 {\n"
	"    type ipv6_addr . inet_service . ipv6_addr . inet_service . inet_proto\n"
	"    flags timeout\n"
	"    size %d\n"
	"  }\n"
	"  chain prefer {\n"
	"    meta mark set meta mark & 0x%08" PRIx32 " | 0x%08" PRIx32 "\n"
	"  }\n"
	"  chain forward {\n"
	"    type filter hook forward priority mangle\n"
	"    ip saddr . th sport . ip daddr . th dport . meta l4proto @flows4 goto prefer\n"
	"    ip daddr . th dport . ip saddr . th sport . meta l4proto @flows4 goto prefer\n"
	"    ip6 saddr . th sport . ip6 daddr . th dport . meta l4proto @flows6 goto prefer\n"
	"    ip6 daddr . th dport . ip6 saddr . th sport . meta l4proto @flows6 goto prefer\n"
	"  }\n"
	"}\n";

/* Starts nft, which reads from a pipe. Our end of it, or -errno. */
static int start(pid_t *process)
{
	char *const words[] = { "nft", "-f", "-", NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	error = posix_spawnp(process, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	if (error) {
		close(ends[1]);
		return -error;
	}
	return ends[1];
}

/* All of a text; less where nft ended before, which it then says itself. */
static void give(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t written = write(fd, text, length);

		if (written <= 0)
			break;
		text += written;
		length -= (size_t)written;
	}
	close(fd);
}

static int run(const char *text, struct fault *fault)
{
	pid_t process = -1;
	int status = 0, fd = start(&process);

	if (fd < 0)
		return fault_system(fault, fd, NULL, "nft");
	give(fd, text);
	if (waitpid(process, &status, 0) < 0)
		return fault_system(fault, -errno, NULL, "nft");
	return status ? fault_set(fault, -EIO, NULL, "see what nft wrote; it needs root",
				  "nft refused the sets of flows")
		      : 0;
}

static int begin(struct sets *sets)
{
	if (sets->stream)
		fclose(sets->stream);
	free(sets->text);
	sets->text = NULL;
	sets->waiting = 0;
	sets->stream = open_memstream(&sets->text, &sets->bytes);
	return sets->stream ? 0 : -ENOMEM;
}

/* What is ours alone, not the kernel's. */
static void free_all(struct sets *sets)
{
	if (sets->stream)
		fclose(sets->stream);
	free(sets->text);
	held_close(&sets->held);
	*sets = (struct sets){ 0 };
}

int sets_open(struct sets *sets, uint32_t mark, uint32_t mask, struct fault *fault)
{
	int error;

	*sets = (struct sets){ .mark = mark, .mask = mask };
	error = held_open(&sets->held);
	if (error)
		error = fault_system(fault, error, NULL, "the flows that are held");
	else
		error = sets_renew(sets, fault);
	if (error)
		free_all(sets);
	return error;
}

int sets_renew(struct sets *sets, struct fault *fault)
{
	char text[sizeof(made) + 64];

	snprintf(text, sizeof(text), made, ELEMENTS, ELEMENTS, ~sets->mask, sets->mark);
	held_clear(&sets->held);
	if (begin(sets))
		return fault_system(fault, -ENOMEM, NULL, "the orders");
	return run(text, fault);
}

void sets_close(struct sets *sets)
{
	struct fault fault;

	free_all(sets);
	run("table " TABLE "\ndelete table " TABLE "\n", &fault);
}

/* An element is made before it is taken away: what is not there cannot be. */
static void write_order(struct sets *sets, const struct order *order, const char *name)
{
	const struct flow_key *key = &order->key;
	int family = key->family == 4 ? AF_INET : AF_INET6;
	char lan[INET6_ADDRSTRLEN], wan[INET6_ADDRSTRLEN], element[ELEMENT_MOST];
	const char *set = key->family == 4 ? "flows4" : "flows6";

	inet_ntop(family, key->lan, lan, sizeof(lan));
	inet_ntop(family, key->wan, wan, sizeof(wan));
	snprintf(element, sizeof(element), "%s . %u . %s . %u . %u", lan, ntohs(key->lan_port), wan,
		 ntohs(key->wan_port), key->protocol);
	fprintf(sets->stream, "add element " TABLE " %s { %s }\n", set, element);
	fprintf(sets->stream, "delete element " TABLE " %s { %s }\n", set, element);
	if (order->action == ORDER_PREFER)
		fprintf(sets->stream,
			"add element " TABLE " %s { %s timeout %us comment \"%s %u%%\" }\n", set,
			element, order->ttl_s, name && *name ? name : "?", order->confidence);
	sets->waiting++;
}

static void prefer(struct sets *sets, const struct order *order, const char *name, uint32_t most)
{
	uint32_t now_s = (uint32_t)(clock_now() / NS_PER_S);

	if (!held_take(&sets->held, &order->key, now_s + order->ttl_s + LATER_S, now_s, most)) {
		sets->untaken++;
		return;
	}
	sets->added++;
	write_order(sets, order, name);
}

/* What is not held is in no set, or on its way out of it. */
static void no_more(struct sets *sets, const struct order *order)
{
	sets->removed++;
	if (held_drop(&sets->held, &order->key))
		write_order(sets, order, NULL);
}

void sets_take(struct sets *sets, const struct order *order, const char *name, uint32_t most)
{
	if (order->action == ORDER_PREFER)
		prefer(sets, order, name, most);
	else
		no_more(sets, order);
}

int sets_apply(struct sets *sets, struct fault *fault)
{
	int error = 0;

	if (!sets->waiting)
		return 0;
	if (fclose(sets->stream))
		error = fault_system(fault, -ENOMEM, NULL, "the orders");
	sets->stream = NULL;
	if (!error)
		error = run(sets->text, fault);
	if (begin(sets) && !error)
		error = fault_system(fault, -ENOMEM, NULL, "the orders");
	return error;
}
