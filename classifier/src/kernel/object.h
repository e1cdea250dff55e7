// SPDX-License-Identifier: Apache-2.0
/* The BPF program inside this binary, as the Makefile has built it for this byte order. */
#ifndef GM_CLASSIFIER_OBJECT_H
#define GM_CLASSIFIER_OBJECT_H

#include <stdint.h>

extern const uint8_t bpf_classify[];
extern const uint32_t bpf_classify_bytes;

#endif
