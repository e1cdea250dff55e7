// SPDX-License-Identifier: Apache-2.0
/* The XDP sink's program, bpf/sink.bpf.c, as the Makefile has built it for this byte order. */
#include "verbs/sink_object.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".globl sink_object\n"
	"sink_object:\n"
	".incbin \"" SINK_OBJECT "\"\n"
	".Lsink_object_end:\n"
	".balign 4\n"
	".globl sink_object_bytes\n"
	"sink_object_bytes:\n"
	".4byte .Lsink_object_end - sink_object\n"
	".popsection\n");
