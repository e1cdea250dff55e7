# SPDX-License-Identifier: Apache-2.0
"""The feature `flow-export:TOOL`: the gateway keeps records of the flows at its external port.

They are sent to an address of the gateway itself that nobody listens on, so that not one of them
crosses a test port.
"""

import json
from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Counters, Program, counting
from gatemark.node.checked import is_up
from gatemark.node.quoted import literal, sh, shell

COLLECTOR: Final = "127.0.0.9"
PORT: Final = 9995

FLAGS: Final = "/sys/class/net/lo/flags"

_SOFTFLOWD: Final = counting(  # softflowctl(8) statistics
    r"^Packets processed: (?P<processed>\d+)",
    r"^Packets received by libpcap: (?P<received>\d+)",
    r"^Packets dropped by libpcap: (?P<dropped>\d+)",
    r"^Number of active flows: (?P<flows1>\d+)",
    r"^Flows expired: (?P<flows2>\d+)",
)
NFPCAPD: Final = counting(
    r"^Total: Processed: (?P<captured>\d+)",
    r"^Stat: received: (?P<received>\d+), dropped by OS/Buffer: (?P<dropped>\d+)",
)

PMACCTD_COMMAND: Final = """printf '%s\\n' > pmacctd.conf \\
  'pcap_interface: '{device} \\
  'nfprobe_receiver: '{collector} \\
  'aggregate: src_host, dst_host, src_port, dst_port, proto, tos' \\
  'plugins: nfprobe' 'nfprobe_version: 10' 'pidfile: ./pid'
exec pmacctd -f ./pmacctd.conf"""
PMACCTD: Final = counting(
    r"received_packets=(?P<received>\d+) dropped_packets=(?P<dropped>\d+)$",
)


GATEMARK: Final = counting(  # the last line of the agent's `flows`
    r'"ev":"done".*"counted":(?P<captured>\d+)',
    r'"ev":"done".*"untracked":(?P<dropped>\d+)',
    r'"ev":"done".*"records":(?P<flows>\d+)',
)


def softflowd_counters(text: str) -> Counters:
    """Return softflowd's counters: it reads its buffer block by block, as each is full."""
    counters = dict(_SOFTFLOWD(text))
    if "received" in counters:
        counters["captured"] = counters["received"] - counters.get("dropped", 0)
    return counters


def pmacctd_counters(text: str) -> Counters:
    """Return libpcap's counters, received less dropped; the exporter counts what it sends."""
    counters = dict(PMACCTD(text))
    if "received" in counters:
        counters["captured"] = counters["received"] - counters.get("dropped", 0)
    return counters


async def apply(asked: Asked) -> None:
    """The way to the collector: a namespace's loopback is down until somebody wants it."""
    flags = await asked.gateway.run("cat", FLAGS)
    if not is_up(flags):
        await asked.changes.make(
            literal("ip link set dev lo up"), undo=literal("ip link set dev lo down")
        )


def program(wanted: Wanted) -> Program:
    """The exporter at the external port."""
    (tool,) = wanted.arguments
    tools = {
        "gatemark": _gatemark,
        "softflowd": _softflowd,
        "nfpcapd": _nfpcapd,
        "pmacctd": _pmacctd,
    }
    return tools[tool](wanted)


def _gatemark(wanted: Wanted) -> Program:
    """IPFIX by the agent's `flows`, whose tables are in the kernel."""
    request = {"devices": [wanted.outer], "collector": COLLECTOR, "port": PORT}
    return Program(
        name=wanted.word,
        agent="flows",
        command=(json.dumps(request),),
        ready='"ev":"ready"',
        device=wanted.outer,
        settle_s=0.1,
        counters=GATEMARK,
    )


def _softflowd(wanted: Wanted) -> Program:
    """Its files would be the system's own softflowd's, and removed at its end: so they are ours."""
    return Program(
        name=wanted.word,
        command=(
            *("softflowd", "-d", "-i", wanted.outer, "-n", f"{COLLECTOR}:{PORT}"),
            *("-p", "./pid", "-c", "./control"),
        ),
        device=wanted.outer,
        settle_s=1.2,  # as of the others by pcap, which keeps a block that is not full
        question=literal("softflowctl -c ./control statistics"),
        counters=softflowd_counters,
    )


def _nfpcapd(wanted: Wanted) -> Program:
    return Program(
        name=wanted.word,
        command=("nfpcapd", "-i", wanted.outer, "-H", f"{COLLECTOR}/{PORT}"),
        device=wanted.outer,
        settle_s=1.2,
        counters=NFPCAPD,
    )


def _pmacctd(wanted: Wanted) -> Program:
    """It has a receiver in a file alone, and logs its counters when it is asked by SIGUSR1."""
    collector = f"{COLLECTOR}:{PORT}"
    return Program(
        name=wanted.word,
        command=sh(shell(PMACCTD_COMMAND, device=wanted.outer, collector=collector)),
        device=wanted.outer,
        settle_s=1.2,
        question=literal("kill -USR1 $(cat pid); sleep 1"),
        counters=pmacctd_counters,
    )
