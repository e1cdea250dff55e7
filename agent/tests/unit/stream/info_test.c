// SPDX-License-Identifier: Apache-2.0
#include "stream/info.h"
#include "tests/test.h"

#include <errno.h>

TEST(info_rows_hold_begin_and_end)
{
	CHECK_EQUAL(info_rows(1, 100, 1), 2);
	CHECK_EQUAL(info_rows(1000, 100, 1), 12);
	CHECK_EQUAL(info_rows(3600000, 10, 256), 360002ll * 256);
}

static const struct tcp_info whole = {
	.tcpi_rtt = 1,
	.tcpi_rttvar = 2,
	.tcpi_snd_cwnd = 3,
	.tcpi_total_retrans = 4,
	.tcpi_snd_mss = 1448,
	.tcpi_rcv_mss = 536,
};

TEST(info_decodes_what_is_there)
{
	struct info_state state;

	info_decode(&state, &whole, sizeof(whole));
	CHECK_EQUAL(state.rtt_us, 1);
	CHECK_EQUAL(state.rtt_var_us, 2);
	CHECK_EQUAL(state.cwnd, 3);
	CHECK_EQUAL(state.retransmits, 4);
	CHECK_EQUAL(state.send_mss, 1448);
	CHECK_EQUAL(state.receive_mss, 536);
}

/* The offsets are the kernel's, for good: include/uapi/linux/tcp.h. */
TEST(info_decodes_a_shorter_struct)
{
	struct info_state state;

	info_decode(&state, &whole, 104);
	CHECK_EQUAL(state.retransmits, 4);
	info_decode(&state, &whole, 103);
	CHECK_EQUAL(state.retransmits, INFO_UNKNOWN);
	CHECK_EQUAL(state.cwnd, 3);
	info_decode(&state, &whole, 20);
	CHECK_EQUAL(state.send_mss, 1448);
	CHECK_EQUAL(state.receive_mss, INFO_UNKNOWN);
	CHECK_EQUAL(state.rtt_us, INFO_UNKNOWN);
	info_decode(&state, &whole, 0);
	CHECK_EQUAL(state.send_mss, INFO_UNKNOWN);
}

TEST(info_keeps_no_more_than_its_room)
{
	const struct info_state state = { .rtt_us = INFO_UNKNOWN, .cwnd = 10 };
	struct line line = { .fd = -1 };
	struct info info;

	CHECK_EQUAL(info_open(&info, 2), 0);
	for (uint16_t i = 0; i < 3; i++)
		info_add(&info, &state, i, 1000, 1ull << 33);
	CHECK_EQUAL(info.rows, 2);
	info_report(&info, &line, "info");
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"info\":{\"t_ns\":[1000,1000],\"stream\":[0,1],"
				"\"rtt_us\":[-1,-1],\"rtt_var_us\":[0,0],\"cwnd\":[10,10],"
				"\"retransmits\":[0,0],"
				"\"bytes_acked\":[8589934592,8589934592]}");
	info_close(&info);
	CHECK_EQUAL(info_open(&info, SIZE_MAX / 16), -ENOMEM);
}
