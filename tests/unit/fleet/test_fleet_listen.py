# SPDX-License-Identifier: Apache-2.0
"""What scheduler and worker listen on: one port each, with TLS, for who has a key."""

import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command import environment
from dasked import SCHEDULER, Cluster, cluster

from gatemark.fleet import keys

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
PLACE = "a"
IMPATIENT = """
import sys
from pathlib import Path
from gatemark.fleet import listen
from gatemark.commands.campaign import carried
listen.HANDSHAKE_S = 0.2
carried.scheduler(Path(sys.argv[1]), "127.0.0.1", int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with `--host 127.0.0.1`, and a worker that it knows."""
    pytest.importorskip("distributed")
    with cluster(tmp_path_factory.mktemp("dask"), [PLACE]) as made:
        while True:  # a busy machine takes its time
            with suppress(OSError), made.client() as client:
                client.wait_for_workers(1)
                break
        yield made


def listening(made: Cluster, name: str) -> list[tuple[str, int]]:
    psutil = pytest.importorskip("psutil")
    every = psutil.Process(made.parts[name].pid).net_connections("inet")
    return [tuple(each.laddr) for each in every if each.status == psutil.CONN_LISTEN]


def test_a_scheduler_listens_where_it_was_told_and_nowhere_else(laboratory: Cluster) -> None:
    assert listening(laboratory, SCHEDULER) == [("127.0.0.1", laboratory.port)]


def test_a_worker_listens_on_one_port(laboratory: Cluster) -> None:
    assert len({port for _, port in listening(laboratory, PLACE)}) == 1


PLAIN = [
    *(b"GET / HTTP/1.1\r\n\r\n", b"\0" * 64, b"SSH-2.0-x\r\n"),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n",
    b"\x80\x2e\x01\x00\x02" + bytes(43),  # a hello of SSL 2
    b"\x15\x03\x03\x00\x02\x02\x28",  # an alert
    b"\x17\x03\x03\x00\x10" + bytes(16),  # data before a handshake
    b"\x16\x03\x01\xff\xff" + bytes(64),  # a record longer than any
    b"\x01" + bytes(7) + b"\x10" + bytes(7) + bytes(16),  # a message of Dask's own, in plain
    b"\xff" * 64,
    b"\n" * 1000,
    b"STARTTLS\r\n",
]


@pytest.mark.parametrize("name", [SCHEDULER, PLACE])
@pytest.mark.parametrize("words", PLAIN)
def test_nothing_is_answered_in_plain_text(laboratory: Cluster, name: str, words: bytes) -> None:
    for place in listening(laboratory, name):
        with socket.create_connection(place) as end, suppress(ConnectionResetError):
            end.sendall(words)
            assert end.recv(1) in (b"", b"\x15")  # an alert of TLS


@pytest.mark.parametrize("name", [SCHEDULER, PLACE])
@pytest.mark.parametrize("who", ["nobody", "another laboratory"])
def test_who_has_no_key_of_the_laboratory_is_not_answered(
    laboratory: Cluster, name: str, who: str, tmp_path: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if who != "nobody":
        keys.make(tmp_path / "keys")
        context.load_cert_chain(tmp_path / "keys" / keys.CERT, tmp_path / "keys" / keys.KEY)
    for place in listening(laboratory, name):
        end = socket.create_connection(place)
        with pytest.raises(ssl.SSLError), context.wrap_socket(end) as secret:
            secret.recv(1)  # TLS 1.3: refused as it is first read


def test_an_older_tls_is_not_spoken(laboratory: Cluster) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(("127.0.0.1", laboratory.port)) as end,
        pytest.raises(ssl.SSLError),
    ):
        context.wrap_socket(end)


@pytest.mark.parametrize("words", [b"", b"\x16\x03\x01"])
def test_a_connection_that_says_nothing_is_ended(words: bytes, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    keys.make(tmp_path / "keys")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = [sys.executable, "-c", IMPATIENT, str(tmp_path / "keys"), str(port)]
    with subprocess.Popen(script, env=environment(), stderr=subprocess.DEVNULL) as process:
        try:
            with connected(process, port) as end:
                end.sendall(words)
                assert end.recv(1) == b""
        finally:
            process.kill()


def connected(process: "subprocess.Popen[bytes]", port: int) -> socket.socket:
    """To a scheduler that begins."""
    while process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError(process.returncode)
