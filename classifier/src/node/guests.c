// SPDX-License-Identifier: Apache-2.0
/* Places for connections without a name. */
#include "node/guests.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

void guests_open(struct guests *guests)
{
	guests->came = 0;
	for (size_t i = 0; i < GUESTS; i++)
		guests->guest[i].fd = -1;
}

void guest_end(struct guest *guest)
{
	if (guest->fd >= 0)
		close(guest->fd);
	guest->fd = -1;
}

static void read_address(uint8_t address[16], const struct sockaddr_storage *from)
{
	memset(address, 0, 16);
	if (from->ss_family == AF_INET)
		memcpy(address, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else if (from->ss_family == AF_INET6)
		memcpy(address, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
}

static unsigned int count(const struct guests *guests, const uint8_t address[16])
{
	unsigned int same = 0;

	for (size_t i = 0; i < GUESTS; i++)
		same += guests->guest[i].fd >= 0 &&
			memcmp(guests->guest[i].address, address, 16) == 0;
	return same;
}

/* The oldest of an address, which has one. */
static struct guest *oldest(struct guests *guests, const uint8_t address[16])
{
	struct guest *found = NULL;

	for (size_t i = 0; i < GUESTS; i++) {
		struct guest *guest = &guests->guest[i];

		if (guest->fd >= 0 && memcmp(guest->address, address, 16) == 0 &&
		    (!found || guest->number < found->number))
			found = guest;
	}
	return found;
}

static const uint8_t *greediest(const struct guests *guests)
{
	const struct guest *found = &guests->guest[0];
	unsigned int most = 0;

	for (size_t i = 0; i < GUESTS; i++) {
		unsigned int same = count(guests, guests->guest[i].address);

		if (same > most) {
			found = &guests->guest[i];
			most = same;
		}
	}
	return found->address;
}

static struct guest *free_place(struct guests *guests)
{
	for (size_t i = 0; i < GUESTS; i++)
		if (guests->guest[i].fd < 0)
			return &guests->guest[i];
	return NULL;
}

struct guest *guests_take(struct guests *guests, int fd, const struct sockaddr_storage *from,
			  uint64_t now_s)
{
	uint8_t address[16];
	struct guest *place;

	read_address(address, from);
	place = count(guests, address) >= GUESTS_OF_ADDRESS ? oldest(guests, address)
							    : free_place(guests);
	if (!place)
		place = oldest(guests, greediest(guests));
	guest_end(place);
	place->fd = fd;
	place->number = guests->came++;
	place->since_s = now_s;
	place->got = 0;
	memcpy(place->address, address, sizeof(address));
	return place;
}

/* How many bytes of the message that is coming are to be read next; 0: it is none. */
static size_t wanted(const uint8_t bytes[ORDER_MOST], size_t got)
{
	size_t length = ORDER_HEADER_BYTES;

	if (got >= length)
		length = order_length(bytes);
	return length > got ? length - got : 0;
}

enum heard message_hear(int fd, uint8_t bytes[ORDER_MOST], size_t *got)
{
	ssize_t more = recv(fd, bytes + *got, wanted(bytes, *got), MSG_DONTWAIT);

	if (more < 0 && (errno == EAGAIN || errno == EINTR))
		return HEARD_PART;
	if (more <= 0)
		return HEARD_END;
	*got += (size_t)more;
	if (wanted(bytes, *got))
		return HEARD_PART;
	return order_length(bytes) ? HEARD_MESSAGE : HEARD_NONSENSE;
}
