// SPDX-License-Identifier: Apache-2.0
/*
 * What the kernel says of a message besides: its control messages, and its arrival stamp among them.
 * All are walked: on a 32-bit machine before Linux 5.1 musl puts the stamp of 64 bits behind the
 * kernel's own.
 */
#ifndef GM_CONTROL_H
#define GM_CONTROL_H

#include "time/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/*
 * The control message behind `before`, or the first where that is NULL; NULL: there is no more. By
 * hand, as musl's CMSG_NXTHDR() compares numbers of different signs.
 */
static inline const struct cmsghdr *control_next(const struct msghdr *message,
						 const struct cmsghdr *before)
{
	const uint8_t *at = message->msg_control;
	size_t left = message->msg_controllen;
	const struct cmsghdr *control;

	if (before) {
		size_t gone = (size_t)((const uint8_t *)before - at);
		size_t bytes = CMSG_ALIGN((size_t)before->cmsg_len);

		if (bytes >= left - gone)
			return NULL;
		at += gone + bytes;
		left -= gone + bytes;
	}
	if (left < sizeof(*control))
		return NULL;
	control = (const struct cmsghdr *)(const void *)at;
	return control->cmsg_len < sizeof(*control) ? NULL : control;
}

/* Whether this one is the arrival stamp: then the time of CLOCK_REALTIME. */
static inline bool control_is_stamp(const struct cmsghdr *control, uint64_t *time_ns)
{
	struct timespec stamp;

	if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS)
		return false;
	memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
	*time_ns = (uint64_t)stamp.tv_sec * NS_PER_S + (uint64_t)stamp.tv_nsec;
	return true;
}

/* The arrival stamp of a message, by CLOCK_REALTIME; false: it has none. */
static inline bool control_stamp(const struct msghdr *message, uint64_t *time_ns)
{
	const struct cmsghdr *control = NULL;

	while ((control = control_next(message, control)))
		if (control_is_stamp(control, time_ns))
			return true;
	return false;
}

#endif
