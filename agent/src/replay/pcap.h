// SPDX-License-Identifier: Apache-2.0
/* pcap (draft-ietf-opsawg-pcap): times in us or ns, either byte order. */
#ifndef GM_PCAP_H
#define GM_PCAP_H

#include "replay/capture.h"

/* Whether the file begins like one; sets its byte order and tick. */
bool pcap_recognise(struct capture *capture);

/* Reads the file's header and sets capture->next. 0, or -EINVAL with the fault filled. */
int pcap_open(struct capture *capture, struct fault *fault);

#endif
