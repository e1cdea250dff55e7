# SPDX-License-Identifier: Apache-2.0
"""Warnings: what a reader must know before trusting a value, by code, with advice.

Each rule takes the samples in the order in which they ran and answers with a warning or None. A
difference under 2 % is not worth a warning: it is what Korcek and others allowed between repeats.
"""

from collections.abc import Sequence
from itertools import combinations
from math import ceil, factorial
from statistics import median
from typing import Literal

from gatemark.stats.judgement import Limit, Warning_
from gatemark.stats.math.interval import Interval
from gatemark.store.record import Evidence

Code = Literal[
    "bimodal",
    "bursty-sender",
    "clock",
    "drift",
    "few-repeats",
    "first-run-slow",
    "incomplete",
    "invalid-trials",
    "no-ceiling",
    "no-instrumented-pass",
    "observer-effect",
    "spread",
    "tester-limited",
    "throttled",
    "twin-differs",
    "unnamed-functions",
]

WORTH = 0.02  # of the value
WIDE = 0.05  # of the value: an interval wider than this
ENOUGH = 6  # repeats for a 95 % interval of the median
MODES = 10  # samples from which two modes can be told from chance
POLL = 64  # packets: one NAPI poll (NAPI_POLL_WEIGHT); more at once overflow short queues
SLOWED = 0.05  # of the clock that it had as the load began
LOADED = 0.9  # of a CPU: busy enough that its governor has no reason to slow it
MOST_UNNAMED = 0.1  # of a packet's path, in no subsystem: the names are not those of this kernel
HOLES = 0.02  # of the time, in gaps over 1 ms


def warning(code: Code, advice: str) -> Warning_:
    """A warning whose code is one of the enumerated."""
    return Warning_(code, advice)


def tester_limited(limit: Limit) -> Warning_ | None:
    """The tester was the limit, so the value is a lower bound."""
    if limit != "tester":
        return None
    advice = "At least this much: use a faster tester, or give it a CPU of its own."
    return warning("tester-limited", advice)


def few_repeats(n: int) -> Warning_ | None:
    """Too few repeats for a 95 % interval."""
    if n >= ENOUGH:
        return None
    return warning(
        "few-repeats", f"{n} of {ENOUGH} repeats: the interval is the range; repeat more often."
    )


def spread(interval: Interval) -> Warning_ | None:
    """The interval is wide against its value."""
    width = interval.hi - interval.lo
    if width <= WIDE * abs(interval.value):
        return None
    return warning("spread", "The repeats differ; quiet the machine or repeat more often.")


def invalid_trials(invalid: int) -> Warning_ | None:
    """Trials did not count."""
    if not invalid:
        return None
    return warning("invalid-trials", f"{invalid} did not count; their records say why.")


def unnamed_functions(share: float) -> Warning_ | None:
    """So much of a packet's path is of no subsystem."""
    if share < MOST_UNNAMED:
        return None
    advice = "Functions that no pattern of subsystems.toml has: give yours with --subsystems."
    return warning("unnamed-functions", f"{100 * share:.0f} % of what it runs. {advice}")


def first_run_slow(values: Sequence[float]) -> Warning_ | None:
    """The first is below all the others by more than the others differ among themselves."""
    if len(values) < 4:
        return None
    first, rest = values[0], values[1:]
    below = min(rest) - first
    if below <= max(max(rest) - min(rest), WORTH * median(rest)):
        return None
    return warning("first-run-slow", "Caches or tables were cold; send a warm-up first.")


def drift(values: Sequence[float]) -> Warning_ | None:
    """The values rise or fall over the run (Mann and Kendall's test against order)."""
    if len(values) < ENOUGH:
        return None
    half = len(values) // 2
    change = median(values[-half:]) - median(values[:half])
    if abs(change) <= WORTH * abs(median(values)):
        return None
    if order_p(values) > 0.01:
        return None
    return warning("drift", "Values move with time: heat, clock or a neighbour; interleave arms.")


def bimodal(values: Sequence[float]) -> Warning_ | None:
    """Two groups of at least three, farther apart than three times what either spans."""
    if len(values) < MODES:
        return None
    ordered = sorted(values)
    for cut in range(3, len(ordered) - 2):
        low, high = ordered[:cut], ordered[cut:]
        gap = high[0] - low[-1]
        span = max(low[-1] - low[0], high[-1] - high[0])
        if gap > max(3 * span, WORTH * abs(median(ordered))):
            advice = (
                f"Two states near {median(low):.4g} and {median(high):.4g}; find what switches."
            )
            return warning("bimodal", advice)
    return None


def observer_effect(outside: Sequence[float], instrumented: Sequence[float]) -> Warning_ | None:
    """The two passes differ by more than both their ranges together.

    One instrumented trial is outside the range of six others in two cases of seven by chance;
    by a whole range it does rarely.
    """
    if len(outside) < 2 or not instrumented:
        return None
    ranges = max(outside) - min(outside) + max(instrumented) - min(instrumented)
    change = median(instrumented) - median(outside)
    if abs(change) <= max(ranges, WORTH * abs(median(outside))):
        return None
    return warning(
        "observer-effect", "Watching it moves the value: the instrumented pass gives no rates."
    )


def throttled(instrumented: Sequence[Evidence]) -> Warning_ | None:
    """The gateway's processor was slowed under load, by its own count or by its clock.

    A governor slows a CPU that has little to do, so the clock counts only where one had much.
    """
    if any(map(_slowed, instrumented)):
        return warning("throttled", "It was slowed for heat or power; cool it, and pause longer.")
    return None


def _slowed(evidence: Evidence) -> bool:
    thermal = evidence.thermal
    if thermal.get("throttled", 0.0) > 0:
        return True
    start, low = thermal.get("clock_start_mhz", 0.0), thermal.get("clock_low_mhz", 0.0)
    busy = [reading.busy for reading in (*evidence.cpu, *evidence.inside)]
    return low < start * (1 - SLOWED) and max(busy, default=0.0) >= LOADED


def clock(error_ns: float, delay_ns: float) -> Warning_ | None:
    """Sender and sink have two clocks, and less is known of these than the delay is long."""
    if not error_ns or error_ns < delay_ns:
        return None
    advice = (
        f"One-way delays may be wrong by {error_ns / 1000:.0f} us, as much as they are: take the "
        "difference between two of them, or TCP's round trip, or one machine for both sides."
    )
    return warning("clock", advice)


def order_p(values: Sequence[float]) -> float:
    """How often chance alone orders values as much, up or down: Kendall's exact test (1938).

    Counted here because `scipy.stats` takes more than a second to load for `show`; a test compares.
    """
    falls = sum((a > b) + (a == b) / 2 for a, b in combinations(values, 2))
    ways = [1]  # permutations by their number of falls, one value more at a time
    for n in range(2, len(values) + 1):
        ways = [sum(ways[max(0, k - n + 1) : k + 1]) for k in range(len(ways) + n - 1)]
    fewest = ceil(min(falls, len(ways) - 1 - falls))
    return min(1.0, 2 * sum(ways[: fewest + 1]) / factorial(len(values)))


def twin_differs(arm: str, against: str) -> Warning_:
    """An A/A step does not hold zero."""
    advice = (
        f"{arm} is {against} again and differs from it: small steps of this ladder may be chance; "
        "quiet the machine or repeat more often."
    )
    return warning("twin-differs", advice)


def bursty_sender(
    rate_pps: float, late_p99_ns: float, gaps_over_1ms: float, sent_s: float
) -> Warning_ | None:
    """Packets left in clumps that a queue may not hold, or with holes at the sink.

    Lateness times rate is how many packets a late sender has to catch up with at once. Gaps over
    1 ms mean nothing where packets are due that far apart.
    """
    clump = late_p99_ns * rate_pps / 1e9
    holes = gaps_over_1ms * 1e-3 / sent_s if sent_s and rate_pps > 5000 else 0.0
    if clump <= POLL and holes <= HOLES:
        return None
    return warning("bursty-sender", "Pacing failed at times; give the sender a CPU of its own.")
