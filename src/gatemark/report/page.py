# SPDX-License-Identifier: Apache-2.0
"""The page: one self-contained file with its figures and data inside, nothing fetched."""

import functools
import importlib.resources
import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import jinja2
import vl_convert

from gatemark.plan.model import Plan
from gatemark.report import (
    capacity,
    card,
    condition,
    cost,
    inventory,
    reference,
    study,
    sweep,
    table,
    terminal,
)
from gatemark.report.chart import bar, change, cpu, delay, group, knee, size, theme
from gatemark.report.chart.figure import Figure
from gatemark.stats.judgement import Judgement
from gatemark.stats.reference import Beside
from gatemark.store.record import Record
from gatemark.store.run import Run

_Tables = list[tuple[str, table.Table]]  # with their anchors


def write(
    run: Run,
    records: Sequence[Record],
    judgement: Judgement,
    path: Path,
    beside: Sequence[Beside] = (),
) -> Path:
    """Write the page to `path`, whole or not at all; `beside` are published values to show."""
    text = render(run, records, judgement, beside)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.chmod(0o644)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return path


def render(
    run: Run, records: Sequence[Record], judgement: Judgement, beside: Sequence[Beside] = ()
) -> str:
    """The page as text."""
    drawn = figures(judgement, records, run.plans, beside)
    payloads = _payloads(run, judgement)
    return _template().render(
        run=run,
        judgement=judgement,
        cards=card.cards(judgement, run.plans),
        conditions=condition.conditions(run, records, judgement),
        warnings=terminal.warnings(judgement),
        figures=drawn,
        readings=_readings(run, drawn),
        answers=_answers(judgement, payloads, beside),
        tables=_tables(run, judgement, payloads),
        inventory=inventory.table(run.before, run.after),
        method=condition.method(run, judgement),
        command=terminal.repeat_command(run),
        counts=terminal.counts(judgement),
        style=_asset("style.css"),
        data=embedded(drawn),
        library=_library(),
        script=_asset("page.js"),
    )


def figures(
    judgement: Judgement,
    records: Sequence[Record],
    plans: Sequence[Plan] = (),
    beside: Sequence[Beside] = (),
) -> list[Figure]:
    """All figures in the order of the page: sweeps, studies, what arms cost, single points."""
    drawn: list[Figure | None] = []
    for knees in sweep.groups(judgement):
        if not sweep.points_of(judgement, knees[0]):
            continue
        drawn.append(knee.figure(judgement, knees, records))
        drawn += [cpu.figure(judgement, knees), delay.figure(judgement, knees)]
    for found in study.studies(judgement, plans):
        if found.shape == "curve":
            drawn += size.figures(judgement, found, beside)
        else:
            drawn.append(group.figure(judgement, found, beside))
    drawn += [change.figure(found) for found in cost.groups(judgement)]
    drawn += [bar.singles(judgement, plans), bar.ceilings(judgement), group.ceilings(judgement)]
    return [figure for figure in drawn if figure is not None]


def embedded(drawn: Sequence[Figure]) -> str:
    """Figures and data as compact JSON that may stand inside a script element."""
    data: dict[str, Any] = {"config": theme.config(), "datasets": {}, "figures": []}
    for figure in drawn:
        panels = figure.specifications()
        for panel in panels:
            data["datasets"].update(panel.pop("datasets", {}))
        data["datasets"].update(figure.datasets())
        made = {"name": figure.name, "columns": figure.columns, "panels": panels}
        data["figures"].append(made | {"title": figure.title})
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def firm(text: str) -> str:
    """The text with numbers held to their units and intervals where lines break."""
    return re.sub(r"(?<=[\d±≥]) (?=[\dkMGµ%±(]|packets|bit|[mn]?s\b)", "\N{NO-BREAK SPACE}", text)


def _readings(run: Run, drawn: Sequence[Figure]) -> dict[str, str]:
    """Figure -> how to read it, from its plan: at the first figure of each plan."""
    texts = {plan.name: plan.reading for plan in run.plans}
    found: dict[str, str] = {}
    for figure in drawn:
        if figure.plan in texts:
            found[figure.name] = texts.pop(figure.plan)
    return found


def _answers(judgement: Judgement, made: _Tables, beside: Sequence[Beside]) -> _Tables:
    """Tables that are answers, never folded: arms side by side, what they cost, the published."""
    several = [(name, one) for name, one in made if len(one.head) > 2]
    found = [
        ("comparisons", capacity.comparisons(judgement)),
        ("published", reference.table(beside)),
    ]
    return several + [(name, one) for name, one in found if one.rows]


def _payloads(run: Run, judgement: Judgement) -> _Tables:
    made = capacity.tables(judgement, run.plans)
    return [(f"payload-{place}", one) for place, one in enumerate(made)]


def _tables(run: Run, judgement: Judgement, payloads: _Tables) -> _Tables:
    """Tables behind a fold."""
    made = (
        ("knees", table.knees(judgement)),
        ("ceilings", table.ceilings(judgement)),
        ("single-points", table.singles(judgement, run.plans)),
        *((name, one) for name, one in payloads if len(one.head) <= 2),
        ("every-point", table.points(judgement)),
    )
    return [(name, one) for name, one in made if one.rows]


def _asset(name: str) -> str:
    return (importlib.resources.files("gatemark.report") / "asset" / name).read_text("utf-8")


@functools.cache
def _template() -> jinja2.Template:
    rules = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    rules.filters["firm"] = firm
    return rules.from_string(_asset("template.html"))


@functools.cache
def _library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, for the Vega-Lite that Altair writes."""
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
