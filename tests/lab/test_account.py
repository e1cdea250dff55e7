# SPDX-License-Identifier: Apache-2.0
"""Every packet of a trial is accounted for, whatever it crosses and however large it is."""

import pytest

from gatemark.plan.model import Workload
from lab.planted import measure, plan


@pytest.mark.parametrize("path", ["direct", "switch", "route", "nat"])
@pytest.mark.parametrize("direction", ["up", "down", "both"])
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_each_packet_is_delivered_once_or_lost(path: str, direction: str, family: str) -> None:
    load = Workload(
        direction=direction,  # type: ignore[arg-type]
        family=family,  # type: ignore[arg-type]
        frame_bytes=256,
        flows=16,
        rate_pps=3_000,
        duration_s=0.2,
    )
    _, (record, _probed) = measure(plan(path, load))
    assert (record.status, record.reason) == ("ok", "")


@pytest.mark.parametrize("direction", ["send", "receive", "both"])
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_what_the_gateway_itself_sends_or_receives_is_accounted_for(
    direction: str, family: str
) -> None:
    load = Workload(
        direction=direction,  # type: ignore[arg-type]
        family=family,  # type: ignore[arg-type]
        frame_bytes=256,
        flows=4,
        rate_pps=3_000,
        duration_s=0.2,
    )
    _, (record, _probed) = measure(plan("endpoint", load))
    assert (record.status, record.reason) == ("ok", "")


@pytest.mark.parametrize("frame_bytes", [64, 65, 1517, 1518])
def test_each_size_passes_whole(frame_bytes: int) -> None:
    load = Workload(frame_bytes=frame_bytes, rate_pps=2_000, duration_s=0.2)
    _, (record, _probed) = measure(plan("route", load))
    assert record.accounting is not None
    assert record.accounting.lost == 0


def test_loss_at_overload_is_counted_to_the_packet() -> None:
    load = Workload(rate_pps=40_000, flows=64, duration_s=0.3)
    _, (record, _probed) = measure(plan("nat", load, brake_pps=10_000))
    assert record.accounting is not None
    assert record.accounting.lost == record.accounting.refused


def test_a_brake_slows_the_gateway() -> None:
    load = Workload(rate_pps=40_000, flows=64, duration_s=0.3)
    _, (record, _probed) = measure(plan("route", load, brake_pps=10_000))
    assert 8_000 < record.values["received_pps"] < 11_000
