# SPDX-License-Identifier: Apache-2.0
"""Responsiveness: our server before other clients, our client, and whole trials of the lab."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatemark.kind.responsiveness.tls import certificate
from gatemark.plan.model import Workload
from gatemark.store.record import Record
from lab.planted import measure_each, plan
from lab.traffic import served
from lab.traffic.served import ADDRESS, PORT, inside

BASE = f"https://{ADDRESS}:{PORT}"
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="no curl")


@pytest.fixture
def _space() -> Iterator[None]:
    with served.namespace():
        yield


def load(**keys: Any) -> Workload:
    return Workload(kind="responsiveness", **{"interval_s": 0.2} | keys)


def curl(pem: Path, *words: str, stdin: Path = Path("/dev/null")) -> str:
    with stdin.open() as given:
        command = curls(pem, *words)
        done = subprocess.run(command, stdin=given, capture_output=True, text=True, check=False)
    return done.stdout


def curls(pem: Path, *words: str) -> tuple[str, ...]:
    return inside("curl", "-sS", "--max-time", "20", "--cacert", str(pem), *words)


def beginning(pem: Path, size: int, *words: str) -> bytes:
    """The first bytes that curl gets; then it is ended, however much would come."""
    with subprocess.Popen(curls(pem, *words), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.read(size)
        process.kill()
    return first


@needs_curl
@pytest.mark.usefixtures("_space")
def test_another_client_gets_what_the_draft_says(tmp_path: Path) -> None:
    """curl (nghttp2) asks for each object, uploads, and finds where they are."""
    asked, key = served.request()
    (pem := tmp_path / "trusted.pem").write_text(asked["certificate"])
    (body := tmp_path / "body").write_bytes(bytes(300_000))
    with served.server(asked, key) as server:
        urls = json.loads(curl(pem, f"{BASE}/.well-known/nq"))["urls"]
        told = "%{http_version} %{http_code} %{size_upload} %{size_download}"
        small = curl(pem, "-w", f" {told}", urls["small_download_url"])
        posted = curl(pem, "-w", told, "--data-binary", f"@{body}", urls["https_upload_url"])
        old = curl(pem, "--http1.1", "-w", " %{http_version}", urls["small_download_url"])
        old_posted = curl(
            pem, "--http1.1", "-w", told, "--data-binary", f"@{body}", urls["upload_url"]
        )
        chunked = curl(pem, "--http1.1", "-w", told, "-T", "-", f"{BASE}/upload", stdin=body)
        config, head = curl(pem, f"{BASE}/config"), curl(pem, "-I", f"{BASE}/small")
        large = beginning(pem, 100_001, "-r", "0-99999", urls["large_download_url"])
        old_large = beginning(pem, 100_001, "--http1.1", urls["large_download_url"])
        report = server.close()
    assert small.split() == ["1", "2", "200", "0", "1"]
    assert posted.split() == ["2", "200", "300000", "0"]
    assert old.split() == ["1", "1.1"]
    assert len(large) == 100_001, "all of it, whatever range was asked for"
    assert len(old_large) == 100_001
    assert old_posted.split() == ["1.1", "200", "300000", "0"]
    assert chunked.split()[:2] == ["1.1", "200"], "its count of bytes has the heads of chunks"
    assert json.loads(config)["urls"] == urls
    assert head.split()[:2] == ["HTTP/2", "200"]
    assert report["bytes"] == 900_000
    assert report["asked"]["/small"] == 3


@pytest.mark.long
@pytest.mark.usefixtures("_space")
def test_a_certificate_that_does_not_fit_is_one_line() -> None:
    asked, key = served.request()
    other, _ = certificate([ADDRESS])
    with served.server(asked, key):
        program = served.client(asked | {"certificate": other})
        said = program.last()
        program.close()
    assert said["ev"] == "error"
    assert said["reason"].startswith(
        f"configuration of {ADDRESS} port {PORT}: its TLS certificate does not fit: "
    )


@pytest.mark.long
@pytest.mark.usefixtures("_space")
def test_a_load_that_breaks_ends_the_test_with_its_reason() -> None:
    """The server goes away in the middle."""
    asked, key = served.request()
    with served.server(asked, key) as server:
        program = served.client(asked | {"tick_ms": 100}, interval_ms=10_000)
        while program.next()["ev"] != "tick":
            pass
        server.close()
        said = program.last()
        program.close()
    assert said["ev"] == "error"
    assert said["reason"].startswith("load connection 1 to ")


@pytest.mark.long
@pytest.mark.usefixtures("_space")
def test_a_load_connection_that_is_lost_before_it_opens_is_opened_again() -> None:
    """The second connection is that of the first load: what it brings first is reset."""
    asked, key = served.request()
    mark = f"tcp dport {PORT} tcp flags & (syn | ack) == syn numgen inc mod 1000 == 1 ct mark set 1"
    reset = f"ct mark 1 tcp dport {PORT} tcp flags & psh == psh reject with tcp reset"
    chain = "chain c { type filter hook input priority 0"
    rules = f"table ip t {{ {chain}; {mark}; {reset}; }}; }}"
    subprocess.run(inside("nft", rules), check=True)
    with served.server(asked, key) as server:
        program = served.client(asked)
        report = program.last()
        program.close()
        server.close()
    assert report["ev"] == "done", report
    assert 1 <= report["reopened"] <= 8


@pytest.mark.long
@pytest.mark.usefixtures("_space")
def test_strangers_are_not_answered() -> None:
    asked, key = served.request(tls=False)
    with served.server(asked | {"peers": ["192.0.2.1"]}, key) as server:
        program = served.client(asked)
        said = program.last()
        program.close()
        report = server.close()
    assert said["ev"] == "error"
    assert report["strangers"] >= 1


def test_a_trial_without_a_gateway() -> None:
    """Short intervals: eleven at least; idle values are better than those under load."""
    record = measure_each({"direct": plan("direct", load())})["direct"]
    assert (record.status, record.reason) == ("ok", "")
    values, seen = record.values, record.evidence.responsiveness
    assert values["rpm"] == pytest.approx((values["rpm_foreign"] + values["rpm_loaded"]) / 2)
    assert values["intervals"] >= 11
    assert 8 <= values["load_connections"] <= 16
    assert values["goodput_bps"] > 1e6
    assert values["rpm_idle"] > 100
    assert values["tls_f_probes"] == values["http_f_probes"] > 0
    assert seen["tls"] == "TLSv1.3"
    assert record.definition.method == "draft-ietf-ippm-responsiveness-09"


@pytest.fixture(scope="module")
def tried() -> dict[str, Record]:
    """One trial of each, all on the same lab."""
    asked = {
        "up": plan("nat", load(direction="up")),
        "down": plan("route", load(direction="down")),
        "both": plan("nat", load(direction="both")),
        "ipv4": plan("nat", load(tls=False, family="ipv4", congestion="reno")),
        "ipv6": plan("nat", load(tls=False, family="ipv6", congestion="reno")),
        "nosuch": plan("direct", load(congestion="nosuch")),
    }
    return measure_each(asked)


@pytest.mark.long
@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_a_trial_through_a_gateway(direction: str, tried: dict[str, Record]) -> None:
    record = tried[direction]
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["rpm"] > 0
    assert record.definition.direction == direction
    both = {name for name in record.values if name.endswith(".goodput_bps")}
    assert both == ({"up.goodput_bps", "down.goodput_bps"} if direction == "both" else set())


@pytest.mark.long
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_a_trial_without_tls(family: str, tried: dict[str, Record]) -> None:
    record = tried[family]
    assert (record.status, record.reason) == ("ok", "")
    assert record.definition.tls is False
    assert not [name for name in record.values if name.startswith("tls_f")]
    assert record.evidence.responsiveness["tls"] == ""


@pytest.mark.long
def test_a_congestion_control_that_is_not_there_is_one_line(tried: dict[str, Record]) -> None:
    record = tried["nosuch"]
    assert record.status == "invalid"
    assert "this kernel has no congestion control nosuch" in record.reason
    assert "\n" not in record.reason
