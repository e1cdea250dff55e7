// SPDX-License-Identifier: Apache-2.0
/* Embeds the BPF program. BPF_OBJECTS is the folder in which the Makefile has built it. */
#include "kernel/object.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".globl bpf_classify\n"
	"bpf_classify:\n"
	".incbin \"" BPF_OBJECTS "/classify.bpf.o\"\n"
	".Lbpf_classify_end:\n"
	".balign 4\n"
	".globl bpf_classify_bytes\n"
	"bpf_classify_bytes:\n"
	".4byte .Lbpf_classify_end - bpf_classify\n"
	".popsection\n");
