# SPDX-License-Identifier: Apache-2.0
"""What a figure draws is what the records hold: each value is found again from the trials."""

import statistics
from collections.abc import Sequence
from functools import cache

import drawn
import pytest
from msgspec.structs import replace

from gatemark.plan.model import is_twin
from gatemark.store.record import Record
from gatemark.tell import gallery
from gatemark.tell.answer import rates
from gatemark.tell.card import cards
from gatemark.tell.chart import bar, swept
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

SWEPT = {"knee": "received_pps", "cpu": "cpu_busy", "delay": "delay_p50_ns"}
BARS = {"bars-studies-paths": "studies/paths", "bars-studies-lengths": "studies/lengths"}
PAYLOAD = {"tcp": "goodput_bps", "udp": "received_l4_bps"}


@cache
def judged(name: str) -> Source:
    """The run as `stats` judges it: nothing is taken from what a test made up."""
    run = drawn.source(name)
    judgement = answered(run.run, run.records)
    return Source(run=run.run, records=run.records, judgement=judgement)


@cache
def figures(name: str) -> Sequence[Figure]:
    return gallery.figures(judged(name))


@pytest.fixture(scope="module")
def quick() -> Source:
    return judged("builder")


@pytest.fixture(scope="module")
def study() -> Source:
    return judged("studies")


def named(name: str, start: str) -> Figure:
    """The figure of the run of this name that begins so."""
    return next(figure for figure in figures(name) if figure.name.startswith(start))


def samples(records: Sequence[Record], quantity: str, **factors: object) -> list[float]:
    """A quantity in the valid trials of the outside pass at these factors."""
    return [
        record.values[quantity]
        for record in records
        if record.status == "ok"
        and record.pass_ == "outside"
        and quantity in record.values
        and all(fact(record, name) == level for name, level in factors.items())
    ]


def fact(record: Record, name: str) -> object:
    own = {"arm": record.arm, "plan": record.plan}
    return own.get(name, record.point.get(name, getattr(record.definition, name, None)))


def same(row: Row, name: str, found: Sequence[float]) -> None:
    """The row's value is the samples' median, its interval lies within their range."""
    assert row[name] == pytest.approx(statistics.median(found), rel=1e-12)
    assert row[f"{name}_lo"] == pytest.approx(min(found), rel=1e-12)
    assert row[f"{name}_hi"] == pytest.approx(max(found), rel=1e-12)


@pytest.mark.parametrize("kind", SWEPT)
def test_a_sweep_draws_the_medians_of_its_trials(quick: Source, kind: str) -> None:
    figure = named("builder", f"{kind}-")
    assert figure.rows
    for row in figure.rows:
        at = {"arm": row["arm"], "direction": row["direction"], "rate_pps": row["offered_pps"]}
        found = samples(quick.records, SWEPT[kind], plan="quick/sweep", **at)
        same(row, SWEPT[kind], found)


def test_each_dot_is_a_trial(quick: Source) -> None:
    figure = named("builder", "knee-")
    dots = [float(row["received_pps"] or 0) for row in figure.extra[f"{figure.name}-repeats"]]
    assert sorted(dots) == sorted(samples(quick.records, "received_pps", plan="quick/sweep"))


def test_bars_of_the_tester_are_its_trials(quick: Source) -> None:
    figure = named("builder", "ceiling")
    assert figure.rows
    every = samples(quick.records, "received_pps", path="direct")
    for row in figure.rows:
        assert row["received_pps_lo"] in every
        assert row["received_pps_hi"] in every


@pytest.mark.parametrize("name", BARS)
def test_bars_are_the_medians_of_their_trials(study: Source, name: str) -> None:
    figure = named("studies", name)
    mine = [p for p in study.judgement.points if p.plan == BARS[name] and not is_twin(p.arm)]
    assert len(figure.rows) == len(mine) > 0
    for point in mine:
        quantity = PAYLOAD[point.definition.l4]
        found = samples(study.records, quantity, plan=point.plan, arm=point.arm, **point.point)
        row = next(row for row in figure.rows if row["payload_bps"] == point.values[quantity].value)
        same(row, "payload_bps", found)


def test_every_value_of_every_figure_has_its_interval() -> None:
    for figure in (*figures("builder"), *figures("studies")):
        ends = [name.removesuffix("_lo") for name in figure.columns if name.endswith("_lo")]
        assert ends, figure.name
        for row in figure.rows:
            for name in (name for name in ends if row[name] is not None):
                low, value, high = (
                    float(row[key] or 0) for key in (f"{name}_lo", name, f"{name}_hi")
                )
                assert low <= value <= high, (figure.name, name)


def test_a_tester_limited_value_bears_its_sign_wherever_it_stands(quick: Source) -> None:
    bound = tuple(replace(p, at_least=True, limit="tester") for p in quick.judgement.points)
    knees = tuple(replace(k, at_least=True, limit="tester") for k in quick.judgement.knees)
    limited = replace(quick.judgement, points=bound, knees=knees)
    source = Source(run=quick.run, records=quick.records, judgement=limited)
    assert cards.cards(limited, quick.run.plans)[0].value.startswith("≥ ")
    assert all(row[3].startswith("≥ ") for row in rates.knees(limited).rows)
    singles = drawn.of(bar.SINGLE, bar.singles(source)[0])
    texts = [str(row["text"]) for row in singles.rows]
    assert texts
    assert all(text.startswith("≥ ") for text in texts)
    marks = drawn.of(swept.KNEE, Sweep(source, limited.knees)).extra
    names = [row for name, rows in marks.items() if name.endswith("-marks") for row in rows]
    assert names
    assert all("≥" in str(row) for row in names)
