// SPDX-License-Identifier: Apache-2.0
/* Before collectors that are slow: they cost records, not the agent's time. */
#include "flows/export.h"
#include "tests/test.h"
#include "time/clock.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST_NS (20 * NS_PER_S)
#define DRIP_MS 100
#define DRIP_BYTES 3000

/* A collector that takes a little, again and again, until it is left. */
static void drip(int listener)
{
	static char taken[DRIP_BYTES];
	int fd = accept(listener, NULL, NULL);

	while (read(fd, taken, sizeof(taken)) > 0)
		poll(NULL, 0, DRIP_MS);
	_exit(0);
}

TEST(a_collector_that_drips_costs_records)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct flow_record record = { .flow.packets = { 1, 0 } };
	struct flow_export export = { .is_tcp = true };
	struct fault fault = { 0 };
	int listener = socket(AF_INET, SOCK_STREAM, 0), least = 1;
	socklen_t bytes = sizeof(at);
	uint64_t ends_ns = clock_now() + LONGEST_NS;
	pid_t child;

	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	CHECK_EQUAL(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	CHECK_EQUAL(listen(listener, 1), 0);
	CHECK_EQUAL(getsockname(listener, (struct sockaddr *)&at, &bytes), 0);
	child = fork();
	if (child == 0)
		drip(listener);
	close(listener);
	CHECK_EQUAL(flow_export_open(&export, "127.0.0.1", ntohs(at.sin_port), &fault), 0);
	setsockopt(export.fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
	while (!export.lost && clock_now() < ends_ns)
		flow_export_put(&export, &record);
	CHECK(export.lost > 0);
	CHECK(export.sent > 0);
	CHECK(export.fd < 0);
	flow_export_close(&export);
	waitpid(child, NULL, 0);
}
