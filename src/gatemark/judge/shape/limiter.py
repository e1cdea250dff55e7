# SPDX-License-Identifier: Apache-2.0
"""A limiter: what comes through is flat while more is offered, and it is not the CPU.

A policer drops at once; a shaper's queue makes packets wait before it drops. Loss inside is that
beyond the sender's port: where that port's queue overflows, the CPU behind it is what is slow.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from math import sqrt
from statistics import median
from typing import Final

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding, Shape
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.shape.sight import SETTLED, Level, Sight, Sweep, in_most
from gatemark.store.drops import NETFILTER, QDISC

EXCESS: Final = 0.01  # inside loss from which a rate counts, beyond the constant share
CLEAR: Final = 0.05  # from which it says whether the received rate is flat
RISES: Final = 1.08  # by so much the gateway must have been offered more
FLAT: Final = 0.35  # of that rise at most
CALM: Final = 0.93  # of its CPU: below it the CPU is not what drops
INSIDE: Final = 0.8  # of the loss
COUNTED: Final = (QDISC, NETFILTER)  # stages of drops behind which a limiter stands
POLICED: Final = 16  # packets: a shorter queue is none
FILLING: Final = 0.85  # of what the pause before a trial fills in: it was not full at its start
TOGETHER, EVEN_TIMES = 4, 5  # bins; so many times tell how evenly packets come
EVEN: Final = 0.35  # of what chance would make: of its deviation the median distance is .67
CHANCE: Final = 3.0  # packets: fewer are no more than the bins' edges make
FULL: Final = 2.0  # times as much in one trial as in another: its bucket was not full at first


def find(sweep: Sweep, share: float) -> Iterator[Finding]:
    """`share` is the constant share, which is explained already. Explains all that is left."""
    over = _over(sweep, share)
    if not is_limited(sweep, share):
        yield from _of_bytes(over, sweep.levels[0])
        return
    clear = [level for level in over if level.inside_share >= CLEAR] or over
    rates = median_interval([_settled(s) / (1 - share) for level in clear for s in level.sights])
    rate = rates.value
    calm = [level for level in over if _is_calm(level)]
    calm = [level for level in calm if level in clear] or calm
    calm = calm or [level for level in over if _is_counted(level)][:1]
    if not calm:
        if any(level.is_full for level in over):
            low = over[0].offered_pps
            yield Finding(
                shape="limiter",
                fact=fact("limiter.vague", low=low, rate=rate, next=1.25 * rate),
                values={"rate_pps": rate},
            )
        return
    queue = _queue(calm, sweep.levels[0], rate)
    values = {"rate_pps": rate, "rate_lo_pps": rates.lo, "rate_hi_pps": rates.hi}
    values["queue_packets"] = queue
    if queue < POLICED:
        yield _policer(calm, rates, values, _rests(sweep.sights))
    else:
        yield _shaper(sweep, rates, values)


def is_of_bytes(sweep: Sweep) -> bool:
    """Return True if what comes of a mix is flat in bit/s, and not in packets/s."""
    return bool(_byte_rates(_over(sweep, 0.0)))


def _byte_rates(over: Sequence[Level]) -> list[float]:
    """Bit/s of each trial once its bucket is empty; none: what comes is not flat in bit/s."""
    calm = [level for level in over if _is_calm(level)]
    mean = _mean_bytes([sight for level in calm for sight in level.sights])
    if len(calm) < 2 or not mean:
        return []
    came = [median(_came_bps(sight, mean) for sight in level.sights) for level in calm]
    taken = [_taken(level) for level in calm]
    low, high = (choose(range(len(calm)), key=taken.__getitem__) for choose in (min, max))
    rise = taken[high] / taken[low]
    if rise < RISES or not came[low] or (came[high] / came[low] - 1) / (rise - 1) > FLAT:
        return []
    return [_settled_bps(sight, mean) for level in calm for sight in level.sights]


def _of_bytes(over: Sequence[Level], lowest: Level) -> Iterator[Finding]:
    """Find a limit of bytes: larger frames are lost more than small ones."""
    rates = _byte_rates(over)
    if not rates:
        return
    calm = [level for level in over if _is_calm(level)]
    bps = median(rates)
    rate = bps / 8 / _mean_bytes([sight for level in calm for sight in level.sights])
    queue = _queue(calm, lowest, rate)
    shape: Shape = "policer" if queue < POLICED else "shaper"
    yield Finding(
        shape=shape,
        fact=fact(f"{shape}.bytes", bps=bps),
        values={"rate_pps": rate, "queue_packets": queue},
    )


def _settled_bps(sight: Sight, mean: float) -> float:
    """Bit/s of frames that came after the first was lost; of all where that is late."""
    onset_s, came = sight.onset_ms / 1000, _came_bps(sight, mean)
    left_s = sight.seconds - onset_s
    if left_s < SETTLED * sight.seconds:
        return came
    return max(0.0, came * sight.seconds - 8 * mean * sight.taken_pps * onset_s) / left_s


def _mean_bytes(sights: Sequence[Sight]) -> float:
    """The mean frame of a mix, by the trials that lost some; 0: there is no mix."""
    sizes = [size for sight in sights for size in sight.loss.by_size.items()]
    tried = sum(n for _, (n, _) in sizes)
    return sum(int(size) * n for size, (n, _) in sizes) / tried if tried else 0.0


def _came_bps(sight: Sight, mean: float) -> float:
    """Bits/s of frames that came; where none was lost as many as were sent."""
    sizes = sight.loss.by_size.items()
    came = sum(8 * int(size) * (n - lost) for size, (n, lost) in sizes)
    return (came if sizes else 8 * mean * (sight.tried - sight.lost)) / sight.seconds


def is_limited(sweep: Sweep, share: float) -> bool:
    """Return True if more is taken in and not let out; by all rates where clear ones are too near.

    Where one rate alone is beyond it, by how evenly packets come.
    """
    over = _over(sweep, share)
    clear = [level for level in over if level.inside_share >= CLEAR]
    for levels in (clear, over):
        if (verdict := _is_flat(levels)) is not None:
            return verdict
    return in_most([_is_even(s) for level in clear if _is_calm(level) for s in level.sights])


def _is_even(sight: Sight) -> bool:
    """Return True if as many come each time: of packets that are lost by chance more or fewer do.

    By the median distance from their median, once the bucket is empty, of some bins together.
    """
    loss = sight.loss
    after = sight.onset_ms / loss.bin_ms + 1
    ends = min(len(loss.arrived), len(loss.tried)) - 1
    bins = [at for at in sight.open if after <= at < ends and loss.lost[at]]
    times = [bins[at : at + TOGETHER] for at in range(0, len(bins) - TOGETHER + 1, TOGETHER)]
    if len(times) < EVEN_TIMES:
        return False
    came, tried = ([sum(own[at] for at in t) for t in times] for own in (loss.arrived, loss.tried))
    share = min(1.0, sum(came) / sum(tried))
    by_chance = sqrt(median(tried) * share * (1 - share))
    distance = median(abs(own - median(came)) for own in came)
    return by_chance >= CHANCE and distance <= EVEN * by_chance


def _over(sweep: Sweep, share: float) -> list[Level]:
    return [level for level in sweep.levels if level.inside_share > max(EXCESS, share / 4)]


def _is_flat(levels: Sequence[Level]) -> bool | None:
    """By the two rates that are farthest apart; None: they are too near to each other."""
    if len(levels) < 2:
        return None
    low, high = (choose(levels, key=_taken) for choose in (min, max))
    rise = _taken(high) / _taken(low) if _taken(low) else 0.0
    if rise < RISES or not _received(low):
        return None
    return (_received(high) / _received(low) - 1) / (rise - 1) <= FLAT


def _received(level: Level) -> float:
    return median(map(_settled, level.sights))


def _settled(sight: Sight) -> float:
    """What comes through once the bucket is empty; of a trial that ends before, in its end."""
    settled = sight.settled_pps()
    return sight.arrived_pps((1 - SETTLED) * sight.seconds * 1000) if settled is None else settled


def _taken(level: Level) -> float:
    return median(sight.taken_pps for sight in level.sights)


def _is_calm(level: Level) -> bool:
    refused = level.refused_share
    inside = level.inside_share * (1 - refused)
    is_inside = inside >= INSIDE * (inside + refused)
    return is_inside and (level.busy is None or level.busy < CALM)


def _is_counted(level: Level) -> bool:
    """Return True if queues and rules counted what was lost inside: no full CPU dropped it."""
    return in_most([_counted(s) >= INSIDE * (s.lost - sum(s.loss.refused)) for s in level.sights])


def _counted(sight: Sight) -> int:
    drops = sight.record.evidence.drops
    return sum(d.packets for d in drops.causes if d.stage in COUNTED) if drops else 0


def _queue(levels: Sequence[Level], lowest: Level, rate: float) -> float:
    """Packets that wait: what the median delay is longer by, times the rate.

    Longer than at the lowest rate; where that waits as well than the least delay of its trials.
    """
    base = lowest.delay_ns
    least = [ns for s in lowest.sights if (ns := s.record.values.get("delay_min_ns")) is not None]
    if least and lowest.inside_share > CLEAR:
        base = median(least)
    delays = [level.delay_ns for level in levels if level.delay_ns is not None]
    if base is None or not delays:
        return 0.0
    return max(0.0, median(delays) - base) / 1e9 * rate


def _rests(sights: Sequence[Sight]) -> dict[str, float]:
    """Of each trial but the first: for how many s nothing was sent before it."""
    begun = [(datetime.fromisoformat(s.record.started), s) for s in sights if s.record.started]
    begun.sort(key=lambda each: each[0])
    return {
        sight.record.trial: (start - before).total_seconds() - last.seconds
        for (before, last), (start, sight) in pairwise(begun)
    }


def _policer(
    levels: Sequence[Level], rates: Interval, values: dict[str, float], rests: dict[str, float]
) -> Finding:
    sights = [sight for level in levels for sight in level.sights]
    whole = [sight for sight in sights if sight.settled_pps() is not None]
    busy = max((level.busy for level in levels if level.busy is not None), default=None)
    size: Fact | None = None
    each = {s.record.trial: _burst(s, rates.value) for s in whole or sights}
    if bursts := [packets for packets in each.values() if packets > 0]:
        burst = median_interval(bursts)
        # A trial that ends before says no more; nor do those that found it half full.
        fills = [each[t] / (rates.value * rest) for t, rest in rests.items() if t in each and rest]
        is_filling = bool(fills) and median(fills) >= FILLING
        is_least = not whole or is_filling or burst.hi > FULL * max(1.0, burst.lo)
        code = "burst.least" if is_least else "burst.span" if _is_wide(burst) else "burst"
        size = fact(code, packets=burst.value, low=burst.lo, high=burst.hi)
        values = values | {"burst_packets": burst.hi if is_least else burst.value}
    return Finding(
        shape="policer",
        fact=fact(
            "policer",
            rates=_interval(rates),
            rate=rates.value,
            most=None if whole else fact("policer.at-most"),
            burst=size,
            cpu=None if busy is None else fact("policer.cpu", busy=busy),
        ),
        values=values,
    )


def _burst(sight: Sight, rate: float) -> float:
    """What came through beyond the rate until something was dropped."""
    return (sight.taken_pps - rate) * sight.onset_ms / 1000


def _interval(rates: Interval) -> Fact:
    return fact("rates", value=rates.value, low=rates.lo, high=rates.hi)


def _is_wide(burst: Interval) -> bool:
    return round(burst.hi) > round(burst.lo)


def _shaper(sweep: Sweep, rates: Interval, values: dict[str, float]) -> Finding:
    rate = rates.value
    wait_ms = values["queue_packets"] / rate * 1000
    size = sweep.subject.definition.frame_bytes
    bits = fact("shaper.bits", bps=rate * size * 8) if size else None
    return Finding(
        shape="shaper",
        fact=fact("shaper", rates=_interval(rates), rate=rate, bits=bits, ms=wait_ms),
        values=values | {"queue_ms": wait_ms},
    )
