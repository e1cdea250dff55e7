// SPDX-License-Identifier: Apache-2.0
/* Attaching at tc's hooks, and taking away. */
#include "kernel/hooks.h"
#include "kernel/bpf.h"
#include "kernel/netlink.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

uint16_t hooks_link_type(const char *device)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { 0 };
	int hardware = ARPHRD_ETHER;

	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	if (fd >= 0 && ioctl(fd, SIOCGIFHWADDR, &request) == 0)
		hardware = request.ifr_hwaddr.sa_family;
	if (fd >= 0)
		close(fd);
	return hardware == ARPHRD_ETHER || hardware == ARPHRD_LOOPBACK ? LINK_TYPE_ETHERNET
								       : LINK_TYPE_RAW;
}

static int refuse(struct fault *fault, int error, const char *device)
{
	if (error == -EEXIST)
		return fault_set(fault, error, "devices", "tc qdisc del dev NAME clsact",
				 "%s has a clsact or ingress qdisc already, and this kernel no "
				 "other place (Linux 6.6)",
				 device);
	return fault_system(fault, error, "devices", "attaching a program");
}

static int has_clsact(const struct hooks *hooks, int index)
{
	for (unsigned int i = 0; i < hooks->count; i++)
		if (hooks->hook[i].clsact == index)
			return 1;
	return 0;
}

/* A clsact qdisc of ours, once for both ways. */
static int attach_clsact(struct hooks *hooks, unsigned int place, int index, enum hooks_way way,
			 const char *name)
{
	int error = has_clsact(hooks, index) ? 0 : netlink_add_clsact(index);

	if (error)
		return error;
	if (!has_clsact(hooks, index))
		hooks->hook[place].clsact = index;
	return netlink_attach(index, way == HOOKS_OUT ? CLSACT_EGRESS : CLSACT_INGRESS,
			      hooks->hook[place].program, name);
}

int hooks_attach(struct hooks *hooks, const char *device, enum hooks_way way, int program,
		 const char *name, struct fault *fault)
{
	unsigned int place = hooks->count++;
	int index = (int)if_nametoindex(device);
	int error = 0;

	hooks->hook[place].program = program;
	hooks->hook[place].clsact = 0;
	hooks->hook[place].link =
		bpf_attach_tcx(program, index, way == HOOKS_OUT ? BPF_AT_EGRESS : BPF_AT_INGRESS);
	if (hooks->hook[place].link < 0)
		error = attach_clsact(hooks, place, index, way, name);
	return error ? refuse(fault, error, device) : 0;
}

void hooks_close(struct hooks *hooks)
{
	for (unsigned int i = 0; i < hooks->count; i++) {
		if (hooks->hook[i].clsact)
			netlink_remove_clsact(hooks->hook[i].clsact);
		if (hooks->hook[i].link >= 0)
			close(hooks->hook[i].link);
		close(hooks->hook[i].program);
	}
	hooks->count = 0;
}
