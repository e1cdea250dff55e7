// SPDX-License-Identifier: Apache-2.0
/* Which format a capture is in, and what is wrong with it. */
#include "replay/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PCAPNG_SECTION 0x0a0d0d0a /* reads the same in both byte orders */

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

int capture_open(struct capture *capture, const char *name, const uint8_t *bytes, size_t size,
		 struct fault *fault)
{
	*capture = (struct capture){ .name = name, .bytes = bytes, .size = size };
	if (size >= 4 && be32_load(bytes) == PCAPNG_SECTION)
		return pcapng_open(capture, fault);
	if (size >= 4 && pcap_recognise(capture))
		return pcap_open(capture, fault);
	return capture_fault(capture, fault, 0, "it does not begin like a pcap or pcapng capture");
}

void capture_close(struct capture *capture)
{
	free(capture->interface);
	*capture = (struct capture){ 0 };
}
