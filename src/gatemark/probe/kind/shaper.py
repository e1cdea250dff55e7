# SPDX-License-Identifier: Apache-2.0
"""Probe `shaper`: what the queueing disciplines of the gateway's ports dropped and delayed."""

import json
from collections.abc import Collection
from functools import partial
from typing import Final

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.probe.watcher import Twice

QDISCS: Final = literal("tc -s -j qdisc show 2> /dev/null || true")
NO_QUEUE: Final = ("noqueue", "clsact")


def qdiscs(place: Place) -> Twice:
    """The counters before and after the load."""
    read = partial(sums, devices=place.gateway.devices.values())
    return Twice(place.gateway.node, QDISCS, read)


@reader("what tc counted")
def sums(text: str, devices: Collection[str]) -> dict[str, dict[str, int]]:
    """Drops and overlimits of each port's disciplines, summed.

    None where tc is busybox's or missing: it does not count.
    """
    if not text.strip():
        return {}
    ports = {device: {"drops": 0, "overlimits": 0} for device in devices}
    for qdisc in json.loads(text):
        if (device := qdisc["dev"]) in ports and qdisc["kind"] not in NO_QUEUE:
            for name in ports[device]:
                ports[device][name] += int(qdisc.get(name, 0))
    return ports


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """By how much they rose, by port."""
    del sent
    before, after = seen.own["shaper"]
    risen = {
        device: {name: value - before[device][name] for name, value in counters.items()}
        for device, counters in after.items()
        if device in before
    }
    return Outcome(evidence={"qdisc": risen})


PROBE: Final = Probe(outcome, watcher=qdiscs)
