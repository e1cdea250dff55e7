# SPDX-License-Identifier: Apache-2.0
"""Known tools in our agents' place: each packet accounted for, and the record says who it was."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Probe, Workload
from gatemark.store.record import Record
from lab.planted import measure, plan

RATE_PPS = 5_000


def driven(path: str, load: Workload) -> Record:
    _, (record,) = measure(replace(plan(path, load), probe=Probe()))
    assert (record.status, record.reason) == ("ok", "")
    assert record.definition.driver == load.driver
    assert record.ports["sender"].startswith(f"{load.driver} ")
    return record


@pytest.mark.long
@pytest.mark.parametrize("driver", ["iperf3", "nuttcp"])
def test_a_tools_packets_are_accounted_for_beside_its_own_traffic(driver: str) -> None:
    load = Workload(driver=driver, frame_bytes=256, rate_pps=RATE_PPS)  # type: ignore[arg-type]
    record = driven("nat", load)
    count = record.accounting
    assert count is not None
    assert count.scheduled == RATE_PPS
    assert count.tried < count.interfaces["lan0.tx_packets"] < count.tried + 100
    assert "in no count" in record.notes[0]


@pytest.mark.long
def test_a_capture_goes_down_through_nat_and_is_counted_by_our_sink() -> None:
    load = Workload(driver="tcpreplay", direction="down", flows=16, rate_pps=RATE_PPS)
    record = driven("nat", load)
    count = record.accounting
    assert count is not None
    assert (count.unique + count.lost, count.mismatch) == (count.tried, {})
    # Where it is late it is interrupted: then it has not sent all of its capture.
    assert RATE_PPS / 2 < count.tried <= RATE_PPS
    assert record.ports["sink"] == "ring"
    assert "delay_p50_ns" not in record.values
