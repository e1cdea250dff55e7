# SPDX-License-Identifier: Apache-2.0
"""What a gateway carries while a program of its own watches: a table, and the finding in words."""

from collections.abc import Sequence

from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT
from gatemark.report.words.table import NONE, Table
from gatemark.stats.judgement import Judgement, Watched
from gatemark.stats.point.capture import REFERENCE_BPS

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
    "rank",
)


def table(judgement: Judgement) -> Table:
    """One line for each arm of plans that have one with a program."""
    rows = tuple(_row(one) for one in judgement.watched)
    return Table(CAPTION, HEAD, rows, frozenset({7, 8}))


def groups(judgement: Judgement) -> list[list[Watched]]:
    """Arms that share one figure: of one plan, all factors but the rate alike."""
    found: dict[tuple[object, ...], list[Watched]] = {}
    for one in judgement.watched:
        found.setdefault((one.plan, *sorted(one.point.items())), []).append(one)
    return list(found.values())


def finding(found: Sequence[Watched]) -> str:
    """Up to which rate each arm with a program is whole."""
    told = [one for one in found if one.baseline] or list(found)
    rates = {one.arm: _safe(one) for one in told}
    if len(set(rates.values())) == 1:
        who = "every program" if len(rates) > 1 else told[0].arm
        return f"Nothing lost and nothing missed with {who}: {next(iter(rates.values()))}"
    return "Nothing lost and nothing missed: " + "; ".join(f"{a} {r}" for a, r in rates.items())


def _safe(one: Watched) -> str:
    if one.safe_bps is None:
        return "at no rate"
    end = ", the highest offered" if one.at_least else ""
    return f"up to {number.nominal(one.safe_bps, 'bit/s')}{end}"


def _row(one: Watched) -> tuple[str, ...]:
    point = f" {traffic.point(one.point)}" if one.point else ""
    bound = number.AT_LEAST if one.at_least else ""
    return (
        one.plan,
        one.arm + point,
        NONE if one.safe_bps is None else bound + number.nominal(one.safe_bps, "bit/s"),
        _rate(one.loss_bps),
        _rate(one.missed_bps),
        one.order.removesuffix(" first") or NONE,
        _rate(one.livelock_bps),
        number.interval(one.cpu, PERCENT) if one.cpu else NONE,
        str(one.rank) if one.rank else NONE,
    )


def _rate(bps: float | None) -> str:
    return NONE if bps is None else number.nominal(bps, "bit/s")
