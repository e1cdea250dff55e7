// SPDX-License-Identifier: Apache-2.0
/* What the ports share: how refusals are counted and reported. */
#include "port/port.h"

#include <errno.h>

/* The last entry stands for all others. */
const struct port_error port_errors[PORT_ERRORS] = {
	{ ENOBUFS, "ENOBUFS" },
	{ EAGAIN, "EAGAIN" },
	{ ENETDOWN, "ENETDOWN" },
	{ EMSGSIZE, "EMSGSIZE" },
	{ EHOSTUNREACH, "EHOSTUNREACH" },
	{ ECONNREFUSED, "ECONNREFUSED" },
	{ EPERM, "EPERM" },
	{ 0, "other" },
};

void port_refuse(struct port_tally *tally, int error, uint64_t count)
{
	int i = 0;

	while (i < PORT_ERRORS - 1 && port_errors[i].number != -error)
		i++;
	tally->errors[i] += count;
	tally->refused += count;
}

void port_report_errors(struct line *line, const struct port_tally *tally)
{
	line_object(line, "errors");
	for (int i = 0; i < PORT_ERRORS; i++)
		if (tally->errors[i])
			line_count(line, port_errors[i].name, tally->errors[i]);
	line_close(line, '}');
}
