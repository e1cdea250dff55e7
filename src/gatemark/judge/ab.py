# SPDX-License-Identifier: Apache-2.0
"""An A/B test as `diff` has two runs: its two arms, value by value, and what else differs."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from gatemark.judge.change.arms import changes
from gatemark.judge.change.comparable import Difference
from gatemark.judge.change.diff import Compared, Diff, Noise, conditions
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.finding import Diagnosis
from gatemark.judge.shape.change import between_arms
from gatemark.plan.model import NEW, OLD
from gatemark.store.run import AB, Run

MADE_ANEW = ("gateway's interfaces",)


def ab(run: Run, test: AB, rows: Iterable[Sampled], diagnoses: Sequence[Diagnosis] = ()) -> Diff:
    """Old against new; both were asked for the same points, so nothing is in one of them alone."""
    arms = changes(run.plans, rows, test.allow)
    pairs = [Compared(old, new, change, ()) for old, new, change in arms]
    return Diff(
        rows=tuple(pairs),
        ceilings=(),
        only_old=(),
        only_new=(),
        noise=Noise(least=test.allow, twins=0.0),
        conditions=differing(run, test),
        shapes=tuple(between_arms(diagnoses)),
    )


def differing(run: Run, test: AB) -> tuple[Difference, ...]:
    """Return where stations and inventories of the two arms differ.

    A virtual gateway's interfaces have other numbers and addresses after each boot.
    """
    differences = conditions(_alone(run, test, OLD), _alone(run, test, NEW))
    virtual = test.old.station.virtual and test.new.station.virtual
    return tuple(
        condition for condition in differences if not (virtual and condition.field in MADE_ANEW)
    )


def _alone(run: Run, test: AB, arm: str) -> Run:
    """The run as if it had measured this arm alone."""
    side = test.side(arm)
    return replace(run, station=side.station, before=side.inventory, after={})
