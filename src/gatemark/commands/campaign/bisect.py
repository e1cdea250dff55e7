# SPDX-License-Identifier: Apache-2.0
"""`gatemark campaign bisect`: which build of a row brought a step, counted or timed.

Counted, a boot of a build is a number. Timed, each boot of a build is beside one of the reference,
and the logarithm of their ratio is measured. The ends are looked at twice where the first look
leaves it open. No build is named before six blocks of it against the build before it have confirmed
that; what they say instead is evidence for the search, which goes on. What was measured is kept, so
the same command goes on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import expm1, log, log1p
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec
from msgspec.structs import replace

from gatemark.commands.campaign.answer import Reading, readings
from gatemark.commands.campaign.layout import Layout
from gatemark.commands.console import output
from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.course import RUNS
from gatemark.fleet.executor import Arm, Task
from gatemark.fleet.file import Build, Model, Suite
from gatemark.fleet.kept import hash_of_file
from gatemark.fleet.ledger import Attempt
from gatemark.fleet.local import BEGUN, Local
from gatemark.judge.change import bisect as stats
from gatemark.judge.math import signed, student
from gatemark.store import file
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import Folder, inside
from gatemark.tell.group.kept import judgement

REFERENCE, BUILD = "reference", "build"  # arms
CONFIRMED_BY: Final = 6  # blocks; all of one sign have p = 0.031
ALPHA: Final = 0.05
LOOK: Final = 0.0294  # p of each of two looks at the ends, 5 % together (Pocock 1977)
HOPELESS: Final = 0.5  # p of the first look that needs no second one
POLL_S: Final = 1.0
MOST_BOOTS: Final = 200  # of builds, timed
FILE: Final = "bisect.json"
Pair = tuple[Build | None, Build]  # beside what, and what


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The builds that a folder's measurements are of: names are but places in a row."""

    model: str
    suite: str
    builds: tuple[str, ...]
    images: tuple[str, ...]  # what the image of each build is
    file: str  # SHA-256 of the campaign file


class SkippedError(GatemarkError):
    """A build could not be measured."""


@dataclass
class Bisection:
    """A search over builds in a row, at one point of one suite on one model."""

    layout: Layout
    model: Model
    suite: Suite
    builds: Sequence[Build]
    point: str  # words of the point; "": the only one
    allow: float
    folder: Path
    most: int = MOST_BOOTS  # of builds, timed
    boots: int = 0
    skipped: set[int] = field(default_factory=set)
    _beside: dict[tuple[int, int], list[float]] = field(default_factory=dict)  # confirmations

    def counted(self) -> list[stats.Between]:
        """Every step above what is allowed."""
        values: dict[int, float] = {}
        while (at := self._next(values)) is not None:
            try:
                values[at] = self._measured((None, self.builds[at]), f"{at:03d}")
            except SkippedError as error:
                self._skip(at, error)
        return stats.steps(len(self.builds), values, self.allow, self.skipped)

    def _next(self, values: dict[int, float]) -> int | None:
        return stats.next_counted(len(self.builds), values, self.allow, self.skipped)

    def timed(self) -> stats.Between | None:
        """The step, confirmed; None: the ends do not differ. Raises GatemarkError if undecided."""
        last = len(self.builds) - 1
        if not (ends := self._ends(last)):
            return None
        effect, spread = stats.of_ends(*ends)
        each = stats.boots(effect, spread)
        measured = [(at, fmean(end), len(end)) for at, end in zip((0, last), ends, strict=True)]
        times = dict.fromkeys(range(last + 1), len(ends[0]))
        while True:
            spot = stats.spot(last + 1, measured, spread, self.skipped, self._pairs())
            if self.boots + (CONFIRMED_BY if spot.is_certain else each) > self.most:
                raise GatemarkError(f"undecided after {self.boots} boots: {self._likely(spot)}")
            if spot.is_certain:
                if step := self._confirmed(spot.likeliest):
                    return step
                continue
            at = spot.next(self.skipped)
            try:
                values = self._ratios(at, range(times[at] + 1, times[at] + 1 + each))
            except SkippedError as error:
                self._skip(at, error)
                continue
            times[at] += each
            measured.append((at, fmean(values), each))

    def _ends(self, last: int) -> list[list[float]]:
        """Boots of both ends; none where they do not differ by more than is allowed."""
        ends: list[list[float]] = [[], []]
        for number in (1, 1 + stats.ENDS):
            for at, values in zip((0, last), ends, strict=True):
                values.extend(self._ratios(at, range(number, number + stats.ENDS)))
            effect, spread = stats.of_ends(*ends)
            error = spread * (2 / len(ends[0])) ** 0.5
            p = student.two_sided(effect / error, 2 * len(ends[0]) - 2) if error else 0.0
            output.say(f"the ends differ by {100 * expm1(effect):+.2f} %, p = {p:.3f}", err=True)
            if p <= LOOK or p > HOPELESS:
                break
        return ends if p <= LOOK and abs(effect) > log1p(self.allow) else []

    def _pairs(self) -> list[stats.Pair]:
        return [(*pair, fmean(values), len(values)) for pair, values in self._beside.items()]

    def _confirmed(self, first: int) -> stats.Between | None:
        """The build against the one before it that boots; None: six more blocks do not say so."""
        before = max(at for at in range(first) if at not in self.skipped)
        pair = self.builds[before], self.builds[first]
        name = f"confirm-{before:03d}-{first:03d}"
        values = self._beside.setdefault((before, first), [])
        for number in range(len(values) + 1, len(values) + 1 + CONFIRMED_BY):
            values.append(self._measured(pair, f"{name}-{number}"))
        p, shift = signed.p_value(values), signed.middle(values).value
        if p <= ALPHA:
            return stats.Between(before, first, expm1(shift))
        output.say(
            f"not confirmed: {pair[1].name} against {pair[0].name} changes by "
            f"{100 * expm1(shift):+.2f} %, p = {p:.3f}; the search goes on",
            err=True,
        )
        return None

    def _likely(self, spot: stats.Spot) -> str:
        chance = spot.chances[spot.likeliest]
        return f"{self.builds[spot.likeliest].name} is first with a chance of {chance:.2f}"

    def _skip(self, at: int, error: SkippedError) -> None:
        if at in (0, len(self.builds) - 1):
            raise GatemarkError(f"an end cannot be measured: {error}") from None
        output.say(f"{self.builds[at].name} is skipped: {error}", err=True)
        self.skipped.add(at)

    def _ratios(self, at: int, numbers: range) -> list[float]:
        pair = self.builds[0], self.builds[at]
        return [self._measured(pair, f"{at:03d}-{number}") for number in numbers]

    def _measured(self, pair: Pair, name: str) -> float:
        """The value of a boot: instructions, or the logarithm of build / reference."""
        path = inside(self.folder, RUNS, name)
        if not path.exists():
            self._boot(pair, name)
        self.boots += 1
        made = RunDirectory.open(path).contents()
        values = dict(self._at_point(list(readings(judgement(made, path), exact=self.model.exact))))
        wanted = (BUILD,) if pair[0] is None else (REFERENCE, BUILD)
        if missing := [arm for arm in wanted if values.get(arm, 0.0) <= 0]:
            raise SkippedError(f"{name}: no valid trial of {', '.join(missing)}")
        output.say(f"{pair[1].name}: {values[BUILD]:.6g}, {self.boots} boots", err=True)
        return values[BUILD] if pair[0] is None else log(values[BUILD] / values[REFERENCE])

    def _at_point(self, rows: Sequence[Reading]) -> Iterator[tuple[str, float]]:
        kept = [row for row in rows if self.point in row.what]
        if len({row.what for row in kept}) > 1:
            whats = "; ".join(sorted({row.what for row in kept}))
            raise UsageError(f"--point '{self.point}': name one of its points: {whats}")
        if self.model.exact and any(row.at_least for row in kept):
            raise SkippedError("too few of its walks agree: count on a machine that does less")
        yield from ((row.build, row.value) for row in kept)

    def _boot(self, pair: Pair, name: str) -> None:
        """Have it measured, as a block that no campaign counts."""
        executor = Local(self.folder)
        attempt = Attempt(1, 1, "", name, "started", 0.0, None, "")
        executor.renew(name)
        try:
            executor.begin(self._task(pair, name))
            while not (ends := executor.poll(POLL_S)):
                pass
        finally:  # Ctrl-C does not reach it: it has a session of its own
            executor.stop(attempt)
        if ends[0].code != 0:
            raise SkippedError(f"{name}: {ends[0].why or 'its process was killed'}")
        executor.fetch(attempt, self.folder / RUNS)

    def _task(self, pair: Pair, name: str) -> Task:
        path = next(path for path, model in self.layout.places.values() if model is self.model)
        arms = [
            replace(self._arm(build, path), name=role)
            for role, build in zip((REFERENCE, BUILD), pair, strict=True)
            if build is not None
        ]
        made = self.layout.task_of(self.model, self.suite, path)
        return replace(made, attempt=1, name=name, arms=tuple(arms), seed=self.boots)

    def _arm(self, build: Build, path: str) -> Arm:
        return self.layout.arm(self.model, build, path)


def hold(identity: Identity, folder: Path) -> None:
    """Keep in a folder what it is measured for. Raises UsageError where that is something else."""
    path = folder / FILE
    try:
        kept = msgspec.json.decode(Folder(folder).read(FILE), type=Identity)
    except FileNotFoundError:
        if any((folder / name).exists() for name in (BEGUN, RUNS)):
            raise UsageError(f"{folder} holds no bisection: name another --out") from None
        file.put(path, msgspec.json.encode(identity))
        return
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: damaged ({error}): name another --out") from None
    for name in Identity.__struct_fields__:
        if getattr(kept, name) != getattr(identity, name):
            raise UsageError(f"{folder} is of another bisection ({name}): name another --out")


def identity(layout: Layout, model: Model, suite: Suite, builds: Sequence[Build]) -> Identity:
    """Return the things to bisect. Raises UsageError where an image is missing."""
    return Identity(
        model=model.name,
        suite=suite.plan,
        builds=tuple(build.name for build in builds),
        images=tuple(layout.hash_of(model, build) for build in builds),
        file=hash_of_file(layout.path),
    )


def chosen(layout: Layout, model: str, suite: str) -> tuple[Model, Suite]:
    """The model and the suite that are meant. Raises UsageError where that is not one of each."""
    models = [each for each in layout.campaign.model if model in ("", each.name)]
    if len(models) != 1:
        names = ", ".join(each.name for each in layout.campaign.model)
        raise UsageError(f"--model {model}: name one of {names}")
    suites = [each for each in layout.campaign.suites_of(models[0]) if suite in ("", each.plan)]
    if len(suites) != 1:
        names = ", ".join(each.plan for each in layout.campaign.suites_of(models[0]))
        raise UsageError(f"--suite {suite}: name one of {names}")
    return models[0], suites[0]


def between(layout: Layout, first: str, last: str) -> list[Build]:
    """The builds from one to another. Raises UsageError."""
    builds = list(layout.campaign.build)
    names = [build.name for build in builds]
    for option, name in (("--from", first), ("--to", last)):
        if name not in names:
            raise UsageError(f"{option} {name}: no such build; known are: {', '.join(names)}")
    low, high = names.index(first), names.index(last)
    if low >= high:
        raise UsageError(f"--from {first} --to {last}: name an earlier build first")
    return builds[low : high + 1]
