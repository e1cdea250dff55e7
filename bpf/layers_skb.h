// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The source of layers.h for a program in the kernel: the packet that it is given. */
#ifndef GM_LAYERS_SKB_H
#define GM_LAYERS_SKB_H

#include "kernel.h"
#include "layers.h"

struct layers_source {
	const struct packet *packet;
};

SHARED __u32 layers_bytes(const struct layers_source *source)
{
	return source->packet->length;
}

SHARED long layers_load(const struct layers_source *source, __u32 at, void *to, __u32 bytes)
{
	return bpf_skb_load_bytes(source->packet, at, to, bytes);
}

#endif
