// SPDX-License-Identifier: Apache-2.0
/*
 * A BPF program and its maps, as bpf_link.h and bpf.h take them. A program is one section of an
 * object: its entry first, then its static functions. The caller creates the maps; the program
 * refers to them by name, as undefined symbols (MAP() in bpf/kernel.h).
 */
#ifndef GM_BPF_PROGRAM_H
#define GM_BPF_PROGRAM_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_map {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_bytes, value_bytes, entries;
	int fd; /* after bpf_map_create() */
	uint32_t flags; /* BPF_F_... */
};

/* A number that a program refers to by its name (CONSTANT() in bpf/kernel.h). */
struct bpf_constant {
	const char *name;
	uint64_t value;
};

struct bpf_program {
	const uint8_t *object; /* an ELF file, aligned to 8 */
	size_t object_bytes;
	const char *section;
	const char *name; /* as bpftool shows it */
	enum bpf_prog_type type;
	const char *needs; /* the kernel floor for the user: "Linux 5.17" */
	const struct bpf_map *maps;
	size_t map_count;
	const struct bpf_constant *constants;
	size_t constant_count;
	/* Instructions before the entry's own, which they go on to with its context in R1. */
	const struct bpf_insn *prefix;
	size_t prefix_count;
};

#endif
