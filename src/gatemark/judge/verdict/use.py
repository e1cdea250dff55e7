# SPDX-License-Identifier: Apache-2.0
"""The uses that work beside a load, yes or no: web, call, game, cloud game; what decided it.

Each use is judged by a flow of its own kind, in its worse direction: by the deadlines that its
packets missed, and a G.711 call by its estimated opinion besides. The web has no flow of its own
here: any flow that is not put first tells what its requests wait. Beside ours stand the thresholds
of the Internet Quality Barometer (IQB; arXiv:2509.19034), of round trip and loss.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.math.interval import Interval, plus
from gatemark.judge.point.realtime import dscp_of
from gatemark.judge.verdict.seen import WAYS, Seen

MOST_MISSED: Final = 0.01  # of a flow's packets: lost or later than their deadline
LEAST_MOS: Final = 4.0  # R 80, from which on users are satisfied (ITU-T G.107 annex B)
MS_NS: Final = 1e6
FIRST: Final = "htb2"  # a shaper that puts the flow first


@dataclass(frozen=True, slots=True)
class Rule:
    """The demands of one use on a line."""

    traces: tuple[str, ...]  # flows that are this use; none: any that is not put first
    deadline_ms: int  # one way; 0: the round trip and the loss of the IQB decide
    iqb_ns: float  # of the round trip under load, at most
    iqb_loss: float


RULES: Final = {
    "web": Rule((), 0, 100 * MS_NS, 0.01),
    "call": Rule(("voip", "voip-vad", "voip-opus", "video", "isochronous"), 150, 50 * MS_NS, 0.005),
    "game": Rule(("game", "game-modern"), 50, 10 * MS_NS, 0.005),
    "cloud game": Rule(("cloud-game",), 40, 10 * MS_NS, 0.005),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One value that a use was judged by."""

    quantity: str  # missed, mos, round trip, loss
    way: str  # up, down; "": both together
    value: Interval
    bound: float
    is_least: bool = False  # the bound is the least that will do, not the most

    @property
    def holds(self) -> bool:
        """Return whether the median keeps the bound."""
        return self.value.value >= self.bound if self.is_least else self.value.value <= self.bound

    @property
    def strain(self) -> float:
        """The nearness to its bound: beyond it from 1 on."""
        if self.is_least:
            return self.bound / max(self.value.value, 1e-9)
        return self.value.value / self.bound


@dataclass(frozen=True, slots=True)
class Use:
    """A use, and whether it works beside the load."""

    name: str  # of RULES
    flow: str  # the trace that it was judged by
    works: bool
    reason: Reason  # what decided: of all that was asked the nearest to its bound, or beyond it
    # Whether the IQB's thresholds are kept, too; None: no round trip is known, or they decided.
    iqb: bool | None


def uses(flows: Sequence[Seen]) -> tuple[Use, ...]:
    """Return the uses that the flows of one point tell of; others are left out.

    Where two flows are of one use, the one that fares worse tells.
    """
    made = []
    for name, rule in RULES.items():
        own = [use for flow in flows if _tells(rule, flow) and (use := _use(name, rule, flow))]
        if own:
            made.append(max(own, key=lambda use: (not use.works, use.reason.strain)))
    return tuple(made)


def _tells(rule: Rule, flow: Seen) -> bool:
    if rule.traces:
        return flow.trace in rule.traces
    definition = flow.point.definition
    first = any(feature.startswith(f"shape:{FIRST}") for feature in definition.features)
    return not (first or dscp_of(definition, flow.flow))


def _use(name: str, rule: Rule, flow: Seen) -> Use | None:
    reasons = [*_own(rule, flow)] if rule.deadline_ms else _barometer(rule, flow)
    if not reasons:
        return None
    barometer = _barometer(rule, flow) if rule.deadline_ms else []
    return Use(
        name=name,
        flow=flow.trace,
        works=all(reason.holds for reason in reasons),
        reason=max(reasons, key=lambda reason: (not reason.holds, reason.strain)),
        iqb=all(reason.holds for reason in barometer) if barometer else None,
    )


def _own(rule: Rule, flow: Seen) -> Iterator[Reason]:
    """Deadlines and, of a call that has one, the opinion; none where no deadline is known."""
    missed = [Reason("missed", w, v, MOST_MISSED) for w, v in flow.missed(rule.deadline_ms)]
    yield from missed
    if missed:
        yield from (Reason("mos", w, v, LEAST_MOS, is_least=True) for w, v in flow.has("mos"))


def _barometer(rule: Rule, flow: Seen) -> list[Reason]:
    """Round trip and the worse loss; none where the flow does not go both ways."""
    delays = dict(flow.has("delay_ns"))
    if set(delays) != set(WAYS):
        return []
    losses = flow.has("loss")
    worst: Callable[[tuple[str, Interval]], float] = lambda item: item[1].value  # noqa: E731
    reasons = [Reason("round trip", "", plus(delays["up"], delays["down"]), rule.iqb_ns)]
    if losses:
        reasons.append(Reason("loss", *max(losses, key=worst), rule.iqb_loss))
    return reasons
