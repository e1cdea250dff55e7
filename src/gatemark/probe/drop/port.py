# SPDX-License-Identifier: Apache-2.0
"""The drops of ports and CPUs' backlogs. Files: sysfs-class-net-statistics, net-procfs.c."""

from collections.abc import Collection, Iterator
from typing import Final

from gatemark.node.quoted import literal
from gatemark.probe.drop.part import Part, View, of_machine
from gatemark.store.drops import BACKLOG, INGRESS, PORT_IN, PORT_OUT, Drop

CARD: Final = (
    *("rx_missed_errors", "rx_over_errors", "rx_fifo_errors"),
    *("rx_crc_errors", "rx_frame_errors", "rx_length_errors"),
)
FILES: Final = (*CARD, "rx_dropped", "tx_dropped")
READ: Final = literal(
    "for port in $devices; do for file in " + " ".join(FILES) + "; do "
    "read -r count < /sys/class/net/$port/statistics/$file && echo $port $file $count; done; done"
)
# Three calls of ethtool take a slow gateway a fifth of a second: only where there is a program.
XDP: Final = literal(
    "case $(ip -o link show) in *xdp*) command -v ethtool > /dev/null && for port in $devices; do "
    'ethtool -S $port | sed -n "s/^ *\\([^ ]*xdp_drops\\{0,1\\}\\): */$port \\1 /p"; done ;; esac'
)
BACKLOG_COLUMN: Final = 1  # in hex: processed, dropped, squeezed


def ports(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """A card's own counters; `rx_dropped` only of a port whose driver tells nothing else."""
    counts = {(port, name): count for port, name, count in _rows(lines)}
    for port in devices:
        own = {name: counts.get((port, name), 0) for name in CARD}
        for name, count in own.items():
            yield Drop(stage=PORT_IN, cause=name, where=port, packets=count)
        if not any(own.values()):
            count = counts.get((port, "rx_dropped"), 0)
            yield Drop(stage=PORT_IN, cause="rx_dropped", where=port, packets=count)
        count = counts.get((port, "tx_dropped"), 0)
        yield Drop(stage=PORT_OUT, cause="tx_dropped", where=port, packets=count)


def backlog(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """The kernel counts these at the port once more."""
    del devices
    count = sum(int(line.split()[BACKLOG_COLUMN], 16) for line in lines)
    yield Drop(stage=BACKLOG, cause="softnet dropped", packets=count, counted_in="rx_dropped")


def xdp(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Each receive queue's, as the driver counts it."""
    del devices
    for port, name, count in _rows(lines):
        yield Drop(stage=INGRESS, cause=name, where=port, packets=count)


def _rows(lines: list[str]) -> Iterator[tuple[str, str, int]]:
    for line in lines:
        port, name, count = line.split()
        yield port, name, int(count)


def ports_near(view: View) -> str:
    """The files' numbers by rtnetlink."""
    there = [port for port in view.devices if port in view.links]
    rows = ((port, file, view.links[port].counts[file]) for port in there for file in FILES)
    return "\n".join(f"{port} {file} {count}" for port, file, count in rows)


def xdp_near(view: View) -> str | None:
    """Nothing where no port has a program."""
    return None if any(link.has_xdp for link in view.links.values()) else ""


PARTS: Final = (
    Part("ports", READ, ports, "no statistics in sysfs", near=ports_near),
    of_machine("backlog", "/proc/net/softnet_stat", backlog, "no softnet_stat"),
    Part("XDP", XDP, xdp, "no ethtool", near=xdp_near),
)
