# SPDX-License-Identifier: Apache-2.0
"""One gateway over time: an old run against a new one, value by value."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from gatemark.error import UsageError
from gatemark.judge.change.arms import DIRECT, floor
from gatemark.judge.change.comparable import Difference, aligned, differing, nearest
from gatemark.judge.change.compare import NOISE, UNBOUNDED, compare, holm, size, untold
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.fact import Fact
from gatemark.judge.judgement import Change, Judgement
from gatemark.judge.shape.change import changes
from gatemark.store.run import UNKNOWN, Run

GATEWAY = "gateway"  # `--across gateway`: another gateway on purpose
FIRMWARE = "firmware"  # `--across firmware`: other software on purpose
# Of the inventory. The hash of all packages is told and refuses nothing: an update of a tool would
# change it.
SOFTWARE = ("firmware", "kernel", "kernel_config_sha256")
# Up to this the tester counts as unchanged. Two runs in a row on one quiet machine differ by up to
# 4 % (BIAS.md): a tighter bound would refuse them.
STEADY = 0.05


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs, with what it is compared by."""

    run: Run
    judgement: Judgement
    rows: Sequence[Sampled]


@dataclass(frozen=True, slots=True)
class Compared:
    """One value in both runs."""

    old: Sampled
    new: Sampled
    change: Change
    differences: tuple[Difference, ...]  # of the definitions; only where `across` allows them

    @property
    def at_least(self) -> bool:
        """Return whether the tester was the limit in either run: then the change says little."""
        return self.old.at_least or self.new.at_least


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of a comparison: each a ratio, 0 where it was not measured."""

    least: float
    twins: float  # the most that an arm differed from its own twin (A/A), in either run

    @property
    def ratio(self) -> float:
        """The larger of them."""
        return max(self.least, self.twins)


@dataclass(frozen=True, slots=True)
class Diff:
    """All that `gatemark diff` tells."""

    rows: tuple[Compared, ...]
    ceilings: tuple[Compared, ...]  # the tester alone
    only_old: tuple[Sampled, ...]
    only_new: tuple[Sampled, ...]
    noise: Noise
    conditions: tuple[Difference, ...]  # what else differs between the runs
    shapes: tuple[Fact, ...] = ()  # of loss, where they changed
    tester: Compared | None = None  # the ceiling that changed most: no row is comparable

    @property
    def slower(self) -> bool:
        """Return whether anything got slower: a regression."""
        return any(row.change.verdict == "slower" for row in self.rows)

    @property
    def slower_than_tester(self) -> int:
        """The number of rows that are slower by a larger factor than the tester changed by."""
        least = size(self.tester.change.change.value) if self.tester else 0.0
        slower = [row.change.change for row in self.rows if row.change.verdict == "slower"]
        return sum(size(change.value) > least for change in slower)


def diff(
    old: Side,
    new: Side,
    across: Collection[str] = (),
    noise: float = NOISE,
    *,
    everything: bool = False,
) -> Diff:
    """Compare two runs of one gateway. Raises UsageError where that is not what they are.

    Holm's family are the rows without those that the tester limited: these get no verdict. Twins
    (A/A) are left out, they are in the noise. `everything`: the single rates of a sweep too.

    A virtual gateway shares the tester's machine: if the tester itself changed, every row may have
    changed with it. A real one does not, and the rows that the tester limits have no verdict.
    """
    if GATEWAY not in across:
        _one_gateway(old.run, new.run)
    if FIRMWARE not in across:
        one_firmware([old.run, new.run])
    allowed = [name for name in across if name not in (GATEWAY, FIRMWARE)]
    rows = [
        [row for row in side.rows if not row.twin and (everything or not row.swept)]
        for side in (old, new)
    ]
    matched = aligned(rows, allowed)
    pairs = [(a, b) for a, b in matched if a and b]
    alone = [pair for pair in pairs if pair[0].definition.path == DIRECT]
    others = [pair for pair in pairs if pair[0].definition.path != DIRECT]
    if not others:
        _refuse(*rows)
    steady = max(noise, STEADY)
    ceilings = tuple(_table([_compared(pair, steady) for pair in alone if not differing(*pair)]))
    kept_noise = Noise(
        least=noise, twins=max(floor(side.judgement.comparisons) for side in (old, new))
    )
    shared = old.run.station.virtual or new.run.station.virtual
    return Diff(
        rows=tuple(_table([_compared(pair, kept_noise.ratio) for pair in others])),
        ceilings=ceilings,
        only_old=tuple(a for a, b in matched if a and not b),
        only_new=tuple(b for a, b in matched if b and not a),
        noise=kept_noise,
        conditions=tuple(conditions(old.run, new.run)),
        shapes=tuple(changes(old.judgement.diagnoses, new.judgement.diagnoses)),
        tester=_most_changed(ceilings) if shared else None,
    )


def conditions(old: Run, new: Run) -> Iterator[Difference]:
    """Yield what else differs: the station, versions, and the inventories of either node."""
    first, second = dict(_facts(old)), dict(_facts(new))
    for name in dict.fromkeys((*first, *second)):
        if first.get(name) != second.get(name):
            yield Difference(name, first.get(name), second.get(name))


def inventory(run: Run, node: str) -> dict[str, object]:
    """Return the inventory of a node before the run, or after it if before was not asked."""
    taken = run.before.get(node) or run.after.get(node) or {}
    facts = taken if isinstance(taken, Mapping) else {}
    return {name: value for name, value in facts.items() if value != UNKNOWN}


def _one_gateway(old: Run, new: Run) -> None:
    pairs = (
        Difference("station", old.station.name, new.station.name),
        Difference("station's kind", old.station.kind, new.station.kind),
        Difference("gateway's processor", processor(old), processor(new)),
    )
    for pair in pairs:
        if pair.old != pair.new and pair.old is not None and pair.new is not None:
            raise UsageError(
                f"not the same gateway ({pair}): `gatemark cmp` compares different ones; "
                "--across gateway compares them all the same"
            )


def one_firmware(runs: Sequence[Run]) -> None:
    """Raise UsageError where a gateway is known to run other software than the first."""
    inventories = [inventory(run, "gateway") for run in runs]
    for first, other in ((inventories[0], other) for other in inventories[1:]):
        for name in SOFTWARE:
            pair = Difference(f"gateway's {name}", first.get(name), other.get(name))
            if pair.old != pair.new and pair.old is not None and pair.new is not None:
                raise UsageError(
                    f"not the same firmware ({pair}): a difference may be of the software alone; "
                    "--across firmware compares them all the same"
                )


def processor(run: Run) -> object:
    """The gateway's; a virtual one has the tester's. None where no inventory tells it."""
    own = inventory(run, "gateway").get("processor")
    return own or (inventory(run, "tester").get("processor") if run.station.virtual else None)


def _refuse(old: Sequence[Sampled], new: Sequence[Sampled]) -> NoReturn:
    """Say why nothing can be compared. Raises UsageError."""
    kept = [[row for row in rows if row.definition.path != DIRECT] for rows in (old, new)]
    for rows, which in zip(kept, ("OLD", "NEW"), strict=True):
        if not rows:
            raise UsageError(
                f"{which} has no value of a gateway that could be compared: let its run end"
            )
    differences = nearest(*kept)
    if not differences:
        names = [sorted({row.quantity for row in rows}) for rows in kept]
        raise UsageError(
            f"no value in common: {', '.join(names[0])} in OLD, {', '.join(names[1])} in NEW"
        )
    fix = " ".join(f"--across {difference.field}" for difference in differences)
    raise UsageError(
        f"no definition is alike; the nearest differ in {'; '.join(map(str, differences))} ({fix})"
    )


def _compared(pair: tuple[Sampled, Sampled], noise: float) -> Compared:
    old, new = pair
    change = compare(old.samples, new.samples, noise, higher_is_better=old.higher_is_better)
    limited = old.at_least or new.at_least
    return Compared(old, new, untold(change) if limited else change, tuple(differing(old, new)))


def _table(rows: Sequence[Compared]) -> Iterator[Compared]:
    """With p and verdict of a table."""
    adjusted = iter(holm([row.change for row in rows if not row.at_least]))
    for row in rows:
        yield row if row.at_least else replace(row, change=next(adjusted))


def _most_changed(rows: Sequence[Compared]) -> Compared | None:
    """Return the row that changed most, of those that surely did and whose change has a number."""
    changed = [
        row
        for row in rows
        if row.change.verdict in ("faster", "slower") and row.change.change.hi < UNBOUNDED
    ]
    return max(changed, key=lambda row: size(row.change.change.value), default=None)


def _facts(run: Run) -> Iterator[tuple[str, object]]:
    yield "station", run.station.name
    yield "station's kind", run.station.kind
    for node in ("gateway", "tester", "bench"):
        for name, value in inventory(run, node).items():
            yield f"{node}'s {name}", value
    for name, version in run.versions.items():
        yield f"version of {name}", version
    for name, place in run.station.placement.items():
        yield f"placement of {name}", place
