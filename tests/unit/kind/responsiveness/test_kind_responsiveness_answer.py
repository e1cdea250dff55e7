# SPDX-License-Identifier: Apache-2.0
"""Responsiveness in print: its table, the sentence; no other answer takes it for a rate."""

import pytest

from gatemark.kind.responsiveness import answer as responsiveness
from gatemark.store.record import Definition, Evidence, Record
from gatemark.store.run import Run, StationInfo
from gatemark.tell import gallery
from gatemark.tell.answer import answers, rates
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words import traffic

VALUES = {
    "rpm": 1650.0,
    "rpm_foreign": 3000.0,
    "rpm_loaded": 300.0,
    "rpm_idle": 60_000.0,
    "http_f_p50_ns": 20e6,
    "http_l_p50_ns": 200e6,
    "http_l_p99_ns": 250e6,
    "goodput_bps": 14e6,
    "load_connections": 12.0,
}


def record(path: str, **values: float) -> Record:
    made = Definition(path=path, quantity="responsiveness", l4="http", tls=True, interval_s=5.0)
    return Record(
        trial=path,
        plan="delay/responsiveness",
        arm=path,
        point={"direction": "up"},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
        sequence=0,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=made,
        values=VALUES | values,
        evidence=Evidence(responsiveness={"confidence": "medium"}),
    )


@pytest.fixture
def source() -> Source:
    records = [record("direct", rpm=20_000.0, http_f_p50_ns=1e6, goodput_bps=9e8), record("nat")]
    run = Run(
        run="r",
        suite="delay",
        title="t",
        command=("gatemark", "run", "delay"),
        started="2026-11-22T00:00:00Z",
        seed=1,
        station=StationInfo(name="lab", kind="netns", virtual=True),
        plans=(),
        trials=(),
    )
    return Source(run=run, records=records, judgement=answered(run, records))


def test_the_table_tells_class_foreign_and_loaded(source: Source) -> None:
    made = responsiveness.table(source.judgement, source.records)
    assert [row[0] for row in made.rows] == ["tester alone", "nat"]
    cells = dict(zip(made.head, made.rows[1], strict=True))
    assert (cells["RPM"], cells["class"], cells["confidence"]) == ("1650", "good", "medium")
    assert (cells["foreign"], cells["loaded"], cells["connections"]) == ("3000", "300", "12")
    assert float(cells["beside a load p50, ms"]) == 200


def test_no_other_answer_takes_it(source: Source) -> None:
    assert not rates.ceilings(source.judgement).rows
    names = [name for name, _ in answers.tables(source)]
    assert "responsiveness" in names
    assert {name for name in names if name.startswith("payload")} == set()
    for figure in gallery.figures(source):
        assert figure.specifications()


def test_the_sentence_counts_round_trips(source: Source) -> None:
    assert "1.65 k round trips a minute under load" in source.judgement.sentence


def test_a_definition_in_words() -> None:
    made = record("nat").definition
    assert traffic.load(made) == "↑ up, HTTP/2, intervals of 5 s"
    clear = Definition(path="nat", quantity="responsiveness", l4="http", tls=False, interval_s=1.0)
    assert traffic.traffic(clear) == "HTTP over IPv4, without TLS, intervals of 1 s"
