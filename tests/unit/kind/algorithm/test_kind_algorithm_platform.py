# SPDX-License-Identifier: Apache-2.0
"""A processor's scores are read of measured points and of published rows."""

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.kind.algorithm.platform import Platform, of_points, published
from gatemark.store.record import Definition


def point(algorithm: str, **values: float) -> PointResult:
    definition = Definition(
        quantity="kernel rate", path="endpoint", l4="algorithm", kernel=algorithm, level="O3"
    )
    return PointResult(
        subject=Subject(plan="a", arm="a", setup="a", point={}, definition=definition),
        values={name: Interval(value, value, value, 1, 0.0) for name, value in values.items()},
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


def row(device: str, parameter: str, value: str, note: str = "printed there") -> dict[str, str]:
    experiment = "host.stream" if parameter == "copy" else "host.coremark"
    return {
        "device": device,
        "experiment": experiment,
        "parameter": parameter,
        "value": value,
        "note": note,
    }


def test_the_best_of_each_is_the_processors() -> None:
    points = [
        point("coremark", ops_s=90.0, clock_hz=5e8),
        point("coremark", ops_s=100.0),
        point("stream", copy_bytes_per_s=2e8, clock_hz=6e8),
        point("stream", copy_bytes_per_s=3e8),
    ]
    assert of_points(points) == Platform("this gateway", coremark=100.0, mhz=600.0, copy_mb_s=300.0)


def test_where_nothing_was_measured_nothing_is_known() -> None:
    assert of_points([]) == Platform("this gateway")
    assert not of_points([]).is_known


def test_the_rows_of_a_device_fill_its_fields() -> None:
    rows = [
        row("AP", "score", "1000"),
        row("PC one", "cpu_clock", "2400"),
        row("AP", "cpu_clock", "400"),
        row("AP", "copy", "250"),
    ]
    first, second = published(rows)
    assert first == Platform("AP", coremark=1000.0, mhz=400.0, copy_mb_s=250.0)
    assert second == Platform("PC one", mhz=2400.0)
    assert (first.is_reference, second.is_reference) == (False, True)
    assert second.is_known


def test_what_was_derived_and_what_is_no_score_is_left_out() -> None:
    assert published([row("AP", "score", "2.5", "derived"), row("AP", "ratio", "2")]) == []
