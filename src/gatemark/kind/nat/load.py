# SPDX-License-Identifier: Apache-2.0
"""A trial of NAT's behaviour: all questions, then how long mappings live."""

import time
from collections.abc import Sequence
from functools import partial

from gatemark.kind.nat.ask import Answers, Asker, Unasked
from gatemark.kind.nat.ends import Ends
from gatemark.kind.nat.idle import watched
from gatemark.kind.nat.plan import NAT, SILENT_S
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.byhand import ByHand
from gatemark.workload.way import Load


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks."""
    (up,) = ways
    (down,) = wires(station.ports, spec.arm.path, "down")
    play = partial(_asked, wire=up, idle_s=spec.workload.duration_s)
    return [ByHand(NAT, up, partial(Ends, up, down), play)]


def _asked(ends: Ends, wire: Wire, idle_s: float) -> Answers:
    answers = Answers()
    asker = Asker(ends, wire, answers)
    asker.all()
    began, unasked = time.monotonic(), Unasked(asker)
    watched(asker, answers, idle_s)
    asker.crowded()
    while time.monotonic() < began + SILENT_S and not ends.ended.is_set():
        ends.read(0.1)
    unasked.note(answers)
    return answers
