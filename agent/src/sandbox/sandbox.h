// SPDX-License-Identifier: Apache-2.0
/*
 * The sandbox of gm-agent, gm-classifier and gm-algorithms. Once everything is open, a job needs few
 * rights and few system calls. It gives all others up, so that a fault in what it then reads, packets
 * above all, reaches nothing else of the host. There is no way back.
 */
#ifndef GM_SANDBOX_H
#define GM_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* What a job does after `ready` besides the common: its time, its memory, its open files. */
enum sandbox_need {
	SANDBOX_SOCKETS = 1, /* sends and receives over sockets that are open */
	SANDBOX_CONNECT = 2, /* opens connections: CAP_NET_BIND_SERVICE, for low ports */
	SANDBOX_NETLINK = 4, /* asks rtnetlink */
	SANDBOX_DEVICES = 8, /* changes devices by rtnetlink: CAP_NET_ADMIN */
	SANDBOX_BPF = 16, /* reads and writes maps, runs programs: CAP_BPF, or CAP_SYS_ADMIN */
	SANDBOX_THREAD = 32, /* begins a thread and goes before it: CAP_SYS_NICE */
	SANDBOX_CHILDREN = 64, /* ends its children */
	SANDBOX_FILES = 128, /* opens, cuts and removes files, as the user that it is */
	SANDBOX_TIMES = 256, /* reads how long its BPF programs took: CAP_BPF */
	SANDBOX_HASTEN = 512, /* puts a process before others: CAP_SYS_NICE */
	SANDBOX_PRINTS = 1024, /* prints by stdio */
	SANDBOX_READS = 2048, /* opens files to read them, as the user that it is; asks of memory */
	SANDBOX_DIALS = 4096, /* opens connections, from any port */
	/*
	 * Loads and attaches BPF programs, and enters a tighter sandbox then: CAP_BPF, CAP_PERFMON,
	 * CAP_NET_ADMIN, CAP_SYS_RESOURCE; or CAP_SYS_ADMIN.
	 */
	SANDBOX_LOADS = 8192,
	SANDBOX_PROGRAMS = 16384, /* starts programs, which have no more rights; with no filter */
};

/*
 * Gives up every capability (capabilities(7)), the bounding set too, and every system call
 * (seccomp(2)) that a job with these needs can do without; sets PR_SET_NO_NEW_PRIVS. Holds for the
 * calling thread and those that it begins, so it comes before them. A call that is not allowed
 * kills the process by SIGSYS.
 *
 * Returns "seccomp"; or, where the kernel has no filters, "none: " and the reason, with the
 * capabilities given up all the same.
 */
const char *sandbox_enter(unsigned int needs);

/* The capabilities that such a job keeps, a bit for each; has_bpf: this kernel has CAP_BPF. */
uint64_t sandbox_rights(unsigned int needs, bool has_bpf);

/* Its halves. 0, or -errno; no_new_privs is the filter's. */
int sandbox_drop_rights(unsigned int needs);
int sandbox_filter_calls(unsigned int needs);

#endif
