// SPDX-License-Identifier: Apache-2.0
/* The reports of both ends. */
#include "connect/report.h"
#include "count/report.h"
#include "time/clock.h"

#include <string.h>

void client_report_opened(const struct client *client, struct line *line)
{
	line_begin(line, "opened");
	line_count(line, "t_ns", clock_now());
	line_count(line, "open", client->open);
	line_count(line, "failed", client->failures);
	line_text(line, "stop", stop_name(client->stop));
	line_end(line);
}

static void report_failures(const struct client *client, struct line *line)
{
	line_object(line, "failed");
	for (int i = 0; i < FAILURES; i++)
		if (client->failed[i])
			line_count(line, failure_name((enum failure)i), client->failed[i]);
	line_close(line, '}');
	if (!client->failures)
		return;
	line_object(line, "first_failure");
	line_count(line, "number", client->first_number);
	line_text(line, "why", failure_name(client->first));
	if (client->first_errno)
		line_text(line, "errno", strerror(client->first_errno));
	line_close(line, '}');
}

static void report_opening(const struct client *client, struct line *line)
{
	line_object(line, "opening");
	line_count(line, "t0_ns", client->open_t0_ns);
	line_count(line, "t1_ns", client->open_t1_ns);
	line_close(line, '}');
	line_object(line, "verify");
	line_count(line, "asked", client->verify_asked);
	line_count(line, "answered", client->verified);
	line_close(line, '}');
}

void client_report(const struct client *client, struct line *line)
{
	line_begin(line, "done");
	line_count(line, "t0_ns", client->t0_ns);
	line_count(line, "t1_ns", client->t1_ns);
	line_text(line, "stop", stop_name(client->stop));
	line_count(line, "begun", client->begun);
	line_count(line, "connected", client->connected);
	line_count(line, "opened", client->opened);
	line_count(line, "open", client->open);
	line_count(line, "skipped", client->skipped);
	report_failures(client, line);
	if (client->options.mode != MODE_CRR)
		report_opening(client, line);
	line_count(line, "scheduled", client->scheduled);
	line_count(line, "asked", client->asked);
	line_count(line, "answered", client->answered);
	histogram_report(&client->connect_ns, line, "connect_ns");
	histogram_report(&client->echo_ns, line, "echo_ns");
	if (client->late_ns.total)
		histogram_report_quantiles(&client->late_ns, line, "late_ns");
	bins_report(&client->rate, line, "rate", "connections");
	line_count(line, "cpu_ns", client->cpu_ns);
	line_count(line, "memory_bytes", client->memory_bytes);
	line_end(line);
}

void server_report(const struct server *server, struct line *line)
{
	line_begin(line, "done");
	line_count(line, "accepted", server->accepted);
	line_count(line, "strangers", server->strangers);
	line_count(line, "open", server->open);
	line_count(line, "most", server->most);
	line_text(line, "full", server->full ? server->full : "");
	line_count(line, "echoed_bytes", server->echoed_bytes);
	line_count(line, "cpu_ns", server->cpu_ns);
	line_count(line, "cpu_accept_ns", server->cpu_accept_ns);
	line_count(line, "memory_bytes", server->memory_bytes);
	line_end(line);
}
