// SPDX-License-Identifier: Apache-2.0
/* The order matters: without no_new_privs a filter is for CAP_SYS_ADMIN alone. */
#include "sandbox/sandbox.h"

#include <errno.h>

const char *sandbox_enter(unsigned int needs)
{
	int error;

	sandbox_drop_rights(needs); /* who had none has nothing to give up */
	error = sandbox_filter_calls(needs);
	if (!error)
		return "seccomp";
	return error == -EPERM ? "none: filters are not for this user here"
			       : "none: this kernel has no CONFIG_SECCOMP_FILTER";
}
