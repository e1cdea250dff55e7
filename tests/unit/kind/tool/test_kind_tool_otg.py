# SPDX-License-Identifier: Apache-2.0
"""A tester by OTG: what it is asked to send, what it says, and what is wrong in one line."""

import sys
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import InvalidTrialError, UnavailableError, UsageError
from gatemark.kind.tool import otg
from gatemark.kind.tool.otg import VARIABLE, Remote, configuration, result
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.wiring import Port, wires

TESTER = Remote("https://t:8443", "http", lan="eth1", wan="eth2")
NONE: dict[str, Any] = {"timestamps": {}, "latency": {}}


def flow(path: str, direction: str, **keys: Any) -> dict[str, Any]:
    roles = ("lan0", "gw0", "gw1", "wan0")
    ports = {role: Port(Local(), role, f"02:00:00:00:00:0{at}") for at, role in enumerate(roles)}
    (wire,) = wires(ports, path, direction)
    (made,) = configuration(TESTER, wire, Workload(driver="otg", **keys))["flows"]
    headers = {header["choice"]: header[header["choice"]] for header in made["packet"]}
    return {**made, **headers}


def test_a_flow_goes_by_the_gateway_round_robin_over_its_ports() -> None:
    sent = flow("nat", "up", flows=8, rate_pps=1500.4, duration_s=2.0, frame_bytes=256)
    assert sent["tx_rx"]["port"] == {"tx_name": "lan", "rx_names": ["wan"]}
    assert sent["ethernet"]["dst"]["value"] == "02:00:00:00:00:01"
    assert sent["ipv4"]["dst"]["value"] == "198.19.1.2"
    assert sent["udp"]["src_port"]["increment"] == {"start": 20000, "step": 1, "count": 8}
    assert (sent["rate"]["pps"], sent["size"]["fixed"]) == (1500, 256)
    assert sent["duration"]["fixed_seconds"] == {"seconds": 2.0}


def test_down_the_flows_are_their_targets_ports() -> None:
    sent = flow("route", "down", family="ipv6", flows=3)
    assert sent["tx_rx"]["port"] == {"tx_name": "wan", "rx_names": ["lan"]}
    assert sent["ipv6"]["dst"]["value"] == "2001:2:0:1::2"
    assert sent["udp"]["dst_port"]["increment"]["count"] == 3
    assert sent["rate"] == {"choice": "percentage", "percentage": 100}


def test_its_own_times_and_delays_count_where_it_tells_them() -> None:
    times = {"first_timestamp_ns": 1e9, "last_timestamp_ns": 3.5e9}
    told = {"timestamps": times, "latency": {"minimum_ns": 10.0, "average_ns": 20.0}}
    load = Workload(driver="otg", duration_s=2.0)
    full = result(load, {"frames_tx": "9", "frames_rx": 8} | told)
    assert (full.sent, full.received, full.seconds) == (9, 8, 2.5)
    assert full.more == {"delay_min_ns": 10.0, "delay_mean_ns": 20.0}
    assert result(load, NONE | {"frames_tx": 9, "frames_rx": 8}).seconds == 2.0


def test_a_tester_that_counts_nothing_is_no_trial() -> None:
    with pytest.raises(InvalidTrialError, match="counts no frames"):
        result(Workload(), NONE | {"frames_tx": 9})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "t:8443 lan=a wan=b",
        "ftp://t lan=a wan=b",
        "https:// lan=a wan=b",
        "https://t lan=a",
        "https://t lan=a wan=",
        "https://t lan=a wan=b port=c",
    ],
)
def test_a_variable_that_names_no_tester_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError, match="lan=LOCATION wan=LOCATION"):
        Remote.named()


def named(monkeypatch: pytest.MonkeyPatch, python: str | Path) -> None:
    monkeypatch.setenv(VARIABLE, f"grpc://127.0.0.1:1 lan=a wan=b python={python}")


def test_a_python_without_snappi_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    named(monkeypatch, sys.executable)
    with pytest.raises(UnavailableError, match="pip install snappi"):
        otg.require()


def test_a_python_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named(monkeypatch, tmp_path / "none")
    with pytest.raises(UsageError, match="none: No such file"):
        otg.require()


def test_a_tester_that_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    named(monkeypatch, silent)
    monkeypatch.setattr(otg, "STEP_S", 0.2)
    with pytest.raises(UnavailableError, match=r"gave no answer within 0\.2 s"):
        otg.require()
