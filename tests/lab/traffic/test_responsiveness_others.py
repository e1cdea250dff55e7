# SPDX-License-Identifier: Apache-2.0
"""Responsiveness with the programs of others at one end, for a whole test.

Both are Go: `networkQuality` of network-quality/goresponsiveness, `networkqualityd` of
network-quality/goserver (`go build` in a clone of each; then into the path).
"""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.traffic import served
from lab.traffic.served import ADDRESS, NAME, PORT, inside

CLIENT, SERVER = "networkQuality", "networkqualityd"
NARROW = "qdisc add dev lo root tbf rate 30mbit burst 20k latency 50ms"
NUMBER = re.compile(r"Throughput: ([\d.]+) Mbps.*\n\s+RPM: (\S+) ", re.MULTILINE)
STARTS_S = 20

pytestmark = pytest.mark.long


@pytest.fixture
def _line() -> Iterator[None]:
    """A loopback that is a line: what two programs queue for each other is else all there is."""
    with served.namespace():
        subprocess.run(("ip", "-n", NAME, "link", "set", "lo", "mtu", "1500"), check=True)
        subprocess.run(("tc", "-n", NAME, *NARROW.split()), check=True)
        yield


@pytest.mark.skipif(not shutil.which(CLIENT), reason=f"no {CLIENT} (goresponsiveness)")
@pytest.mark.usefixtures("_line")
@pytest.mark.parametrize("address", [ADDRESS, "::1"])
def test_goresponsiveness_tests_both_ways_to_the_end(address: str) -> None:
    """It leaves the connection of each probe open, and puts a port behind the endpoint."""
    asked, key = served.request(address)
    host = f"[{address}]" if ":" in address else address
    words = ("-url", f"https://{host}:{PORT}/config", "-rpm.timeout", "4")
    with served.server(asked, key) as server:
        done = subprocess.run(inside(CLIENT, *words), capture_output=True, text=True, check=False)
        report = server.close()
    assert done.returncode == 0, done.stderr
    down, up = NUMBER.findall(done.stdout)
    assert float(down[0]) > 1, done.stdout
    assert float(up[0]) > 1, done.stdout
    assert float(down[1]) < float("inf"), done.stdout
    assert report["strangers"] == 0
    assert report["asked"].keys() == {"/config", "/small", "/large", "/upload"}


@pytest.mark.skipif(not shutil.which(SERVER), reason=f"no {SERVER} (goserver)")
@pytest.mark.usefixtures("_line")
@pytest.mark.parametrize("way", ["up", "down"])
def test_our_client_takes_where_goserver_has_its_objects(tmp_path: Path, way: str) -> None:
    """Its uploads go to /slurp."""
    asked, key = served.request()
    with _goserver(tmp_path, asked["certificate"], key):
        program = served.client(asked, way)
        report = program.last()
        program.close()
    assert report["ev"] == "done", report
    assert report["intervals"]["rpm"][-1] > 0


@contextmanager
def _goserver(folder: Path, pem: str, key: str) -> Iterator[None]:
    (cert := folder / "cert.pem").write_text(pem)
    (private := folder / "key.pem").write_text(key)
    place = ("-listen-addr", ADDRESS, "-config-name", ADDRESS, "-public-port", str(PORT))
    words = (*place, "-cert-file", str(cert), "-key-file", str(private))
    with subprocess.Popen(inside(SERVER, *words), stderr=subprocess.DEVNULL) as process:
        try:
            _wait(process)
            yield
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Until it listens."""
    ends = time.monotonic() + STARTS_S
    sockets = inside("ss", "-ltnH", f"sport = :{PORT}")
    while not subprocess.run(sockets, capture_output=True, check=True).stdout:
        assert process.poll() is None
        assert time.monotonic() < ends
        time.sleep(0.05)
