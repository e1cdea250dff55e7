/* SPDX-License-Identifier: Apache-2.0 */
/* The program's commands: each takes its words, does its work, checks it, and prints records. */
#ifndef GM_COMMAND_COMMANDS_H
#define GM_COMMAND_COMMANDS_H

#include "program/ask.h"

int lpm_command(struct ask *ask); /* longest prefix match */
int filter_command(struct ask *ask); /* set membership */
int match_command(struct ask *ask); /* pattern matching */
int gateway_command(struct ask *ask); /* what a gateway does besides, packet by packet */
int platform_command(struct ask *ask); /* memory, clock, caches */

#endif
