// SPDX-License-Identifier: Apache-2.0
/* Capabilities, by the system calls: libcap would be a library for two of them. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_BPF /* both since Linux 5.8 */
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif
#define CAPABILITIES 64

/*
 * Where unprivileged BPF is off, reading a map takes a capability: CAP_SYS_ADMIN before Linux 5.8.
 * A kernel that has no CAP_BPF does not time programs on request either.
 */
uint64_t sandbox_rights(unsigned int needs, bool has_bpf)
{
	const struct {
		unsigned int need, capability;
	} kept[] = {
		{ SANDBOX_CONNECT, CAP_NET_BIND_SERVICE },
		{ SANDBOX_DEVICES | SANDBOX_LOADS, CAP_NET_ADMIN },
		{ SANDBOX_BPF | SANDBOX_LOADS, has_bpf ? CAP_BPF : CAP_SYS_ADMIN },
		{ SANDBOX_LOADS, CAP_PERFMON },
		{ SANDBOX_LOADS, CAP_SYS_RESOURCE },
		{ SANDBOX_TIMES, CAP_BPF },
		{ SANDBOX_THREAD | SANDBOX_HASTEN, CAP_SYS_NICE },
	};
	uint64_t rights = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (needs & kept[i].need)
			rights |= UINT64_C(1) << kept[i].capability;
	return rights;
}

/* What a program started from here could have at most; it takes CAP_SETPCAP, so it goes first. */
static void drop_bound(uint64_t kept)
{
	for (unsigned long i = 0; i < CAPABILITIES; i++)
		if (!(kept >> i & 1) && prctl(PR_CAPBSET_DROP, i, 0ul, 0ul, 0ul) < 0)
			break;
}

/* What was not there before cannot be kept: an agent of an ordinary user has nothing. */
int sandbox_drop_rights(unsigned int needs)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3];
	bool has_bpf = prctl(PR_CAPBSET_READ, (unsigned long)CAP_BPF, 0ul, 0ul, 0ul) >= 0;
	uint64_t rights = sandbox_rights(needs, has_bpf);

	drop_bound(needs & SANDBOX_PROGRAMS ? rights : 0);
	if (syscall(SYS_capget, &header, set) < 0)
		return -errno;
	for (unsigned int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		set[i].permitted &= (uint32_t)(rights >> 32 * i);
		set[i].effective = set[i].permitted;
		set[i].inheritable = 0; /* the ambient set goes with it */
	}
	return syscall(SYS_capset, &header, set) < 0 ? -errno : 0;
}
