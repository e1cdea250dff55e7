# SPDX-License-Identifier: Apache-2.0
"""Who runs a workload, by its kind, and the definition of what comes of it."""

from typing import Final

from gatemark.kind.kinds import entries
from gatemark.kind.tool.result import TOOLS
from gatemark.plan import workloads
from gatemark.plan.line.time import in_words
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.result import caches
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition

KINDS: Final = entries("result", Kind)


def kind_of(load: Workload) -> Kind:
    """The kind of a workload, with whoever makes its traffic; the plan was checked before."""
    if load.restart_s:
        return KINDS["restart"]
    return TOOLS.get((load.driver, load.kind)) or KINDS[load.kind]


def definition(spec: TrialSpec) -> Definition:
    """What the trial's values will be comparable with."""
    load = spec.workload
    both = Definition(
        path=spec.arm.path,
        features=spec.arm.features,
        direction=load.direction,
        family=load.family,
        l4=load.kind,
        duration_s=load.duration_s,
        turn_ms=spec.turn.ms if spec.turn.of else 0.0,
        slow_to_pps=0 if spec.arm.path == "direct" else spec.gateway.slow_to_pps,
        line=in_words(spec.line),
        dscp=load.dscp,
        start_s=load.start_s,
        beside=tuple(f"{name}: {workloads.in_words(other)}" for name, other in spec.beside.items()),
    )
    return caches.define(kind_of(load).define(both, load), spec)
