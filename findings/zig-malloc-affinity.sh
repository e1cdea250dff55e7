#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zig cc (0.16.0, 0.17.1), target musl: the first malloc() asks the kernel which CPUs the process may use.
#
# `zig cc -target x86_64-linux-musl -static` is widely taken for "clang with musl inside", so one who lists
# the system calls that a sandbox has to allow reads musl's sources: malloc() needs brk, mmap, munmap, mremap
# and madvise. Since 0.16 zig puts an allocator of its own in musl's place, which counts CPUs by
# sched_getaffinity when it is first used. Up to 0.15 it was musl's. Nothing in the command line differs, and
# a program that allocated before it closed its sandbox shows nothing.
# Whom it hurts: static programs with a seccomp filter, built by another zig than the one that was tried: they
# end with SIGSYS (exit code 159; 140 on MIPS) at their first allocation, after a rebuild of equal sources.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export HOME="$place" ZIG_GLOBAL_CACHE_DIR="$place/cache" ZIG_LOCAL_CACHE_DIR="$place/cache"
cat >first.c <<'C'
/* Says which system calls of two malloc() makes: a filter traps sched_getaffinity alone. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void trapped(int number)
{
	(void)number;
	asked = 1;
}

int main(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	void *volatile memory;

	signal(SIGSYS, trapped);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 3;
	memory = malloc(100);
	free(memory);
	return asked ? 1 : 0;
}
C
for version in 0.15.2 0.16.0 0.17.1; do
	python3 -m venv "$version"
	"$version/bin/pip" -q install --disable-pip-version-check "ziglang==$version"
	"$version/bin/python" -m ziglang cc -target "$(uname -m)-linux-musl" -static -O2 -o "first-$version" first.c
	code=0
	"./first-$version" || code=$?
	case $code in
	0) said="does not ask" ;;
	1) said="asks sched_getaffinity" ;;
	*) said="ended with $code" ;;
	esac
	echo "zig $version: the first malloc() $said"
done >seen
cat seen
grep -qx "zig 0.15.2: the first malloc() does not ask" seen
grep -qx "zig 0.16.0: the first malloc() asks sched_getaffinity" seen
grep -qx "zig 0.17.1: the first malloc() asks sched_getaffinity" seen
