// SPDX-License-Identifier: Apache-2.0
/*
 * Programs at tc's hooks of devices: by links that end with this process (Linux 6.6), or at clsact
 * qdiscs, which hooks_close() takes away again.
 */
#ifndef GM_HOOKS_H
#define GM_HOOKS_H

#include "talk/fault.h"

#include <stdint.h>

#define HOOKS_MOST 16

enum hooks_way { HOOKS_IN = 1, HOOKS_OUT = 2 };

struct hooks {
	struct {
		int program, link; /* -1: none */
		int clsact; /* index of a device whose clsact is ours; 0: none */
	} hook[HOOKS_MOST];
	unsigned int count;
};

/*
 * Attaches a program, which is the hooks' from now on, to a device for one way. 0 or -errno with
 * the fault of key "devices" filled.
 */
int hooks_attach(struct hooks *hooks, const char *device, enum hooks_way way, int program,
		 const char *name, struct fault *fault);

/* Packets come no more; nothing is left at the devices. */
void hooks_close(struct hooks *hooks);

/* LINKTYPE_... of a device's packets: Ethernet frames, also of lo; else, as of tunnels, IP. */
#define LINK_TYPE_ETHERNET 1
#define LINK_TYPE_RAW 101
uint16_t hooks_link_type(const char *device);

#endif
