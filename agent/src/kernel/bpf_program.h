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

struct bpf_program {
	const uint8_t *object; /* an ELF file, aligned to 8 */
	size_t object_bytes;
	const char *section;
	const char *name; /* as bpftool shows it */
	enum bpf_prog_type type;
	const char *needs; /* the kernel floor for the user: "Linux 5.17" */
	const struct bpf_map *maps;
	size_t map_count;
};

#endif
