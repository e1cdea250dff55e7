# SPDX-License-Identifier: Apache-2.0
"""One run as a page needs it: read, judged, with published values beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from gatemark.judge.capacity.fit import fit
from gatemark.judge.capacity.measured import measured
from gatemark.judge.capacity.model import Model
from gatemark.judge.change.reference import Beside, beside
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.judgement import Judgement
from gatemark.judge.point.group import Group, group
from gatemark.judge.queue import mixed
from gatemark.store import series
from gatemark.store.contents import Contents
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.reference import published
from gatemark.store.run import Run
from gatemark.store.subsystem import Subsystem
from gatemark.tell.group import kept, step, trace
from gatemark.tell.group.trace import Sheaf

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is known of one run, whole or not."""

    run: Run
    records: Sequence[Record]
    judgement: Judgement
    rows: Sequence[Sampled] = ()  # runs are compared by these (judge.judge.Judged)
    delays: Sequence[Sampled] = ()
    beside: Sequence[Beside] = ()  # published values with a definition like ours
    model: Model | None = None  # of what a packet costs, where a plan asks for one
    sheaf: Sheaf = field(default_factory=dict)  # the series that figures over time need
    faults: Sequence[str] = ()  # what is not whole in its directory, a sentence each
    is_going: bool = False  # measured just now
    folder: Path | None = None  # the run's directory; None: made up
    label: str = ""  # what tells it from the others of a page: A, B, ...
    parts: "Sequence[Source]" = ()  # the runs that it was put together of; none: it is one run
    _once: dict[object, Any] = field(init=False, default_factory=dict, repr=False, compare=False)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return what is made of it under a key, made when it is first asked for."""
        if key not in self._once:
            self._once[key] = make()
        made: T = self._once[key]
        return made

    @property
    def groups(self) -> Sequence[Group]:
        """Its trials by point."""
        return self.once("groups", lambda: group(self.records))


def judged(
    contents: Contents,
    folder: Path,
    label: str = "",
    subsystems: Sequence[Subsystem] = (),
    *,
    drawn: bool = True,
    key: str | None = None,
) -> Source:
    """Return what a run's directory holds, judged (`kept.judgement`).

    The series, which take time to read, are for figures alone: with `drawn`.
    """
    files = RunDirectory(folder).series
    loads = series.read(files, mixed.files(contents.records), mixed.LIKE)
    made = kept.judgement(contents, folder, subsystems, key=key, loads=loads)
    judgement = made.judgement
    wanted = trace.files(judgement, contents.run.plans, contents.records) if drawn else []
    traces = series.read(files, wanted, step.LIKE)
    return Source(
        run=contents.run,
        records=contents.records,
        judgement=judgement,
        rows=made.rows,
        delays=made.delays,
        beside=beside(judgement, published()),
        model=_model(contents, judgement),
        sheaf=_bound(loads.series, traces.series),
        faults=(*contents.faults, *dict.fromkeys((*loads.lost, *traces.lost))),
        is_going=contents.is_going,
        folder=folder,
        label=label,
    )


def _bound(sheaf: Sheaf, other: Sheaf) -> Sheaf:
    """The series of both."""
    files = dict.fromkeys((*sheaf, *other))
    return {name: {**sheaf.get(name, {}), **other.get(name, {})} for name in files}


def _model(contents: Contents, judgement: Judgement) -> Model | None:
    """Where a plan holds out arms, it asks for a model that they test."""
    if not any(arm.held_out for plan in contents.run.plans for arm in plan.arm):
        return None
    times = measured(contents.run, contents.records, judgement)
    return fit(times) if times else None
