// SPDX-License-Identifier: Apache-2.0
/* The bpf() system call: maps, programs and attaching. */
#include "kernel/bpf.h"
#include "kernel/bpf_link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG_BYTES (64 << 10)
#define ENOTSUPP 524 /* the kernel's own, which bpf() returns all the same */

int bpf_call(enum bpf_cmd command, union bpf_attr *attributes)
{
	long result = syscall(SYS_bpf, command, attributes, sizeof(*attributes));

	return result < 0 ? -errno : (int)result;
}

/* The kernel takes addresses as 64 bits, on 32-bit machines too. */
static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static int refuse(struct fault *fault, int error, const char *what, const char *needs)
{
	char fix[128];

	if (error == -EPERM || error == -EACCES)
		return fault_set(
			fault, error, NULL,
			"run as root of the first user namespace (CAP_BPF and CAP_NET_ADMIN)",
			"%s: %s", what, strerror(-error));
	snprintf(fix, sizeof(fix), "it needs %s with CONFIG_BPF_SYSCALL and BTF", needs);
	return fault_set(fault, error, NULL, fix, "%s: %s", what, strerror(-error));
}

int bpf_map_create(struct bpf_map *map, struct fault *fault)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.map_type = map->type;
	attributes.key_size = map->key_bytes;
	attributes.value_size = map->value_bytes;
	attributes.max_entries = map->entries;
	attributes.map_flags = map->flags;
	snprintf(attributes.map_name, sizeof(attributes.map_name), "%s", map->name);
	map->fd = bpf_call(BPF_MAP_CREATE, &attributes);
	if (map->fd >= 0)
		return 0;
	refuse(fault, map->fd, "creating a BPF map", "Linux 5.0");
	return map->fd;
}

static int access_map(enum bpf_cmd command, const struct bpf_map *map, const void *key,
		      const void *value)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.map_fd = (uint32_t)map->fd;
	attributes.key = address(key);
	attributes.value = address(value);
	return bpf_call(command, &attributes);
}

int bpf_map_write(const struct bpf_map *map, const void *key, const void *value)
{
	return access_map(BPF_MAP_UPDATE_ELEM, map, key, value);
}

int bpf_map_read(const struct bpf_map *map, const void *key, void *value)
{
	return access_map(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int bpf_map_next(const struct bpf_map *map, const void *key, void *next)
{
	return access_map(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

int bpf_map_take(const struct bpf_map *map, const void *key, void *value)
{
	int error = access_map(BPF_MAP_LOOKUP_AND_DELETE_ELEM, map, key, value);

	if (error != -ENOTSUPP && error != -EOPNOTSUPP && error != -EINVAL)
		return error;
	error = bpf_map_read(map, key, value);
	return error ? error : access_map(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int bpf_run_live(const struct bpf_run *run)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.test.prog_fd = (uint32_t)run->program;
	attributes.test.data_in = address(run->data);
	attributes.test.data_size_in = run->data_bytes;
	attributes.test.repeat = run->repeat;
	attributes.test.batch_size = run->batch;
	attributes.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
	return bpf_call(BPF_PROG_TEST_RUN, &attributes);
}

static int load_btf(const struct bpf_linked *linked)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.btf = address(linked->btf);
	attributes.btf_size = (uint32_t)linked->btf_bytes;
	return bpf_call(BPF_BTF_LOAD, &attributes);
}

static int load_linked(const struct bpf_program *program, const struct bpf_linked *linked, int btf,
		       char *log)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.prog_type = program->type;
	attributes.insns = address(linked->code);
	attributes.insn_cnt = (uint32_t)linked->code_count;
	attributes.license = address("Dual BSD/GPL");
	snprintf(attributes.prog_name, sizeof(attributes.prog_name), "%s", program->name);
	attributes.prog_btf_fd = (uint32_t)btf;
	attributes.func_info = address(linked->function);
	attributes.func_info_cnt = (uint32_t)linked->function_count;
	attributes.func_info_rec_size = sizeof(*linked->function);
	if (log) {
		attributes.log_level = 1;
		attributes.log_buf = address(log);
		attributes.log_size = LOG_BYTES;
	}
	return bpf_call(BPF_PROG_LOAD, &attributes);
}

/* The verifier's reason is its log's last line but for the one that counts instructions. */
static void quote_log(struct fault *fault, char *log)
{
	char *end = strstr(log, "\nprocessed ");
	char *line;

	if (end)
		*end = '\0';
	line = strrchr(log, '\n');
	snprintf(fault->reason, sizeof(fault->reason),
		 "the kernel's verifier refuses the program: %.200s", line ? line + 1 : log);
}

static int load_with_btf(const struct bpf_program *program, const struct bpf_linked *linked,
			 int btf, struct fault *fault)
{
	int result = load_linked(program, linked, btf, NULL);
	char *log;

	if (result >= 0)
		return result;
	refuse(fault, result, "loading a BPF program", program->needs);
	if (result == -EPERM)
		return result;
	/* Once more, for the reason. */
	log = calloc(1, LOG_BYTES);
	if (log && load_linked(program, linked, btf, log) < 0 && *log)
		quote_log(fault, log);
	free(log);
	return result;
}

int bpf_program_load(const struct bpf_program *program, struct fault *fault)
{
	struct bpf_linked linked;
	int result = bpf_link(&linked, program);
	int btf;

	if (result)
		return fault_set(fault, result, NULL, "this is a fault of the agent: report it",
				 "the BPF object for %s cannot be read", program->name);
	btf = load_btf(&linked);
	if (btf < 0) {
		result = refuse(fault, btf, "loading BTF", program->needs);
	} else {
		result = load_with_btf(program, &linked, btf, fault);
		close(btf);
	}
	bpf_link_release(&linked);
	return result;
}

int bpf_program_info(int program, struct bpf_prog_info *info)
{
	union bpf_attr attributes;

	memset(info, 0, sizeof(*info));
	memset(&attributes, 0, sizeof(attributes));
	attributes.info.bpf_fd = (uint32_t)program;
	attributes.info.info_len = sizeof(*info);
	attributes.info.info = address(info);
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attributes);
}

bool bpf_program_is_compiled(int program)
{
	struct bpf_prog_info info;

	return bpf_program_info(program, &info) < 0 || info.jited_prog_len;
}

void bpf_allow_memory(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
}

static size_t map_bytes(const struct bpf_map *map)
{
	size_t value = (map->value_bytes + 7u) & ~(size_t)7;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (value * map->entries + page - 1) / page * page;
}

void *bpf_map_memory(const struct bpf_map *map)
{
	void *memory = mmap(NULL, map_bytes(map), PROT_READ | PROT_WRITE, MAP_SHARED, map->fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void bpf_map_unmap(const struct bpf_map *map, void *memory)
{
	if (memory)
		munmap(memory, map_bytes(map));
}

static int refuse_xdp(struct fault *fault, int error, const char *device)
{
	switch (-error) {
	case EBUSY:
	case EEXIST: /* a generic one */
		return fault_set(fault, error, "device", "end it, or: ip link set dev NAME xdp off",
				 "another XDP program is at %s", device);
	case EOPNOTSUPP:
		return fault_set(fault, error, "device", "use the port ring",
				 "the driver of %s has no native XDP", device);
	case ERANGE:
		return fault_set(fault, error, "device", "lower the MTU at both ends",
				 "the MTU of %s or of its peer is too large for XDP", device);
	case ENOSPC:
		return fault_set(fault, error, "device", "ethtool -L NAME rx COUNT",
				 "%s has fewer receive queues than its peer has send queues",
				 device);
	case EINVAL: /* not the request's fault, as -EINVAL would mean */
		return fault_set(fault, -ENOSYS, "device",
				 "it needs Linux 5.9; or use the port ring",
				 "attaching XDP to %s by a link: %s", device, strerror(-error));
	default:
		return fault_set(fault, error, "device", fault_fix(error),
				 "attaching XDP to %s: %s", device, strerror(-error));
	}
}

int bpf_attach_xdp(int program, int device_index, const char *device, enum bpf_xdp where,
		   struct fault *fault)
{
	union bpf_attr attributes;
	int link;

	memset(&attributes, 0, sizeof(attributes));
	attributes.link_create.prog_fd = (uint32_t)program;
	attributes.link_create.target_ifindex = (uint32_t)device_index;
	attributes.link_create.attach_type = BPF_XDP;
	attributes.link_create.flags = where == BPF_XDP_NATIVE ? XDP_FLAGS_DRV_MODE
							       : XDP_FLAGS_SKB_MODE;
	link = bpf_call(BPF_LINK_CREATE, &attributes);
	return link >= 0 ? link : refuse_xdp(fault, link, device);
}

/* enum bpf_attach_type of Linux 6.6, which headers may be older than. */
#define TCX_INGRESS 46
#define TCX_EGRESS 47

int bpf_attach_tcx(int program, int device_index, enum bpf_tcx where)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.link_create.prog_fd = (uint32_t)program;
	attributes.link_create.target_ifindex = (uint32_t)device_index;
	attributes.link_create.attach_type = where == BPF_AT_EGRESS ? TCX_EGRESS : TCX_INGRESS;
	return bpf_call(BPF_LINK_CREATE, &attributes);
}
