# SPDX-License-Identifier: Apache-2.0
"""The outcome of a search for the best setting: the lines to type, the gain, or leave it."""

from collections.abc import Iterator
from typing import Any, Final

from gatemark.judge.math.interval import Interval
from gatemark.judge.tuning import CPU, DELAY, JOIN, PAIRS, RATE, SHARE, Advice, advice, goal
from gatemark.store.record import Record
from gatemark.store.run import Run, Tune
from gatemark.tell.verb import typing
from gatemark.tell.words import number
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.screen import Line

NAMES: Final = {
    RATE: "rate at overload",
    DELAY: "delay (p50) at the paced rate",
    CPU: "CPU load at the paced rate",
    SHARE: "instructions a packet of the busiest CPU",
}
UNITS: Final = {RATE: "packets/s", DELAY: "ns", CPU: "ratio", SHARE: "instructions"}
LEAVE: Final = "Leave it"
BY_SHAPE: Final = (
    "Its CPUs take turns on CPUs of this machine, so no rate, delay or load says anything: judged "
    "by the instructions of the busiest CPU for each packet alone"
)
UNTIL: Final = "They last until a reboot; undo: reboot, or the same lines with the old values"


def known(run: Run, records: list[Record]) -> Advice:
    """Return the advice of a run."""
    assert run.tune
    return advice(run.tune, run.plans[0], records)


def settings(found: Advice) -> list[str]:
    """The settings of the best arm."""
    return found.best.split(JOIN)


def typed(tune: Tune, found: Advice) -> list[str]:
    """Return the lines to type; none where it is to be left."""
    if not found.worth:
        return []
    ports = [tune.ports.get(role, role) for role in ("gw0", "gw1")]
    return typing.lines(settings(found), ports, openwrt=tune.openwrt)


def lines(run: Run, found: Advice, folder: str, page: str) -> Iterator[Line]:
    """Yield the answer: what to do, by how much, how it was found."""
    assert run.tune
    tune = run.tune
    yield "bold", headline(tune, found)
    yield from (("", f"  {line}") for line in typed(tune, found))
    if found.worth:
        yield "dim", UNTIL + (" (uci: for good)" if tune.openwrt else "")
    yield "", ""
    yield from (("", row) for row in _rows(tune, found))
    if tune.by_shape:
        yield "yellow", BY_SHAPE
    yield "dim", _effort(found)
    yield from (("yellow", f"missing  {lack}") for lack in run.station.missing)
    yield "", ""
    yield from (("", f"note    {note}") for note in run.notes)
    yield "", f"folder  {folder}"
    yield "", f"page    {page}"


def headline(tune: Tune, found: Advice) -> str:
    """The answer in a sentence."""
    if not found.best:
        return "Nothing could be compared: see the run's skipped and invalid trials"
    name = goal(tune)
    if name not in found.gains:
        return f"{LEAVE}: too few trials of {found.best} are sound to tell"
    gain = found.gains[name]
    if found.worth:
        return f"{found.best}: {_change(name, gain)} in {NAMES[name]}. Type:"
    if found.worse:
        lost = ", ".join(f"{_change(each, found.gains[each])} in {NAMES[each]}" for each in
                         found.worse)
        return f"{LEAVE}: {found.best} changes {NAMES[name]} by {_change(name, gain)}, but {lost}"
    least = number.quantity(tune.least, "ratio")
    return (
        f"{LEAVE}: the best of {found.able} settings, {found.best}, changes {NAMES[name]} by "
        f"{_change(name, gain)}; {least} would be worth it"
    )


def _change(name: str, gain: Interval) -> str:
    """A gain as a change: of delay and load less is better."""
    if name != RATE:  # the gain is of 1/value
        low, high = (1 / (1 + end) - 1 for end in (gain.hi, gain.lo))
        gain = Interval(1 / (1 + gain.value) - 1, low, high, gain.n, gain.level)
    sign = "+" if gain.value > 0 else ""
    return f"{sign}{number.interval(gain, PERCENT)} %"


def _rows(tune: Tune, found: Advice) -> Iterator[str]:
    for name, gain in found.gains.items():
        before = found.seen[name]
        mark = "" if name == goal(tune) else "  (may get worse by " + number.quantity(
            tune.allow, "ratio"
        ) + ")"
        unit = number.quantity_interval(before, UNITS[name])
        yield f"{NAMES[name]}: {unit} as it is, {_change(name, gain)} with it{mark}"


def _effort(found: Advice) -> str:
    share = found.trials / found.whole if found.whole else 0.0
    lacks = f"; {found.skipped} more were not to be had here" if found.skipped else ""
    return (
        f"{found.able} combinations{lacks}. {found.trials} trials of gateways, "
        f"{number.quantity(share, 'ratio')} of the {found.whole} that {PAIRS} of each would take; "
        f"the gain is of {found.pairs} pairs measured after the choice"
    )


def row(run: Run, found: Advice) -> dict[str, Any]:
    """The answer as data."""
    assert run.tune
    tune = run.tune
    return {
        "advice": "set" if found.worth else "leave",
        "best": found.best,
        "settings": settings(found) if found.best else [],
        "lines": typed(tune, found),
        "prefer": goal(tune),
        "gains": {
            name: {"value": gain.value, "lo": gain.lo, "hi": gain.hi, "level": gain.level}
            for name, gain in found.gains.items()
        },
        "worse": list(found.worse),
        "by_shape_alone": tune.by_shape,
        "pairs": found.pairs,
        "trials": found.trials,
        "whole_grid": found.whole,
        "combinations": found.able,
        "skipped": found.skipped,
        "run": run.run,
    }
