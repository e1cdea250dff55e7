# SPDX-License-Identifier: Apache-2.0
"""Connections in print: their figures, their table, the sentence; no other figure takes them."""

from dataclasses import replace

import pytest

from gatemark.judge.change.reference import beside
from gatemark.judge.judgement import Judgement
from gatemark.kind.connections.answer import table
from gatemark.store.record import Definition, Evidence, Record, Scalar
from gatemark.store.reference import published
from gatemark.store.run import Run, StationInfo
from gatemark.tell import gallery
from gatemark.tell.answer import rates
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words import traffic

TABLE = {"entries": 262_144, "max": 262_144, "drop": 9, "insert_failed": 0}
FAILED: dict[str, Scalar] = {
    "stop": "failed",
    "opened": 262_144,
    "failed": 1,
    "number": 262_144,
    "why": "no answer",
}
ALL: dict[str, Scalar] = {"stop": "connections", "opened": 300_000, "failed": 0}
TIMES = {"connect_p50_ns": 2e6, "connect_p99_ns": 5e6, "echo_p50_ns": 3e6, "echo_p99_ns": 9e6}


def held(path: str, count: float, evidence: Evidence) -> Record:
    values = {"connections": count, "connections_per_s": 6000.0, "connection_bytes": 8100.0}
    return record(path, "concurrent connections", values, evidence)


def rate(path: str, per_s: float) -> Record:
    evidence = Evidence(connecting={"stop": "time", "opened": 1, "failed": 0})
    values = {"connections_per_s": per_s, "loss_ratio": 0.0}
    return record(path, "connection rate", values, evidence)


def record(path: str, quantity: str, values: dict[str, float], evidence: Evidence) -> Record:
    name = quantity.replace(" ", "-")
    return Record(
        trial=f"{name}/{path}",
        plan=f"rfc/{name}",
        arm=path,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
        sequence=0,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=Definition(path=path, quantity=quantity, l4="tcp", connections=300_000),
        values=values | TIMES,
        evidence=evidence,
    )


@pytest.fixture
def source() -> Source:
    records = [
        held("direct", 300_000, Evidence(connecting=ALL)),
        held("nat", 262_144, Evidence(connecting=FAILED, conntrack=TABLE)),
        rate("direct", 12_000),
        rate("nat", 6000),
    ]
    run = Run(
        run="r",
        suite="rfc",
        title="t",
        command=("gatemark", "run", "rfc"),
        started="2026-11-22T00:00:00Z",
        seed=1,
        station=StationInfo(name="lab", kind="netns", virtual=True),
        plans=(),
        trials=(),
    )
    return Source(run=run, records=records, judgement=answered(run, records))


def judged(source: Source) -> Judgement:
    return source.judgement


def test_each_quantity_has_a_figure_and_no_other_is_drawn(source: Source) -> None:
    figures = {figure.name: figure for figure in gallery.figures(source)}
    assert list(figures) == ["connections-held", "connection-rate"]
    rows = figures["connections-held"].rows
    assert [row["connections"] for row in rows] == [300_000, 262_144]
    assert "nf_conntrack_max" in str(rows[1]["why"])
    for figure in figures.values():
        assert figure.specifications()


def test_the_table_tells_the_bound_of_the_gateways_table(source: Source) -> None:
    made = table(judged(source))
    text = "\n".join(made.lines())
    assert "conntrack held 262144 of at most 262144 entries (nf_conntrack_max)" in text
    assert "262144" in made.rows[2][made.head.index("connections")]
    assert not rates.ceilings(judged(source)).rows


def test_the_sentence_counts_connections(source: Source) -> None:
    sentence = judged(source).sentence
    assert "262 k connections" in sentence
    assert "flow table" in sentence


def test_published_counts_alone_are_put_beside_them(source: Source) -> None:
    rows = beside(judged(source), published())
    assert {(row.quantity, row.arm, row.at_least) for row in rows} == {
        ("connections", "nat", False)
    }


def test_all_that_were_asked_for_are_a_bound_and_no_limit(source: Source) -> None:
    all_held = held("nat", 300_000, Evidence(connecting=ALL))
    made = replace(source, judgement=answered(source.run, [all_held]))
    (row, *_) = beside(judged(made), published())
    assert (row.quantity, row.at_least) == ("connections", True)
    (figure,) = gallery.figures(made)
    title = "All 300000 connections that were asked for were held at once: nat"
    assert (figure.title, figure.rows[0]["text"]) == (title, "≥ 300000")


def test_connections_in_words() -> None:
    made = Definition(path="nat", quantity="connection rate", l4="tcp", connections=1)
    assert traffic.load(made) == "↑ up, 1 connection at once"
