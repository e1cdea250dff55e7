// SPDX-License-Identifier: Apache-2.0
#include "replay/open.h"
#include "replay/pcap.h"
#include "replay/pcapng.h"

#include <errno.h>

#define PCAPNG_SECTION 0x0a0d0d0a /* reads the same in both byte orders */

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
