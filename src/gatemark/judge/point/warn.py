# SPDX-License-Identifier: Apache-2.0
"""Warnings: what a reader must know before trusting a value, by code, with advice.

Each rule takes the samples in the order in which they ran and answers with a warning or None. A
difference under 2 % is not worth a warning: it is what Korcek and others allowed between repeats.
Advice names what exists: a key of the plan, or a command.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import ceil, factorial, sqrt
from statistics import median
from typing import Literal

from gatemark.judge import remedy
from gatemark.judge.fact import Fact, Text, fact
from gatemark.judge.judgement import Limit, Warning_
from gatemark.judge.math.interval import Interval
from gatemark.judge.math.ranks import MOST_EXACT, STANDARD
from gatemark.judge.remedy import ENOUGH
from gatemark.plan.model import Repeat
from gatemark.store.record import Evidence

Code = Literal[
    "action-late",
    "bimodal",
    "bursty-sender",
    "busy-queue",
    "clock",
    "drift",
    "fell-out",
    "few-repeats",
    "first-run-slow",
    "forgotten",
    "incomplete",
    "invalid-trials",
    "no-ceiling",
    "no-instrumented-pass",
    "observer-effect",
    "rises-with-size",
    "spread",
    "tester-limited",
    "throttled",
    "twin-differs",
    "unnamed-functions",
]

WORTH = 0.02  # of the value
WIDE = 0.05  # of the value: an interval wider than this
MODES = 10  # samples from which two modes can be told from chance
POLL = 64  # packets: one NAPI poll (NAPI_POLL_WEIGHT); more at once overflow short queues
SLOWED = 0.05  # of the clock that it had as the load began
LOADED = 0.9  # of a CPU: busy enough that its governor has no reason to slow it
MOST_UNNAMED = 0.1  # of a packet's path, in no subsystem: the names are not those of this kernel
ANY = Repeat()  # what a rule takes a plan to ask for (remedy.fitted knows it)
LATE = 0.01  # of an emulated line's departures, over 1 ms: up to there the 99th percentile is right
UNFINISHED = ("due", "begun")
HOLES = 0.02  # of the time, in gaps over 1 ms


def warning(code: Code, advice: Text, seen: Text = "", weight: float = 0.0) -> Warning_:
    """A warning whose code is one of the enumerated."""
    return Warning_(code, advice, seen, weight)


def tester_limited(limit: Limit, why: Text) -> Warning_ | None:
    """The tester was the limit, so the value is a lower bound; `why` has its number."""
    if limit != "tester":
        return None
    return warning(
        "tester-limited", fact("advice.faster"), fact("seen.why", why=why) if why else ""
    )


def action_late(trials: Sequence[Evidence]) -> Warning_ | None:
    """A program's action was due, or not over, as its trial ended: its effect was not all seen."""
    late = [
        each.program for trial in trials for each in trial.programs if each.action in UNFINISHED
    ]
    if not late:
        return None
    seen = fact("seen.action-late", program=late[0], late=len(late), trials=len(trials))
    return warning("action-late", fact("advice.longer"), seen)


def late_line(limit: Limit, share: float) -> Warning_ | None:
    """The emulated line, which is the tester's, was late: the highest delays are its own."""
    if share <= LATE or limit == "tester":
        return None
    seen = fact("seen.late-line", share=share)
    return warning("tester-limited", fact("advice.late-line"), seen, share)


def few_repeats(n: int) -> Warning_ | None:
    """Too few repeats for a 95 % interval."""
    if n >= ENOUGH:
        return None
    seen = fact("seen.few", n=n, enough=ENOUGH)
    return warning("few-repeats", remedy.enough(Repeat(times=n)), seen, -n)


def spread(interval: Interval) -> Warning_ | None:
    """The interval is wide against its value."""
    width = interval.hi - interval.lo
    if width <= WIDE * abs(interval.value):
        return None
    share = width / abs(interval.value) if interval.value else 1.0
    seen = fact("seen.spread", share=share, usual=WIDE)
    return warning("spread", remedy.narrow(ANY), seen, share)


def invalid_trials(invalid: int) -> Warning_ | None:
    """Trials did not count."""
    if not invalid:
        return None
    seen = fact("seen.invalid", trials=_trials(invalid))
    return warning("invalid-trials", fact("advice.all"), seen, invalid)


def _trials(count: int) -> Fact:
    return fact("trial" if count == 1 else "trials", count=count)


def unnamed_functions(share: float) -> Warning_ | None:
    """So much of a packet's path is of no subsystem."""
    if share < MOST_UNNAMED:
        return None
    seen = fact("seen.unnamed", share=share)
    return warning("unnamed-functions", fact("advice.names"), seen, share)


def first_run_slow(values: Sequence[float]) -> Warning_ | None:
    """The first is below all the others by more than the others differ among themselves."""
    if len(values) < 4:
        return None
    first, rest = values[0], values[1:]
    below = min(rest) - first
    middle = median(values)
    if not middle or below <= max(max(rest) - min(rest), WORTH * median(rest)):
        return None
    share = below / middle
    seen = fact("seen.first", share=share)
    return warning("first-run-slow", remedy.warm(ANY), seen, share)


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
    share = abs(change) / (abs(median(values)) or 1.0)
    seen = fact("seen.rose" if change > 0 else "seen.fell", share=share)
    return warning("drift", remedy.steady(ANY), seen, share)


def bimodal(values: Sequence[float]) -> Warning_ | None:
    """Two groups of at least three, farther apart than three times what either spans."""
    if len(values) < MODES:
        return None
    ordered = sorted(values)
    middle = abs(median(ordered))
    for cut in range(3, len(ordered) - 2):
        gap = ordered[cut] - ordered[cut - 1]
        span = max(ordered[cut - 1] - ordered[0], ordered[-1] - ordered[cut])
        if gap > max(3 * span, WORTH * middle):
            low, high = median(ordered[:cut]), median(ordered[cut:])
            seen = fact("seen.states", low=low, high=high)
            return warning("bimodal", fact("advice.states"), seen, gap / (middle or 1.0))
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
    share = abs(change) / (abs(median(outside)) or 1.0)
    seen = fact("seen.observed-more" if change > 0 else "seen.observed-less", share=share)
    return warning("observer-effect", fact("advice.probes"), seen, share)


def throttled(instrumented: Sequence[Evidence]) -> Warning_ | None:
    """The gateway's processor was slowed under load, by its own count or by its clock.

    A governor slows a CPU that has little to do, so the clock counts only where one had much.
    """
    slowed = [evidence for evidence in instrumented if _slowed(evidence)]
    if not slowed:
        return None
    return warning("throttled", remedy.cool(ANY), _clocks(slowed[0]), len(slowed))


def _clocks(evidence: Evidence) -> Fact:
    """How far its clock fell, else how often it counted that it was slowed."""
    thermal = evidence.thermal
    start, low = (thermal.get(f"clock_{when}_mhz", 0.0) for when in ("start", "low"))
    if low < start:
        return fact("seen.clock", start=start, low=low)
    return fact("seen.slowdowns", count=thermal.get("throttled", 0.0))


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
    seen = fact("seen.clocks", us=error_ns / 1000)
    return warning("clock", fact("advice.clocks"), seen, error_ns)


def order_p(values: Sequence[float]) -> float:
    """How often chance alone orders values as much, up or down: Kendall's exact test (1938).

    Beyond `MOST_EXACT` values its normal approximation. Counted here because `scipy.stats` takes
    more than a second to load for `show`; a test compares.
    """
    n, falls, before = len(values), 0.0, list[float]()
    for value in values:
        at, behind = bisect_left(before, value), bisect_right(before, value)
        falls += len(before) - behind + (behind - at) / 2
        before.insert(at, value)
    if n > MOST_EXACT:
        far = max(0.0, abs(falls - n * (n - 1) / 4) - 0.5)
        return 2 * STANDARD.cdf(-far / sqrt(n * (n - 1) * (2 * n + 5) / 72))
    ways = [1]  # permutations by their number of falls, one value more at a time
    for n in range(2, len(values) + 1):
        ways = [sum(ways[max(0, k - n + 1) : k + 1]) for k in range(len(ways) + n - 1)]
    fewest = ceil(min(falls, len(ways) - 1 - falls))
    return min(1.0, 2 * sum(ways[: fewest + 1]) / factorial(len(values)))


def twin_differs(arm: str, against: str, difference: float, unit: str) -> Warning_:
    """An A/A step does not hold zero, but differs by so much."""
    seen = fact("seen.twin", arm=arm, against=against, difference=difference, unit=unit)
    return warning("twin-differs", remedy.small(ANY), seen)


def incomplete(missing: int, resume: str) -> Warning_ | None:
    """Trials are still to be measured; `resume` is the command that does so."""
    if not missing:
        return None
    seen = fact("seen.missing", trials=_trials(missing))
    return warning("incomplete", fact("advice.resume", command=resume), seen)


def no_ceiling(*, asked: bool, line: bool) -> Warning_:
    """The tester alone was not measured. `asked`: it has an arm; `line`: one without it counts."""
    advice = "advice.all" if asked else "advice.unlined" if line else "advice.direct"
    return warning("no-ceiling", fact(advice), fact("seen.no-ceiling"))


def no_instrumented_pass(*, asked: bool) -> Warning_:
    """Nothing on the gateway was read. `asked`: the plan has probes, but no trial counted."""
    advice = fact("advice.all" if asked else "advice.watch")
    return warning("no-instrumented-pass", advice, fact("seen.unwatched"))


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
    seen = fact("seen.clump", packets=clump, usual=POLL)
    if clump <= POLL:
        seen = fact("seen.holes", share=holes)
    weight = max(clump / POLL, holes / HOLES)
    return warning("bursty-sender", fact("advice.own-cpu"), seen, weight)
