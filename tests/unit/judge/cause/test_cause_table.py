# SPDX-License-Identifier: Apache-2.0
"""Every counter that a record can hold names a cause, or is listed as none."""

from collections.abc import Iterator

import pytest

from gatemark.counter import VALUES
from gatemark.judge.cause.count import is_named
from gatemark.judge.cause.table import CAUSES
from gatemark.probe.drop import ip, netfilter, port, qdisc
from gatemark.probe.kind import conntrack, softirq
from gatemark.store.drops import Drop
from gatemark.store.record import Accounting

from .uncaused import NO_CAUSE

DEVICES = ("gw0", "gw1")
QDISC = ("drops", "overlimits", "requeues")  # of a port, as the probe `shaper` sums them
RULES = (
    "table ip t {\n\tchain c {\n\t\tudp dport 1 counter packets 9 bytes 9 drop\n"
    "\t\tct state invalid counter packets 9 bytes 9 drop\n"
)
LEGACY = (
    "*filter\n:FORWARD DROP [9:9]\n[9:9] -A FORWARD -p udp -j DROP\n"
    "[9:9] -A FORWARD -m conntrack --ctstate INVALID -j DROP\n"
)
QUEUES = (
    '[{"dev":"gw1","kind":"pfifo","root":true,"drops":9},'
    '{"dev":"gw1","kind":"clsact","drops":9},'
    '{"dev":"ifb4gw1","kind":"cake","root":true,"drops":9}]'
)


def of(drops: Iterator[Drop]) -> set[str]:
    return {f"{drop.stage}.{drop.cause}" for drop in drops}


def table(*names: str) -> list[str]:
    """A file of /proc/net/stat in which all of these rose."""
    return [" ".join(("entries", *names)), " ".join(["00000009"] * (len(names) + 1))]


def read() -> set[str]:
    """What the probe `drops` reads, by the names of the kernel's files."""
    v4 = [name.partition(".") for name in ip.V4]
    snmp = [f"{protocol}: {name}\n{protocol}: 9" for protocol, _, name in v4]
    cards = [f"{device} {name} 9" for device in DEVICES for name in port.FILES]
    quiet = [f"{device} rx_dropped 9" for device in DEVICES]
    neighbours = table(*ip.WAITED)
    return (
        of(drop for each in snmp for drop in ip.snmp(each.splitlines(), DEVICES))
        | of(ip.snmp6([f"{name} 9" for name in ip.V6], DEVICES))
        | of(ip.routes(table(*ip.LOOKED_UP), DEVICES))
        | of(ip.neighbours([*neighbours, *neighbours], DEVICES))
        | of(ip.ipsec(["XfrmInNoStates 9"], DEVICES))
        | of(netfilter.conntrack(table(*netfilter.TABLE), DEVICES))
        | of(netfilter.nft(RULES.splitlines(), DEVICES))
        | of(netfilter.legacy(LEGACY.splitlines(), DEVICES))
        | of(port.ports(cards, DEVICES))
        | of(port.ports(quiet, DEVICES))
        | of(port.backlog(["9 9 9"], DEVICES))
        | of(port.xdp(["gw0 rx_queue_0_xdp_drops 9"], DEVICES))
        | of(qdisc.qdiscs([QUEUES], DEVICES))
    )


def kept() -> set[str]:
    """What a record has in fields of its own."""
    own = {f"record.{name}" for name in Accounting.__struct_fields__}
    own |= {f"record.conntrack.{name}" for name in ("entries", "max", *conntrack.COUNTERS)}
    own |= {f"record.softnet.{name}" for name in softirq.NAMES if name != "processed"}
    own |= {f"record.qdisc.{name}" for name in QDISC}
    own |= {f"record.{name}" for name in VALUES}
    own |= {"record.retransmits", "record.offload", "record.programs"}
    return own | {"freed.ANY", "line.queue", "tester.tx_dropped"}


LISTED = [name for cause in CAUSES for name in cause.counters]


@pytest.mark.parametrize("counter", sorted(read() | kept()))
def test_a_counter_is_in_the_table_or_listed_as_no_cause(counter: str) -> None:
    named = any(is_named(counter, name) for name in (*LISTED, *NO_CAUSE))
    assert named, "add it to judge/cause/table.py, or to uncaused.py here with the reason"


def test_no_counter_is_in_both_lists() -> None:
    assert {*LISTED} & {*NO_CAUSE} == set()


def test_the_table_has_no_counter_that_nobody_reads() -> None:
    every = read() | kept()
    assert [
        name
        for name in (*LISTED, *NO_CAUSE)
        if not name.startswith("freed.") and not any(is_named(each, name) for each in every)
    ] == []
