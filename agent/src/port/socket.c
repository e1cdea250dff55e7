// SPDX-License-Identifier: Apache-2.0
/* Socket options and bursts. */
#include "port/socket.h"
#include "frame/address.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define SEND_BUFFER_BYTES (64 << 20)
#define SEND_BLOCK_US 10000

static void force_buffer(int fd, int forced, int plain, int bytes)
{
	/* The forced option ignores net.core.[rw]mem_max and needs CAP_NET_ADMIN. */
	if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, plain, &bytes, sizeof(bytes));
}

/*
 * A frame stays charged to the sender's buffer until it was consumed: on a veth by the
 * gateway's ip_rcv(), so its whole queue has to fit. A full buffer blocks, which is the device's
 * own pace (the schedule then shows it as late), but not so long that a closed stdin goes unseen.
 * Without a schedule that pace is what we want: the kernel's default then holds the sender to what
 * the receiving side takes, and no time is spent on packets that a full queue drops.
 */
void socket_size_send(int fd, bool paced)
{
	struct timeval most = { .tv_usec = SEND_BLOCK_US };

	if (paced)
		force_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, SEND_BUFFER_BYTES);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
}

static int bounded(size_t bytes)
{
	return bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;
}

void socket_size_receive(int fd, size_t bytes)
{
	force_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, bounded(bytes));
}

void socket_size_output(int fd, size_t bytes)
{
	force_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, bounded(bytes));
}

int socket_open_raw(int device_index, bool paced, struct fault *fault)
{
	/* Protocol 0 even in bind(): __register_prot_hook() is then not called (af_packet.c). */
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = device_index };
	int yes = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int error = fd < 0 ? fault_system(fault, -errno, "port", "a raw socket") : 0;

	if (!error && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		error = fault_system(fault, -errno, "device", "binding the raw socket");
	if (!error && setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes)) < 0)
		error = fault_system(fault, -errno, "port", "bypassing the qdisc");
	if (error) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	socket_size_send(fd, paced);
	return fd;
}

/*
 * The system call itself: musl's sendmmsg() is a loop of sendmsg() on 64-bit machines, because the
 * kernel takes some lengths as 64 bits where POSIX has int (src/network/sendmmsg.c). The padding
 * beside them is zero in messages that were allocated as zero, on either byte order.
 */
static int send_burst(int fd, struct mmsghdr *messages, unsigned int count)
{
	return (int)syscall(SYS_sendmmsg, fd, messages, count, 0);
}

/* True if the socket's own buffer is what holds it up: sock_alloc_send_pskb(), net/core/sock.c. */
static bool is_full(int fd)
{
	int queued = 0;
	int room = INT32_MAX;
	socklen_t length = sizeof(room);

	if (ioctl(fd, TIOCOUTQ, &queued) < 0)
		return false;
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &length);
	return queued >= room;
}

/*
 * sendmmsg() stops at the first message that fails and returns the errno only if it was the first
 * of all (___sys_sendmmsg, net/socket.c). So behind a partial count stands one message that was
 * refused, unless the buffer stayed full; ENOBUFS means a full queue, and a lasting error shows
 * itself in the next call.
 */
unsigned int socket_send(int fd, struct mmsghdr *messages, unsigned int count,
			 struct port_tally *tally)
{
	unsigned int done = 0;

	while (done < count) {
		int sent = send_burst(fd, messages + done, count - done);

		tally->calls++;
		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			return done;
		if (sent < 0) {
			port_refuse(tally, -errno, 1);
			done++;
			continue;
		}
		tally->sent += (unsigned int)sent;
		done += (unsigned int)sent;
		if (done < count && is_full(fd))
			return done;
		if (done < count) {
			port_refuse(tally, -ENOBUFS, 1);
			done++;
		}
	}
	return done;
}

/* It is shorter than an Ethernet header, which packet_snd() sees last (net/packet/af_packet.c). */
void socket_warm(int fd)
{
	uint8_t byte = 0;
	ssize_t refused = send(fd, &byte, sizeof(byte), MSG_DONTWAIT);

	(void)refused;
}

int socket_allow(size_t descriptors)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	if (limit.rlim_cur >= descriptors)
		return 0;
	limit.rlim_cur = descriptors;
	if (limit.rlim_max < descriptors)
		limit.rlim_max = descriptors;
	return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -EMFILE : 0;
}

int socket_open_udp(int family, int flags)
{
	int yes = 1;
	int fd = socket(family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		return -errno;
	if (family == 6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	return fd;
}

int socket_bind_udp(int fd, int family, const uint8_t *bytes, uint16_t port)
{
	struct sockaddr_storage address;
	socklen_t length = address_fill(&address, family, bytes, port);

	return bind(fd, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}
