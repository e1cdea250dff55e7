/* SPDX-License-Identifier: Apache-2.0 */
#include "command/gateway.h"

#include "command/commands.h"

int gateway_command(struct ask *ask)
{
	static const char *const names[] = { "flow", "csum",	 "csum-inc", "nat",   "parse",
					     "crc",  "memcpy",	 "tbf",	     "wheel", "sched",
					     "aead", "compress", NULL };
	static primitive *const primitives[] = {
		gateway_flow,  gateway_checksum, gateway_incremental, gateway_nat,
		gateway_parse, gateway_crc,	 gateway_memcpy,      gateway_tbf,
		gateway_wheel, gateway_sched,	 gateway_aead,	      gateway_compress,
	};
	int choice;

	ask_text(ask, "primitive", NULL);
	choice = ask_choice(ask, "primitive", names);
	return primitives[choice](ask, names[choice]);
}
