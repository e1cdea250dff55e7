# SPDX-License-Identifier: Apache-2.0
"""Run a shell script on a host, whatever shell it has: busybox ash is enough.

The script goes in by stdin, since dropbear takes a command of 9000 bytes at most (MAX_CMD_LEN in
its sysoptions.h) and rules are longer. It is read whole before it runs, so that no command in it
eats the rest.
"""

from typing import Final

from gatemark.node.quoted import Script, literal, sh, shell
from gatemark.node.shell import Node

WHOLE = sh(literal('eval "$(cat)"'))
OVER: Final = "GATEMARK-OVER"  # ends a script that reads its stdin itself, on its way in
# A script that came by half is not run.
READ: Final = literal(
    f'while IFS= read -r line; do [ "$line" = {OVER} ] && break; script="$script$line\n"; done; '
    f'[ "$line" = {OVER} ] && eval "$script"'
)


# The name is the last of a shell's arguments; `read` leaves out the zeros between them. A command
# that the shell has begun goes on, but nothing follows it.
KILL: Final = """for process in /proc/[0-9]*; do
IFS= read -r words < $process/cmdline
case $words in *{name}) kill -9 ${{process#/proc/}} ;; esac
done 2> /dev/null; true
"""


async def script(node: Node, text: Script, name: str = "") -> str:
    """Run it to the end and return what it printed. Raises NodeError if it fails.

    `name` is what `kill` knows it by.
    """
    return await node.run(*WHOLE, *((name,) if name else ()), stdin=text)


async def kill(node: Node, name: str) -> None:
    """End a script that was given up, if it still runs. Raises NodeError."""
    await script(node, shell(KILL, name=name))
