// SPDX-License-Identifier: Apache-2.0
/* TCP_INFO and its samples. */
#include "stream/info.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

uint64_t info_rows(uint64_t duration_ms, uint64_t sample_ms, uint64_t streams)
{
	return (duration_ms / sample_ms + 2) * streams;
}

int info_open(struct info *info, size_t room)
{
	size_t bytes;

	*info = (struct info){ .room = room };
	if (!__builtin_mul_overflow(room, sizeof(*info->row), &bytes))
		info->row = malloc(bytes);
	if (!info->row)
		return -ENOMEM;
	memset(info->row, 0, bytes);
	return 0;
}

void info_close(struct info *info)
{
	free(info->row);
	info->row = NULL;
}

static uint32_t known(uint32_t value, size_t end, size_t length)
{
	return length >= end ? value : INFO_UNKNOWN;
}

#define KNOWN(member)                                                                              \
	known(tcp->member, offsetof(struct tcp_info, member) + sizeof(tcp->member), length)

void info_decode(struct info_state *state, const struct tcp_info *tcp, size_t length)
{
	*state = (struct info_state){
		.rtt_us = KNOWN(tcpi_rtt),
		.rtt_var_us = KNOWN(tcpi_rttvar),
		.cwnd = KNOWN(tcpi_snd_cwnd),
		.retransmits = KNOWN(tcpi_total_retrans),
		.send_mss = KNOWN(tcpi_snd_mss),
		.receive_mss = KNOWN(tcpi_rcv_mss),
	};
}

void info_read(int fd, struct info_state *state)
{
	struct tcp_info tcp = { 0 };
	socklen_t length = sizeof(tcp);
	int mss = 0;
	socklen_t mss_length = sizeof(mss);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &tcp, &length) < 0)
		length = 0;
	info_decode(state, &tcp, length);
	if (state->send_mss != INFO_UNKNOWN ||
	    getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &mss_length) < 0)
		return;
	state->send_mss = (uint32_t)mss;
	state->receive_mss = (uint32_t)mss;
}

/*
 * TIOCOUTQ (also called SIOCOUTQ) is what was written and not yet acknowledged, on every kernel.
 * tcpi_bytes_acked came with 4.1 and counts the SYN of the end that connected.
 */
uint64_t info_acked(int fd, uint64_t written)
{
	int queued = 0;

	if (ioctl(fd, TIOCOUTQ, &queued) < 0)
		return 0;
	return written - (uint64_t)queued;
}

void info_add(struct info *info, const struct info_state *state, uint16_t stream, uint64_t t_ns,
	      uint64_t bytes_acked)
{
	if (info->rows == info->room)
		return;
	info->row[info->rows++] = (struct info_row){
		.t_ns = t_ns,
		.bytes_acked = bytes_acked,
		.rtt_us = state->rtt_us,
		.rtt_var_us = state->rtt_var_us,
		.cwnd = state->cwnd,
		.retransmits = state->retransmits,
		.stream = stream,
	};
}

void info_report_value(struct line *line, const char *key, uint32_t value)
{
	line_integer(line, key, value == INFO_UNKNOWN ? -1 : (int64_t)value);
}

/* One field of every row. */
static void report_column(const struct info *info, struct line *line, const char *name,
			  size_t offset)
{
	line_list(line, name);
	for (size_t i = 0; i < info->rows; i++) {
		uint32_t value;

		memcpy(&value, (const char *)&info->row[i] + offset, sizeof(value));
		info_report_value(line, NULL, value);
	}
	line_close(line, ']');
}

void info_report(const struct info *info, struct line *line, const char *key)
{
	line_object(line, key);
	line_list(line, "t_ns");
	for (size_t i = 0; i < info->rows; i++)
		line_count(line, NULL, info->row[i].t_ns);
	line_close(line, ']');
	line_list(line, "stream");
	for (size_t i = 0; i < info->rows; i++)
		line_count(line, NULL, info->row[i].stream);
	line_close(line, ']');
	report_column(info, line, "rtt_us", offsetof(struct info_row, rtt_us));
	report_column(info, line, "rtt_var_us", offsetof(struct info_row, rtt_var_us));
	report_column(info, line, "cwnd", offsetof(struct info_row, cwnd));
	report_column(info, line, "retransmits", offsetof(struct info_row, retransmits));
	line_list(line, "bytes_acked");
	for (size_t i = 0; i < info->rows; i++)
		line_count(line, NULL, info->row[i].bytes_acked);
	line_close(line, ']');
	line_close(line, '}');
}
