# SPDX-License-Identifier: Apache-2.0
"""Run a shell script on a host, whatever shell it has: busybox ash is enough.

The script goes in by stdin, since dropbear takes a command of 9000 bytes at most (MAX_CMD_LEN in
its sysoptions.h) and rules are longer. It is read whole before it runs, so that no command in it
eats the rest.
"""

from gatemark.node.quoted import Script, literal, sh
from gatemark.node.shell import Node

WHOLE = sh(literal('eval "$(cat)"'))


async def script(node: Node, text: Script) -> str:
    """Run it to the end and return what it printed. Raises NodeError if it fails."""
    return await node.run(*WHOLE, stdin=text)
