# SPDX-License-Identifier: Apache-2.0
"""The demands of a trial on the station, besides the setup of its gateway."""

from dataclasses import dataclass

from gatemark.plan.feature import longest_bytes, programs, properties
from gatemark.plan.kind import RULES
from gatemark.plan.model import Arm, Workload
from gatemark.unit import MTU_BYTES


@dataclass(frozen=True, slots=True)
class Demand:
    """Conditions that a trial asks of a station; all are off by default."""

    shared: bool = False  # a program of the gateway shares its CPU with the forwarding threads
    steered: bool = False  # the tester's ports hand what they receive to the tester's CPU
    offload: bool = False  # segmentation and aggregation at the tester's own cable
    # The gateway's CPU, idle then, receives at the tester's own cable; None: nothing crosses it.
    relieved: bool | None = None
    caught: bool = False  # the tester's ports take what the gateway's drivers hand over by XDP
    mtu: int = MTU_BYTES  # of the tester's ports
    finished: bool = False  # a line copies frames as they are: no checksum is left to be made


PLAIN = Demand()


def demand(arm: Arm, *loads: Workload, lined: bool = False) -> Demand:
    """Return the demand of a trial's workloads on an arm.

    TCP is steered: a veth hands a segment on by the CPU that sent it, so the receiving host's TCP,
    its acknowledgements and the sender's answer to these would all run on the gateway's CPU.

    UDP without a gateway is relieved: with one, copying a packet into the sink's ring is in the
    gateway's time (station/netns.py), so the sender alone must not do it either. Else the tester's
    ceiling would lie below what it sends through a gateway.
    """
    direct = arm.path == "direct"
    tcp = any(RULES[load.kind].streams for load in loads)
    return Demand(
        shared=arm.path == "endpoint" or bool(programs(arm.features)),
        steered=tcp and not direct,
        offload=any(load.offload for load in loads),
        relieved=not tcp if direct else None,
        caught=any(feature.driver for feature in properties(arm.features)),
        mtu=longest_bytes(arm.features),
        finished=lined,
    )
