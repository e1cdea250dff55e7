# SPDX-License-Identifier: Apache-2.0
"""The kinds of workload by name, and their definitions. Each has a module of `run/result`."""

from typing import Final

from gatemark.kind.algorithm import result as algorithm
from gatemark.kind.connections import result as connections
from gatemark.kind.fill import result as fill
from gatemark.kind.replay import result as replay
from gatemark.kind.responsiveness import result as responsiveness
from gatemark.kind.restart import result as restart
from gatemark.kind.tcp import result as tcp
from gatemark.kind.tool import result as tool
from gatemark.kind.udp import result as udp
from gatemark.kind.walk import result as walk
from gatemark.plan import workloads
from gatemark.plan.line.time import in_words
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.result import caches
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition

KINDS: Final = {
    "udp": udp.KIND,
    "tcp": tcp.KIND,
    "connections": connections.KIND,
    "fill": fill.KIND,
    "replay": replay.KIND,
    "walk": walk.KIND,
    "responsiveness": responsiveness.KIND,
    "algorithm": algorithm.KIND,
}


def kind_of(load: Workload) -> Kind:
    """The kind of a workload, with whoever makes its traffic; the plan was checked before."""
    if load.restart_s:
        return restart.KIND
    return tool.KINDS.get((load.driver, load.kind)) or KINDS[load.kind]


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
