// SPDX-License-Identifier: Apache-2.0
/* Control messages as the kernel and, on old 32-bit machines, musl lay them out. */
#include "port/control.h"
#include "tests/test.h"

#define STAMP_NS (UINT64_C(1700000000) * NS_PER_S + 42)
#define OLD_STAMP 35 /* SO_TIMESTAMPNS_OLD, of two 32-bit numbers there */

static struct {
	_Alignas(struct cmsghdr) uint8_t bytes[256];
	size_t size;
} room;

static void put(int type, const void *data, size_t bytes)
{
	struct cmsghdr *control = (struct cmsghdr *)(void *)(room.bytes + room.size);

	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = type;
	control->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(control), data, bytes);
	room.size += CMSG_SPACE(bytes);
}

static void put_stamp(void)
{
	const struct timespec stamp = { .tv_sec = 1700000000, .tv_nsec = 42 };

	put(SCM_TIMESTAMPNS, &stamp, sizeof(stamp));
}

static struct msghdr begin(void)
{
	memset(&room, 0, sizeof(room));
	return (struct msghdr){ .msg_control = room.bytes };
}

static void check_stamp(struct msghdr message)
{
	uint64_t time_ns = 0;

	message.msg_controllen = room.size;
	CHECK(control_stamp(&message, &time_ns));
	CHECK_EQUAL(time_ns, STAMP_NS);
}

TEST(control_finds_the_stamp_behind_the_kernels_own)
{
	const int32_t old[2] = { 1700000000, 42 };
	struct msghdr message = begin();

	put(SCM_TIMESTAMPNS == OLD_STAMP ? OLD_STAMP + 1000 : OLD_STAMP, old, sizeof(old));
	put_stamp();
	check_stamp(message);
}

TEST(control_finds_the_stamp_alone)
{
	struct msghdr message = begin();

	put_stamp();
	check_stamp(message);
}

TEST(control_reads_no_further_than_it_goes)
{
	struct msghdr message = begin();
	uint64_t time_ns;

	CHECK(!control_stamp(&message, &time_ns)); /* none */
	put(1, "", 1);
	message.msg_controllen = room.size;
	CHECK(!control_stamp(&message, &time_ns));
	put_stamp();
	message.msg_controllen = room.size - CMSG_SPACE(sizeof(struct timespec)) + 4; /* cut */
	CHECK(!control_stamp(&message, &time_ns));
	memset(room.bytes, 0, sizeof(room.bytes)); /* a length of 0 */
	message.msg_controllen = room.size;
	CHECK(!control_stamp(&message, &time_ns));
}
