// SPDX-License-Identifier: Apache-2.0
/*
 * Finds out whether a device takes live frames. A device that cannot loses them without an error: a
 * veth whose other end has no NAPI (veth_xdp_xmit(), drivers/net/veth.c), a driver without
 * ndo_xdp_xmit. So a frame that no host understands is sent, and the device's counters are read.
 */
#include "count/counters.h"
#include "port/live.h"
#include "time/clock.h"

#include <errno.h>
#include <string.h>

#define PROBE_BYTES 60
#define PROBE_TRIES 3
#define PROBE_WAIT_NS (200 * NS_PER_MS)
#define EXPERIMENTAL 0x88b5 /* EtherType, IEEE 802 local experimental 1 */

static int run_probe(const struct live *live, struct fault *fault)
{
	uint8_t frame[PROBE_BYTES] = { 0 };
	const struct bpf_run run = {
		.program = live->probe,
		.data = frame,
		.data_bytes = sizeof(frame),
		.repeat = 1,
		.batch = 1,
	};
	int error;

	memcpy(frame, live->hop.route.next_mac, 6);
	memcpy(frame + 6, live->hop.route.source_mac, 6);
	be16_store(frame + 12, EXPERIMENTAL);
	error = bpf_run_live(&run);
	if (!error)
		return 0;
	return fault_set(fault, error, "port", "it needs Linux 5.18 and root", "live frames: %s",
			 strerror(-error));
}

/* The counters, once they have changed or the time is over. */
static int await_counters(const struct live *live, const struct counters *before,
			  struct counters *after)
{
	uint64_t end = clock_now() + PROBE_WAIT_NS;
	int error;

	for (;;) {
		error = counters_read(after, live->hop.device.index);
		if (error || after->sent_packets != before->sent_packets ||
		    after->sent_dropped != before->sent_dropped || clock_now() >= end)
			return error;
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
}

/* True if just the probe has gone: one frame of its size, with FCS or without. */
static bool is_probe(const struct counters *before, const struct counters *after)
{
	uint64_t bytes = after->sent_bytes - before->sent_bytes;

	return after->sent_packets - before->sent_packets == 1 && bytes >= PROBE_BYTES &&
	       bytes <= PROBE_BYTES + FCS_BYTES;
}

/* The host may send at the same moment (neighbour discovery), so it is tried several times. */
int live_try(const struct live *live, struct fault *fault)
{
	const char *name = live->hop.device.name;
	struct counters before, after = { 0 };

	for (int i = 0; i < PROBE_TRIES; i++) {
		int error = counters_read(&before, live->hop.device.index);

		if (error)
			return fault_system(fault, error, "device", "reading its counters");
		error = run_probe(live, fault);
		if (error)
			return error;
		error = await_counters(live, &before, &after);
		if (error)
			return fault_system(fault, error, "device", "reading its counters");
		if (is_probe(&before, &after))
			return 0;
		if (after.sent_packets == before.sent_packets)
			break;
	}
	return fault_set(
		fault, -ENOTSUP, "port",
		"a veth's other end needs NAPI: ethtool -K PEER gro on, or an XDP program "
		"there; a NIC's driver needs ndo_xdp_xmit",
		"a live frame did not leave %.40s: its other end has no NAPI, or the driver "
		"does not take such frames",
		name);
}
