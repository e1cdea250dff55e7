# SPDX-License-Identifier: Apache-2.0
"""What was sent for a value: direction, size and rate, whether a plan set or varied them."""

from collections.abc import Mapping

from gatemark.judge.judgement import Value
from gatemark.judge.subject import About
from gatemark.store.record import Definition, Scalar
from gatemark.tell.group.source import Source
from gatemark.unit import L4_BYTES, payload_bytes

Key = tuple[str, str, frozenset[tuple[str, Scalar]]]
Rates = Mapping[Key, float | None]  # by plan, arm and point, in packets/s
RATE = "rate_pps"


def rates(source: Source) -> Rates:
    """The rate that was set for each point; 0: as fast as the tester can; None: there is none."""
    return {
        _key(spec.plan, spec.arm.name or spec.arm.setup, spec.point): (
            None
            if spec.search or spec.workload.kind != "udp"  # a search finds the rate
            else spec.workload.rate_pps
        )
        for spec in source.run.trials
    }


def traffic(judged: Value | About, set_rates: Rates) -> dict[str, object]:
    """Direction, sizes and rate as columns; None where there is no such thing, or not one."""
    definition = judged.definition
    rate = judged.point.get(RATE, set_rates.get(_key(judged.plan, judged.arm, judged.point)))
    return {
        "direction": definition.direction,
        "frame_bytes": definition.frame_bytes,
        "payload_bytes": _payload(definition),
        "mix": definition.mix,
        "write_bytes": definition.write_bytes,
        RATE: int(rate) if isinstance(rate, float) and rate.is_integer() else rate,
    }


def _key(plan: str, arm: str, point: Mapping[str, Scalar]) -> Key:
    return plan, arm, frozenset((name, level) for name, level in point.items() if name != "device")


def _payload(definition: Definition) -> int | None:
    if definition.frame_bytes is None or definition.l4 not in L4_BYTES:
        return None
    return int(payload_bytes(definition.frame_bytes, definition.family, definition.l4))
