# SPDX-License-Identifier: Apache-2.0
"""The values of a game or a call, made of its packets' delays and losses, way by way.

Of each direction under its name (`up.ipdv_p99_ns`), and of all together where that makes sense:
deadlines over all packets, the call as the worse direction has it. IPDV, runs and streaks are
within flows. Where there were too many packets to be kept singly, a histogram of arrivals against
the schedule tells delays and deadlines; nothing is then known of their order.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final

from gatemark.judge.math import emodel, histogram
from gatemark.judge.math.deadline import longest_streak_ns, misses
from gatemark.judge.math.histogram import Histogram, is_told
from gatemark.judge.math.nearest import percentile
from gatemark.judge.math.runs import Runs, runs
from gatemark.judge.math.variation import ipdv, pdv
from gatemark.kind.replay.fate import Flow, flows
from gatemark.plan.model import Workload
from gatemark.plan.trace import DEADLINES_MS, VOICE
from gatemark.run.result.delay import SHARES, percentiles
from gatemark.workload.way import Way

NS_PER_MS: Final = 1_000_000
# Of a replay's delays; a p5 is told, as a p95, where ten packets lie below.
REPLAYED: Final = SHARES | {"p5": 0.05, "p95": 0.95, "p98": 0.98}
VARIATION: Final = {"p99": 0.99, "p999": 0.999}
DIFFERENCE: Final = {"p50": 0.5, "p99": 0.99}

Values = dict[str, float]


def deadlines(load: Workload) -> tuple[int, ...]:
    """In ms, of a source in its own timing; of nothing else they are known."""
    is_own = load.speed == 1 and not load.rate_pps
    return DEADLINES_MS.get(load.trace, ()) if is_own else ()


def is_call(load: Workload) -> bool:
    """Whether it is what the E-model has constants for: one call of G.711, or some as one."""
    return load.trace in VOICE and bool(deadlines(load))


def spread(delays_ns: Sequence[float]) -> Values:
    """Mean and percentiles of sorted delays; none of none."""
    if not delays_ns:
        return {}
    of = percentiles(
        len(delays_ns), lambda share: percentile(delays_ns, share), delays_ns, REPLAYED
    )
    return of | {"delay_mean_ns": fmean(delays_ns)}


def spread_of(counts: Histogram) -> Values:
    """The same of a histogram, to within its buckets."""
    packets = sum(counts.values())
    if not packets:
        return {}
    of = percentiles(packets, lambda share: histogram.percentile(counts, share), counts, REPLAYED)
    return of | {"delay_mean_ns": histogram.mean(counts)}


def values(ways: Sequence[Way], load: Workload) -> Values:
    """Return the values of all directions together and of each."""
    each = {way.wire.direction: _way(way, load) for way in ways if way.sender["tried"]}
    named = {f"{way}.{name}": value for way, its in each.items() for name, value in its.items()}
    tried = {way.wire.direction: way.sender["tried"] for way in ways}
    return named | _together(each, tried)


def _way(way: Way, load: Workload) -> Values:
    tried = way.sender["tried"]
    values = {"loss_ratio": (tried - way.sink["unique"]) / tried}
    kept = flows(way)
    if kept is None:
        return values | _counted(way, load)
    every = sorted(delay for flow in kept for delay in flow.delays_ns if delay is not None)
    call = _call(kept) if is_call(load) else {}
    return values | spread(every) | _varying(kept, every) | _lost(kept) | _missed(kept, load) | call


def _counted(way: Way, load: Workload) -> Values:
    """Return values by the histogram; the share that came in time is of all that were tried."""
    behind = way.sink["behind_ns"]
    counts = histogram.merged([(behind["low"], behind["count"])])
    came = way.sink["unique"] / way.sender["tried"]
    late = {
        f"missed_{ms}ms_ratio": 1 - came * histogram.within(counts, ms * NS_PER_MS)
        for ms in deadlines(load)
    }
    of = spread_of(counts)
    more = {
        f"pdv_{name}_ns": of[f"delay_{name}_ns"] - of["delay_min_ns"]
        for name in VARIATION
        if f"delay_{name}_ns" in of
    }
    return of | more | late


def _varying(kept: Sequence[Flow], every: Sequence[float]) -> Values:
    above = pdv(every)
    steps = sorted(abs(step) for flow in kept for step in ipdv(flow.delays_ns))
    values = dict(_percentiles("pdv", above, VARIATION)) | dict(
        _percentiles("ipdv", steps, DIFFERENCE)
    )
    return values | ({"ipdv_mean_ns": fmean(steps)} if steps else {})


def _percentiles(
    name: str, values: Sequence[float], shares: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Yield the percentiles of sorted values that ten of them lie above."""
    for word, share in shares.items():
        if values and is_told(share, len(values)):
            yield f"{name}_{word}_ns", percentile(values, share)


def _lost(kept: Sequence[Flow]) -> Values:
    total = Runs()
    for flow in kept:
        total += runs(delay is None for delay in flow.delays_ns)
    return {
        "lost_runs": total.count,
        "lost_run_mean_packets": total.mean,
        "lost_run_longest_packets": total.longest,
        "burst_r": total.burst_r,
    }


def _missed(kept: Sequence[Flow], load: Workload) -> Values:
    values: Values = {}
    for ms in deadlines(load):
        by_flow = [(flow.sent_ns, misses(flow.delays_ns, ms * NS_PER_MS)) for flow in kept]
        packets = sum(len(missed) for _, missed in by_flow)
        count = sum(sum(missed) for _, missed in by_flow)
        values[f"missed_{ms}ms_ratio"] = count / packets if packets else 0.0
        values[f"missed_{ms}ms_longest_ns"] = max(
            (longest_streak_ns(sent_ns, missed) for sent_ns, missed in by_flow), default=0.0
        )
    return values


def _call(kept: Sequence[Flow]) -> Values:
    """The best play-out delay of listeners that conceal losses, and R without that."""
    every = [flow.delays_ns for flow in kept]
    heard = emodel.best_playout(every)
    bare = emodel.best_playout(every, emodel.UNCONCEALED)
    if heard is None or bare is None:
        return {"mos": 1.0, "mos_unconcealed": 1.0}
    return {
        "mos": emodel.mos(heard.rating),
        "mos_unconcealed": emodel.mos(bare.rating),
        "r_factor": heard.rating,
        "playout_ns": heard.delay_ns,
        "playout_loss_ratio": heard.lost_ratio,
    }


def _together(each: dict[str, Values], tried: dict[str, int]) -> Values:
    """What is of both directions: shares by packets, the longest streak, the worse call."""
    names = dict.fromkeys(name for its in each.values() for name in its)
    joint: Values = {}
    for name in names:
        its = {way: values[name] for way, values in each.items() if name in values}
        if len(its) < len(each):
            continue
        if name.startswith("missed_") and name.endswith("_ratio"):
            packets = sum(tried[way] for way in its)
            joint[name] = sum(value * tried[way] for way, value in its.items()) / packets
        elif name.startswith("missed_"):
            joint[name] = max(its.values())
        elif name in ("mos", "mos_unconcealed"):
            joint[name] = min(its.values())
    return joint
