# SPDX-License-Identifier: Apache-2.0
"""What does the gateway do at full speed, in small and in full frames?"""

from collections.abc import Iterable

from gatemark.judge.judgement import Comparison, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.speed import RATE, Speed, bottleneck, fewer, is_nat, speed
from gatemark.number import AT_LEAST, PERCENT, measured, within
from gatemark.tell.sentence.bottleneck import is_one_cpu, phrases
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.rate import searched
from gatemark.tell.sentence.who import kernel_of


def applies(case: Case) -> bool:
    """Return True without a search, or a knee at full speed: these tell more."""
    is_slow = all(knee.definition.slow_to_pps for knee in case.knees)
    return is_slow and not searched(case.plain) and speed(case.plain) is not None


def say(case: Case) -> str:
    """Answer by small and full frames at overload."""
    run, records, comparisons = case.run, case.records, case.judgement.comparisons
    routed = speed(case.plain)
    assert routed is not None
    limit = bottleneck((routed.small, routed.full))
    is_one = is_one_cpu(records)
    text = f"{kernel_of(run)} {_words(routed, comparisons, ' on one core' if is_one else '')}"
    if is_one and limit == "cpu":
        return f"{text}; the core is the bottleneck."
    return f"{text}; {phrases(records)[limit]}."


def _words(routed: Speed, comparisons: Iterable[Comparison], where: str) -> str:
    """`routes 510 k packets/s of 64 bytes on one core (6.2 Gbit/s at 1518 bytes) and NATs ...`."""
    small, full = routed.small, routed.full
    text = (
        f"routes {_rate(small, RATE, 'packets/s')} of {small.definition.frame_bytes} bytes"
        f"{where} ({_rate(full, 'received_l1_bps', 'bit/s')} at "
        f"{full.definition.frame_bytes} bytes)"
    )
    nat = (c for c in comparisons if is_nat(c, small) and c.change.verdict == "slower")
    share = next(filter(None, map(fewer, nat)), None)
    return f"{text} and NATs {_percent(share)} fewer" if share else text


def _rate(point: PointResult, quantity: str, unit: str) -> str:
    """A rate of a point alone, as its table has it with its interval."""
    value = point.values[quantity]
    bound = AT_LEAST if point.at_least else ""
    return bound + measured(value.value, value.lo, value.hi, unit)


def _percent(i: Interval) -> str:
    """A share with its interval: `27.0 ± 1.8 %`."""
    return f"{within(i.value, i.lo, i.hi, PERCENT)} %"
