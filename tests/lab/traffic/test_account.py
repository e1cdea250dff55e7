# SPDX-License-Identifier: Apache-2.0
"""Every packet of a trial is accounted for, whatever it crosses and however large it is."""

from dataclasses import dataclass

import backlog
import pytest

from gatemark.plan.model import Workload
from gatemark.store.record import Record
from lab.crossing import CROSSINGS, OWN, Crossing, crossings
from lab.planted import measure_each, plan, wanted

SIZES = (64, 65, 1517, 1518)


def load(direction: str, family: str) -> Workload:
    return Workload(
        direction=direction,  # type: ignore[arg-type]
        family=family,  # type: ignore[arg-type]
        frame_bytes=256,
        flows=16,
        rate_pps=3_000,
        duration_s=0.2,
    )


@pytest.fixture(scope="module")
def crossed(request: pytest.FixtureRequest) -> dict[Crossing, Record]:
    ways = wanted(request, "crossing", (*CROSSINGS, *OWN))
    return measure_each({way: plan(way[0], load(*way[1:])) for way in ways})


@pytest.mark.parametrize("crossing", crossings(*CROSSINGS, *OWN), ids="-".join)
def test_each_packet_is_delivered_once_or_lost(
    crossing: Crossing, crossed: dict[Crossing, Record]
) -> None:
    record = crossed[crossing]
    assert (record.status, record.reason) == ("ok", "")


@dataclass(frozen=True)
class Sized:
    """A trial of each size."""

    records: dict[int, Record]
    backlogged: int  # what this machine's backlogs dropped meanwhile, of anybody's packets


def sized() -> Sized:
    loads = {size: Workload(frame_bytes=size, rate_pps=2_000, duration_s=0.2) for size in SIZES}
    with backlog.watched() as backlogs:
        records = measure_each({size: plan("route", load) for size, load in loads.items()})
    return Sized(records, backlogs.dropped)


@pytest.mark.long
def test_each_size_passes_whole() -> None:
    of_sizes = sized()
    counts = {size: record.accounting for size, record in of_sizes.records.items()}
    for size, count in counts.items():
        assert count is not None, size
        assert count.tried > 200, size
        assert count.lost <= of_sizes.backlogged, size


@pytest.fixture(scope="module")
def overloaded() -> dict[str, Record]:
    load = Workload(rate_pps=40_000, flows=64, duration_s=0.3)
    return measure_each({path: plan(path, load, slow_to_pps=10_000) for path in ("nat", "route")})


def test_loss_at_overload_is_counted_to_the_packet(overloaded: dict[str, Record]) -> None:
    count = overloaded["nat"].accounting
    assert count is not None
    assert count.lost == count.refused > 0


def test_a_slowdown_slows_the_gateway(overloaded: dict[str, Record]) -> None:
    assert 8_000 < overloaded["route"].values["received_pps"] < 11_000
