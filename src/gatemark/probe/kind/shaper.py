# SPDX-License-Identifier: Apache-2.0
"""Probe `shaper`: what the queueing disciplines of the gateway's ports dropped and delayed.

    evidence.qdisc           drops and overlimits of each port
    evidence.probes.shaper   of each port: its disciplines, and htb's classes, from the outermost
                             inwards. What counts is the rise; what is a state, such as a backlog or
                             CAKE's delays, is as the load's end found it

CAKE's tins and FQ-CoDel's marks are there under the names that tc gives them (tc-cake(8),
tc-fq_codel(8)). tc prints classes as text alone, whatever it is asked for.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

from gatemark.node.quoted import shell
from gatemark.node.reader import reader
from gatemark.plan.shaper.shape import inwards
from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.probe.watcher import Twice

MARK: Final = "@@"
READ: Final = (
    "tc -s -j qdisc show 2> /dev/null || true; for d in {devices}; do echo; echo @@ $d; "
    "tc -s class show dev $d 2> /dev/null || true; done"
)
NO_QUEUE: Final = ("noqueue", "clsact", "ingress")
# Of disciplines, their options and tins, by the names that tc gives them.
KNOWN: Final = {
    what: frozenset(names.split())
    for what, names in {
        "counters": "bytes packets drops overlimits requeues direct_packets_stat drop_overlimit "
        "drop_overmemory ecn_mark ce_mark new_flow_count sent_bytes sent_packets ack_drops "
        "way_indirect_hits way_misses way_collisions lended borrowed giants",
        "states": "backlog qlen memory_used capacity_estimate maxpacket new_flows_len "
        "old_flows_len threshold_rate target_us interval_us peak_delay_us avg_delay_us "
        "base_delay_us backlog_bytes sparse_flows bulk_flows unresponsive_flows max_pkt_len "
        "flow_quantum min_network_size max_network_size min_adj_size max_adj_size avg_hdr_offset",
    }.items()
}
NUMBER: Final = r"(\d{1,18})"
CLASS: Final = re.compile(r"class htb ([0-9a-f]+:[0-9a-f]+) (?:root|parent ([0-9a-f]+:[0-9a-f]*))")
COUNTED: Final = {
    "bytes": re.compile(rf"Sent {NUMBER} bytes"),
    "packets": re.compile(rf"bytes {NUMBER} pkt"),
    "drops": re.compile(rf"dropped {NUMBER},"),
    "overlimits": re.compile(rf"overlimits {NUMBER} "),
    "qlen": re.compile(rf"backlog \S+ {NUMBER}p"),
    "lended": re.compile(rf"lended: {NUMBER}"),
    "borrowed": re.compile(rf"borrowed: {NUMBER}"),
    "giants": re.compile(rf"giants: {NUMBER}"),
}

Queue = dict[str, Any]  # kind, handle, parent; counters and states; tins, each with the same
Queues = dict[str, list[Queue]]  # port -> its disciplines and classes


def qdiscs(place: Place) -> Twice:
    """The counters before and after the load."""
    ports = list(place.gateway.devices.values())
    devices = [*ports, *map(inwards, ports)]
    read = partial(queues, devices=ports)
    return Twice(place.gateway.node, shell(READ, devices=devices), read)


@reader("what tc counted")
def queues(text: str, devices: Collection[str]) -> Queues:
    """The disciplines and classes of each port, and of SQM's device for what comes in by it.

    None where tc is busybox's or missing: it does not count.
    """
    printed, *classes = text.split(f"{MARK} ")
    if not printed.strip():
        return {}
    inward = [inwards(device) for device in devices]
    ports: Queues = {device: [] for device in (*devices, *inward)}
    for qdisc in json.loads(printed):
        if (device := qdisc["dev"]) in ports and qdisc["kind"] not in NO_QUEUE:
            ports[device].append(_queue(qdisc))
    for section in classes:
        device, _, lines = section.partition("\n")
        if device.strip() in ports:
            ports[device.strip()] += _classes(lines)
    return {device: queue for device, queue in ports.items() if queue or device not in inward}


def _queue(qdisc: Mapping[str, Any]) -> Queue:
    queue = {name: str(qdisc[name]) for name in ("kind", "handle", "parent") if name in qdisc}
    tins = [_numbers(tin) for tin in qdisc.get("tins", ())]
    numbers = _numbers(qdisc.get("options", {})) | _numbers(qdisc)
    return {**queue, "root": bool(qdisc.get("root")), **numbers, **({"tins": tins} if tins else {})}


def _numbers(values: Mapping[str, Any]) -> dict[str, int]:
    known = KNOWN["counters"] | KNOWN["states"]
    return {name: int(value) for name, value in values.items() if name in known}


def _classes(lines: str) -> list[Queue]:
    """The classes of htb, in the order in which tc shows them."""
    classes = []
    for block in re.split(r"^(?=class )", lines, flags=re.M):
        if match := CLASS.match(block):
            numbers = {name: _first(pattern, block) for name, pattern in COUNTED.items()}
            names = {"kind": "htb class", "handle": match[1], "parent": match[2] or ""}
            classes.append({**names, "root": False, **numbers})
    return classes


def _first(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return int(match[1]) if match else 0


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The rise of the counters, by port; a queue that was made meanwhile counts from nothing."""
    del sent
    before, after = seen.own["shaper"]
    risen = {
        device: [_risen(queue, _same(queue, before[device])) for queue in now]
        for device, now in after.items()
        if device in before
    }
    sums = {device: _sums(now) for device, now in risen.items()}
    busy = {device: _kept(now) for device, now in risen.items() if now}
    return Outcome(evidence={"qdisc": sums} | ({"shaper": busy} if busy else {}))


def _same(queue: Queue, others: Sequence[Queue]) -> Queue:
    """The same discipline or class at the earlier reading."""
    names = ("kind", "handle", "parent")
    key = [queue.get(name) for name in names]
    return next((other for other in others if [other.get(n) for n in names] == key), {})


def _risen(queue: Queue, before: Queue) -> Queue:
    """Counters as their rise, states as they are."""
    risen = {
        name: value - before.get(name, 0) if name in KNOWN["counters"] else value
        for name, value in queue.items()
    }
    if "tins" in queue:
        old = before.get("tins", [])
        old = [*old, *({} for _ in queue["tins"][len(old) :])]
        risen["tins"] = [_risen(tin, was) for tin, was in zip(queue["tins"], old, strict=False)]
    return risen


def _sums(queues: Sequence[Queue]) -> dict[str, int]:
    """The sums of a port. The outermost discipline counts the drops of those in it, too."""
    outermost = [queue for queue in queues if queue["root"]] or queues
    disciplines = [queue for queue in queues if queue["kind"] != "htb class"]
    return {
        "drops": sum(queue.get("drops", 0) for queue in outermost),
        "overlimits": sum(queue.get("overlimits", 0) for queue in disciplines),
    }


def _kept(queues: Sequence[Queue]) -> list[Queue]:
    """The queues as a record keeps them."""
    return [{name: value for name, value in queue.items() if name != "root"} for queue in queues]


PROBE: Final = Probe(outcome, watcher=qdiscs)
