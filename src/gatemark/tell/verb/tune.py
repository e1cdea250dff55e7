# SPDX-License-Identifier: Apache-2.0
"""The outcome of a search for the best setting: the lines to type, the gain, or leave it."""

from collections.abc import Iterator
from typing import Any, Final

from gatemark.judge.tuning import CPU, DELAY, PAIRS, RATE, SHARE, Advice, advice, goal
from gatemark.plan.model import JOIN
from gatemark.store.record import Record
from gatemark.store.run import Run, Tune
from gatemark.tell.sentence.tuned import NAMES, change, headline
from gatemark.tell.verb import typing
from gatemark.tell.words import number
from gatemark.tell.words.screen import Line

UNITS: Final = {RATE: "packets/s", DELAY: "ns", CPU: "ratio", SHARE: "instructions"}
BY_SHAPE: Final = (
    "Its CPUs take turns on CPUs of this machine, so no rate, delay or load says anything: judged "
    "by the instructions of the busiest CPU for each packet alone"
)
UNTIL: Final = "They last until a reboot; undo: reboot, or the same lines with the old values"


def known(run: Run, records: list[Record]) -> Advice:
    """Return the advice of a run."""
    assert run.tune
    return advice(run.tune, run.plans[0], records)


def settings(outcome: Advice) -> list[str]:
    """The settings of the best arm."""
    return outcome.best.split(JOIN)


def typed(tune: Tune, outcome: Advice) -> list[str]:
    """Return the lines to type; none where it is to be left."""
    if not outcome.worth:
        return []
    ports = [tune.ports.get(role, role) for role in ("gw0", "gw1")]
    return typing.lines(settings(outcome), ports, openwrt=tune.openwrt)


def lines(run: Run, outcome: Advice, folder: str, page: str) -> Iterator[Line]:
    """Yield the answer: what to do, by how much, how it was outcome."""
    assert run.tune
    tune = run.tune
    yield "bold", headline(tune, outcome)
    yield from (("", f"  {line}") for line in typed(tune, outcome))
    if outcome.worth:
        yield "dim", UNTIL + (" (uci: for good)" if tune.openwrt else "")
    yield "", ""
    yield from (("", row) for row in _rows(tune, outcome))
    if tune.by_shape:
        yield "yellow", BY_SHAPE
    yield "dim", _effort(outcome)
    yield from (("yellow", f"missing  {lack}") for lack in run.station.missing)
    yield "", ""
    yield from (("", f"note    {note}") for note in run.notes)
    yield "", f"folder  {folder}"
    yield "", f"page    {page}"


def _rows(tune: Tune, outcome: Advice) -> Iterator[str]:
    for name, gain in outcome.gains.items():
        before = outcome.seen[name]
        mark = (
            ""
            if name == goal(tune)
            else "  (may get worse by " + number.quantity(tune.allow, "ratio") + ")"
        )
        unit = number.quantity_interval(before, UNITS[name])
        yield f"{NAMES[name]}: {unit} as it is, {change(name, gain)} with it{mark}"


def _effort(outcome: Advice) -> str:
    share = outcome.trials / outcome.whole if outcome.whole else 0.0
    lacks = f"; {outcome.skipped} more were not to be had here" if outcome.skipped else ""
    return (
        f"{outcome.able} combinations{lacks}. {outcome.trials} trials of gateways, "
        f"{number.quantity(share, 'ratio')} of the {outcome.whole} that {PAIRS} of each would "
        f"take; the gain is of {outcome.pairs} pairs measured after the choice"
    )


def row(run: Run, outcome: Advice) -> dict[str, Any]:
    """The answer as data."""
    assert run.tune
    tune = run.tune
    return {
        "advice": "set" if outcome.worth else "leave",
        "best": outcome.best,
        "settings": settings(outcome) if outcome.best else [],
        "lines": typed(tune, outcome),
        "prefer": goal(tune),
        "gains": {
            name: {"value": gain.value, "lo": gain.lo, "hi": gain.hi, "level": gain.level}
            for name, gain in outcome.gains.items()
        },
        "worse": list(outcome.worse),
        "by_shape_alone": tune.by_shape,
        "pairs": outcome.pairs,
        "trials": outcome.trials,
        "whole_grid": outcome.whole,
        "combinations": outcome.able,
        "skipped": outcome.skipped,
        "run": run.run,
    }
