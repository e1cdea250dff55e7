# SPDX-License-Identifier: Apache-2.0
"""The terminal: `Live` while a run goes on (stderr), the answer at its end (stdout)."""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from gatemark.report.answer import (
    crosscheck,
    estimate,
    exact,
    fill,
    kernel_path,
    ladder,
    pareto,
    payload,
    rates,
    reference,
    search,
    watched,
)
from gatemark.report.answer.rates import Table
from gatemark.report.live import Live
from gatemark.stats.change.reference import beside
from gatemark.stats.judgement import Judgement, Warning_
from gatemark.store.reference import published
from gatemark.store.run import Run

__all__ = ["Live", "answer", "repeat_command", "tell"]

EXACTLY = "-exact"  # behind the name of a plan that was asked in instructions (plan/exact.py)
Line = tuple[str, str]  # rich style, text


def answer(run: Run, judgement: Judgement, folder: Path, page: Path | None) -> str:
    """The answer as plain text: sentence, tables, warnings, where it lies, how to repeat it."""
    return "\n".join(text for _, text in _lines(run, judgement, folder, page)) + "\n"


def tell(
    run: Run, judgement: Judgement, folder: Path, page: Path | None, stream: TextIO | None = None
) -> None:
    """Print the answer on stdout (or `stream`); colour only on a terminal without NO_COLOR."""
    from rich.console import Console  # lazy: it costs start-up time
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for style, text in _lines(run, judgement, folder, page):
        console.print(Text(text, style=style if console.is_terminal else ""))


def repeat_command(run: Run) -> str:
    """The command that repeats the run, quoted for a shell."""
    return shlex.join(run.command)


def repeat_plan(run: Run, plan: str) -> str:
    """The command that repeats one plan of the run with the run's own settings."""
    found = next((one for one in run.plans if one.name == plan), None)
    if found is None or len(run.command) < 3:
        return ""
    gatemark, verb, asked, *words = run.command
    # A plan's own file has no other name; --exact makes another plan of it.
    own = asked if len(run.plans) == 1 else plan.removesuffix(EXACTLY if "--exact" in words else "")
    if "--variant" in words and words[words.index("--variant") + 1] not in found.variants:
        at = words.index("--variant")  # of the suite's other plans
        del words[at : at + 2]
    return shlex.join((gatemark, verb, own, *words))


def counts(judgement: Judgement) -> str:
    """What became of the trials: `288 trials, 2 invalid, 4 not run`."""
    parts = [f"{judgement.trials} trial{'' if judgement.trials == 1 else 's'}"]
    more = ((judgement.invalid, "invalid"), (judgement.skipped, "skipped"))
    parts += [f"{count} {word}" for count, word in (*more, (judgement.missing, "not run")) if count]
    return ", ".join(parts)


def warnings(judgement: Judgement) -> list[tuple[Warning_, str]]:
    """Every warning once, with where it was seen: of the run first, then knees and points."""
    seen: dict[tuple[str, str], list[str]] = {}
    for warning in judgement.warnings:
        seen.setdefault((warning.code, warning.advice), [])
    for place, found in _placed(judgement):
        for warning in found:
            seen.setdefault((warning.code, warning.advice), []).append(place)
    return [(Warning_(*key), _where(list(dict.fromkeys(places)))) for key, places in seen.items()]


def _placed(judgement: Judgement) -> Iterator[tuple[str, Iterable[Warning_]]]:
    for knee in judgement.knees:
        yield f"{knee.setup} {knee.direction}", knee.warnings
    for point in (*judgement.ceilings, *judgement.points):
        yield f"{point.setup} {point.definition.direction}", point.warnings


def _where(places: list[str]) -> str:
    shown = ", ".join(places[:3])
    return f"{shown} and {len(places) - 3} more" if len(places) > 3 else shown


def _lines(run: Run, judgement: Judgement, folder: Path, page: Path | None) -> Iterator[Line]:
    yield "bold", judgement.sentence
    yield "dim", _conditions(run, judgement)
    yield from (("yellow", f"missing  {lack}") for lack in run.station.missing)
    yield from (("dim", f"deviates  {text}") for text in deviations(run))
    shown = (
        *(made for _, made in search.tables(judgement)),
        watched.table(judgement),
        rates.knees(judgement),
        rates.delays(judgement, run.plans),
        *ladder.tables(judgement),
        *exact.tables(judgement),
        *pareto.tables(judgement),
        *kernel_path.tables(judgement),
        estimate.table(judgement, published(), estimate.kernel(run)),
        *payload.tables(judgement, run.plans),
        rates.singles(judgement, run.plans),
        rates.connections(judgement),
        fill.made(judgement),
        payload.comparisons(judgement),
        crosscheck.table(judgement),
        rates.ceilings(judgement),
    )
    for made in shown:
        yield from _table(made)
    yield from _trees(judgement)
    yield from _published(judgement, folder)
    yield from warned(judgement)
    yield "", ""
    yield "", f"folder  {folder}"
    if page is not None:
        yield "", f"page    {page}"
    yield "", f"repeat  {repeat_command(run)}"


def deviations(run: Run) -> list[str]:
    """From the RFC or paper that a plan cites, in the order of the plans, each once."""
    return list(dict.fromkeys(f"{s.plan}: {text}" for s in run.trials for text in s.deviations))


def _conditions(run: Run, judgement: Judgement) -> str:
    slowdowns = {p.gateway.slow_to_pps for p in run.plans} - {0}
    slowed = [f"slowed to about {b / 1000:g} k packets/s" for b in sorted(slowdowns)]
    virtual = "virtual gateway" if run.station.virtual else "real gateway"
    return "; ".join([f"station {run.station.name}", virtual, *slowed, counts(judgement)])


def _table(made: Table) -> Iterator[Line]:
    if not made.rows:
        return
    yield "", ""
    yield "bold", made.caption
    head, *rows = made.lines()
    yield "dim", f"  {head}"
    for row in rows:
        yield "", f"  {row}"


def _trees(judgement: Judgement) -> Iterator[Line]:
    """Paths of packets in order, some of them; the page has all."""
    for one in kernel_path.chosen(judgement):
        yield "", ""
        yield "bold", f"Functions that the packet passes, in order: {kernel_path.title(one)}"
        head, *rows = kernel_path.lines(one)
        yield "dim", f"  {head}"
        yield from (("", f"  {row}") for row in rows)


def _published(judgement: Judgement, folder: Path) -> Iterator[Line]:
    found = beside(judgement, published())
    if not found:
        return
    yield "", ""
    yield "bold", reference.CAPTION
    head, *rows = reference.lines(found[: reference.MOST])
    yield "dim", f"  {head}"
    yield from (("", f"  {row}") for row in rows)
    if len(found) > reference.MOST:
        command = shlex.join(("gatemark", "show", str(folder), "--reference"))
        yield "dim", f"  and {len(found) - reference.MOST} more: {command}"


def warned(judgement: Judgement) -> Iterator[Line]:
    """Every warning, a line each, after an empty one."""
    found = warnings(judgement)
    if found:
        yield "", ""
    for warning, where in found:
        place = f" ({where})" if where else ""
        yield "yellow", f"warning {warning.code}{place}: {warning.advice}"
