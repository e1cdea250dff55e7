// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a program of a BPF object ready for the kernel, without any system call: relocates maps
 * and static functions, and translates the function records of .BTF.ext, without which the
 * kernel takes no callback (check_ld_imm(), kernel/bpf/verifier.c).
 */
#ifndef GM_BPF_LINK_H
#define GM_BPF_LINK_H

#include "kernel/bpf_program.h"

struct bpf_linked {
	struct bpf_insn *code; /* allocated */
	size_t code_count;
	struct bpf_func_info *function; /* allocated */
	size_t function_count;
	const void *btf; /* inside the object */
	size_t btf_bytes;
};

/* 0; -ENOEXEC: not such an object; -ENOENT: a name is in no list; -ENOMEM. */
int bpf_link(struct bpf_linked *linked, const struct bpf_program *program);
void bpf_link_release(struct bpf_linked *linked);

#endif
