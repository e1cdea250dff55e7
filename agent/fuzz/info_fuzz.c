// SPDX-License-Identifier: Apache-2.0
/* A struct tcp_info of any length, as older and newer kernels fill it: what is not there is -1. */
#include "fuzz/fuzz.h"
#include "stream/info.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

static void report(const struct info_state *state)
{
	struct line line = { .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	struct info info;

	REQUIRE(line.fd >= 0 && info_open(&info, 2) == 0);
	for (uint16_t i = 0; i < 3; i++) /* one more than there is room for */
		info_add(&info, state, i, i, i);
	REQUIRE(info.rows == 2);
	line_begin(&line, "done");
	info_report(&info, &line, "info");
	info_report_value(&line, "mss", state->send_mss);
	line_end(&line);
	info_close(&info);
	close(line.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct info_state state;
	struct tcp_info tcp;

	memset(&tcp, 0xa5, sizeof(tcp)); /* what the kernel does not fill is not to be read */
	if (size > sizeof(tcp))
		size = sizeof(tcp);
	if (size)
		memcpy(&tcp, data, size);
	info_decode(&state, &tcp, size);
	if (size < sizeof(tcp))
		REQUIRE(state.retransmits == INFO_UNKNOWN || size > 60);
	if (!size)
		REQUIRE(state.rtt_us == INFO_UNKNOWN && state.cwnd == INFO_UNKNOWN);
	report(&state);
	return 0;
}
