// SPDX-License-Identifier: Apache-2.0
/* Classic BPF: small enough to be written by hand, accepted by every kernel. */
#include "port/filter.h"
#include "frame/bytes.h"
#include "frame/frame.h"

#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>

#define EVERY_BYTE 0xffffffff

static int attach(int fd, struct sock_filter *code, unsigned short length)
{
	struct sock_fprog program = { .len = length, .filter = code };

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		return -errno;
	return 0;
}

#define ATTACH(fd, code) attach(fd, code, sizeof(code) / sizeof((code)[0]))

/*
 * Offsets count from the Ethernet header; a load beyond the frame's end drops it. A fragment cannot
 * be a test packet: the sender sets DF. bpf/sink.bpf.c takes the same frames for ours.
 */
static int attach_ipv4(int fd, uint16_t low, uint16_t high)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 14), /* version 4, at least 5 words */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x45, 0, 11),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 0x4f, 10, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 23), /* protocol */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 8),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 20), /* fragment offset, more fragments */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x3fff, 6, 0),
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 14), /* header length */
		BPF_STMT(BPF_LD | BPF_B | BPF_IND, 21), /* UDP's header is whole */
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 16), /* destination port */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, low, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, high, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, EVERY_BYTE),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return ATTACH(fd, code);
}

static int attach_ipv6(int fd, uint16_t low, uint16_t high)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 14), /* version */
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x60, 0, 7),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20), /* next header */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 61), /* UDP's header is whole */
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 56), /* destination port */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, low, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, high, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, EVERY_BYTE),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return ATTACH(fd, code);
}

int filter_attach_ports(int fd, int family, uint16_t low, uint16_t high)
{
	return family == 4 ? attach_ipv4(fd, low, high) : attach_ipv6(fd, low, high);
}

/* A word of the address after another; the first that differs drops the frame. */
int filter_attach_host(int fd, int family, const uint8_t *address, bool is_source)
{
	struct sock_filter code[2 * 4 + 2];
	unsigned short words = family == 4 ? 1 : 4, length = 0;
	uint32_t at = ETHERNET_BYTES + (family == 4 ? 12 : 8);

	if (!is_source)
		at += 4u * words;
	for (unsigned short word = 0; word < words; word++) {
		uint8_t left = (uint8_t)(2 * (words - word) - 1); /* statements up to the drop */

		code[length++] =
			(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at + 4u * word);
		code[length++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, be32_load(address + 4 * (size_t)word), 0, left);
	}
	code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, EVERY_BYTE);
	code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return attach(fd, code, length);
}

int filter_attach_nothing(int fd)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, 0) };

	return ATTACH(fd, code);
}
