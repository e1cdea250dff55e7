# SPDX-License-Identifier: Apache-2.0
"""The page: one self-contained file about one run or several, figures and data inside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatemark.judge.point.tree import tree
from gatemark.store import file
from gatemark.tell import gallery, html, script
from gatemark.tell.about import condition, inventory
from gatemark.tell.answer import answers, diagnosis, exact, kernel_path, rates, verdict
from gatemark.tell.card.card import Card
from gatemark.tell.card.cards import cards
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.palette import palette
from gatemark.tell.explain.glossary import Glossary
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.several import called, side_by_side
from gatemark.tell.words.refusal import not_measured
from gatemark.tell.words.run import counts, repeat_command, repeat_plan
from gatemark.tell.words.table import Table

FIRST_CARDS = 5  # with more of them the first figure would not be on the first screen
MOST_FINDINGS = 10  # below the sentence
# Figures that stand above the conditions.
LEADING = ("throughput", "knee", "delay", "waits", "tradeoff", "ladder", "subsystems", "estimate")

LEADING_TABLES = ("applications",)  # likewise: a word an application and arm


def write(sources: Sequence[Source], path: Path, docs: str = "", *, named: bool = False) -> Path:
    """Write the page of one run, or of several side by side. Raises OSError.

    `named`: by the user, so it may be a link; in a run's directory it is none of ours.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    (file.write if named else file.put)(path, render(sources, docs).encode())
    return path


def render(sources: Sequence[Source], docs: str = "") -> str:
    """The page as text; its words link to the documents' site where it has an address."""
    shared = together(sources)
    drawn = gallery.figures(shared)
    tables = [t for t in answers.tables(shared, folded=False) if t[0] != diagnosis.ANCHOR]
    return html.template("page.html").render(
        sources=sources,
        glossary=Glossary(shared, docs),
        title=sources[0].run.title if len(sources) == 1 else f"{len(sources)} runs side by side",
        abouts=[about(source) for source in sources],
        cards=_cards(shared) if len(sources) == 1 else [],
        first_cards=FIRST_CARDS,
        sides=side_by_side(sources) if len(sources) > 1 else None,
        figures=drawn,
        leading=_leading(drawn),
        findings=_findings(drawn),
        readings=_readings(shared, drawn),
        commands={figure.name: _commands(sources, figure.plan) for figure in drawn},
        wrong=diagnosis.table(shared.judgement.diagnoses),
        leading_answers=[(name, made) for name, made in tables if name in LEADING_TABLES],
        answers=[(name, made) for name, made in tables if name not in LEADING_TABLES],
        functions=[*exact.folds(shared.judgement), *exact.at_rate(shared.records)],
        tables=_folded(shared),
        paths=_paths(shared),
        count=kernel_path.count,
        columns=columns,
        style=html.asset("style.css"),
        data=script.embedded(drawn, palette(shared.judgement)),
        scripts=[script.library(), *map(html.asset, ("number.js", "table.js", "page.js"))],
    )


def columns(panels: int) -> int:
    """Panels in a row where the page is wide, so that no last one stands alone in its row.

    An odd count that three does not divide stands in twos, and the last panel takes its whole row.
    """
    return 3 if panels % 3 == 0 else min(panels, 2)


def _cards(source: Source) -> list[Card]:
    return cards(source.judgement, source.run.plans, virtual=source.run.station.virtual)


def about(source: Source) -> dict[str, Any]:
    """What a page says of one run besides figures and tables."""
    run, judgement = source.run, source.judgement
    return {
        "source": source,
        "name": called(source),
        "not_measured": not_measured(run, judgement, source.records),
        "verdict": verdict.lines(source),
        "counts": counts(judgement),
        "slowed": any(plan.gateway.slow_to_pps for plan in run.plans),
        "conditions": condition.conditions(run, source.records, judgement),
        "warnings": warned.warnings(judgement),
        "method": condition.method(run, judgement),
        "inventory": inventory.table(run.before, run.after),
        "command": repeat_command(run),
    }


def _leading(drawn: Sequence[Figure]) -> list[str]:
    """The figures of the first screen: the first two of these kinds, else the first of all."""
    first = [next((f.name for f in drawn if f.name.startswith(f"{k}-")), "") for k in LEADING]
    return [name for name in first if name][:2] or [figure.name for figure in drawn[:1]]


def _findings(drawn: Sequence[Figure]) -> list[Figure]:
    """What else was found: the leading figures stand right below and say it themselves."""
    leading = _leading(drawn)
    return [figure for figure in drawn if figure.name not in leading][:MOST_FINDINGS]


def _readings(source: Source, drawn: Sequence[Figure]) -> dict[str, str]:
    """Figure -> how to read it, from its plan: at the first figure of each plan."""
    texts = {plan.name: plan.reading for plan in source.run.plans if plan.reading}
    readings: dict[str, str] = {}
    for figure in drawn:
        if figure.plan in texts:
            readings[figure.name] = texts.pop(figure.plan)
    return readings


def _commands(sources: Sequence[Source], plan: str) -> list[str]:
    """What repeats a figure's plan, for each run that has it."""
    return [text for source in sources if (text := repeat_plan(source.run, plan))]


def _folded(source: Source) -> list[tuple[str, Table]]:
    """Tables behind the fold; every point is the last of them."""
    every = rates.points(source.judgement)
    tables = [*answers.tables(source, folded=True)]
    return [*tables, ("every-point", every)] if every.rows else tables


def _paths(source: Source) -> list[dict[str, Any]]:
    """Each path of a packet as a tree, with all its functions as a table."""
    return [
        {
            "name": kernel_path.anchor(travel),
            "title": kernel_path.title(travel),
            "said": kernel_path.sentence_of(travel),
            "unit": travel.unit,
            "seen": kernel_path.seen(travel),
            "nodes": tree(travel.calls, travel.unit),
            "before": travel.before,
            "after": travel.after,
            "functions": kernel_path.functions(travel),
        }
        for travel in source.judgement.travels
    ]
