# SPDX-License-Identifier: Apache-2.0
"""Instructions of a packet at a rate: what was executed under the load, without what rest costs."""

from gatemark.probe.rate import Rated
from gatemark.store.record import Accounting, AtRate


def values(found: Rated | None, accounting: Accounting | None) -> dict[str, float]:
    """(rise - idle rate x span) / packets that came through; of UDP, which counts them."""
    if found is None or accounting is None or not accounting.unique:
        return {}
    idle = found.idle.instructions * found.load.lasts_ns / found.idle.lasts_ns
    return {"instructions_at_rate": (found.load.instructions - idle) / accounting.unique}


def evidence(found: Rated | None, accounting: Accounting | None) -> dict[str, AtRate]:
    """The readings as they were."""
    if found is None:
        return {}
    load, idle = found.load, found.idle
    return {
        "at_rate": AtRate(
            packets=accounting.unique if accounting else 0,
            instructions=load.instructions,
            lasts_s=load.lasts_ns / 1e9,
            functions=load.functions,
            idle_instructions=idle.instructions,
            idle_s=idle.lasts_ns / 1e9,
            idle_functions=idle.functions,
            plugin=found.plugin,
        )
    }
