# SPDX-License-Identifier: Apache-2.0
"""From the blocks of a campaign to its verdicts, its page and its exit code."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from gatemark.commands.campaign import image
from gatemark.commands.campaign.layout import Layout
from gatemark.commands.diff import REGRESSION
from gatemark.commands.measure import INVALID
from gatemark.fleet.course import RUNS
from gatemark.fleet.file import Model, Suite
from gatemark.fleet.ledger import Attempt, Block, Ledger

if TYPE_CHECKING:
    from gatemark.judge.change.gate import Claim, Row
    from gatemark.judge.judge import Judged
    from gatemark.store.record import Scalar
    from gatemark.tell.matrix import Campaigned, Kept

UNDECIDED: Final = 1
INSTRUCTIONS: Final = "instructions"
OPEN: Final = ("waiting", "running")  # states of a block that may still be measured
# Of the walks: on a machine at its limit the guest's timer is in the others.
Place = tuple[str, str, str, tuple[tuple[str, "Scalar"], ...]]  # model, suite, what, point


@dataclass(frozen=True, slots=True)
class Reading:
    """A value of a build in a block."""

    build: str
    what: str
    point: "tuple[tuple[str, Scalar], ...]"
    quantity: str
    unit: str
    higher_is_better: bool
    value: float
    at_least: bool  # the tester was its limit; counted: too few walks agree


def campaigned(layout: Layout, ledger: Ledger, folder: Path) -> "Campaigned":
    """Return the state of a campaign. Raises GatemarkError where a block's run is damaged."""
    from gatemark.judge.change.gate import decide
    from gatemark.tell.matrix import Campaigned

    blocks = {block.id: block for block in ledger.blocks()}
    counted = ledger.attempts("state = 'done'")
    rows = _rows(layout, [(attempt, blocks[attempt.block]) for attempt in counted], folder)
    open_ = {(block.model, block.suite) for block in blocks.values() if block.state in OPEN}
    return Campaigned(
        title=layout.campaign.title,
        builds=[build.name for build in layout.campaign.build],
        images=[(model, build, image.in_short(hash_)) for model, build, hash_ in ledger.builds()],
        rows=list(rows.values()),
        decided=decide(list(_claims(layout, rows, open_))),
        blocks=[_kept(attempt, blocks[attempt.block]) for attempt in counted],
        stations=[(p.name, p.model, p.state, p.why) for p in ledger.places()],
        missing=list(_missing(ledger, list(blocks.values()))),
        command=shlex.join(("gatemark", "campaign", "resume", str(folder))),
    )


def exit_code(made: "Campaigned") -> int:
    """3: a gate failed; 4: nothing valid; 1: not to its end, or undecided; 0: all pass."""
    if any(each.passing == "failed" for each in made.decided):
        return REGRESSION
    if not made.rows:
        return INVALID
    undecided = any(
        each.passing == "undecided" and each.claim.undecided == "fail" for each in made.decided
    )
    return UNDECIDED if undecided or made.missing else 0


def lines(made: "Campaigned") -> Iterator[dict[str, object]]:
    """A row a gate, then what is missing, then the answer, as data."""
    for each in made.decided:
        claim, change = each.claim, each.change
        interval = change.change if change else None
        yield {
            "row": "gate",
            "model": claim.row.model,
            "suite": claim.row.suite,
            "what": claim.row.what,
            "build": claim.build,
            "against": claim.against,
            "allow": claim.allow,
            "change": interval and interval.value,
            "change_lo": interval and interval.lo,
            "change_hi": interval and interval.hi,
            "blocks": interval.n if interval else 0,
            "p": change.p if change and not claim.row.exact else None,
            "verdict": each.verdict,
            "gate": each.passing,
        }
    for line in made.missing:
        yield {"row": "missing", "text": line}
    yield {"row": "answer", "text": made.sentence, "exit_code": exit_code(made)}


def page(folder: Path) -> Path:
    """Where the page of a campaign is."""
    return folder / "report.html"


def readings(judged: "Judged", *, exact: bool) -> Iterator[Reading]:
    """Yield a block's readings of its builds; `exact`: in instructions."""
    from gatemark.judge.change.arms import DIRECT
    from gatemark.judge.change.exact import clear
    from gatemark.tell.verb import diff as words
    from gatemark.tell.words import traffic

    if exact:
        for each in judged.judgement.executed:
            point = tuple(sorted(each.point.items()))
            what = f"instructions, {traffic.load(each.definition)}"
            value, unclear = each.instructions.value, not clear(each)
            yield Reading(each.arm, what, point, INSTRUCTIONS, INSTRUCTIONS, False, value, unclear)
        return
    for row in judged.compared:
        if row.definition.path == DIRECT or row.swept or row.twin:
            continue
        what = f"{words.name(row)}, {words.load(row)}"
        if levels := {k: v for k, v in row.point.items() if k not in what}:
            what += f", {traffic.point(levels)}" if traffic.point(levels) not in what else ""
        yield Reading(
            row.arm,
            what,
            tuple(sorted(row.point.items())),
            row.quantity,
            row.unit,
            row.higher_is_better,
            row.interval.value,
            row.at_least,
        )


def _rows(
    layout: Layout, kept: Sequence[tuple[Attempt, Block]], folder: Path
) -> "dict[Place, Row]":
    from gatemark.judge.change.gate import Row
    from gatemark.store.directory import RunDirectory
    from gatemark.store.folder import inside
    from gatemark.tell.group import kept as kept_runs

    models = {model.name: model for model in layout.campaign.model}
    values: dict[Place, dict[str, dict[int, float]]] = {}
    facts: dict[Place, tuple[str, str, bool]] = {}
    bounded: dict[Place, set[str]] = {}
    for attempt, block in kept:
        directory = RunDirectory.open(inside(folder, RUNS, attempt.folder))
        made = directory.contents()
        exact = models[block.model].exact
        for read in readings(kept_runs.judgement(made, directory.path), exact=exact):
            place = (block.model, block.suite, read.what, read.point)
            values.setdefault(place, {}).setdefault(read.build, {})[block.repeat] = read.value
            facts[place] = read.quantity, read.unit, read.higher_is_better
            if read.at_least:
                bounded.setdefault(place, set()).add(read.build)
    return {
        place: Row(
            model=place[0],
            suite=place[1],
            what=place[2],
            quantity=facts[place][0],
            unit=facts[place][1],
            higher_is_better=facts[place][2],
            values=builds,
            bounded=frozenset(bounded.get(place, ())),
            exact=models[place[0]].exact,
        )
        for place, builds in values.items()
    }


def _claims(
    layout: Layout, rows: "dict[Place, Row]", open_: set[tuple[str, str]]
) -> "Iterator[Claim]":
    """Each gate at each of its rows; what has no block yet counts as well.

    `open_`: models and suites that have a block which may still be measured.
    """
    from gatemark.judge.change.gate import Claim

    for gate, model, suite, count in layout.gated():
        here = [
            row
            for place, row in rows.items()
            if place[:2] == (model.name, suite.plan)
            and gate.point.items() <= dict(place[3]).items()
        ]
        here += [_blank(model, suite) for _ in range(count - len(here))]
        for new, old in layout.pairs(gate):
            for row in here:
                yield Claim(
                    row=row,
                    build=new,
                    against=old,
                    allow=float(gate.exact_allow if model.exact else gate.allow),
                    undecided=gate.undecided,
                    final=(model.name, suite.plan) not in open_,
                )


def _blank(model: Model, suite: Suite) -> "Row":
    from gatemark.judge.change.gate import NOT_MEASURED, Row

    return Row(
        model=model.name,
        suite=suite.plan,
        what=NOT_MEASURED,
        quantity="",
        unit="",
        higher_is_better=True,
        values={},
        exact=model.exact,
    )


def _kept(attempt: Attempt, block: Block) -> "Kept":
    from gatemark.tell.matrix import Kept

    link = quote(f"{RUNS}/{attempt.folder}/report.html")
    return Kept(block.model, block.suite, block.repeat, attempt.station, link)


def _missing(ledger: Ledger, blocks: Sequence[Block]) -> Iterator[str]:
    """Blocks that are not done, by model, suite and reason."""
    failed = {
        attempt.block: attempt.why for attempt in ledger.attempts("state IN ('failed', 'void')")
    }
    left: dict[tuple[str, str, str, str], list[int]] = {}
    for block in blocks:
        if block.state != "done":
            why = failed.get(block.id, "")
            left.setdefault((block.model, block.suite, block.state, why), []).append(block.repeat)
    for (model, suite, state, why), repeats in left.items():
        number = "1 block" if len(repeats) == 1 else f"{len(repeats)} blocks"
        yield f"{model}, {suite}: {number} {state}" + (f" ({why})" if why else "")


def needed_repeats(layout: Layout) -> tuple[int, int]:
    """Timed gated rows of the whole campaign, and the blocks that they need."""
    from gatemark.judge.change.gate import needed

    rows = sum(
        count * len(layout.pairs(g)) for g, model, _, count in layout.gated() if not model.exact
    )
    return rows, needed(rows) if rows else 0


def refuse_idle(layout: Layout) -> None:
    """Raise UsageError where the gates cannot fire, with what would do."""
    from gatemark.error import UsageError
    from gatemark.judge.change.compare import ALPHA
    from gatemark.judge.change.gate import least_p
    from gatemark.plan.toml import line_of

    rows, blocks = needed_repeats(layout)
    repeats = layout.campaign.repeats
    if blocks > repeats:
        line = line_of(layout.path, "repeats", table="")
        few = f"{rows} row{'' if rows == 1 else 's'} and {repeats} repeats"
        bounds = f"the smallest p is {least_p(repeats):.2g}, {ALPHA / rows:.2g} is needed"
        fix = f"repeats = {blocks}, or gate fewer points"
        raise UsageError(f"{layout.path}:{line}: {few}: {bounds}: {fix}")
