// SPDX-License-Identifier: Apache-2.0
/*
 * look: reads this host once, by files and by netlink: what takes several programs by hand, each of
 * which a slow gateway begins for longer than it runs.
 */
#include "kernel/dump.h"
#include "verbs/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FILE_BYTES (256u << 10) /* of one file; a longer one is left out */
#define NAME_BYTES 257 /* NFT_TABLE_MAXNAMELEN, the longest of these */

enum what { LINKS = 1, QDISCS = 2, TABLES = 4, RULES = 8 };

static const char *const what_names[] = { "links", "qdiscs", "tables", "rules", NULL };

struct look_request {
	struct job job;
	struct texts files;
	unsigned int what;
	bool forget;
};

static const struct key look_keys[] = {
	KEY(look_request, files, TEXTS, .help = "list of paths below /proc and /sys"),
	KEY(look_request, what, CHOICES, .choices = what_names,
	    .help = "list of links, qdiscs, tables, rules"),
	KEY(look_request, forget, FLAG, .help = "remove every connection that is tracked"),
	{ 0 },
};

static bool is_allowed(const char *path)
{
	bool below = strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;

	return below && !strstr(path, "/../");
}

/* Into a text; its bytes, or -1. */
static ssize_t read_file(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t used = 0;
	ssize_t count = -1;

	if (fd < 0)
		return -1;
	while (used < FILE_BYTES && (count = read(fd, text + used, FILE_BYTES - used)) > 0)
		used += (size_t)count;
	close(fd);
	text[used] = '\0';
	return count ? -1 : (ssize_t)used;
}

static int read_files(struct line *line, const struct texts *files, struct fault *fault)
{
	char *text = malloc(FILE_BYTES + 1);

	if (!text)
		return fault_system(fault, -ENOMEM, "files", "memory for a file");
	line_object(line, "files");
	for (size_t i = 0; i < files->count; i++)
		if (read_file(files->item[i], text) >= 0)
			line_text(line, files->item[i], text);
	line_close(line, '}');
	free(text);
	return 0;
}

/* A text among attributes, which ends within its buffer. */
static void put_name(struct line *line, struct attributes value)
{
	char name[NAME_BYTES] = "";
	size_t bytes = value.bytes < sizeof(name) - 1 ? value.bytes : sizeof(name) - 1;

	if (value.at)
		memcpy(name, value.at, bytes);
	line_text(line, NULL, name);
}

/* The counters that tell of drops, in the order of PROTOCOL.md. */
static void put_counts(struct line *line, struct attributes value)
{
	struct rtnl_link_stats64 stats = { 0 };

	if (value.at)
		memcpy(&stats, value.at, value.bytes < sizeof(stats) ? value.bytes : sizeof(stats));
	line_count(line, NULL, stats.rx_missed_errors);
	line_count(line, NULL, stats.rx_over_errors);
	line_count(line, NULL, stats.rx_fifo_errors);
	line_count(line, NULL, stats.rx_crc_errors);
	line_count(line, NULL, stats.rx_frame_errors);
	line_count(line, NULL, stats.rx_length_errors);
	line_count(line, NULL, stats.rx_dropped);
	line_count(line, NULL, stats.tx_dropped);
}

static void put_link(void *context, const char *fixed, struct attributes rest)
{
	struct attributes xdp = dump_find(dump_find(rest, IFLA_XDP), IFLA_XDP_ATTACHED);
	struct line *line = context;
	struct ifinfomsg link;

	memcpy(&link, fixed, sizeof(link));
	line_list(line, NULL);
	put_name(line, dump_find(rest, IFLA_IFNAME));
	line_integer(line, NULL, link.ifi_index);
	line_count(line, NULL, dump_number(dump_find(rest, IFLA_MTU)));
	line_count(line, NULL, xdp.at && xdp.bytes && *xdp.at);
	put_counts(line, dump_find(rest, IFLA_STATS64));
	line_close(line, ']');
}

static void put_qdisc(void *context, const char *fixed, struct attributes rest)
{
	struct attributes queue = dump_find(dump_find(rest, TCA_STATS2), TCA_STATS_QUEUE);
	struct gnet_stats_queue counts = { 0 };
	struct line *line = context;
	struct tcmsg tc;

	memcpy(&tc, fixed, sizeof(tc));
	if (queue.at && queue.bytes >= sizeof(counts))
		memcpy(&counts, queue.at, sizeof(counts));
	line_list(line, NULL);
	put_name(line, dump_find(rest, TCA_KIND));
	line_integer(line, NULL, tc.tcm_ifindex);
	line_count(line, NULL, tc.tcm_handle);
	line_count(line, NULL, tc.tcm_parent);
	line_count(line, NULL, counts.drops);
	line_close(line, ']');
}

static void put_table(void *context, const char *fixed, struct attributes rest)
{
	struct line *line = context;
	struct nfgenmsg table;

	memcpy(&table, fixed, sizeof(table));
	line_list(line, NULL);
	line_integer(line, NULL, table.nfgen_family);
	put_name(line, dump_find(rest, NFTA_TABLE_NAME));
	line_close(line, ']');
}

static bool counts(struct attributes expressions)
{
	static const char counter[] = "counter";
	struct attributes expression;

	while (dump_next(&expressions, &expression) >= 0) {
		struct attributes name = dump_find(expression, NFTA_EXPR_NAME);

		if (name.bytes == sizeof(counter) && memcmp(name.at, counter, name.bytes) == 0)
			return true;
	}
	return false;
}

static void count_rule(void *context, const char *fixed, struct attributes rest)
{
	uint64_t *rules = context;

	(void)fixed;
	*rules += counts(dump_find(rest, NFTA_RULE_EXPRESSIONS));
}

/* How many rules of nf_tables count packets; -errno where that is not known. */
static void put_rules(struct line *line)
{
	uint64_t rules = 0;
	int error = dump_rows(NETLINK_NETFILTER, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETRULE,
			      sizeof(struct nfgenmsg), count_rule, &rules);

	line_integer(line, "rules", error ? error : (int64_t)rules);
}

static int put_list(struct line *line, const char *name, int family, uint16_t kind,
		    size_t fixed_bytes,
		    void (*row)(void *context, const char *fixed, struct attributes))
{
	int error;

	line_list(line, name);
	error = dump_rows(family, kind, fixed_bytes, row, line);
	line_close(line, ']');
	return error;
}

/* "failed": the last error of a list, which is not whole then. */
static int report(struct line *line, const struct look_request *request, struct fault *fault)
{
	int error = 0, result;

	line_begin(line, "done");
	if (request->forget)
		line_integer(line, "forgot", dump_forget_connections());
	result = read_files(line, &request->files, fault);
	if (request->what & LINKS)
		error = put_list(line, "links", NETLINK_ROUTE, RTM_GETLINK,
				 sizeof(struct ifinfomsg), put_link);
	if (!error && request->what & QDISCS)
		error = put_list(line, "qdiscs", NETLINK_ROUTE, RTM_GETQDISC, sizeof(struct tcmsg),
				 put_qdisc);
	if (!error && request->what & TABLES)
		error = put_list(line, "tables", NETLINK_NETFILTER,
				 NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETTABLE,
				 sizeof(struct nfgenmsg), put_table);
	if (request->what & RULES)
		put_rules(line);
	line_integer(line, "failed", error);
	line_end(line);
	return result;
}

static int look_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct look_request *request = given;

	for (size_t i = 0; i < request->files.count; i++)
		if (!is_allowed(request->files.item[i]))
			return fault_set(fault, -EINVAL, "files", "name paths below /proc and /sys",
					 "%s is none of these", request->files.item[i]);
	talk_ready(talk, NULL, (int)request->job.cpu);
	line_end(&talk->line);
	return report(&talk->line, request, fault);
}

const struct verb verb_look = {
	.name = "look",
	.help = "reads files and lists of this host once",
	.keys = look_keys,
	.request_bytes = sizeof(struct look_request),
	.needs = SANDBOX_READS | SANDBOX_NETLINK | SANDBOX_DEVICES,
	.run = look_run,
};
