# SPDX-License-Identifier: Apache-2.0
"""What a gateway carries while a program of its own watches: a table, and the finding in words."""

from collections.abc import Sequence

from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT
from gatemark.report.words.table import NONE, Table
from gatemark.stats.judgement import Judgement, Watched
from gatemark.stats.point.capture import MODES, REFERENCE_BPS

CAPTION = "Beside a program: the highest rate of payload with nothing lost and nothing missed"
REFERENCE = number.nominal(REFERENCE_BPS, "bit/s")
HEAD = (
    "plan",
    "setup",
    "safe up to",
    "loses from",
    "misses from",
    "kept longer",
    "pushed over its limit at",
    f"CPU at {REFERENCE}, %",
    "of it user / system / softirq / irq, %",
    "rank",
)


def table(judgement: Judgement) -> Table:
    """One line for each arm of plans that have one with a program."""
    rows = tuple(_row(arm) for arm in judgement.watched)
    return Table(CAPTION, HEAD, rows, frozenset({7, 9}))


def groups(judgement: Judgement) -> list[list[Watched]]:
    """Arms that share one figure: of one plan, all factors but the rate alike."""
    by_point: dict[tuple[object, ...], list[Watched]] = {}
    for arm in judgement.watched:
        by_point.setdefault((arm.plan, *sorted(arm.point.items())), []).append(arm)
    return list(by_point.values())


def finding(arms: Sequence[Watched]) -> str:
    """Up to which rate each arm with a program is whole."""
    running = [arm for arm in arms if arm.baseline] or list(arms)
    rates = {arm.arm: _safe(arm) for arm in running}
    if len(set(rates.values())) == 1:
        who = "every program" if len(rates) > 1 else running[0].arm
        return f"Nothing lost and nothing missed with {who}: {next(iter(rates.values()))}"
    return "Nothing lost and nothing missed: " + "; ".join(f"{a} {r}" for a, r in rates.items())


def _safe(arm: Watched) -> str:
    if arm.safe_bps is None:
        return "at no rate"
    end = ", the highest offered" if arm.at_least else ""
    return f"up to {number.nominal(arm.safe_bps, 'bit/s')}{end}"


def _row(arm: Watched) -> tuple[str, ...]:
    point = f" {traffic.point(arm.point)}" if arm.point else ""
    bound = number.AT_LEAST if arm.at_least else ""
    return (
        arm.plan,
        arm.arm + point,
        NONE if arm.safe_bps is None else bound + number.nominal(arm.safe_bps, "bit/s"),
        _rate(arm.loss_bps),
        _rate(arm.missed_bps),
        arm.order.removesuffix(" first") or NONE,
        _rate(arm.livelock_bps),
        number.interval(arm.cpu, PERCENT) if arm.cpu else NONE,
        _modes(arm),
        str(arm.rank) if arm.rank else NONE,
    )


def _modes(arm: Watched) -> str:
    """Of the instrumented pass; the gateway's own count, in ticks of 10 ms."""
    shares = [arm.modes[mode].value for mode in MODES if mode in arm.modes]
    return " / ".join(f"{share * 100:.0f}" for share in shares) or NONE


def _rate(bps: float | None) -> str:
    """Three digits: the highest is what the tester sent as fast as it went, and was measured."""
    return NONE if bps is None else number.nominal(float(f"{bps:.3g}"), "bit/s")
