# SPDX-License-Identifier: Apache-2.0
"""Probe `instructions`: instructions of a packet at a rate, without what rest costs."""

from typing import Final

from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.probe.rate import Rate, Rated
from gatemark.store.record import AtRate


def rate(place: Place) -> Rate:
    """The emulator's count, before the load and after it."""
    return Rate(place.counting)


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """(rise - idle rate x span) / packets that came through; of UDP, which counts them."""
    rated: Rated = seen.own["instructions"]
    load, idle = rated.load, rated.idle
    packets = sent.accounting.unique if sent.accounting else 0
    idle_share = idle.instructions * load.lasts_ns / idle.lasts_ns
    each = {"instructions_at_rate": (load.instructions - idle_share) / packets} if packets else {}
    if packets and load.cpus:
        rest = [at * load.lasts_ns / idle.lasts_ns for at in idle.cpus]
        each["instructions_busiest"] = (
            max(a - b for a, b in zip(load.cpus, rest, strict=True)) / packets
        )
    at_rate = AtRate(
        packets=packets,
        instructions=load.instructions,
        lasts_s=load.lasts_ns / 1e9,
        functions=load.functions,
        idle_instructions=idle.instructions,
        idle_s=idle.lasts_ns / 1e9,
        idle_functions=idle.functions,
        cpus=load.cpus,
        idle_cpus=idle.cpus,
        plugin=rated.plugin,
    )
    return Outcome(each, {"at_rate": at_rate})


PROBE: Final = Probe(outcome, watcher=rate, last=True)
