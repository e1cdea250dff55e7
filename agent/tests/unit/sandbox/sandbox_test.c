// SPDX-License-Identifier: Apache-2.0
/* Each case in a child: what is not allowed kills, and there is no way back out of the sandbox. */
#include "sandbox/sandbox.h"
#include "tests/test.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_FILTERS 77 /* exit code: this kernel, or the emulator, has none */

/* What becomes of a call in the sandbox: 0, or the signal that killed; NO_FILTERS. */
static int outcome(unsigned int needs, void (*call)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (sandbox_filter_calls(needs))
			_exit(NO_FILTERS);
		call();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* As wanted, where there are filters at all. */
#define CHECK_OUTCOME(needs, call, wanted)                                                         \
	do {                                                                                       \
		int outcome_ = outcome(needs, call);                                               \
		if (outcome_ == NO_FILTERS)                                                        \
			SKIP("no filters of system calls (seccomp)");                              \
		else                                                                               \
			CHECK_EQUAL(outcome_, wanted);                                             \
	} while (0)

static void start_program(void)
{
	char *const words[] = { (char[]){ "/bin/true" }, NULL };

	execve(words[0], words, words + 1);
}

static void mount_something(void)
{
	mount("none", "/", "tmpfs", 0, NULL);
}

static void open_internet_socket(void)
{
	socket(AF_INET, SOCK_DGRAM, 0);
}

static void open_netlink_socket(void)
{
	socket(AF_NETLINK, SOCK_RAW, 0);
}

static void ask_bpf(enum bpf_cmd command)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	syscall(SYS_bpf, command, &attributes, sizeof(attributes));
}

static void read_map(void)
{
	ask_bpf(BPF_MAP_LOOKUP_ELEM);
}

static void load_program(void)
{
	ask_bpf(BPF_PROG_LOAD);
}

static void end_a_process(void)
{
	kill(0x7fffffff, SIGTERM); /* there is none: pids end at 4194304 */
}

static void take_memory(void)
{
	char *memory =
		mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory, 1 << 20);
}

TEST(sandbox_leaves_what_every_job_needs)
{
	CHECK_OUTCOME(0, take_memory, 0);
}

TEST(sandbox_starts_no_program)
{
	CHECK_OUTCOME(~0u, start_program, SIGSYS);
}

TEST(sandbox_mounts_nothing)
{
	CHECK_OUTCOME(~0u, mount_something, SIGSYS);
}

TEST(sandbox_opens_no_socket_unless_needed)
{
	CHECK_OUTCOME(SANDBOX_SOCKETS, open_internet_socket, SIGSYS);
	CHECK_OUTCOME(SANDBOX_CONNECT, open_internet_socket, 0);
}

TEST(sandbox_tells_socket_families_apart)
{
	CHECK_OUTCOME(SANDBOX_NETLINK, open_netlink_socket, 0);
	CHECK_OUTCOME(SANDBOX_NETLINK, open_internet_socket, SIGSYS);
	CHECK_OUTCOME(SANDBOX_CONNECT, open_netlink_socket, SIGSYS);
}

TEST(sandbox_reads_maps_but_loads_no_program)
{
	CHECK_OUTCOME(SANDBOX_BPF, read_map, 0);
	CHECK_OUTCOME(SANDBOX_BPF, load_program, SIGSYS);
}

static void bind_a_socket(void)
{
	bind(socket(AF_INET, SOCK_DGRAM, 0), NULL, 0);
}

static void connect_a_socket(void)
{
	connect(socket(AF_INET, SOCK_DGRAM, 0), NULL, 0);
}

TEST(sandbox_dials_from_no_port_of_its_choice)
{
	CHECK_OUTCOME(SANDBOX_DIALS, connect_a_socket, 0);
	CHECK_OUTCOME(SANDBOX_DIALS, bind_a_socket, SIGSYS);
	CHECK_OUTCOME(SANDBOX_READS, connect_a_socket, SIGSYS);
}

static void tighten(void)
{
	sandbox_filter_calls(SANDBOX_BPF);
}

static void tighten_and_load(void)
{
	tighten();
	load_program();
}

static void tighten_again(void)
{
	tighten();
	tighten();
}

TEST(sandbox_that_loads_programs_is_followed_by_one_that_does_not)
{
	CHECK_OUTCOME(SANDBOX_LOADS, load_program, 0);
	CHECK_OUTCOME(SANDBOX_LOADS, tighten, 0);
	CHECK_OUTCOME(SANDBOX_LOADS, tighten_and_load, SIGSYS);
#ifndef __SANITIZE_ADDRESS__ /* whose own runtime needs prctl() */
	CHECK_OUTCOME(SANDBOX_LOADS, tighten_again, SIGSYS);
#else
	(void)tighten_again;
#endif
}

/* A build with sanitizers opens files and sends signals itself. */
#ifndef __SANITIZE_ADDRESS__
static void read_a_file(void)
{
	open("/proc/self/status", O_RDONLY | O_CLOEXEC);
}

static void write_a_file(void)
{
	open("/dev/null", O_WRONLY);
}

static void create_a_file(void)
{
	open("/nowhere/at/all", O_RDONLY | O_CREAT, 0600);
}

TEST(sandbox_opens_files_to_read_them_alone)
{
	CHECK_OUTCOME(SANDBOX_READS, read_a_file, 0);
	CHECK_OUTCOME(SANDBOX_READS, write_a_file, SIGSYS);
	CHECK_OUTCOME(SANDBOX_READS, create_a_file, SIGSYS);
	CHECK_OUTCOME(SANDBOX_PRINTS, read_a_file, SIGSYS);
}

TEST(sandbox_kills_children_alone)
{
	CHECK_OUTCOME(SANDBOX_CHILDREN, end_a_process, SIGSYS);
}
#else
TEST(sandbox_sends_no_signal)
{
	(void)end_a_process;
	SKIP("a build with sanitizers sends signals itself");
}
#endif

static void set_class(int class)
{
	const struct sched_param none = { 0 };

	syscall(SYS_sched_setscheduler, 0x7fffffff, class, &none); /* there is no such process */
}

static void put_first(void)
{
	set_class(SCHED_FIFO);
}

static void put_last(void)
{
	set_class(SCHED_IDLE);
}

TEST(sandbox_puts_processes_first_alone)
{
	CHECK_OUTCOME(SANDBOX_HASTEN, put_first, 0);
	CHECK_OUTCOME(SANDBOX_HASTEN, put_last, SIGSYS);
	CHECK_OUTCOME(SANDBOX_CHILDREN, put_first, SIGSYS);
}

/* What was given up stays so, also for who was root. */
static void check_rights(void)
{
	sandbox_drop_rights(SANDBOX_DEVICES);
	if (prctl(PR_CAPBSET_READ, 21ul, 0ul, 0ul, 0ul) == 1 && geteuid() == 0) /* CAP_SYS_ADMIN */
		_exit(1);
	if (mount("none", "/proc/self", "tmpfs", 0, NULL) == 0)
		_exit(2);
}

TEST(sandbox_drops_rights)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		check_rights();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_EQUAL(WEXITSTATUS(status), 0);
}

#define RIGHT(capability) (UINT64_C(1) << (capability))
#define BPF_RIGHT RIGHT(39)

TEST(sandbox_keeps_what_reads_maps)
{
	CHECK_EQUAL(sandbox_rights(SANDBOX_BPF, true), BPF_RIGHT);
	CHECK_EQUAL(sandbox_rights(SANDBOX_BPF, false), RIGHT(CAP_SYS_ADMIN));
}

/* A kernel that times programs on request has CAP_BPF. */
TEST(sandbox_keeps_what_reads_times)
{
	CHECK_EQUAL(sandbox_rights(SANDBOX_TIMES, true), BPF_RIGHT);
	CHECK_EQUAL(sandbox_rights(SANDBOX_TIMES, false) & RIGHT(CAP_SYS_ADMIN), 0);
	CHECK_EQUAL(sandbox_rights(SANDBOX_SOCKETS, true), 0);
	CHECK_EQUAL(sandbox_rights(SANDBOX_DIALS | SANDBOX_READS | SANDBOX_PRINTS, true), 0);
}

/* A program that root starts has what is in the bounding set. */
static void check_programs(void)
{
	sandbox_enter(SANDBOX_DEVICES | SANDBOX_PROGRAMS);
	for (unsigned long i = 0; i < 41; i++)
		if (prctl(PR_CAPBSET_READ, i, 0ul, 0ul, 0ul) == (i != CAP_NET_ADMIN))
			_exit(1);
	_exit(prctl(PR_GET_NO_NEW_PRIVS, 0ul, 0ul, 0ul, 0ul) != 1);
}

TEST(sandbox_of_who_starts_programs_bounds_theirs)
{
	int status = 0;
	pid_t pid;

	if (geteuid() != 0) {
		SKIP("only root has rights to give up");
		return;
	}
	pid = fork();
	if (!pid)
		check_programs();
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_EQUAL(WEXITSTATUS(status), 0);
}
