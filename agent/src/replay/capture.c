// SPDX-License-Identifier: Apache-2.0
/* What both formats share: a fault at a place of the file, and the end. */
#include "replay/capture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void capture_fault_fill(const struct capture *capture, struct fault *fault, size_t at,
			const char *format, ...)
{
	char reason[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	fault_fill(fault, "trace", "give a whole capture: pcap or pcapng",
		   "%.100s: at byte %zu: %s", capture->name, at, reason);
}

void capture_close(struct capture *capture)
{
	free(capture->interface);
	*capture = (struct capture){ 0 };
}
