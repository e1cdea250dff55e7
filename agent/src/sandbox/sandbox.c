// SPDX-License-Identifier: Apache-2.0
/* The order matters: without no_new_privs a filter is for CAP_SYS_ADMIN alone. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <sys/prctl.h>

const char *sandbox_enter(unsigned int needs)
{
	int error;

	sandbox_drop_rights(needs); /* who had none has nothing to give up */
	if (needs & SANDBOX_PROGRAMS) {
		prctl(PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul);
		return "none: a filter would be that of the programs, too";
	}
	error = sandbox_filter_calls(needs);
	if (!error)
		return "seccomp";
	return error == -EPERM ? "none: filters are not for this user here"
			       : "none: this kernel has no CONFIG_SECCOMP_FILTER";
}
