# SPDX-License-Identifier: Apache-2.0
"""Settings of the gateway's connection tracking: read, and set with an undo that sets them back."""

from collections.abc import Mapping

from gatemark.gateway.changes import Changes
from gatemark.node.shell import Node

ROOT = "/proc/sys/net/netfilter"


async def read(node: Node, names: tuple[str, ...]) -> dict[str, str]:
    """Those of connection tracking that are there, by name."""
    each = f"for name in {' '.join(names)}; do"
    there = f"cd {ROOT} 2> /dev/null || exit 0"
    said = await node.run("sh", "-c", f'{there}; {each} echo "$name $(cat $name)"; done')
    pairs = [line.split() for line in said.splitlines()]
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


async def write(changes: Changes, values: Mapping[str, str], was: Mapping[str, str]) -> None:
    """Write them in order; to undo it writes back what was there. Raises NodeError."""
    back = "\n".join(f"if [ -e {ROOT}/{name} ]; then {_echo(name, was[name])}; fi" for name in was)
    await changes.make("\n".join(_echo(name, value) for name, value in values.items()), undo=back)


def _echo(name: str, value: str) -> str:
    return f"echo {value} > {ROOT}/{name}"
