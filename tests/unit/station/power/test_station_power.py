# SPDX-License-Identifier: Apache-2.0
"""Meters: plugs that speak HTTP on loopback, and lists that somebody typed."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import NodeError, UsageError
from gatemark.node.shell import Local
from gatemark.probe.kind.power import Power
from gatemark.probe.probe import Place
from gatemark.station.power import plug
from gatemark.station.power.log import Typed
from gatemark.station.power.plug import Plug
from gatemark.station.power.power import meter
from gatemark.station.wiring import Gateway

# As the makers' documentation shows them, shortened.
TASMOTA = {
    "StatusSNS": {
        "Time": "2026-11-21T14:03:00",
        "ENERGY": {"Total": 3.185, "Power": 4.5, "ApparentPower": 9, "Voltage": 230},
    }
}
TWO_SOCKETS = {"StatusSNS": {"ENERGY": {"Power": [1.5, 2.5]}}}
SHELLY1 = {
    "wifi_sta": {"connected": True},
    "relays": [{"ison": True}],
    "meters": [{"power": 12.3, "is_valid": True, "timestamp": 1, "total": 9}],
}
SHELLY2 = {"id": 0, "source": "timer", "output": True, "apower": 8.9, "voltage": 237.5}
ANSWERS: dict[str, Any] = {
    "/cm?cmnd=Status%208": TASMOTA,
    "/status": SHELLY1,
    "/rpc/Switch.GetStatus?id=0": SHELLY2,
    "/two/cm?cmnd=Status%208": TWO_SOCKETS,
    "/other/status": {"relays": []},
    "/nan/cm?cmnd=Status%208": {"StatusSNS": {"ENERGY": {"Power": float("nan")}}},
    "/endless/status": {"meters": [{"power": float("inf")}]},
    "/text/rpc/Switch.GetStatus?id=0": {"apower": "Infinity"},
    "/long/rpc/Switch.GetStatus?id=0": {"apower": 10**400},
}


class Answer(BaseHTTPRequestHandler):
    """A plug's web server."""

    def do_GET(self) -> None:
        ASKED.append(self.path)
        switches = any(self.path in paths for paths in SWITCHES.values())
        if switches:
            SWITCHED.append(self.path)
        known = self.path in ANSWERS or switches
        body = json.dumps(ANSWERS.get(self.path, {})).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


ASKED: list[str] = []
SWITCHED: list[str] = []  # what a plug was asked that changed it
SWITCHES = {
    "tasmota": ["/cm?cmnd=Power1%20Off", "/cm?cmnd=Power1%20On"],
    "shelly1": ["/relay/0?turn=off", "/relay/0?turn=on"],
    "shelly2": ["/rpc/Switch.Set?id=0&on=false", "/rpc/Switch.Set?id=0&on=true"],
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(("kind", "watts"), [("tasmota", 4.5), ("shelly1", 12.3), ("shelly2", 8.9)])
def test_a_plug_tells_its_watts(address: str, kind: str, watts: float) -> None:
    assert Plug(kind, address).read()[1] == watts


@pytest.mark.parametrize("kind", SWITCHES)
def test_a_plug_is_switched_off_and_on(address: str, kind: str) -> None:
    SWITCHED.clear()
    Plug(kind, address).cycle(off_s=0.0)
    assert SWITCHES[kind] == SWITCHED


def test_a_plug_that_is_not_there_is_told_as_it_is_switched() -> None:
    with pytest.raises(NodeError, match=r"check \[power\] address"):
        Plug("shelly2", "127.0.0.1:1").cycle(off_s=0.0, again_s=0.0)


def test_a_plug_with_several_sockets_tells_those_of_one(address: str) -> None:
    assert Plug("tasmota", f"http://{address}/two/", channel=1).read()[1] == 2.5


def wait_until_asked(times: int, asked: list[str]) -> None:
    """Until a plug was asked so often, for 20 s at most. All but the last answer are read then."""
    until = time.monotonic() + 20
    while len(asked) < times and time.monotonic() < until:
        time.sleep(0.01)


def test_a_plug_is_read_until_it_is_stopped(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plug, "INTERVAL_S", 0.01)
    ASKED.clear()
    metered = Plug("shelly2", address)
    metered.start()
    wait_until_asked(5, ASKED)
    readings = metered.stop()
    assert len(readings) > 2
    assert {watts for _, watts in readings} == {8.9}
    assert metered.stop() == readings


@pytest.mark.parametrize(
    ("kind", "where", "message"),
    [
        ("shelly1", "/nowhere", "Not Found; check .power. address"),
        ("shelly1", "/other", "no watts in its answer; check .power. kind and channel"),
    ],
)
def test_a_wrong_plug_is_told(address: str, kind: str, where: str, message: str) -> None:
    with pytest.raises(NodeError, match=message):
        Plug(kind, address + where).start()


def test_watts_that_are_no_finite_number_are_refused(address: str) -> None:
    odd = {"/nan": "tasmota", "/endless": "shelly1", "/text": "shelly2", "/long": "shelly2"}
    for where, kind in odd.items():
        with pytest.raises(NodeError, match=rf"{where}/.*: no watts in its answer"):
            Plug(kind, address + where).read()


WHOLE = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"apower": 8.9}'
CUT = {
    "body": WHOLE[:-5],
    "status": b"watts 8.9\r\n\r\n",
    "status's code": b"HTTP/1.1 much 8.9\r\n\r\n",
}


@contextmanager
def answering(answers: list[bytes], asked: list[str] | None = None) -> Iterator[str]:
    """A server that gives these answers, a connection each, and the last one ever after.

    `asked`: takes the path of each request.
    """
    is_over = threading.Event()
    paths = [] if asked is None else asked

    def serve() -> None:
        at = 0
        while not is_over.is_set():
            end, _ = listening.accept()
            with end, suppress(OSError):  # who has read enough of a long line is gone
                paths.extend(end.recv(1 << 16).decode().split()[1:2])
                end.sendall(answers[min(at, len(answers) - 1)])
            at += 1

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        port = listening.getsockname()[1]
        try:
            yield f"127.0.0.1:{port}"
        finally:
            is_over.set()
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()


@pytest.mark.parametrize("how", CUT)
def test_an_answer_that_is_cut_is_an_answer_less(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plug, "INTERVAL_S", 0.01)
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    asked: list[str] = []
    with answering([WHOLE, CUT[how], WHOLE], asked) as where:
        metered = Plug("shelly2", where)
        metered.start()
        wait_until_asked(5, asked)
        readings = metered.stop()
    assert not died
    assert len(readings) > 2


@pytest.mark.parametrize("how", CUT)
def test_a_plug_whose_answer_is_cut_is_told(how: str) -> None:
    with answering([CUT[how]]) as where:
        with pytest.raises(NodeError, match=r"no whole answer of HTTP .*check \[power\] address"):
            Plug("shelly2", where).start()
        with pytest.raises(NodeError, match=r"no whole answer of HTTP"):
            Plug("shelly2", where).cycle(off_s=0.0, again_s=0.0)


def test_a_plug_that_refuses_once_is_told_on_again() -> None:
    with answering([WHOLE, CUT["body"], WHOLE]) as where:
        Plug("shelly2", where).cycle(off_s=0.0, again_s=0.0)


def test_where_off_has_no_answer_on_is_told_all_the_same() -> None:
    asked: list[str] = []
    with answering([CUT["body"], WHOLE], asked) as where:
        with pytest.raises(NodeError, match="id=0&on=false: no whole answer"):
            Plug("shelly2", where).cycle(off_s=0.0, again_s=0.0)
        assert asked == SWITCHES["shelly2"]


def test_a_socket_that_may_be_off_is_told() -> None:
    with (
        answering([WHOLE, CUT["body"]]) as where,
        pytest.raises(NodeError, match=r"id=0&on=true: .*; its socket may be off"),
    ):
        Plug("shelly2", where).cycle(off_s=0.0, again_s=0.0)


def test_an_address_that_is_none_is_told_as_it_is_switched() -> None:
    for where in ("plug:http", "plug one", "a..b"):
        with pytest.raises(NodeError, match=rf"{where}.*check \[power\] address"):
            Plug("shelly2", where).cycle(off_s=0.0, again_s=0.0)


def test_a_plug_that_is_off_is_told() -> None:
    with pytest.raises(NodeError, match=r"127.0.0.1:9/status: Connection refused; check"):
        Plug("shelly1", "127.0.0.1:9").start()


def test_power_is_probed_before_and_under_the_load(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatemark.probe.kind.power.IDLE_S", 0.05)
    monkeypatch.setattr(plug, "INTERVAL_S", 3600)

    async def probe() -> tuple[str, list[float]]:
        gateway = Gateway(Local("gateway"), {}, power=Plug("tasmota", address))
        power = Power(Place(gateway, 0, 1.0))
        await power.start()
        meter, readings = await power.stop()
        await power.abort()
        return meter, [watts for _, watts in readings]

    assert asyncio.run(probe()) == ("tasmota", [4.5])


def typed(folder: Path, *rows: str, head: str = "time,watts") -> Typed:
    path = folder / "watts.csv"
    path.write_text("\n".join((head, *rows)) + "\n")
    return Typed(path)


def test_a_list_tells_the_watts_of_this_trial(tmp_path: Path) -> None:
    now = datetime.now()
    times = [(now + timedelta(seconds=s)).isoformat() for s in (-60, 1, 2)]
    one = typed(tmp_path, *(f"{at},{i}.5" for i, at in enumerate(times)), "")
    one.start()
    first, second = one.stop()
    assert (first[1], second[1]) == (1.5, 2.5)
    assert second[0] - first[0] == pytest.approx(1e9, abs=1e4)


@pytest.mark.parametrize("step_s", [-3600, 1])
def test_a_clock_that_is_set_during_a_trial_leaves_its_rows_no_time(
    step_s: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = typed(tmp_path, f"{datetime.now().isoformat()},4.5")
    one.start()
    before = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: before() + step_s * 10**9)
    with pytest.raises(NodeError, match=f"the clock was set by {step_s} s during the trial"):
        one.stop()


def test_a_wrong_list_is_told_with_its_line(tmp_path: Path) -> None:
    def refusal(list_: Typed) -> str:
        with pytest.raises(NodeError) as refused:
            watched(list_)
        return str(refused.value)

    at = "2026-11-21T14:03:00"
    for row in ("noon,3", at, f"{at},nan", f"{at},inf"):
        assert "watts.csv:2: write a time and watts" in refusal(typed(tmp_path, row)), row
    assert "watts.csv:1: write `time,watts`" in refusal(typed(tmp_path, head="when,W"))
    assert "none.csv: no such file" in refusal(Typed(tmp_path / "none.csv"))


def watched(one: Typed) -> list[tuple[int, float]]:
    one.start()
    return one.stop()


def station(folder: Path, text: str) -> Path:
    path = folder / "station.toml"
    path.write_text(f"[power]\n{text}\n")
    return path


def test_a_station_file_names_its_meter(tmp_path: Path) -> None:
    path = station(tmp_path, "")
    assert isinstance(meter({"kind": "csv", "file": "w.csv"}, path), Typed)
    one = meter({"kind": "shelly1", "address": "192.0.2.9", "channel": 1}, path)
    assert isinstance(one, Plug)
    assert (one.name, one.address, one.channel) == ("shelly1", "http://192.0.2.9", 1)


def test_a_wrong_power_table_is_refused(tmp_path: Path) -> None:
    path = station(tmp_path, 'kind = "x"')
    messages: list[tuple[dict[str, Any], str]] = [
        ({"kind": "tasmoto"}, r"station.toml:2: \[power\] kind 'tasmoto'; did you mean 'tasmota'"),
        ({"kind": "csv"}, r"station.toml:1: \[power\] needs file"),
        ({"kind": "shelly1", "address": "a", "channel": -1}, r"channel: write 0"),
        ({"kind": "shelly1", "file": "a"}, r"unknown key 'file' in \[power\]"),
    ]
    for table, message in messages:
        with pytest.raises(UsageError, match=message):
            meter(table, path)
