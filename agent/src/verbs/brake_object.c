// SPDX-License-Identifier: Apache-2.0
/* The brake's program, bpf/brake.bpf.c, as the Makefile has built it for this byte order. */
#include "verbs/brake_object.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".globl brake_object\n"
	"brake_object:\n"
	".incbin \"" BRAKE_OBJECT "\"\n"
	".Lbrake_object_end:\n"
	".balign 4\n"
	".globl brake_object_bytes\n"
	"brake_object_bytes:\n"
	".4byte .Lbrake_object_end - brake_object\n"
	".popsection\n");
