# SPDX-License-Identifier: Apache-2.0
"""From the two reports of a responsiveness test to its values, by hand-made reports."""

from typing import Any

import pytest

from gatemark.judge.math.nearest import percentile
from gatemark.kind.responsiveness.result import evidence, outcome, series
from gatemark.node.shell import Local
from gatemark.plan.model import Arm, Direction, Gateway, TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload.way import Way

PORTS = {device: Port(Local(), device, "") for device in ROLES}
MS = 1_000_000
S = 1000 * MS
# A test of eleven intervals of 100 ms from 1 s on; its last window begins at 1.7 s.
T0, WINDOW, T1 = S, 1700 * MS, 2100 * MS


def book(at_ns: list[int], failed: dict[str, int] | None = None, **ms: float) -> dict[str, Any]:
    """Probes that ended then, each part with one time."""
    foreign = {f"{part}_ns": [round(ms[part] * MS)] * len(at_ns) for part in ("tcp", "tls", "http")}
    own = {"http_ns": [round(ms["own"] * MS)] * len(at_ns)}
    own |= {name: [0] * len(at_ns) for name in ("ahead_bytes", "repairs")}
    return {
        "foreign": {"t_ns": at_ns} | foreign,
        "self": {"t_ns": at_ns} | own,
        "tried": 2 * len(at_ns) + sum((failed or {}).values()),
        "failed": failed or {},
    }


def raw(direction: str = "up", **loaded: Any) -> Raw:
    """Probes of 20 ms a part and 200 ms beside the load; one before the window took longer."""
    wire = wires(PORTS, "route", direction)[0]
    late = book([WINDOW - 1, WINDOW, WINDOW + MS], tcp=20, tls=20, http=20, own=200, **loaded)
    late["foreign"]["http_ns"][0] = late["self"]["http_ns"][0] = S
    client = {
        "end": "client",
        "t0_ns": T0,
        "t1_ns": T1,
        "window_ns": WINDOW,
        "cpu_ns": 1,
        "bytes": 0,
        "rate": {"t0_ns": WINDOW, "bin_ms": 10, "bytes": [500] * 40},
        "intervals": {"t_ns": [T0 + at * 100 * MS for at in range(1, 12)], "rpm": [1.0] * 11}
        | {"connections": list(range(1, 12)), "up_bps": [1.0] * 11},
        "idle": book([T0 - 10], tcp=1, tls=2, http=3, own=4),
        "loaded": late,
        "course": {"confidence": "high", "phase": 2},
        "version": "TLSv1.3",
        "cipher": "A",
        "mss_bytes": 1448,
    }
    server = {
        "end": "server",
        "cpu_ns": 1,
        "rate": {"t0_ns": WINDOW - 10 * MS, "bin_ms": 10, "bytes": [9999, *[1000] * 40]},
        "ahead_bytes": [],
    }
    times = {"t0_ns": T0, "t1_ns": T1}
    ends = (client, server) if wire.away else (server | times, client)
    return Raw([Way(wire, *ends, {}, WINDOW - T0)])


def spec(direction: Direction = "up", **load: Any) -> TrialSpec:
    return TrialSpec(
        trial="t",
        plan="p",
        arm=Arm(path="route"),
        gateway=Gateway(),
        workload=Workload(kind="responsiveness", direction=direction, **load),
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
    )


def test_the_score_is_of_the_last_window() -> None:
    values, accounting = outcome(spec(), raw())
    assert accounting is None
    assert values["rpm"] == pytest.approx(1650)
    assert values["rpm_foreign"] == pytest.approx(3000)
    assert values["rpm_loaded"] == pytest.approx(300)
    assert values["rpm_harmonic"] == pytest.approx(545.45, abs=0.01)
    assert values["http_l_probes"] == values["tls_f_probes"] == 2
    assert values["http_l_p50_ns"] == values["http_l_tm_ns"] == 200 * MS


def test_a_percentile_that_few_probes_exceed_is_not_told() -> None:
    assert not {"http_l_p90_ns", "http_l_p99_ns"} & outcome(spec(), raw())[0].keys()


def test_goodput_is_what_the_receiving_program_read_in_that_window() -> None:
    assert outcome(spec(), raw())[0]["goodput_bps"] == pytest.approx(8 * 1000 * 100)
    down = outcome(spec("down"), raw("down"))[0]
    assert down["goodput_bps"] == pytest.approx(8 * 500 * 100)


def test_both_directions_have_a_goodput_each_and_one_together() -> None:
    values, _ = outcome(spec("both"), raw("both"))
    assert values["up.goodput_bps"] == pytest.approx(800_000)
    assert values["down.goodput_bps"] == pytest.approx(400_000)
    assert values["goodput_bps"] == pytest.approx(1_200_000)


def test_what_was_read_at_rest_stands_apart() -> None:
    values, _ = outcome(spec(), raw())
    assert values["http_f_idle_p50_ns"] == 3 * MS
    assert values["rpm_idle"] == pytest.approx((60_000 / 2 + 60_000 / 4) / 2)


def test_without_tls_a_handshake_is_no_value() -> None:
    values, _ = outcome(spec(tls=False), raw())
    assert not [name for name in values if name.startswith("tls_f")]
    assert values["rpm_foreign"] == pytest.approx(3000)


def test_failed_probes_are_counted_and_the_most_frequent_reason_is_kept() -> None:
    found = raw(failed={"no answer in 10 s": 3, "Connection refused": 1})
    assert outcome(spec(), found)[0]["failed_share"] == pytest.approx(4 / 10)
    seen = evidence(found)["responsiveness"]
    assert (seen["failed"], seen["why_failed"]) == (4, "no answer in 10 s")
    assert (seen["confidence"], seen["tls"]) == ("high", "TLSv1.3")


def test_requests_that_waited_for_a_lost_segment_stand_apart() -> None:
    waited = raw()
    waited.ways[0].sender["loaded"]["self"]["repairs"] = [2, 0, 0]  # the first took 1 s
    seen = evidence(waited)["responsiveness"]
    assert (seen["self_repaired"], seen["self_clear_most_ns"]) == (1, 200 * MS)


def test_a_window_without_probes_has_no_score() -> None:
    found = raw()
    found.ways[0].sender["loaded"]["self"]["t_ns"] = [0, 0, 0]
    values, _ = outcome(spec(), found)
    assert "rpm" not in values
    assert values["http_f_probes"] == 2


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert [percentile([3.0, 1.0, 2.0], share) for share in (0.3, 0.5, 0.99)] == [1.0, 2.0, 3.0]


def test_every_probe_is_in_the_series_those_at_rest_too() -> None:
    columns = series(raw().ways[0])
    at, took = columns["client.up.http_l_ns"]
    assert list(at) == [T0 - 10, WINDOW - 1, WINDOW, WINDOW + MS]
    assert took[0] == 4 * MS
    assert len(columns["client.up.connections"][1]) == 11
    assert columns["sink.up.bytes"][1][0] == 9999
