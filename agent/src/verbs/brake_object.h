// SPDX-License-Identifier: Apache-2.0
/* The brake's program, an ELF file aligned to 8, inside this binary. */
#ifndef GM_BRAKE_OBJECT_H
#define GM_BRAKE_OBJECT_H

#include <stdint.h>

extern const uint8_t brake_object[];
extern const uint32_t brake_object_bytes;

#endif
