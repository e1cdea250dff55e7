# SPDX-License-Identifier: Apache-2.0
"""Arithmetic that is not the product's: it shares no line with gatemark.judge."""

from functools import cache
from itertools import accumulate, pairwise
from math import comb, exp, floor, inf, log, log10
from statistics import median
from typing import Any, Final, NamedTuple

Trial = dict[str, Any]
Curve = tuple[tuple[float, float], ...]  # offered and received packets/s
FOLLOWS: Final = 0.995  # of what was offered: who received so much kept up
STEPS: Final = 300


class Truth(NamedTuple):
    value: float
    lo: float
    hi: float
    n: int = 2


def around(samples: list[float]) -> Truth | None:
    """The median, and the order statistics that hold it in 95 of 100 cases; of few their ends."""
    ordered, n = sorted(samples), len(samples)
    tails = [2 * sum(comb(n, i) for i in range(k + 1)) / 2**n for k in range((n + 1) // 2)]
    cut = max((k for k, tail in enumerate(tails) if tail <= 0.05), default=0)
    return Truth(median(ordered), ordered[cut], ordered[n - 1 - cut], n) if n else None


def fewer_in_pairs(ratios: list[float]) -> Truth | None:
    """By Hodges and Lehmann of pairs, cut by the distribution of Wilcoxon's signed ranks."""
    n, logs = len(ratios), [log(ratio) for ratio in ratios]
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        ways = [x + (ways[at - rank] if at >= rank else 0) for at, x in enumerate(ways)]
    rare = sum(2 * total <= 0.05 * 2**n for total in accumulate(ways))
    means = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i + 1))
    cut = max(0, rare - 1)
    if not means:
        return None
    value, lo, hi = (1 - exp(x) for x in (median(means), means[-1 - cut], means[cut]))
    return Truth(value, lo, hi, n)


def fewer(base: list[float], own: list[float]) -> Truth | None:
    """By Hodges and Lehmann, cut by the distribution of Mann and Whitney's U."""
    n, m = len(base), len(own)
    ways = [1] + [0] * n * m
    for i in range(1, m + 1):
        for u in range(n * m, n + i - 1, -1):
            ways[u] -= ways[u - n - i]
        for u in range(i, n * m + 1):
            ways[u] += ways[u - i]
    rare = sum(2 * total <= 0.05 * comb(n + m, n) for total in accumulate(ways))
    logs, cut = sorted(log(b / a) for a in base for b in own), max(0, rare - 1)
    if not logs:
        return None
    value, lo, hi = (1 - exp(x) for x in (median(logs), logs[-1 - cut], logs[cut]))
    return Truth(value, lo, hi, min(n, m))


@cache
def knee(curve: Curve) -> tuple[float, float]:
    """Where two lines meet that fit best, and the step of trying; infinite: all came through."""
    last = max((i for i, (sent, came) in enumerate(curve) if came >= FOLLOWS * sent), default=-1)
    if last == len(curve) - 1:
        return inf, 0.0
    low = FOLLOWS * curve[last][0] if last >= 0 else 0.0
    high = curve[min(last + 2, len(curve) - 1)][0]
    near = [p for i, p in enumerate(curve) if i <= last + 3 or p[0] <= 1.5 * curve[last + 1][0]]
    if sum(sent * FOLLOWS > low for sent, _ in near) < 2:
        return min(max(near[-1][1], low), high), 0.0

    def misses(at: float) -> float:
        over = [(sent - at, came - at) for sent, came in near if sent > at]
        slope = sum(x * y for x, y in over) / (sum(x * x for x, _ in over) or 1.0)
        below = sum((came - sent) ** 2 for sent, came in near if sent <= at)
        return below + sum((y - slope * x) ** 2 for x, y in over)

    for _ in range(2):  # all of it, then what is beside the best
        step = (high - low) / STEPS
        best = min((low + step * i for i in range(STEPS + 1)), key=misses)
        low, high = max(low, best - step), min(high, best + step)
    return best, step


def curves(by_rate: dict[float, list[Trial]]) -> list[Curve]:
    """What each repeat of a sweep sent and got; without those that end before a knee."""
    repeats: dict[int, list[tuple[float, float]]] = {}
    for trial in (trial for trials in by_rate.values() for trial in trials):
        if trial["pass"] == "outside":
            pair = tried(trial), trial["values"]["received_pps"]
            repeats.setdefault(trial["repeat"], []).append(pair)
    top = max((sent for curve in repeats.values() for sent, _ in curve), default=0.0)
    long = [tuple(sorted(curve)) for _, curve in sorted(repeats.items()) if len(curve) > 2]
    return [c for c in long if knee(c)[0] < inf or c[-1][0] >= FOLLOWS * top]


def kept_at(curve: Curve, at: float) -> float | None:
    """The share of its peak that came at a rate, between two of its own or just beyond all."""
    peak, (last, came) = max(came for _, came in curve), curve[-1]
    if 0.98 * at <= last < at:
        return came / peak
    for (a, y), (b, z) in pairwise(curve):
        if a <= at <= b:
            return (y + (z - y) * (at - a) / (b - a)) / peak
    return None


def tried(trial: Trial) -> float:
    """Packets/s that were sent, also where the schedule was missed."""
    count, values = trial["accounting"], trial["values"]
    if count and count["unique"] and (trial["evidence"]["schedule_ratio"] or 1) < 0.99:
        return float(values["received_pps"] * count["tried"] / count["unique"])
    return float(values["offered_pps"])


def is_clean(trial: Trial) -> bool:
    """Whether nothing was lost, and no more waits at the end of sending than at its beginning."""
    for way in trial["evidence"]["loss"]:
        kept = [a - b for a, b in zip(way["tried"], way["lost"], strict=True)]
        came = [*way["arrived"], *[0] * len(kept)]
        waits = [*accumulate(a - b for a, b in zip(kept, came, strict=False))]
        part = len(kept) // 4
        if part > 1 and sum(kept):
            more = median(waits[-part - 1 : -1]) - median(waits[1 : part + 1])
            if more / sum(kept) > 0.75 * (1 - FOLLOWS):
                return False
    count = trial["accounting"]
    return not (count["lost"] if count else trial["values"]["loss_ratio"])


def place(value: float, lo: float, hi: float) -> float:
    """The value of the last digit that counts: of an error two digits below 30, of a value four.

    An end that is not 0 keeps a digit.
    """
    error, exponent = max(value - lo, hi - value), floor(log10(abs(value) or 1.0))
    if not error:
        return float(min(10.0 ** (exponent - 2), 1.0))
    digit = 10.0 ** floor(log10(error))
    digit = max(digit / 10 if error < 3 * digit else digit, 10.0 ** (exponent - 3))
    if lo * hi > 0:
        digit = min(digit, 10.0 ** floor(log10(min(abs(lo), abs(hi)))))
    return float(max(digit, 0.001))
