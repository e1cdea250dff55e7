# SPDX-License-Identifier: Apache-2.0
"""A record's loss, of reports made by hand."""

from base64 import b64encode
from typing import Any

import pytest

from gatemark.kind.udp.result import came_bytes
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.run.result import loss
from gatemark.station.wiring import Port, Wire
from gatemark.store.loss import Loss
from gatemark.workload.way import Numbering, Report, Way

MS = 1_000_000
T0 = 1000 * MS


def spans(*pairs: tuple[float, float]) -> Report:
    return {
        "t_ns": [T0 + round(at * MS) for at, _ in pairs],
        "ns": [round(ms * MS) for _, ms in pairs],
        "count": len(pairs),
        "total_ns": round(sum(ms for _, ms in pairs) * MS),
    }


def queue(first: float, last: float, *pairs: tuple[float, float]) -> Report:
    ends = {"first_ns": T0 + round(first * MS), "last_ns": T0 + round(last * MS)}
    return ends | spans(*pairs)


def way(came: int = 0b11111, *, sender: Report | None = None, sink: Report | None = None) -> Way:
    """Five packets of one flow; `came` has a bit for each."""
    port = Port(Local(), "lan0", "")
    bits = b64encode(came.to_bytes(8, "little")).decode()
    sent: dict[str, Any] = {
        "tried_by_flow": [5],
        "sending": {"t0_ns": T0, "bin_ms": 10, "tried": [2, 0, 3], "refused": [0, 0, 1]},
        "pauses": spans((10.5, 8.0)),
    }
    got: dict[str, Any] = {
        "ledger": {"numbers": 6, "words": 1, "bits": [bits], "sent": bits},
        "rate": {"t0_ns": T0 - 5 * MS, "bin_ms": 10, "packets": [0, 4, 0, 0]},
        "silences": [queue(1, 30)],
        "corrupt_by": {"ip_sum": 0, "udp_sum": 2, "no_sum": 0, "header": 1},
        "late": {"low": [1, 4], "count": [3, 1]},
    }
    numbering = Numbering(flows=1, frames=(64, 128), ports=(20000,), rate_pps=200)
    wire = Wire("up", port, port, port, port)
    return Way(wire, sent | (sender or {}), got | (sink or {}), {}, numbering=numbering)


def lost(of: Way) -> Loss:
    read = loss.loss(of)
    assert read is not None
    return read


def test_lost_packets_are_in_the_bin_in_which_they_were_sent() -> None:
    loss_ = lost(way(came=0b01110))
    assert (loss_.direction, loss_.bin_ms) == ("up", 10.0)
    assert (loss_.tried, loss_.refused, loss_.lost) == ((2, 0, 3), (0, 0, 1), (1, 0, 1))
    assert (loss_.by_flow, loss_.tried_by_flow, loss_.ports) == ((2,), (5,), (20000,))
    assert (loss_.halves, loss_.lead) == (((2,), (0,)), (1,))
    assert loss_.by_size == {"64": (3, 2), "128": (2, 0)}
    assert (loss_.first_ms, loss_.run_mean, loss_.distance_cv) == (0.0, 1.0, None)


def test_arrivals_are_brought_onto_the_senders_bins_and_none_is_lost() -> None:
    assert lost(way()).arrived == (2, 2)


def test_bits_that_came_of_a_mix_are_those_of_the_sizes_that_came() -> None:
    load = Workload(mix="64:1,128:1")
    assert came_bytes([way(came=0b01110)], load) == pytest.approx((64 + 2 * 128) / 3)
    assert came_bytes([way(sender={"tried": 5})], load) == 96


def test_nothing_lost_has_no_flows() -> None:
    loss_ = lost(way())
    assert (loss_.by_flow, loss_.ports, loss_.by_size) == ((), (), {})
    assert (loss_.first_ms, sum(loss_.lost)) == (None, 0)


@pytest.mark.parametrize("came", [0b11111, 0b01110])
def test_the_delay_of_each_flow_is_kept_with_its_port(came: int) -> None:
    histograms = [{"low": [1000, 2000], "count": [1, 3]}]
    loss_ = lost(way(came, sink={"delay_by_flow": histograms}))
    assert (loss_.delay_by_flow, loss_.ports) == ((2005,), (20000,))
    assert lost(way(sink={"delay_by_flow": [{"low": [], "count": []}]})).delay_by_flow == (0,)


def test_causes_and_lateness_are_kept_where_there_are_any() -> None:
    loss_ = lost(way())
    assert loss_.corrupt == {"udp_sum": 2, "header": 1}
    assert loss_.late == {"1": 3, "4": 1}
    assert loss_.pauses == ((10.5, 8.0),)


def test_a_moment_is_silent_where_all_queues_are() -> None:
    queues = [queue(0, 100, (10, 20), (50, 10)), queue(0, 80, (15, 30)), queue(70, 75)]
    assert lost(way(sink={"silences": queues})).silences == ((15.0, 15.0),)


def test_a_queue_is_silent_before_its_first_and_after_its_last_packet() -> None:
    queues = [queue(0, 100, (80, 15)), queue(5, 20)]
    assert lost(way(sink={"silences": queues})).silences == ((80.0, 15.0),)


def test_the_longest_silences_are_kept_in_order_of_time() -> None:
    many = [(10.0 * at, 3 + at % 2) for at in range(1, 121)]
    kept = lost(way(sink={"silences": [queue(0, 2000, *many)]})).silences
    assert len(kept) == 64
    assert list(kept) == sorted(kept)
    assert sum(ms == 4 for _, ms in kept) == 60


def test_a_record_has_256_bins_at_most() -> None:
    sending = {"t0_ns": T0, "bin_ms": 10, "tried": [0] * 595 + [5], "refused": [0] * 596}
    loss_ = lost(way(came=0b11110, sender={"sending": sending}))
    assert (loss_.bin_ms, len(loss_.tried)) == (30.0, 199)
    assert (loss_.tried[-1], loss_.lost[-1]) == (5, 1)


def test_agents_that_keep_no_ledger_say_nothing() -> None:
    older = way()
    del older.sink["ledger"]
    assert loss.loss(older) is None
    assert loss.series(older) == {}
    older = way()
    del older.sender["sending"]
    assert loss.loss(older) is None


def test_series_are_by_the_time_of_sending() -> None:
    at = [T0, T0 + 10 * MS, T0 + 20 * MS]
    assert loss.series(way(came=0b00111)) == {
        "sender.up.tried": (at, [2, 0, 3]),
        "sender.up.refused": (at, [0, 0, 1]),
        "sink.up.lost": (at, [0, 0, 2]),
    }
