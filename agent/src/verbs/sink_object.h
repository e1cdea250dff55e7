// SPDX-License-Identifier: Apache-2.0
/* The XDP sink's program, an ELF file aligned to 8, inside this binary. */
#ifndef GM_SINK_OBJECT_H
#define GM_SINK_OBJECT_H

#include <stdint.h>

extern const uint8_t sink_object[];
extern const uint32_t sink_object_bytes;

#endif
