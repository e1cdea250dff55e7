# SPDX-License-Identifier: Apache-2.0
"""The feature `capture:TOOL:SNAPLEN[:TO]`: the gateway captures what crosses its external port.

To /dev/null, or to a file on the gateway's disk (/var/tmp; of a box without one its memory) that
is removed afterwards.
"""

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Counters, Program, counting
from gatemark.node.quoted import sh, shell

Line = Callable[[str, str, str], tuple[str, ...]]  # device, snaplen, file -> command

NETSNIFF: Final = """echo {ret} > snaplen
exec netsniff-ng --in {device} --out {file} --silent --no-sock-mem --notouch-irq --filter snaplen"""
TO: Final = {"null": "/dev/null", "disk": "capture.pcap"}


def _tcpdump(device: str, snaplen: str, file: str) -> tuple[str, ...]:
    """Without -Z it would write as a user who may not write into our folder (tcpdump(1))."""
    return ("tcpdump", "-n", "-Z", "root", "-i", device, "-s", snaplen, "-w", file)


def _dumpcap(device: str, snaplen: str, file: str) -> tuple[str, ...]:
    return ("dumpcap", "-q", "-i", device, "-s", snaplen, "-w", file)


def _netsniff(device: str, snaplen: str, file: str) -> tuple[str, ...]:
    """It has no snaplen: a filter in the kernel that returns so many bytes of each packet is one.

    Socket memory and the interrupts of NICs are the whole machine's, so it must not tune them.
    """
    ret = f"{{ 0x6, 0, 0, 0x{int(snaplen):08x} }},"  # as bpfc writes it
    return sh(shell(NETSNIFF, ret=ret, device=device, file=file))


# Printed at its end; on Linux what it dropped is in what it received (pcap_stats(3)).
TCPDUMP: Final = counting(
    r"^(?P<captured>\d+) packets? captured",
    r"^(?P<received>\d+) packets? received by filter",
    r"^(?P<dropped>\d+) packets? dropped by kernel",
)
# "received" is what dumpcap read; by "pcap" the kernel dropped, by "dumpcap" and "flushed" it.
DUMPCAP: Final = counting(
    r"^Packets received/dropped on interface '.*': (?P<received1>\d+)/(?P<received2>\d+) ",
    r"Packets captured: (?P<captured>\d+)$",
    r"\(pcap:(?P<dropped1>\d+)/dumpcap:(?P<dropped2>\d+)/flushed:(?P<dropped3>\d+)/",
)
_NETSNIFF: Final = counting(
    r"^\s*(?P<received>\d+) +packets incoming \((?P<unread>\d+) unread on exit\)",
    r"^\s*(?P<dropped>\d+) +packets failed filter \(out of space\)",
)


def netsniff_counters(text: str) -> Counters:
    """Return netsniff-ng's counters: what came in, without what it dropped or left unread."""
    counters = dict(_NETSNIFF(text))
    unread = counters.pop("unread", 0)
    if "received" in counters:
        counters["captured"] = counters["received"] - counters.get("dropped", 0) - unread
    return counters


# Of the agent's last line; the file's packets are what was captured.
GATEMARK: Final = counting(
    r'"ev":"done".*"written":(?P<captured>\d+)',
    r'"ev":"done".*"captured":(?P<received>\d+)',
    r'"ev":"done".*"(?:ring|kernel)":(?P<dropped1>\d+)',
    r'"ev":"done".*"file":(?P<dropped2>\d+)',
)


def _gatemark(device: str, snaplen: str, file: str) -> tuple[str, ...]:
    """The request of the agent's `capture`."""
    return (
        json.dumps(
            {"devices": [device], "snaplen": min(max(int(snaplen), 18), 65_532), "file": file}
        ),
    )


class Tool(NamedTuple):
    """A program that captures."""

    line: Line
    counters: Callable[[str], Counters]
    # libpcap hands over a block of its ring when it is full, or after the program's own timeout:
    # tcpdump's is 1 s (pcap_set_timeout(3)), and it leaves what it has not read when it is ended.
    settle_s: float
    agent: str = ""  # the agent's verb, where it is ours
    ready: str = ""


TOOLS: Final = {
    "gatemark": Tool(_gatemark, GATEMARK, 0.1, agent="capture", ready='"ev":"ready"'),
    "tcpdump": Tool(_tcpdump, TCPDUMP, 1.2),
    "dumpcap": Tool(_dumpcap, DUMPCAP, 0.5),
    "netsniff-ng": Tool(_netsniff, netsniff_counters, 0.2),
}


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """The capture at the external port."""
    name, snaplen, to = wanted.arguments
    tool, device = TOOLS[name], wanted.outer
    return Program(
        name=wanted.word,
        command=tool.line(device, snaplen, TO[to]),
        agent=tool.agent,
        ready=tool.ready,
        device=device,
        settle_s=tool.settle_s,
        counters=tool.counters,
    )
