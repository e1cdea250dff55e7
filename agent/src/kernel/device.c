// SPDX-License-Identifier: Apache-2.0
/* Looks up an interface by ioctl, which for four numbers is simpler than netlink. */
#include "kernel/device.h"
#include "frame/frame.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A macro, since the C libraries do not agree on the type of ioctl()'s second argument. */
#define ask(fd, what, request) (ioctl(fd, what, request) < 0 ? -errno : 0)

static int look_up(struct device *device, int fd, struct ifreq *request, short *flags)
{
	int error = ask(fd, SIOCGIFINDEX, request);

	if (error)
		return error;
	device->index = request->ifr_ifindex;
	error = ask(fd, SIOCGIFMTU, request);
	if (error)
		return error;
	device->mtu = (uint32_t)request->ifr_mtu;
	error = ask(fd, SIOCGIFHWADDR, request);
	if (error)
		return error;
	memcpy(device->mac, request->ifr_hwaddr.sa_data, sizeof(device->mac));
	error = ask(fd, SIOCGIFFLAGS, request);
	*flags = request->ifr_flags;
	return error;
}

int device_find(struct device *device, const char *name, int must_be_up, const char *key,
		struct fault *fault)
{
	struct ifreq request = { 0 };
	short flags = 0;
	int error = -ENODEV;
	int fd;

	*device = (struct device){ .name = name };
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fault_system(fault, -errno, key, "socket");
	if (strlen(name) < sizeof(request.ifr_name)) {
		snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
		error = look_up(device, fd, &request, &flags);
	}
	close(fd);
	if (error == -ENODEV)
		return fault_set(fault, error, key, "ip link lists the interfaces there",
				 "no interface %.40s in this namespace", name);
	if (error)
		return fault_system(fault, error, key, name);
	if (must_be_up && !(flags & IFF_UP))
		return fault_set(fault, -ENETDOWN, key, "ip link set dev NAME up",
				 "interface %s is down", name);
	return 0;
}

int device_carries(const struct device *device, uint32_t frame_bytes, const char *key,
		   struct fault *fault)
{
	uint32_t packet_bytes = frame_bytes - ETHERNET_BYTES - FCS_BYTES;

	if (packet_bytes <= device->mtu)
		return 0;
	return fault_set(fault, -EINVAL, key,
			 "send smaller frames, or: ip link set dev NAME mtu BYTES",
			 "frames of %u bytes need an MTU of %u; %s has %u", frame_bytes,
			 packet_bytes, device->name, device->mtu);
}
