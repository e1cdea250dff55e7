# SPDX-License-Identifier: Apache-2.0
"""First packets: each flow's are lost until the gateway has learnt something."""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.sight import Sight, Sweep, in_most

HALF: Final = 0.5  # of the flows, of the loss, and of what is sent after it
LONGER: Final = 3.0  # than the 99th percentile of the delay: a queue is no learning
TOGETHER_MS: Final = 2.0  # all flows begin within it: one thing was learnt for all
DELAY_NS: Final = 1e6  # where no 99th percentile is known


def find(sweep: Sweep) -> Iterator[Finding]:
    """Seen in most trials of a rate that does not fill the CPU. Masks the time of learning."""
    judged = [sight for level in sweep.quiet for sight in level.sights]
    waits = [sight.record.values.get("delay_p99_ns", DELAY_NS) for sight in sweep.levels[0].sights]
    least_ms = LONGER * median(waits) / 1e6
    lasting = {id(s): lasts for s in judged if (lasts := _lasts_ms(s)) > least_ms}
    if not in_most([id(sight) in lasting for sight in judged]):
        return
    seen = [sight for sight in judged if id(sight) in lasting]
    packets = median(max(_leads(sight)) for sight in seen)
    lasts_ms = median(lasting.values())
    for sight in sweep.sights:
        sight.mask(0, _lasts_ms(sight) or lasts_ms)
    which = "first.packet" if packets == 1 else "first.packets"
    yield Finding(
        shape="first-packets",
        fact=fact(
            which,
            packets=packets,
            ms=lasts_ms,
            learnt=fact("first.at-once" if _at_once(seen) else "first.by-flow"),
        ),
        values={"packets": packets, "lasts_ms": lasts_ms},
    )


def _lasts_ms(sight: Sight) -> float:
    """How long the first packets were lost, at most the trial; 0: they were not."""
    leads, flows = _leads(sight), len(sight.loss.lead)
    if not leads or len(leads) < HALF * flows or sum(leads) < HALF * sight.lost:
        return 0.0
    return min(max(leads) * flows / sight.offered_pps, sight.seconds) * 1000


def _leads(sight: Sight) -> list[int]:
    """How many each flow lost first, of those that learnt: most of what followed came."""
    loss = sight.loss
    flows = zip(loss.lead, loss.by_flow, loss.tried_by_flow, strict=False)
    return [lead for lead, lost, tried in flows if lead and tried - lost > HALF * (tried - lead)]


def _at_once(sights: list[Sight]) -> bool:
    """Return whether all flows begin together, to a round of the flows."""
    spans = []
    for sight in sights:
        round_ms = len(sight.loss.lead) / sight.offered_pps * 1000
        leads = _leads(sight)
        spread = (max(leads) - min(leads)) * round_ms
        spans.append(spread <= max(TOGETHER_MS, 1.5 * round_ms))
    return in_most(spans, HALF)
