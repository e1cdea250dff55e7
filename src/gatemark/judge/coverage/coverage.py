# SPDX-License-Identifier: Apache-2.0
"""The state of each row of the studies, and what is wrong with the claims of plans."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from gatemark.judge.coverage.measured import held
from gatemark.judge.coverage.offer import DIRECT, Offer, joined, lacking
from gatemark.judge.judgement import Judgement
from gatemark.plan.model import Plan
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.store.study.requirement import Need, Requirement

# planned: a plan asks it, or every run tells it, and no run that was given holds it.
State = Literal["shown", "planned", "in part", "not here", "missing"]
STATES: Final[tuple[State, ...]] = ("shown", "planned", "in part", "not here", "missing")
EVERY: Final = "every run"
UNCLAIMED: Final = "no plan asks it"


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """The holdings of one run."""

    label: str  # its directory
    gateway: tuple[str, object]  # that it measured
    virtual: bool  # it is no device
    offers: dict[str, Offer]  # plan -> what a run of it holds of the gateway
    with_tester: dict[str, Offer]  # the same with what it holds of the tester alone


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Where a row is shown."""

    run: str  # label of the run
    gateway: tuple[str, object]  # that it measured
    plans: tuple[str, ...]  # that together hold it


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """One row with its state."""

    requirement: Requirement
    state: State
    plans: tuple[str, ...]  # that claim it
    why: tuple[str, ...]  # what is missing, or why it is not here
    shown: tuple[Shown, ...]  # in which runs


def holding(label: str, run: Run, records: Sequence[Record], judgement: Judgement) -> Held:
    """Return what a run holds, under the label of its directory."""
    return Held(
        label=label,
        gateway=run.gateway,
        virtual=run.station.virtual,
        offers=held(run, records, judgement),
        with_tester=held(run, records, judgement, with_tester=True),
    )


def coverage(
    requirements: Sequence[Requirement], plans: Sequence[Plan], runs: Sequence[Held] = ()
) -> list[Covered]:
    """Each row's state, by the claims of these plans and by what these runs hold."""
    return [_covered(row, unique(plans), runs) for row in requirements]


def counts(rows: Sequence[Covered]) -> dict[State, int]:
    """Count how many rows are in each state."""
    return {state: sum(row.state == state for row in rows) for state in STATES}


def unique(plans: Sequence[Plan]) -> dict[str, Plan]:
    """Each plan once, without its variants."""
    known: dict[str, Plan] = {}
    for plan in plans:
        known.setdefault(plan.name, plan)
    return known


def _covered(row: Requirement, plans: Mapping[str, Plan], runs: Sequence[Held]) -> Covered:
    need = row.need
    claiming = [plan for plan in plans.values() if row.name in plan.rows]
    whole = [plan for plan in claiming if row.name not in plan.lacks]
    names = (EVERY,) if need.every else tuple(plan.name for plan in whole or claiming)
    shown = tuple(_shown(need, names, runs))
    reasons = tuple(dict.fromkeys(plan.lacks[row.name] for plan in claiming if plan not in whole))
    state: State
    why: tuple[str, ...]
    if need.not_here:
        state, why = "not here", (need.not_here,)
    elif need.missing or not names:
        state, why = "missing", (need.missing or UNCLAIMED,)
    elif not (whole or need.every):
        state, why = "in part", reasons
    elif len({at.gateway for at in shown}) >= need.runs:
        state, why = "shown", ()
    elif need.until:
        state, why = "in part", (need.until,)
    else:
        state, why = "planned", _absent(need, names, runs)
    return Covered(requirement=row, state=state, plans=_asked(need, names), why=why, shown=shown)


def _asked(need: Need, names: Sequence[str]) -> tuple[str, ...]:
    """The plans as they are to be run."""
    return tuple(f"{name} --variant {need.variant}" if need.variant else name for name in names)


def _shown(need: Need, names: Sequence[str], runs: Sequence[Held]) -> Iterator[Shown]:
    """The runs that hold all of a row; where none does alone, those of a gateway that do together.

    Plans of a row need not be run at once: each sets its own arms beside each other.
    """
    for gateway, held_by in _by_gateway(need, names, runs).items():
        alone = [(label, own) for label, own in held_by if not _lacks(need, own.values())]
        together = not _lacks(need, (offer for _, own in held_by for offer in own.values()))
        for label, own in alone or (held_by if together else ()):
            yield Shown(run=label, gateway=gateway, plans=tuple(own))


def _by_gateway(
    need: Need, names: Sequence[str], runs: Sequence[Held]
) -> dict[tuple[str, object], list[tuple[str, dict[str, Offer]]]]:
    """Each gateway's runs that have these plans: label, and what of each plan it holds."""
    gateways: dict[tuple[str, object], list[tuple[str, dict[str, Offer]]]] = {}
    every = EVERY in names
    for run in runs:
        if need.runs > 1 and run.virtual:
            continue  # two that share a processor compare nothing
        offers = run.with_tester if DIRECT in need.arms else run.offers
        own = {plan: offer for plan, offer in offers.items() if every or plan in names}
        if own:
            gateways.setdefault(run.gateway, []).append((run.label, own))
    return gateways


def _absent(need: Need, names: Sequence[str], runs: Sequence[Held]) -> tuple[str, ...]:
    """Return what runs of these plans lack, of the gateway that lacks least; or nothing."""
    by_gateway = _by_gateway(need, names, runs).values()
    held = [[offer for _, own in held_by for offer in own.values()] for held_by in by_gateway]
    return min((lacking(need, joined(offers)) for offers in held), key=len, default=())


def _lacks(need: Need, offers: Iterable[Offer]) -> bool:
    return bool(lacking(need, joined(list(offers))))
