# SPDX-License-Identifier: Apache-2.0
"""One trial's series in equal steps of its time: the rate that was counted, round trips, CPU."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatemark.judge.point.steps import medians
from gatemark.store.record import CpuReading, Definition
from gatemark.store.series import Series

LIKE = (
    *("sink.*.bytes", "sink.*.packets", "sink.*.delay_ns", "sink.*.delay_m*_ns"),
    *("source.*.rtt_ns", "outside.*.run_ns", "replay.*.delay*"),
)
STEPS = 50  # of a trial, at most: as often TCP is asked for its round trip
# What a sink counts; by what to multiply.
COUNTED = {"tcp": ("bytes", 8), "udp": ("packets", 1), "replay": ("packets", 1)}
S_NS = 1_000_000_000

Steps = list[float | None]


@dataclass(frozen=True, slots=True)
class Clock:
    """The steps of a trial."""

    zero_ns: int  # where the first one begins
    bin_ns: int  # of the sink
    step_ns: int  # some bins
    count: int

    def place(self, at_ns: float) -> int:
        """The step in which a moment lies; below 0 or from `count` on: none."""
        return int((at_ns - self.zero_ns) // self.step_ns)


def clock(series: Series, definition: Definition) -> Clock | None:
    """The steps from the first byte sent to the last; None where the sink's count is not kept.

    UDP does not tell when it began: there the first bin that counted is left out, and the last.
    """
    counts = list(_named(series, "sink.", COUNTED[definition.l4][0]))
    bins = [x[1] - x[0] for x, _ in counts if len(x) > 1]
    began = [at for x, y in counts for at, count in zip(x, y, strict=True) if count]
    if not bins or not began or min(bins) <= 0:
        return None
    span_ns, bin_ns = round((definition.settle_s + definition.duration_s) * S_NS), bins[0]
    asked = [
        x[0] for x, _ in _named(series, "source.", "rtt_ns")
    ]  # for the first time at its start
    zero_ns = min(asked) if asked else min(began) + bin_ns
    whole_ns = span_ns if asked else span_ns - bin_ns
    step_ns = bin_ns * max(1, -(-span_ns // (STEPS * bin_ns)))
    return Clock(zero_ns, bin_ns, step_ns, whole_ns // step_ns) if whole_ns >= step_ns else None


def rate(series: Series, definition: Definition, clock: Clock) -> Steps:
    """Bit/s of payload (TCP) or packets/s (UDP), all directions together."""
    counted, factor = COUNTED[definition.l4]
    sums = [0.0] * clock.count
    for x, y in _named(series, "sink.", counted):
        for at, count in zip(x, y, strict=True):
            place = clock.place(at + clock.bin_ns / 2)
            if 0 <= place < clock.count:
                sums[place] += count
    return [total * factor * S_NS / clock.step_ns for total in sums]


def round_trip_ns(series: Series, clock: Clock) -> Steps:
    """TCP's own smoothed round trip, the median over streams; None where none was asked for."""
    kept_values: list[list[float]] = [[] for _ in range(clock.count)]
    for x, y in _named(series, "source.", "rtt_ns"):
        for at, value in zip(x, y, strict=True):
            place = clock.place(at)
            if 0 <= place < clock.count and value > 0:
                kept_values[place].append(value)
    return medians(kept_values)


def delay_ns(series: Series, clock: Clock) -> tuple[Steps, Steps]:
    """One-way delay: the mean and the longest of each step's packets; None where none arrived."""
    sums, counts, most = ([0.0] * clock.count for _ in range(3))
    for at, mean, longest, count in delays(series):
        place = clock.place(at)
        if 0 <= place < clock.count:
            sums[place] += mean * count
            counts[place] += count
            most[place] = max(most[place], longest)
    means = [total / count if count else None for total, count in zip(sums, counts, strict=True)]
    return means, [value if count else None for value, count in zip(most, counts, strict=True)]


def delays(series: Series) -> Iterator[tuple[float, float, float, float]]:
    """When (ns), mean and longest delay (ns), packets: bin by bin, or packet by packet."""
    for name, (x, y) in series.items():
        if name.startswith("replay.") and name.endswith((".delay", ".delay_ns")):
            yield from ((at, delay, delay, 1.0) for at, delay in zip(x, y, strict=True))
        elif name.endswith(".delay_mean_ns"):
            way = name.removesuffix(".delay_mean_ns")
            most = dict(zip(*series[f"{way}.delay_max_ns"], strict=True))
            counts = dict(zip(*series[f"{way}.packets"], strict=True))
            yield from (
                (at, mean, most.get(at, mean), counts.get(at, 0.0))
                for at, mean in zip(x, y, strict=True)
            )


def cpu(series: Series, readings: Iterable[CpuReading], clock: Clock) -> Steps:
    """Share of the gateway's busiest CPU that its threads used; None where it was not read."""
    cpus: dict[int | str, list[Steps]] = {}
    for reading in readings:
        place = reading.thread if reading.cpu is None else reading.cpu
        for x, y in _named(series, f"outside.{reading.thread}.", "run_ns"):
            cpus.setdefault(place, []).append(_rise(x, y, clock))
    sums = [[_sum(parts) for parts in zip(*threads, strict=True)] for threads in cpus.values()]
    return max(sums, key=lambda steps: sum(filter(None, steps)), default=[None] * clock.count)


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return min(1.0, sum(known)) if len(known) == len(parts) else None


def _rise(x: Sequence[int], y: Sequence[float], clock: Clock) -> Steps:
    """The rise of a counter of ns in each step, as a share of the step."""
    edges = [_at(x, y, clock.zero_ns + place * clock.step_ns) for place in range(clock.count + 1)]
    return [None if a is None or b is None else (b - a) / clock.step_ns for a, b in pairwise(edges)]


def _at(x: Sequence[int], y: Sequence[float], at: int) -> float | None:
    """A counter's value at a moment between two of its readings."""
    right = bisect_left(x, at)
    if right == len(x) or (right == 0 and x[0] != at):
        return None
    if x[right] == at:
        return y[right]
    share = (at - x[right - 1]) / (x[right] - x[right - 1])
    return y[right - 1] + share * (y[right] - y[right - 1])


def _named(series: Series, start: str, end: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
    for name, columns in series.items():
        if name.startswith(start) and name.endswith(f".{end}") and columns[0]:
            yield columns
