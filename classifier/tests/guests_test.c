// SPDX-License-Identifier: Apache-2.0
/* Connections without the key: who has many loses his own, and nobody else's. */
#include "node/guests.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct sockaddr_storage made_address(unsigned int number)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(0x0a000000 + number) };
	struct sockaddr_storage stored = { 0 };

	memcpy(&stored, &address, sizeof(address));
	return stored;
}

/* A connection from an address, which is any descriptor. */
static int come(struct guests *guests, unsigned int number)
{
	const struct sockaddr_storage from = made_address(number);

	return guests_take(guests, open("/dev/null", O_RDONLY | O_CLOEXEC), &from, 0)->fd;
}

static unsigned int places(const struct guests *guests, int fd)
{
	unsigned int count = 0;

	for (size_t i = 0; i < GUESTS; i++)
		count += guests->guest[i].fd == fd;
	return count;
}

static void end_all(struct guests *guests)
{
	for (size_t i = 0; i < GUESTS; i++)
		guest_end(&guests->guest[i]);
}

/* Of a number that nothing else gets while it is open. */
static int kept(struct guests *guests, unsigned int number)
{
	const struct sockaddr_storage from = made_address(number);
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 500);

	return guests_take(guests, fd, &from, 0)->fd;
}

TEST(who_has_his_share_loses_his_oldest)
{
	static struct guests guests;
	int other, own;

	guests_open(&guests);
	other = kept(&guests, 1);
	own = kept(&guests, 2);
	for (int i = 1; i < GUESTS_OF_ADDRESS; i++)
		come(&guests, 2);
	CHECK_EQUAL(places(&guests, own), 1);
	come(&guests, 2);
	CHECK_EQUAL(places(&guests, own), 0);
	CHECK_EQUAL(places(&guests, other), 1);
	CHECK_EQUAL(places(&guests, -1), GUESTS - 1 - GUESTS_OF_ADDRESS);
	end_all(&guests);
}

TEST(where_all_places_are_taken_whoever_has_most_loses_one)
{
	static struct guests guests;
	int own, greedy;

	guests_open(&guests);
	own = kept(&guests, 1);
	greedy = kept(&guests, 2);
	come(&guests, 2);
	come(&guests, 2);
	for (unsigned int i = 4; i < GUESTS; i++)
		come(&guests, 3 + i / 2);
	CHECK_EQUAL(places(&guests, -1), 0);
	come(&guests, 1000);
	CHECK_EQUAL(places(&guests, greedy), 0);
	CHECK_EQUAL(places(&guests, own), 1);
	for (unsigned int i = 0; i < 10; i++)
		come(&guests, 1000 + i);
	CHECK_EQUAL(places(&guests, own), 1);
	end_all(&guests);
}

TEST(addresses_of_ipv6_differ_in_all_their_bytes)
{
	static struct guests guests;
	struct sockaddr_storage stored = { 0 };
	struct sockaddr_in6 address = { .sin6_family = AF_INET6 };

	guests_open(&guests);
	for (unsigned int i = 0; i < 2 * GUESTS_OF_ADDRESS; i++) {
		address.sin6_addr.s6_addr[15] = (uint8_t)(i % 2);
		memcpy(&stored, &address, sizeof(address));
		guests_take(&guests, open("/dev/null", O_RDONLY | O_CLOEXEC), &stored, 0);
	}
	CHECK_EQUAL(places(&guests, -1), GUESTS - 2 * GUESTS_OF_ADDRESS);
	end_all(&guests);
}
