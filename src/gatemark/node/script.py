# SPDX-License-Identifier: Apache-2.0
"""Run a shell script on a host, whatever shell it has: busybox ash is enough.

The script goes in by stdin, since dropbear takes a command of 9000 bytes at most (MAX_CMD_LEN in
its sysoptions.h) and rules are longer. It is read whole before it runs, so that no command in it
eats the rest.
"""

from typing import Final

from gatemark.node.quoted import Script, literal, sh
from gatemark.node.shell import Node

WHOLE = sh(literal('eval "$(cat)"'))
OVER: Final = "GATEMARK-OVER"  # ends a script that reads its stdin itself, on its way in
# A script that came by half is not run.
READ: Final = literal(
    f'while IFS= read -r line; do [ "$line" = {OVER} ] && break; script="$script$line\n"; done; '
    f'[ "$line" = {OVER} ] && eval "$script"'
)


async def script(node: Node, text: Script) -> str:
    """Run it to the end and return what it printed. Raises NodeError if it fails."""
    return await node.run(*WHOLE, stdin=text)
