// SPDX-License-Identifier: Apache-2.0
/* Why a connection came to nothing: by its errno, and in words. */
#include "connect/conn.h"

#include <errno.h>

enum failure failure_of(int error, bool connecting)
{
	switch (error) {
	case ECONNREFUSED:
		return FAILURE_REFUSED;
	case ECONNRESET:
	case EPIPE:
		return connecting ? FAILURE_REFUSED : FAILURE_RESET;
	case ETIMEDOUT:
		return connecting ? FAILURE_NO_ANSWER : FAILURE_NO_ECHO;
	case ENETUNREACH:
	case EHOSTUNREACH:
		return FAILURE_UNREACHABLE;
	case EADDRINUSE:
	case EADDRNOTAVAIL:
		return FAILURE_NO_PORT;
	case EMFILE:
	case ENFILE:
		return FAILURE_NO_DESCRIPTOR;
	case ENOMEM:
	case ENOBUFS:
		return FAILURE_NO_MEMORY;
	default:
		return FAILURE_OTHER;
	}
}

const char *failure_name(enum failure failure)
{
	static const char *const names[] = {
		[FAILURE_REFUSED] = "refused",	       [FAILURE_NO_ANSWER] = "no answer",
		[FAILURE_NO_ECHO] = "no echo",	       [FAILURE_RESET] = "reset",
		[FAILURE_UNREACHABLE] = "unreachable", [FAILURE_GARBLED] = "garbled",
		[FAILURE_NO_PORT] = "no port",	       [FAILURE_NO_DESCRIPTOR] = "no descriptor",
		[FAILURE_NO_MEMORY] = "no memory",     [FAILURE_OTHER] = "other",
	};

	return names[failure];
}

const char *stop_name(enum stop stop)
{
	static const char *const names[] = {
		[STOP_NONE] = "none",	  [STOP_CONNECTIONS] = "connections",
		[STOP_FAILED] = "failed", [STOP_TIME] = "time",
		[STOP_TOLD] = "told",
	};

	return names[stop];
}
