# SPDX-License-Identifier: Apache-2.0
"""What was lost of one direction and when it was sent, of both ends' reports: a `store.loss.Loss`.

An agent that keeps no ledger, or sends no bins of its sending, gives none.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Final

from gatemark.judge.math.histogram import percentile
from gatemark.run.result.ledger import Ledger
from gatemark.store.loss import Loss
from gatemark.store.series import Series
from gatemark.workload.way import Numbering, Report, Way

NS_PER_MS: Final = 1_000_000
MOST_BINS: Final = 256  # of a record
MOST_FLOWS: Final = 1024  # that a record has each
MOST_SPANS: Final = 64
LONG_NS: Final = 2 * NS_PER_MS  # a silence, a pause

Span = tuple[int, int]  # from, to; in ns


def loss(way: Way) -> Loss | None:
    """Of one direction; None where the agents do not say."""
    read = _read(way)
    if read is None or way.numbering is None:
        return None
    ledger, sent = read, way.sender["sending"]
    fine_ns = sent["bin_ms"] * NS_PER_MS
    arrived = _arrived(way.sink["rate"], sent["t0_ns"], fine_ns)
    by_flow, delays = _by_flow(ledger, way.numbering), _delay_by_flow(way.sink)
    wide = -(-max(len(sent["tried"]), len(arrived), 1) // MOST_BINS)
    return Loss(
        direction=way.wire.direction,
        bin_ms=float(sent["bin_ms"] * wide),
        tried=_wider(sent["tried"], wide),
        refused=_wider(sent["refused"], wide),
        lost=_wider(ledger.lost_between(_bounds(sent)), wide),
        arrived=_wider(arrived, wide),
        **by_flow,
        **(_shape(ledger, way) if ledger.lost else {}),
        delay_by_flow=delays,
        ports=way.numbering.ports if delays or by_flow else (),
        silences=_longest(_silences(way.sink["silences"]), sent["t0_ns"]),
        pauses=_longest(_spans(way.sender["pauses"]), sent["t0_ns"]),
        late=_histogram(way.sink["late"]),
        corrupt={cause: count for cause, count in way.sink["corrupt_by"].items() if count},
    )


def series(way: Way) -> Series:
    """Packets by the time of sending: tried, refused, and of these lost."""
    ledger = _read(way)
    if ledger is None:
        return {}
    sent, name = way.sender["sending"], way.wire.direction
    at = [sent["t0_ns"] + bin_ * sent["bin_ms"] * NS_PER_MS for bin_ in range(len(sent["tried"]))]
    return {
        f"sender.{name}.tried": (at, sent["tried"]),
        f"sender.{name}.refused": (at, sent["refused"]),
        f"sink.{name}.lost": (at, ledger.lost_between(_bounds(sent))),
    }


@lru_cache(maxsize=4)  # of one trial: evidence and series ask for the same
def _read(way: Way) -> Ledger | None:
    if way.numbering is None or "sending" not in way.sender or "ledger" not in way.sink:
        return None
    return Ledger.read(way.numbering.flows, way.sender, way.sink)


def _bounds(sent: Report) -> list[int]:
    """The first packet of each bin, and the end: packets go in the order of their numbers."""
    return list(accumulate(sent["tried"], initial=0))


def _by_flow(ledger: Ledger, numbering: Numbering) -> dict[str, Any]:
    if not ledger.lost or numbering.flows > MOST_FLOWS:
        return {}
    return {
        "by_flow": ledger.lost_by_flow,
        "tried_by_flow": ledger.tried,
        "lead": ledger.lead if any(ledger.lead) else (),
        "halves": ledger.halves,
    }


def _delay_by_flow(sink: Report) -> tuple[int, ...]:
    """The median of each flow, ns; 0: nothing came."""
    histograms = sink.get("delay_by_flow", ())
    counts = (dict(zip(each["low"], each["count"], strict=True)) for each in histograms)
    return tuple(round(percentile(each, 0.5)) if each else 0 for each in counts)


def _shape(ledger: Ledger, way: Way) -> dict[str, Any]:
    """What can be said of losses in the order of sending."""
    assert way.numbering is not None
    assert ledger.first is not None
    frames = way.numbering.frames
    return {
        "by_size": ledger.by_size(frames) if len(set(frames)) > 1 else {},
        "first_ms": _when_ms(ledger.first, way.numbering.rate_pps, way.sender["sending"]),
        "run_mean": ledger.run_mean,
        "distance_cv": ledger.distance_cv,
    }


def _when_ms(packet: int, rate_pps: float, sent: Report) -> float:
    """When a packet was due; where nothing is due, when it was sent."""
    if rate_pps:
        return packet * 1000 / rate_pps
    for at, (first, last) in enumerate(pairwise(_bounds(sent))):
        if packet < last:
            return float(sent["bin_ms"] * (at + (packet - first) / (last - first)))
    return float(sent["bin_ms"] * len(sent["tried"]))


def _arrived(rate: Report, t0_ns: int, width_ns: int) -> list[int]:
    """A sink's bins as bins from t0_ns on, taken as even within each; nothing is lost by it."""
    begin_ns, step_ns = rate["t0_ns"] - t0_ns, rate["bin_ms"] * NS_PER_MS
    whole = [*accumulate(rate["packets"], initial=0)]
    count = max(0, -(-(begin_ns + step_ns * len(rate["packets"])) // width_ns))
    so_far = [_until(whole, (width_ns * (at + 1) - begin_ns) / step_ns) for at in range(count - 1)]
    so_far += [whole[-1]] * (count > 0)
    arrived = [after - before for before, after in pairwise([0, *so_far])]
    while arrived and not arrived[-1]:
        arrived.pop()
    return arrived


def _until(whole: Sequence[int], bins: float) -> int:
    """How many came in so many bins and a part of one."""
    at = min(max(int(bins), 0), len(whole) - 1)
    if at == len(whole) - 1 or bins <= 0:
        return whole[at]
    return whole[at] + int((whole[at + 1] - whole[at]) * (bins - at))


def _wider(bins: Sequence[int], wide: int) -> tuple[int, ...]:
    return tuple(sum(bins[at : at + wide]) for at in range(0, len(bins), wide))


def _histogram(columns: Report) -> dict[str, int]:
    return {str(low): n for low, n in zip(columns["low"], columns["count"], strict=True)}


def _spans(kept: Report) -> list[Span]:
    return [(t, t + ns) for t, ns in zip(kept["t_ns"], kept["ns"], strict=True)]


def _silences(queues: Iterable[Report]) -> list[Span]:
    """When no queue had an arrival: before its first and after its last one a queue is silent."""
    common: list[Span] | None = None
    first_ns = min((queue["first_ns"] for queue in queues), default=0)
    last_ns = max((queue["last_ns"] for queue in queues), default=0)
    for queue in queues:
        before, after = (first_ns, queue["first_ns"]), (queue["last_ns"], last_ns)
        own = [span for span in (before, *_spans(queue), after) if span[1] > span[0]]
        common = own if common is None else _both(common, own)
    return [span for span in common or () if span[1] - span[0] > LONG_NS]


def _both(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """What two lists of times, each in order, have in common."""
    common, at, other = [], 0, 0
    while at < len(some) and other < len(others):
        (a, b), (c, d) = some[at], others[other]
        if max(a, c) < min(b, d):
            common.append((max(a, c), min(b, d)))
        if b < d:
            at += 1
        else:
            other += 1
    return common


def _longest(spans: Iterable[Span], t0_ns: int) -> tuple[tuple[float, float], ...]:
    """Begin and length in ms of the longest, by time; what lies before t0_ns is cut off."""
    cut = [(max(a, t0_ns), b) for a, b in spans if b > t0_ns]
    kept = sorted(sorted(cut, key=lambda span: span[0] - span[1])[:MOST_SPANS])
    return tuple(((a - t0_ns) / NS_PER_MS, (b - a) / NS_PER_MS) for a, b in kept)
