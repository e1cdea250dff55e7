// SPDX-License-Identifier: Apache-2.0
/* Embeds the BPF programs. BPF_OBJECTS is the folder in which the Makefile has built them. */
#include "kernel/bpf_object.h"

#define OBJECT(name)                                                                               \
	__asm__(".pushsection .rodata\n"                                                           \
		".balign 8\n"                                                                      \
		".globl bpf_" #name "\n"                                                           \
		"bpf_" #name ":\n"                                                                 \
		".incbin \"" BPF_OBJECTS "/" #name ".bpf.o\"\n"                                    \
		".Lbpf_" #name "_end:\n"                                                           \
		".balign 4\n"                                                                      \
		".globl bpf_" #name "_bytes\n"                                                     \
		"bpf_" #name "_bytes:\n"                                                           \
		".4byte .Lbpf_" #name "_end - bpf_" #name "\n"                                     \
		".popsection\n")

OBJECT(slow);
OBJECT(forward);
OBJECT(live);
OBJECT(sink);
OBJECT(capture);
OBJECT(flows);
