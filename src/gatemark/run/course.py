# SPDX-License-Identifier: Apache-2.0
"""Which trials run next: plan after plan, each repeated until its values are steady. Pure."""

from collections.abc import Iterable

from msgspec.structs import replace

from gatemark.judge.change.spread import unsettled
from gatemark.judge.tuning import following
from gatemark.plan.model import Plan, TrialSpec
from gatemark.plan.order import block_of, further
from gatemark.run.closer import looks
from gatemark.store.record import Record
from gatemark.store.run import Run


def next_batch(run: Run, records: Iterable[Record]) -> list[TrialSpec]:
    """The trials to run before this is asked again; none at the end of the run.

    Of each plan first the warm-up and the outside pass as planned, then one more block at a time
    for as long as the spread asks for it, then closer looks, then the instrumented pass. Further
    blocks and closer looks are not in `run.trials` yet.
    """
    kept = list(records)
    done = {record.trial for record in kept}
    for plan in run.plans:
        planned = [spec for spec in run.trials if spec.plan == plan.name]
        outside = [spec for spec in planned if spec.pass_ == "outside"]
        begun_with = [spec for spec in planned if spec.pass_ in ("warmup", "outside")]
        left = [spec for spec in begun_with if spec.trial not in done]
        if run.tune:
            return [s for s in planned if s.trial not in done] or _tuning(run, plan, planned, kept)
        if batch := left or _further(run, plan, outside, kept) or _closer(run, plan, planned, kept):
            return batch
        if instrumented := [
            spec for spec in planned if spec.pass_ == "instrumented" and spec.trial not in done
        ]:
            return instrumented
    return []


def _tuning(
    run: Run, plan: Plan, planned: list[TrialSpec], records: list[Record]
) -> list[TrialSpec]:
    """The next block of a search for the best setting: arms that are still worth a trial."""
    assert run.tune
    blocks = max(spec.repeat for spec in planned)
    names = following(run.tune, plan, records, blocks)
    by_path = run.station.by_path
    return _behind(run, block_of(plan, blocks + 1, names, run.seed, by_path=by_path))


def _further(
    run: Run, plan: Plan, outside: list[TrialSpec], records: list[Record]
) -> list[TrialSpec]:
    points = unsettled(plan, records)
    if not points:
        return []
    repeat = 1 + max(spec.repeat for spec in outside)
    return _behind(run, further(plan, repeat, points, run.seed, by_path=run.station.by_path))


def _closer(
    run: Run, plan: Plan, planned: list[TrialSpec], records: list[Record]
) -> list[TrialSpec]:
    done = {record.trial for record in records}
    begun = [s for s in planned if s.pass_ == "closer" and s.trial not in done]
    outside = [spec for spec in planned if spec.pass_ == "outside"]
    return begun or _behind(run, looks(plan, outside, records))


def _behind(run: Run, block: Iterable[TrialSpec]) -> list[TrialSpec]:
    """A block with its places in the order, after all that the run has."""
    first = len(run.trials)
    return [replace(spec, sequence=first + at) for at, spec in enumerate(block)]
