// SPDX-License-Identifier: Apache-2.0
/* Finding device and addresses. */
#include "port/hop.h"
#include "frame/address.h"

#include <errno.h>
#include <string.h>

/* The last byte counts up and must not overflow into another network. */
static int check_steps(const uint8_t *address, int family, unsigned int count, const char *key,
		       struct fault *fault)
{
	unsigned int last = address[family == 4 ? 3 : 15];

	if (last + count - 1 <= UINT8_MAX)
		return 0;
	return fault_set(fault, -EINVAL, key, "count fewer, or begin with a lower address",
			 "%u addresses from a last byte of %u on pass 255", count, last);
}

static int parse_addresses(struct route *route, const struct port_options *options,
			   struct fault *fault)
{
	int error = address_parse(route->family, options->source, route->source, "src", fault);

	if (!error)
		error = address_parse(route->family, options->destination, route->destination,
				      "dst", fault);
	if (!error)
		error = check_steps(route->source, route->family, options->source_count,
				    "src_count", fault);
	if (!error)
		error = check_steps(route->destination, route->family, options->destination_count,
				    "dst_count", fault);
	return error;
}

int hop_find(struct hop *hop, const struct port_options *options, struct fault *fault)
{
	int error = device_find(&hop->device, options->device, 1, "device", fault);

	if (!error)
		error = device_carries(&hop->device, options->frame_most, "frame_bytes", fault);
	if (error)
		return error;
	hop->route = (struct route){ .family = options->family,
				     .mark = options->mark,
				     .key = options->key };
	memcpy(hop->route.source_mac, hop->device.mac, sizeof(hop->route.source_mac));
	error = mac_parse(options->next_mac, hop->route.next_mac, "dst_mac", fault);
	return error ? error : parse_addresses(&hop->route, options, fault);
}
