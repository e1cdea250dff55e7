# SPDX-License-Identifier: Apache-2.0
"""The kernel's switches, below /proc/sys and /sys: set where they are otherwise, written back."""

from collections.abc import Iterable, Mapping

from gatemark.gateway.changes import Changes
from gatemark.node.quoted import Script, joined, sh, shell
from gatemark.node.reader import reader
from gatemark.station.wiring import Gateway

READ = "for f in {paths}; do [ ! -e $f ] || echo $f $(cat $f); done"


async def read(gateway: Gateway, paths: Iterable[str] | Script) -> dict[str, str]:
    """Return the sysctls by path, without what the kernel lacks. A Script may have patterns."""
    text = await gateway.run(*sh(shell(READ, paths=paths)))
    return _values(text)


@reader("a switch of its kernel")
def _values(text: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines()}


async def write(gateway: Gateway, changes: Changes, wanted: Mapping[str, str]) -> None:
    """Set those that are there and otherwise.

    Raises UnavailableError with the kernel's word where it takes no such value.
    """
    was = await read(gateway, wanted)
    other = {path: value for path, value in was.items() if value != wanted[path]}
    if other:
        await changes.attempt(lines({path: wanted[path] for path in other}), undo=lines(other))


def lines(values: Mapping[str, str]) -> Script:
    """The commands that write them; a switch that has gone meanwhile, with its device, is left."""
    return joined(
        shell("[ ! -e {path} ] || echo {value} > {path}", value=value, path=path)
        for path, value in values.items()
    )
