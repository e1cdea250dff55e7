// SPDX-License-Identifier: Apache-2.0
/* Sets by nft(8), which every gateway with nftables has: one process for all orders of a moment. */
#include "node/keeper.h"
#include "sandbox/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TABLE "inet gatemark_act"
#define ELEMENT_MOST 160

struct keeper {
	struct keeper_options options;
	int fd;
	bool has_table; /* one of ours: another's stays */
	char *text; /* for nft, of the orders that were not applied yet */
	size_t bytes;
	FILE *stream;
	unsigned int orders;
};

/* Both directions show the LAN's own addresses there: NAT's way out is behind, its way in before. */
static const char made[] =
	"table " TABLE "\n"
	"delete table " TABLE "\n"
	"table " TABLE " {\n"
	"  set flows4 {\n"
	"    type ipv4_addr . inet_service . ipv4_addr . inet_service . inet_proto\n"
	"    flags timeout\n"
	"    size %" PRIu32 "\n"
	"  }\n"
	"  set flows6 {\n"
	"    type ipv6_addr . inet_service . ipv6_addr . inet_service . inet_proto\n"
	"    flags timeout\n"
	"    size %" PRIu32 "\n"
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

static int run(const char *text)
{
	pid_t process = -1;
	int status = 0, fd = start(&process);

	if (fd < 0)
		return fd;
	give(fd, text);
	if (waitpid(process, &status, 0) < 0)
		return -errno;
	return status ? -EIO : 0;
}

static int begin(struct keeper *keeper)
{
	if (keeper->stream)
		fclose(keeper->stream);
	free(keeper->text);
	keeper->text = NULL;
	keeper->orders = 0;
	keeper->stream = open_memstream(&keeper->text, &keeper->bytes);
	return keeper->stream ? 0 : -ENOMEM;
}

static int renew(struct keeper *keeper)
{
	const struct keeper_options *options = &keeper->options;
	char text[sizeof(made) + 64];
	int error = begin(keeper);

	snprintf(text, sizeof(text), made, options->elements, options->elements, ~options->mask,
		 options->mark);
	if (!error)
		error = run(text);
	if (!error)
		keeper->has_table = true;
	return error;
}

static int apply(struct keeper *keeper)
{
	int error = fclose(keeper->stream) ? -ENOMEM : 0, again;

	keeper->stream = NULL;
	if (!error && keeper->orders)
		error = run(keeper->text);
	again = begin(keeper);
	return error ? error : again;
}

/* It goes to nft, and who sent it may have been taken over. */
static bool is_plain(const char name[ORDER_NAME_MOST])
{
	const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.?";

	return memchr(name, 0, ORDER_NAME_MOST) && !name[strspn(name, letters)];
}

static bool is_order(const struct keeper_word *word)
{
	const struct order *order = &word->order;
	unsigned int protocol = order->key.protocol;

	return (order->key.family == 4 || order->key.family == 6) &&
	       (protocol == CLASSIFY_TCP || protocol == CLASSIFY_UDP) && is_plain(word->name) &&
	       (order->action == ORDER_NO_MORE || order->ttl_s);
}

/* An element is made before it is taken away: what is not there cannot be. */
static void write_order(const struct keeper *keeper, const struct keeper_word *word)
{
	const struct order *order = &word->order;
	const struct flow_key *key = &order->key;
	int family = key->family == 4 ? AF_INET : AF_INET6;
	char lan[INET6_ADDRSTRLEN], wan[INET6_ADDRSTRLEN], element[ELEMENT_MOST];
	const char *set = key->family == 4 ? "flows4" : "flows6";

	inet_ntop(family, key->lan, lan, sizeof(lan));
	inet_ntop(family, key->wan, wan, sizeof(wan));
	snprintf(element, sizeof(element), "%s . %u . %s . %u . %u", lan, ntohs(key->lan_port), wan,
		 ntohs(key->wan_port), key->protocol);
	fprintf(keeper->stream, "add element " TABLE " %s { %s }\n", set, element);
	fprintf(keeper->stream, "delete element " TABLE " %s { %s }\n", set, element);
	if (order->action == ORDER_PREFER)
		fprintf(keeper->stream,
			"add element " TABLE " %s { %s timeout %us comment \"%s %u%%\" }\n", set,
			element, order->ttl_s, *word->name ? word->name : "?", order->confidence);
}

/* 0, or -errno where there is nobody to answer any more. */
static int obey(struct keeper *keeper, const struct keeper_word *word)
{
	int32_t answer;

	if (word->what == KEEPER_ORDER) {
		if (is_order(word) && keeper->orders++ < KEEPER_ORDERS)
			write_order(keeper, word);
		return 0;
	}
	answer = word->what == KEEPER_RENEW ? renew(keeper) : apply(keeper);
	return send(keeper->fd, &answer, sizeof(answer), MSG_NOSIGNAL) == sizeof(answer) ? 0
											 : -EPIPE;
}

/* Until the other process has closed its end, or has died. */
static void serve(struct keeper *keeper)
{
	struct keeper_word word;

	while (keeper->stream && recv(keeper->fd, &word, sizeof(word), MSG_WAITALL) == sizeof(word))
		if (obey(keeper, &word))
			break;
	if (keeper->has_table)
		run("table " TABLE "\ndelete table " TABLE "\n");
}

/* A signal to all of the group, as a terminal sends it, is the other one's to heed. */
static void ignore_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_IGN); /* nft may end before it has read all */
}

int keeper_start(const struct keeper_options *options)
{
	struct keeper keeper = { .options = *options };
	int ends[2];
	pid_t process;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	process = fork();
	if (process < 0) {
		int error = -errno;

		close(ends[0]);
		close(ends[1]);
		return error;
	}
	if (process) {
		close(ends[1]);
		return ends[0];
	}
	close(ends[0]);
	ignore_signals();
	sandbox_enter(SANDBOX_DEVICES | SANDBOX_PROGRAMS);
	keeper.fd = ends[1];
	begin(&keeper);
	serve(&keeper);
	_exit(EXIT_SUCCESS);
}
