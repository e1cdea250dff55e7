// SPDX-License-Identifier: Apache-2.0
/* Faults for the user: their reason and how to fix it. */
#include "talk/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void fault_fill(struct fault *fault, const char *key, const char *fix, const char *format, ...)
{
	va_list arguments;

	fault->key = key;
	snprintf(fault->fix, sizeof(fault->fix), "%s", fix);
	va_start(arguments, format);
	vsnprintf(fault->reason, sizeof(fault->reason), format, arguments);
	va_end(arguments);
}

const char *fault_fix(int error)
{
	switch (-error) {
	case EPERM:
	case EACCES:
		return "run the agent as root, or with CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF";
	case ENOMEM:
		return "ask for less memory: fewer flows, bins or samples, or a smaller ring";
	case EMFILE:
		return "raise the limit of open files (ulimit -n), or ask for fewer flows";
	case ENETDOWN:
		return "bring the interface up: ip link set dev NAME up";
	case EADDRNOTAVAIL:
		return "give the host this address, or correct the request";
	case EADDRINUSE:
		return "choose other ports, or end the program that uses them";
	default:
		return "see the reason";
	}
}
