# SPDX-License-Identifier: Apache-2.0
"""Flows of a table in print: a figure, a table, the card of connections, the sentence."""

import pytest
from msgspec.structs import replace

from gatemark.judge.change.reference import beside
from gatemark.kind.fill import answer as fill
from gatemark.kind.fill.plan import FILL
from gatemark.store.record import Definition, Evidence, FillStep, Record
from gatemark.store.reference import published
from gatemark.store.run import Run, StationInfo
from gatemark.tell import gallery
from gatemark.tell.answer import flow
from gatemark.tell.card import cards
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words import traffic

OBJECTS = {"nf_conntrack": 256, "kmalloc-128": 128}


def filled(path: str, repeat: int, came: int, lost: int) -> Record:
    steps = tuple(
        FillStep(
            flows=at * 1000,
            entries=at * 1000,
            slab_bytes=10**7 + 384_000 * at + repeat,
            free_bytes=10**8,
            available_bytes=10**8,
        )
        for at in range(came // 1000 + 1)
    )
    table = {"entries": came, "max": 262_144, "drop": 0, "insert_failed": lost}
    seen = {"asked": 70_000, "came": came, "lost": lost, "servers": 1, "own_memory": True}
    return Record(
        trial=f"{path}/{repeat}",
        plan="cost/flows",
        arm=path,
        point={},
        repeat=repeat,
        pass_="outside",  # noqa: S106 - not a password
        sequence=repeat,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=Definition(path=path, quantity=FILL, l4="udp", flows=70_000, clients=10),
        values={
            "flows": float(came),
            "flow_bytes": 383.0 + repeat,
            "flow_object_bytes": 384.0,
            "flows_predicted": 140_000.0,
            "flows_recommended": 100_000.0,
        },
        evidence=Evidence(
            fill_steps=steps,
            fill=seen,  # type: ignore[arg-type]
            objects=OBJECTS,
            conntrack=table,
        ),
    )


@pytest.fixture
def source() -> Source:
    records = [filled("nat", repeat, 64_512, 488) for repeat in (1, 2)]
    records += [filled("route", repeat, 70_000, 0) for repeat in (1, 2)]
    run = Run(
        run="r",
        suite="cost",
        title="t",
        command=("gatemark", "run", "cost"),
        started="2026-11-22T00:00:00Z",
        seed=1,
        station=StationInfo(name="box", kind="ssh", virtual=False),
        plans=(),
        trials=(),
    )
    return Source(run=run, records=records, judgement=answered(run, records))


def test_memory_is_drawn_over_flows_measured_and_projected(source: Source) -> None:
    (figure,) = gallery.figures(source)
    assert figure.name == "memory-cost-flows"
    assert figure.specifications()
    last = [row for row in figure.rows if row["arm"] == "route"][-1]
    flows, projected = last["flows"], last["projected"]
    assert isinstance(flows, float | int)
    assert projected == pytest.approx(384 * flows / (1 << 20))
    assert last["measured"] == pytest.approx(projected)
    assert len(figure.rows) < 150


def test_the_table_tells_what_broke_first(source: Source) -> None:
    text = "\n".join(fill.made(source.judgement).lines())
    assert "out of ports, of which there are 64512" in text
    there = {name for point in source.judgement.points for name in point.values}
    for name, head in fill.COLUMNS.items():
        assert (head in text) == (name in there)


def test_no_other_table_has_its_anchor() -> None:
    assert fill.ANCHOR == "fill"
    assert fill.ANCHOR != flow.ANCHOR


def test_the_card_is_that_of_the_setup_that_held_least(source: Source) -> None:
    (found,) = [one for one in cards.cards(source.judgement) if one.title.startswith("Connections")]
    assert (found.title, found.value, found.unit) == (
        "Connections: nat",
        "64512",
        "flows at once",
    )
    assert any(line.startswith("route: \N{GREATER-THAN OR EQUAL TO} 70000") for line in found.lines)
    assert any("of memory each" in line for line in found.lines)
    assert "recommended nf_conntrack_max: 100000" in found.lines


def test_what_the_tester_held_is_no_number_of_the_gateway(source: Source) -> None:
    points = tuple(
        replace(point, limit="tester", at_least=True) for point in source.judgement.points
    )
    limited = replace(source.judgement, points=points)
    (card,) = [card for card in cards.cards(limited) if card.title.startswith("Connections")]
    assert card.value == "\N{GREATER-THAN OR EQUAL TO} 64512"
    assert card.is_bound  # a page of several runs divides it by nothing
    assert card.line == "the tester held no more"
    assert any(line.startswith("route: \N{GREATER-THAN OR EQUAL TO} 70000") for line in card.lines)


def test_the_sentence_counts_flows(source: Source) -> None:
    assert "flows at once" in source.judgement.sentence
    assert "packets/s" not in source.judgement.sentence


def test_flows_in_words() -> None:
    made = Definition(path="nat", quantity=FILL, flows=500, active_pps=5000)
    assert traffic.load(made) == "↑ up, 500 flows, 5000 packets/s over all"


def test_bytes_a_flow_stand_beside_the_published_ones(source: Source) -> None:
    rows = beside(source.judgement, published())
    assert [(row.arm, row.published.value) for row in rows] == [("nat", 340.0)]
