# SPDX-License-Identifier: Apache-2.0
"""Lines for `ip` that a host's own shell prints: a command has no room for hundreds of addresses.

One `ip` takes them all where it knows -batch (busybox's does not): a slow device needs 40 ms to
start a program.
"""

from typing import Final

from gatemark.node.quoted import Script, literal, shell
from gatemark.station.wiring import Port

FEED: Final = literal("""feed() {
if ip -batch /dev/null 2> /dev/null; then ip -force -batch -
else while read -r line; do ip $line; done; fi; }""")
FED: Final = "{feed}; {{ {lines}; }} | feed"
LOOP: Final = "n={first}; while [ $n -le {last} ]; do printf {line} $n; n=$((n + 1)); done"
LAST_PART: Final = {"ipv4": (".", 10, "%d"), "ipv6": (":", 16, "%x")}  # of an address


def fed(lines: Script) -> Script:
    """Shell that has `ip` do the lines that other shell prints, each though another fails."""
    return shell(FED, feed=FEED, lines=lines)


def each(port: Port, family: str, numbers: range, line: str) -> Script:
    """Shell that prints a line for each host number of a port's network; its %s is the address."""
    sign, base, number = LAST_PART[family]
    head, _, first = port.neighbour(family, numbers[0]).rpartition(sign)
    start = int(first, base)
    text = line % f"{head}{sign}{number}" + "\n"
    return shell(LOOP, first=start, last=start + len(numbers) - 1, line=text)
