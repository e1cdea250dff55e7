# SPDX-License-Identifier: Apache-2.0
"""`gatemark diff`: one gateway over time, as old run against new run."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.runs import locate, reading
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.judge.change.comparable import Difference
    from gatemark.judge.change.diff import Compared, Diff, Side
    from gatemark.judge.change.sampled import Sampled
    from gatemark.judge.math.interval import Interval

REGRESSION = 3  # exit code: something got slower, or missed an expectation of its plan
INCOMPARABLE = 4  # exit code: the tester itself changed, so no change is the gateway's alone
OLD_HELP = "The older run: folder, name or latest~1.  [the newest two of one plan or suite]"
NEW_HELP = "The newer run: folder, name or latest."
ACROSS_HELP = "Compare also where definitions differ in this field; repeatable."
JUNIT_HELP = "Write the rows as JUnit test cases too; slower fails."
QUANTITY_HELP = "Compare this, as delay_p50_ns (default: rates and knees); repeatable."


def diff(
    old: Annotated[Path | None, typer.Argument(metavar="OLD", help=OLD_HELP)] = None,
    new: Annotated[Path | None, typer.Argument(metavar="NEW", help=NEW_HELP)] = None,
    across: Annotated[list[str] | None, typer.Option(metavar="FIELD", help=ACROSS_HELP)] = None,
    quantity: Annotated[list[str] | None, typer.Option(metavar="NAME", help=QUANTITY_HELP)] = None,
    noise: Annotated[
        float,
        typer.Option(
            metavar="RATIO", help="Hide changes smaller than this.  [0.01]", min=0.0, max=10.0
        ),
    ] = 0.01,
    all_: Annotated[
        bool, typer.Option("--all", help="Compare the single rates of sweeps too.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help=JUNIT_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each row.")] = False,
) -> None:
    """Compare a gateway with itself: did it get slower?

    A change is reported where its whole interval lies beyond the noise. Another firmware or kernel
    is refused, unless `--across firmware` is given. Exit code 3 if anything got slower, 4 if the
    tester of a virtual gateway itself changed: then no change is the gateway's alone.
    """
    from gatemark.judge.change.diff import FIRMWARE, GATEWAY
    from gatemark.judge.change.diff import diff as compare_runs
    from gatemark.tell.export import change
    from gatemark.tell.verb import diff

    output.place(junit)
    fields = known(across or [], extra=[GATEWAY, FIRMWARE])
    if old and not new:
        raise UsageError("NEW is missing: name two runs, or none for the newest two")
    paths = locate.pair((old, new))
    sides = side(paths[0], quantity or []), side(paths[1], quantity or [])
    kept_diff = compare_runs(*sides, fields, noise, everything=all_)
    if junit:
        name = f"diff {paths[0].name} {paths[1].name}"
        output.write(junit, change.of_diff(kept_diff, name, sides[1].run))
    if json_:
        output.lines(rows(kept_diff))
    else:
        diff.tell(diff.diff_lines(kept_diff, (paths[0].name, paths[1].name)))
    if kept_diff.tester:
        raise typer.Exit(INCOMPARABLE)
    if kept_diff.slower:
        raise typer.Exit(REGRESSION)


def side(path: Path, quantities: Sequence[str]) -> "Side":
    """A run as `diff` and `cmp` take it. Raises UsageError if there is none."""
    from gatemark.judge.change.diff import Side
    from gatemark.judge.change.sampled import KNEE
    from gatemark.judge.judge import judged
    from gatemark.quantity import UNITS
    from gatemark.tell.group import kept

    for quantity in quantities:
        choice.check("--quantity", quantity, [*UNITS, KNEE])
    contents = reading.read(path)
    if quantities:
        made = judged(contents.run, contents.records, quantities=quantities)
    else:
        made = kept.judgement(contents, path)
    return Side(contents.run, made.judgement, made.rows)


def known(across: Sequence[str], extra: Sequence[str] = ()) -> list[str]:
    """The fields that `--across` names. Raises UsageError for one that no definition has."""
    from gatemark.judge.change.comparable import FIELDS

    for field in across:
        choice.check("--across", field, [*FIELDS, *extra])
    return list(across)


def value(row: "Sampled | None", before: str) -> dict[str, object]:
    """A value with its interval, or nothing, under names that begin with `before`."""
    names = ("", "_lo", "_hi", "_n")
    if row is None:
        return dict.fromkeys(f"{before}{name}" for name in names)
    interval = row.interval
    numbers = interval.value, interval.lo, interval.hi, interval.n
    return {f"{before}{name}": number for name, number in zip(names, numbers, strict=True)}


def definition(row: "Sampled", across: Sequence["Difference"] = ()) -> dict[str, object]:
    """Return the fields that a row is about."""
    import msgspec

    return {
        "plan": row.plan,
        "arm": row.arm,
        "setup": row.setup,
        "point": row.point,
        "definition": msgspec.to_builtins(row.definition),
        "asked": row.asked,
        "quantity": row.quantity,
        "unit": row.unit,
        "across": {d.field: [d.old, d.new] for d in across},
    }


def rows(diff: "Diff") -> Iterator[dict[str, object]]:
    """The data of a comparison, one object for each value."""
    from gatemark.tell.fact import say

    for fact in diff.shapes:
        yield {"row": "shape", "words": say.words(fact)}
    if diff.tester:
        yield _row("tester_changed", diff.tester)
    for what, rows in (("change", diff.rows), ("ceiling", diff.ceilings)):
        yield from (_row(what, row) for row in rows)
    for what, alone in (("only_old", diff.only_old), ("only_new", diff.only_new)):
        for sampled in alone:
            values = value(sampled if what == "only_old" else None, "old")
            values |= value(sampled if what == "only_new" else None, "new")
            yield {"row": what, **definition(sampled), **values}


def _row(what: str, row: "Compared") -> dict[str, object]:
    change = row.change
    return {
        "row": what,
        **definition(row.new, row.differences),
        **value(row.old, "old"),
        **value(row.new, "new"),
        **_change(change.change),
        "p": change.p,
        "mde": _finite(change.mde),
        "noise": change.noise,
        "verdict": change.verdict,
        "more": change.more,
        "at_least": [row.old.at_least, row.new.at_least],
    }


def _change(interval: "Interval") -> dict[str, object]:
    numbers = {"change": interval.value, "change_lo": interval.lo, "change_hi": interval.hi}
    return {**{name: _finite(x) for name, x in numbers.items()}, "level": interval.level}


def _finite(change: float) -> float | None:
    """A change to or from nothing has no number."""
    from gatemark.judge.change.compare import UNBOUNDED

    return None if change >= UNBOUNDED else change
