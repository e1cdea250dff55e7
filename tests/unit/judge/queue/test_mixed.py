# SPDX-License-Identifier: Apache-2.0
"""The workloads of a trial: each with its own values and series."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.judge.queue.mixed import Series, Workload, files, used, workloads
from gatemark.judge.queue.swing import SETTLE_NS
from gatemark.store.record import Definition, Part, Record

S_NS = 10**9
WINDOW_NS = (0, SETTLE_NS + 4 * S_NS)
UDP = Definition(path="nat", l4="udp")
TCP = Definition(path="nat", l4="tcp", direction="up", streams=2)
GAME = Definition(path="nat", l4="replay", trace="game", direction="both")


def record(definition: Definition = GAME, **keys: Any) -> Record:
    asked: dict[str, Any] = {"trial": "a", "plan": "a", "arm": "a", "point": {}, "repeat": 1}
    asked |= {"pass_": "outside", "sequence": 0, "status": "ok", "started": ""}
    return Record(**(asked | {"definition": definition, "window_ns": WINDOW_NS} | keys))


def workload(definition: Definition, series: Series | None = None, name: str = "") -> Workload:
    return Workload(name, definition, WINDOW_NS, record(), series or {})


@pytest.mark.parametrize(
    ("definition", "ways"),
    [
        (TCP, ("up",)),
        (replace(TCP, direction="down"), ("down",)),
        (replace(TCP, direction="both"), ("up", "down")),
        (replace(TCP, streams=0), ()),
        (UDP, ("up",)),
        (replace(UDP, streams=0), ("up",)),
        (GAME, ()),
        (replace(GAME, trace=""), ()),
        (replace(UDP, trace="game"), ()),
    ],
)
def test_a_load_goes_its_way(definition: Definition, ways: tuple[str, ...]) -> None:
    assert tuple(way for way in ("up", "down") if workload(definition).goes(way)) == ways


def test_goodput_is_what_came_after_slow_start() -> None:
    times = [0, SETTLE_NS, SETTLE_NS + S_NS, WINDOW_NS[1]]
    counts = {"sink.up.bytes": (times, [7.0, 1000.0, 3000.0, 9.0])}
    assert workload(TCP, counts).goodput_bps("up") == 4000 * 8 / 4
    assert workload(TCP, counts).goodput_bps("down") is None
    assert workload(UDP, counts).goodput_bps("up") is None
    short = Workload("", TCP, (0, SETTLE_NS), record(), counts)
    assert short.goodput_bps("up") is None


def test_its_own_series_bear_its_name() -> None:
    columns = ([0], [1.0])
    series = {
        "source.up.0.acked_bytes": columns,
        "load/source.up.1.acked_bytes": ([1], [2.0]),
        "load/source.up.1.cwnd": columns,
        "load/source.down.1.acked_bytes": columns,
    }
    assert workload(TCP, series, "load").streams("up") == [([1], [2.0])]
    assert workload(TCP, series).streams("up") == [columns]
    assert workload(TCP, series, "load").columns("source.up.1.cwnd") == columns


def test_its_own_values_bear_its_name() -> None:
    values = {"up.missed_50ms_ratio": 0.1, "call.up.missed_20ms_ratio": 0.2, "mos": 4.0}
    made = record(values=values)
    own, call = (Workload(name, GAME, WINDOW_NS, made, {}) for name in ("", "call"))
    assert (own.deadlines_ms("up"), call.deadlines_ms("up")) == ([50], [20])
    assert (own.value("mos"), call.value("mos")) == (4.0, None)


def test_the_plans_own_comes_first_with_the_trials_window() -> None:
    made = record(parts={"load": Part(definition=TCP, window_ns=(5, 6))})
    own, load = workloads(made, {})
    assert (own.name, own.definition, own.window_ns) == ("", GAME, WINDOW_NS)
    assert (load.name, load.definition, load.window_ns) == ("load", TCP, (5, 6))


def test_files_are_of_mixed_trials_and_of_their_flows_alone() -> None:
    mixed = record(parts={"load": Part(definition=TCP, window_ns=(5, 6))}, series="mixed")
    alone, other = record(series="alone"), record(UDP, series="other")
    assert files([mixed, alone, other]) == ["mixed", "alone"]
    assert files([alone, other]) == []


def test_invalid_trials_and_probed_ones_are_not_used() -> None:
    unused = [record(status="invalid"), record(pass_="instrumented")]  # noqa: S106
    assert [*used([*unused, record()])] == [record()]
