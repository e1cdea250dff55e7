// SPDX-License-Identifier: Apache-2.0
/* What the kernel knows of a connection (TCP_INFO), and samples of it over time. */
#ifndef GM_INFO_H
#define GM_INFO_H

#include "talk/fault.h"
#include "talk/line.h"

#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>

#define INFO_ROWS_MAX 1000000 /* 40 MiB */
#define INFO_UNKNOWN UINT32_MAX /* reported as -1 */

struct info_state {
	uint32_t rtt_us, rtt_var_us;
	uint32_t cwnd; /* segments */
	uint32_t retransmits; /* segments, since the connection was opened */
	uint32_t send_mss, receive_mss;
};

struct info_row {
	uint64_t t_ns, bytes_acked;
	uint32_t rtt_us, rtt_var_us, cwnd, retransmits;
	uint16_t stream;
};

struct info {
	struct info_row *row;
	size_t rows, room;
};

/* Rows that a job may need: one at its begin, one each interval, one at its end. */
uint64_t info_rows(uint64_t duration_ms, uint64_t sample_ms, uint64_t streams);

/* Takes and touches the memory. 0 or -ENOMEM. */
int info_open(struct info *info, size_t room);
void info_close(struct info *info);

/* Picks what is there of a struct tcp_info of which the kernel filled length bytes. */
void info_decode(struct info_state *state, const struct tcp_info *tcp, size_t length);

void info_read(int fd, struct info_state *state);

/* Bytes of those written that the peer has acknowledged. */
uint64_t info_acked(int fd, uint64_t written);

/* Adds a row; does nothing where there is no room. */
void info_add(struct info *info, const struct info_state *state, uint16_t stream, uint64_t t_ns,
	      uint64_t bytes_acked);

/* The columns. */
void info_report(const struct info *info, struct line *line, const char *key);

/* A value, or -1 where it is unknown. */
void info_report_value(struct line *line, const char *key, uint32_t value);

#endif
