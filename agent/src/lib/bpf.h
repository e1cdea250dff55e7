// SPDX-License-Identifier: Apache-2.0
/*
 * Loads BPF programs by the bpf() system call alone. A program is one section of an object: its
 * entry first, then its static functions. Maps are created by the caller and go in by name: the
 * program refers to them as undefined symbols (MAP() in bpf/kernel.h).
 */
#ifndef GM_BPF_H
#define GM_BPF_H

#include "lib/fault.h"

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_map {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_bytes, value_bytes, entries;
	int fd; /* after bpf_map_create() */
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

/* 0 or -errno with the fault filled; map->fd is -1 then. */
int bpf_map_create(struct bpf_map *map, struct fault *fault);

/* 0 or -errno. A value of a per-CPU map is one of each possible CPU, each rounded up to 8 bytes. */
int bpf_map_write(const struct bpf_map *map, const void *key, const void *value);
int bpf_map_read(const struct bpf_map *map, const void *key, void *value);

/* How many values a per-CPU map holds for a key. */
unsigned int bpf_possible_cpus(void);

/* Returns the program's descriptor or -errno with the fault filled. */
int bpf_program_load(const struct bpf_program *program, struct fault *fault);

#endif
