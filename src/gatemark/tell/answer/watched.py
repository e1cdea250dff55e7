# SPDX-License-Identifier: Apache-2.0
"""What a gateway carries while a program of its own watches: a table, and the finding in words."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, PointResult, Watched
from gatemark.judge.point.capture import MODES, REFERENCE_BPS, is_most, rate_bps
from gatemark.judge.point.facts import LOSS
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table

CAPTION = "Beside a program: the highest rate of payload with nothing lost and nothing missed"
REFERENCE = number.nominal(REFERENCE_BPS, "bit/s")
FULL = "full speed"  # as fast as the tester sends: no rate that the plan sets
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
MODES_AT = 8  # the column of the modes
RESOLUTION = "CPU by mode is counted in ticks of 10 ms"
TICK_S = 0.01  # the gateway counts its CPU by mode in ticks: USER_HZ is 100 (proc_stat(5))
FEWEST_TICKS = 20  # of a trial: below that one tick more or less would be read as a result


def table(judgement: Judgement) -> Table:
    """One line for each arm of plans that have one with a program."""
    rows = tuple(_row(arm, sweep(judgement, arm)) for arm in judgement.watched)
    if any(modes(arm) for arm in judgement.watched):
        numeric = frozenset({MODES_AT - 1, MODES_AT + 1})
        return Table(f"{CAPTION}. {RESOLUTION}", HEAD, rows, numeric)
    head, *rest = ((*row[:MODES_AT], *row[MODES_AT + 1 :]) for row in (HEAD, *rows))
    return Table(CAPTION, head, tuple(rest), frozenset({MODES_AT - 1, MODES_AT}))


def groups(judgement: Judgement) -> list[list[Watched]]:
    """Arms that share one figure: of one plan, equal in all factors but the rate."""
    by_point: dict[tuple[object, ...], list[Watched]] = {}
    for arm in judgement.watched:
        by_point.setdefault((arm.plan, *sorted(arm.point.items())), []).append(arm)
    return list(by_point.values())


def sweep(judgement: Judgement, arm: Watched) -> list[PointResult]:
    """The points of an arm whose rate is known, by that rate."""
    points = [
        point
        for point in judgement.points
        if (point.plan, point.arm) == (arm.plan, arm.arm)
        and rate_bps(point)
        and arm.point.items() <= point.point.items()
    ]
    return sorted(points, key=rate_bps)


def modes(arm: Watched) -> dict[str, float]:
    """The busiest CPU's shares by mode at the reference rate; none where they are few ticks."""
    shares = {mode: arm.modes[mode].value for mode in MODES if mode in arm.modes}
    ticks = sum(shares.values()) * arm.definition.duration_s / TICK_S
    return shares if ticks >= FEWEST_TICKS else {}


def finding(judgement: Judgement, arms: Sequence[Watched]) -> str:
    """Up to which set rate each arm with a program is whole, and what is lost at full speed."""
    running = [arm for arm in arms if arm.baseline] or list(arms)
    sweeps = {arm.arm: sweep(judgement, arm) for arm in running}
    parts = []
    if any(_set_rates(points) for points in sweeps.values()):
        parts.append(_whole({arm.arm: _safe(arm, sweeps[arm.arm]) for arm in running}))
    text = "; ".join([*parts, *_lost_at_full_speed(sweeps.values())])
    return text[:1].upper() + text[1:]


def _whole(rates: dict[str, str]) -> str:
    if len(set(rates.values())) > 1:
        return "Nothing lost and nothing missed: " + "; ".join(f"{a} {r}" for a, r in rates.items())
    first, *more = rates
    who = "every program" if more else first
    return f"Nothing lost and nothing missed with {who}: {rates[first]}"


def _safe(arm: Watched, points: Sequence[PointResult]) -> str:
    if arm.safe_bps is None:
        return "at no rate"
    if _is_full(arm.safe_bps, points):
        return f"up to {FULL}"
    if arm.safe_bps == max(_set_rates(points), default=None):
        return f"at every set rate up to {_rate(arm.safe_bps)}"
    end = ", the highest offered" if arm.at_least else ""
    return f"up to {_rate(arm.safe_bps)}{end}"


def _lost_at_full_speed(sweeps: Iterable[Sequence[PointResult]]) -> list[str]:
    """The share of all packets, as a range over the arms; nothing where no arm loses."""
    full = [point for points in sweeps for point in points if is_most(point)]
    losses = [point.values["loss_ratio"].value for point in full if "loss_ratio" in point.values]
    lost = sorted(loss for loss in losses if loss > LOSS)
    if not lost:
        return []
    texts = dict.fromkeys(
        number.plain(loss * 100, 0 if lost[0] >= 0.1 else 1) for loss in (lost[0], lost[-1])
    )
    span = " to ".join(texts) if len(lost) == len(losses) else f"up to {list(texts)[-1]}"
    return [f"at {FULL} {span} % is lost"]


def _set_rates(points: Iterable[PointResult]) -> list[float]:
    """The rates that the plan sets, in bit/s of payload."""
    return [rate_bps(point) for point in points if not is_most(point)]


def _is_full(bps: float, points: Iterable[PointResult]) -> bool:
    return any(is_most(point) and rate_bps(point) == bps for point in points)


def _row(arm: Watched, points: Sequence[PointResult]) -> tuple[str, ...]:
    point = f" {traffic.point(arm.point)}" if arm.point else ""
    bound = number.AT_LEAST if arm.at_least else ""
    return (
        arm.plan,
        arm.arm + point,
        NONE if arm.safe_bps is None else bound + _rate(arm.safe_bps),
        _from(arm.loss_bps, points),
        _from(arm.missed_bps, points),
        arm.order.removesuffix(" first") or NONE,
        _at(arm.livelock_bps, points),
        number.interval(arm.cpu, PERCENT) if arm.cpu else NONE,
        _modes(arm),
        str(arm.rank) if arm.rank else NONE,
    )


def _modes(arm: Watched) -> str:
    """The gateway's own count in the instrumented pass."""
    return " / ".join(f"{share * 100:.0f}" for share in modes(arm).values()) or NONE


def _from(bps: float | None, points: Sequence[PointResult]) -> str:
    """From which rate on: between the highest set one and full speed nothing was measured."""
    if bps is None or not _is_full(bps, points):
        return _at(bps, points)
    below = [rate for rate in _set_rates(points) if rate < bps]
    return f"between {_rate(max(below))} and {FULL}" if below else f"at {FULL}"


def _at(bps: float | None, points: Sequence[PointResult]) -> str:
    if bps is None:
        return NONE
    return FULL if _is_full(bps, points) else _rate(bps)


def _rate(bps: float) -> str:
    """Three digits: a rate of packets is no round rate of payload."""
    return number.nominal(float(f"{bps:.3g}"), "bit/s")
