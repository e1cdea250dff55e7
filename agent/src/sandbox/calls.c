// SPDX-License-Identifier: Apache-2.0
/*
 * The filter of system calls (Documentation/userspace-api/seccomp_filter.rst): a program of classic
 * BPF, made for what the job needs. What musl needs besides was read from its sources and seen with
 * strace. Numbers that a machine does not have are left out: 32-bit machines have calls with 64-bit
 * times besides the old ones, newer machines lack the old ones.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define MACHINE AUDIT_ARCH_ARM
#elif defined(__mips__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define MACHINE AUDIT_ARCH_MIPS
#elif defined(__mips__)
#define MACHINE AUDIT_ARCH_MIPSEL
#endif

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1ul << 2)
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* On 32-bit machines musl names the old calls by the size of their times. */
#ifdef SYS_clock_gettime32
#define SYS_clock_gettime SYS_clock_gettime32
#define SYS_clock_nanosleep SYS_clock_nanosleep_time32
#define SYS_timerfd_settime SYS_timerfd_settime32
#endif

#define ALWAYS 0xffffu
#define TALK (SANDBOX_SOCKETS | SANDBOX_NETLINK)
#define FILES (SANDBOX_FILES | SANDBOX_READS)
#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC) /* of open() */

/* A call, and who needs it: any of these. */
struct call {
	uint16_t number;
	uint16_t needs;
};

/* The same where one argument, an int, has one value in the bits of a mask. */
struct call_with {
	struct call call;
	uint16_t argument;
	uint32_t value;
	uint32_t mask; /* 0: all bits */
};

/* Those in measured loops come first: a kernel before 5.11 looks for them one by one. */
static const struct call calls[] = {
	{ SYS_sendmmsg, SANDBOX_SOCKETS },
	{ SYS_sendto, TALK },
	{ SYS_recvfrom, TALK },
#ifdef SYS_recvmmsg_time64
	{ SYS_recvmmsg_time64, SANDBOX_SOCKETS },
#endif
	{ SYS_recvmmsg, SANDBOX_SOCKETS },
	{ SYS_epoll_pwait, SANDBOX_SOCKETS },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, SANDBOX_SOCKETS },
#endif
	{ SYS_accept4, SANDBOX_SOCKETS },
	{ SYS_epoll_ctl, SANDBOX_SOCKETS },
	{ SYS_close, ALWAYS },
	{ SYS_setsockopt, TALK },
#ifdef SYS_clock_gettime64
	{ SYS_clock_gettime64, ALWAYS },
#endif
	{ SYS_clock_gettime, ALWAYS },
#ifdef SYS_clock_nanosleep_time64
	{ SYS_clock_nanosleep_time64, ALWAYS },
#endif
	{ SYS_clock_nanosleep, ALWAYS },
#ifdef SYS_poll
	{ SYS_poll, ALWAYS },
#endif
#ifdef SYS_ppoll_time64
	{ SYS_ppoll_time64, ALWAYS },
#endif
	{ SYS_ppoll, ALWAYS },
	{ SYS_pread64, ALWAYS },
	{ SYS_read, ALWAYS },
	{ SYS_write, ALWAYS },
	{ SYS_getsockopt, SANDBOX_SOCKETS },
	{ SYS_bind, SANDBOX_CONNECT },
	{ SYS_connect, SANDBOX_CONNECT | SANDBOX_DIALS },
	{ SYS_shutdown, SANDBOX_SOCKETS },
	{ SYS_epoll_create1, SANDBOX_SOCKETS },
#ifdef SYS_timerfd_settime64
	{ SYS_timerfd_settime64, SANDBOX_CONNECT },
#endif
	{ SYS_timerfd_settime, SANDBOX_CONNECT },
	{ SYS_wait4, SANDBOX_CHILDREN },
	{ SYS_writev, SANDBOX_PRINTS },
	{ SYS_readv, SANDBOX_READS },
#ifdef SYS_geteuid32
	{ SYS_geteuid32, SANDBOX_READS }, /* whose a file is */
#endif
	{ SYS_geteuid, SANDBOX_READS },
	{ SYS_getrandom, SANDBOX_SOCKETS },
#ifdef SYS_rt_sigtimedwait_time64
	{ SYS_rt_sigtimedwait_time64, SANDBOX_PRINTS },
#endif
	{ SYS_rt_sigtimedwait, SANDBOX_PRINTS },
#ifdef SYS_access
	{ SYS_access, SANDBOX_READS | SANDBOX_NETLINK },
#endif
	{ SYS_faccessat, SANDBOX_READS | SANDBOX_NETLINK },
	{ SYS_getrusage, SANDBOX_READS },
	{ SYS_sysinfo, SANDBOX_READS },
	{ SYS_seccomp, SANDBOX_LOADS },
	{ SYS_prctl, SANDBOX_LOADS },
	{ SYS_capget, SANDBOX_LOADS },
	{ SYS_capset, SANDBOX_LOADS },
	{ SYS_prlimit64, SANDBOX_LOADS },
	{ SYS_bpf, SANDBOX_LOADS },
#ifdef SYS_open
	{ SYS_open, SANDBOX_FILES },
	{ SYS_unlink, SANDBOX_FILES },
#endif
	{ SYS_openat, SANDBOX_FILES },
	{ SYS_unlinkat, SANDBOX_FILES },
#ifdef SYS_fcntl64
	{ SYS_fcntl64, FILES }, /* FD_CLOEXEC of what was opened */
#else
	{ SYS_fcntl, FILES },
#endif
#ifdef SYS_statx
	{ SYS_statx, FILES }, /* one of these three is fstat() */
#endif
#ifdef SYS_fstat64
	{ SYS_fstat64, FILES },
#endif
#ifdef SYS_fstat
	{ SYS_fstat, FILES },
#endif
#ifdef SYS_newfstatat
	{ SYS_newfstatat, FILES },
#endif
#ifdef SYS_ftruncate64
	{ SYS_ftruncate64, SANDBOX_FILES },
#else
	{ SYS_ftruncate, SANDBOX_FILES },
#endif
#ifdef SYS__llseek
	{ SYS__llseek, FILES },
#else
	{ SYS_lseek, FILES },
#endif
	{ SYS_mprotect, SANDBOX_THREAD }, /* of its stack */
#ifdef SYS_futex_time64
	{ SYS_futex_time64, SANDBOX_THREAD },
#endif
	{ SYS_futex, SANDBOX_THREAD },
	{ SYS_tkill, SANDBOX_THREAD },
	{ SYS_sched_getparam, SANDBOX_THREAD },
	{ SYS_sched_getscheduler, SANDBOX_THREAD },
	{ SYS_sched_setscheduler, SANDBOX_THREAD },
	{ SYS_rt_sigaction, SANDBOX_THREAD },
	{ SYS_rt_sigprocmask, ALWAYS },
	{ SYS_rt_sigreturn, ALWAYS },
#ifdef SYS_sigreturn
	{ SYS_sigreturn, ALWAYS },
#endif
	{ SYS_restart_syscall, ALWAYS }, /* after SIGCONT */
	{ SYS_sched_getaffinity, ALWAYS }, /* malloc() of zig's libc counts CPUs as it begins */
	{ SYS_brk, ALWAYS },
	{ SYS_munmap, ALWAYS },
	{ SYS_mremap, ALWAYS },
	{ SYS_madvise, ALWAYS },
#ifdef SYS_mmap2
	{ SYS_mmap2, ALWAYS },
#else
	{ SYS_mmap, ALWAYS },
#endif
	{ SYS_exit, ALWAYS },
	{ SYS_exit_group, ALWAYS },
};

/* What pthread_create() of musl asks for. */
#define THREAD                                                                                     \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
	 CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED)

static const struct call_with calls_with[] = {
#ifdef SYS_open
	{ { SYS_open, SANDBOX_READS }, 1, O_RDONLY, WRITES },
#endif
	{ { SYS_openat, SANDBOX_READS }, 2, O_RDONLY, WRITES },
	{ { SYS_ioctl, SANDBOX_PRINTS }, 1, TIOCGWINSZ, 0 }, /* whether a terminal shows it */
	{ { SYS_ioctl, SANDBOX_LOADS }, 1, SIOCGIFHWADDR, 0 },
	{ { SYS_ioctl, SANDBOX_LOADS }, 1, SIOCGIFINDEX, 0 },
	{ { SYS_socket, SANDBOX_LOADS }, 0, AF_UNIX, 0 }, /* if_nametoindex() */
	{ { SYS_prctl, ALWAYS }, 0, PR_SET_TIMERSLACK, 0 },
	{ { SYS_ioctl, SANDBOX_SOCKETS }, 1, TIOCOUTQ, 0 },
	{ { SYS_socket, SANDBOX_CONNECT | SANDBOX_DIALS | SANDBOX_LOADS }, 0, AF_INET, 0 },
	{ { SYS_socket, SANDBOX_CONNECT | SANDBOX_DIALS }, 0, AF_INET6, 0 },
	{ { SYS_socket, SANDBOX_NETLINK }, 0, AF_NETLINK, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_MAP_LOOKUP_ELEM, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_MAP_UPDATE_ELEM, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_PROG_TEST_RUN, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_MAP_GET_NEXT_KEY, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_MAP_LOOKUP_AND_DELETE_ELEM, 0 },
	{ { SYS_bpf, SANDBOX_BPF }, 0, BPF_MAP_DELETE_ELEM, 0 },
	{ { SYS_bpf, SANDBOX_TIMES }, 0, BPF_OBJ_GET_INFO_BY_FD, 0 },
	{ { SYS_clone, SANDBOX_THREAD }, 0, THREAD, 0 },
	{ { SYS_kill, SANDBOX_CHILDREN }, 1, SIGKILL, 0 },
	{ { SYS_sched_setscheduler, SANDBOX_HASTEN }, 1, SCHED_FIFO, 0 },
};

/*
 * A build with sanitizers has another libc and a runtime of its own, which begins threads, forks
 * and traces to look for leaks at the end.
 */
#ifdef __SANITIZE_ADDRESS__
/* clang-format off */
static const uint16_t of_sanitizers[] = {
	SYS_clone, SYS_clone3, SYS_set_robust_list, SYS_rseq, SYS_futex, SYS_mprotect,
	SYS_sched_yield, SYS_getpid, SYS_getppid, SYS_gettid, SYS_prctl, SYS_ptrace, SYS_wait4,
	SYS_kill, SYS_tgkill, SYS_rt_sigaction, SYS_sigaltstack, SYS_openat, SYS_getdents64,
	SYS_readlinkat, SYS_lseek, SYS_prlimit64, SYS_sched_getaffinity, SYS_sysinfo,
#ifdef SYS_open /* and the other old calls of x86-64 */
	SYS_open, SYS_getdents, SYS_readlink, SYS_newfstatat, SYS_writev,
#endif
};
/* clang-format on */
#else
static const uint16_t of_sanitizers[] = {};
#endif

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct program {
	struct sock_filter
		code[5 + 2 * (COUNT(calls) + COUNT(of_sanitizers)) + 6 * COUNT(calls_with)];
	unsigned short count;
};

static void add(struct program *program, struct sock_filter instruction)
{
	program->code[program->count++] = instruction;
}

static void load(struct program *program, size_t offset)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Goes on behind so many instructions. */
static void skip(struct program *program, uint32_t value, uint8_t if_equal, uint8_t if_not)
{
	add(program,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, if_equal, if_not));
}

static void end_with(struct program *program, uint32_t action)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void allow(struct program *program, uint16_t number)
{
	skip(program, number, 0, 1);
	end_with(program, SECCOMP_RET_ALLOW);
}

/* Arguments have 64 bits each; the lower half is what counts of an int. */
static void allow_with(struct program *program, const struct call_with *with)
{
	size_t lower = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
	size_t at = offsetof(struct seccomp_data, args) + (size_t)8 * with->argument + lower;

	skip(program, with->call.number, 0, 5);
	load(program, at);
	add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K,
						  with->mask ? with->mask : UINT32_MAX));
	skip(program, with->value, 0, 1);
	end_with(program, SECCOMP_RET_ALLOW);
	load(program, offsetof(struct seccomp_data, nr));
}

/* The machine comes first: a kernel's 32-bit calls have other numbers than its 64-bit ones. */
static void write_program(struct program *program, unsigned int needs)
{
	load(program, offsetof(struct seccomp_data, arch));
	skip(program, MACHINE, 1, 0);
	end_with(program, SECCOMP_RET_KILL_PROCESS);
	load(program, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < COUNT(calls); i++)
		if (calls[i].needs == ALWAYS || calls[i].needs & needs)
			allow(program, calls[i].number);
	/* Mostly there are none, and gcc warns of an index below 0 (-Wtype-limits). */
	for (size_t i = 0; i != COUNT(of_sanitizers); i++)
		allow(program, of_sanitizers[i]);
	for (size_t i = 0; i < COUNT(calls_with); i++)
		if (calls_with[i].call.needs == ALWAYS || calls_with[i].call.needs & needs)
			allow_with(program, &calls_with[i]);
	end_with(program, SECCOMP_RET_KILL_PROCESS);
}

/*
 * With SPEC_ALLOW, since Linux 4.17: before 5.16 a filter otherwise turns speculation off for the
 * process (Documentation/admin-guide/hw-vuln/spectre.rst), which would slow what is measured.
 */
int sandbox_filter_calls(unsigned int needs)
{
	struct program program = { .count = 0 };
	struct sock_fprog given = { .filter = program.code };

	write_program(&program, needs);
	given.len = program.count;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul) < 0)
		return -errno;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &given) ==
	    0)
		return 0;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &given) < 0 ? -errno : 0;
}
