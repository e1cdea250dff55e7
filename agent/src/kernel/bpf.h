// SPDX-License-Identifier: Apache-2.0
/* The bpf() system call: maps, loading and attaching programs. */
#ifndef GM_BPF_H
#define GM_BPF_H

#include "kernel/bpf_program.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* The system call. Its result, or -errno. */
int bpf_call(enum bpf_cmd command, union bpf_attr *attributes);

/* 0 or -errno with the fault filled; map->fd is -1 then. */
int bpf_map_create(struct bpf_map *map, struct fault *fault);

/* 0 or -errno. A value of a per-CPU map is one of each possible CPU, each rounded up to 8 bytes. */
int bpf_map_write(const struct bpf_map *map, const void *key, const void *value);
int bpf_map_read(const struct bpf_map *map, const void *key, void *value);

/* The key behind `key`, or the first where that is NULL; -ENOENT: there is none. */
int bpf_map_next(const struct bpf_map *map, const void *key, void *next);

/* Reads a key's value and removes both: at once since Linux 5.14. -ENOENT: it is not there. */
int bpf_map_take(const struct bpf_map *map, const void *key, void *value);

/*
 * One BPF_PROG_TEST_RUN of an XDP program on live frames (Linux 5.18): it is called repeat times,
 * each time with a page that holds data, and what it redirects leaves at the end of each batch, of
 * 256 at most. 0 or -errno; -EINTR: a signal came between two batches.
 */
struct bpf_run {
	int program;
	const void *data;
	uint32_t data_bytes;
	uint32_t repeat, batch;
};

int bpf_run_live(const struct bpf_run *run);

/* Returns the program's descriptor or -errno with the fault filled. */
int bpf_program_load(const struct bpf_program *program, struct fault *fault);

/* What the kernel says of a loaded program. 0 or -errno. */
int bpf_program_info(int program, struct bpf_prog_info *info);

/* Whether it runs as code of the processor; else the kernel interprets it. */
bool bpf_program_is_compiled(int program);

/* Lets kernels before 5.11, which charge maps to RLIMIT_MEMLOCK, make large ones. */
void bpf_allow_memory(void);

/*
 * Maps an array made with BPF_F_MMAPABLE (Linux 5.5) into memory: values one behind the other, each
 * rounded up to 8 bytes, zero at first. NULL with errno set. bpf_map_unmap() takes NULL too.
 */
void *bpf_map_memory(const struct bpf_map *map);
void bpf_map_unmap(const struct bpf_map *map, void *memory);

/* In the driver, before an skb exists; or behind it, where the driver has no XDP. */
enum bpf_xdp { BPF_XDP_NATIVE, BPF_XDP_GENERIC };

/*
 * Attaches a program to an interface by a link (Linux 5.9): it stays as long as the descriptor
 * that this returns. -errno with the fault, of key "device", filled.
 */
int bpf_attach_xdp(int program, int device_index, const char *device, enum bpf_xdp where,
		   struct fault *fault);

/*
 * The same at tc's hooks, before what tc has there (Linux 6.6, CONFIG_NET_XGRESS). Without a fault:
 * older kernels have clsact (netlink.h).
 */
enum bpf_tcx { BPF_AT_INGRESS, BPF_AT_EGRESS };
int bpf_attach_tcx(int program, int device_index, enum bpf_tcx where);

#endif
