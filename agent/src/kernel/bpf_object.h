// SPDX-License-Identifier: Apache-2.0
/*
 * The BPF programs inside this binary: bpf/NAME.bpf.c as the Makefile has built it for this byte
 * order, an ELF file aligned to 8. A new program needs a line here and a line in bpf_object.c.
 */
#ifndef GM_BPF_OBJECT_H
#define GM_BPF_OBJECT_H

#include <stdint.h>

extern const uint8_t bpf_slow[];
extern const uint32_t bpf_slow_bytes;

extern const uint8_t bpf_forward[];
extern const uint32_t bpf_forward_bytes;

extern const uint8_t bpf_live[];
extern const uint32_t bpf_live_bytes;

extern const uint8_t bpf_sink[];
extern const uint32_t bpf_sink_bytes;

extern const uint8_t bpf_flows[];
extern const uint32_t bpf_flows_bytes;

extern const uint8_t bpf_capture[];
extern const uint32_t bpf_capture_bytes;

#endif
