# SPDX-License-Identifier: Apache-2.0
"""The agent's engines on a gateway of their own, as processes, and a host that sends through it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gatemark.node.binary import agent_path
from lab.station import played
from lab.station.capturing import PORT, SEND
from lab.station.played import Played

ADDRESS = "192.168.1.1"
PATIENCE_S = 30.0


@contextmanager
def addressed() -> Iterator[Played]:
    """A host, and a gateway beside it."""
    with played.host() as host:
        host.on("gw", "ip", "addr", "add", f"{ADDRESS}/24", "dev", "eth0")
        host.on("gw", "ip", "link", "set", "lo", "up")
        host.run("ip", "addr", "add", "192.168.1.10/24", "dev", "enp3s0")
        yield host


@contextmanager
def running(host: Played, *command: str) -> Iterator["subprocess.Popen[str]"]:
    """A program on the gateway, ended by SIGINT, at which nfacctd writes what it has."""
    argv = ["ip", "netns", "exec", host.gateway, *command]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()


@contextmanager
def engine(host: Played, verb: str, **request: Any) -> Iterator["subprocess.Popen[str]"]:
    """An engine at the gateway's port, which has begun."""
    words = json.dumps({"devices": ["eth0"], **request})
    with running(host, str(agent_path()), verb, words) as process:
        assert process.stdout is not None
        while '"start"' not in (line := process.stdout.readline()):
            assert line
        yield process


def send(host: Played, packets: int) -> None:
    """Datagrams of one flow to the gateway."""
    host.run(sys.executable, "-c", SEND, ADDRESS, str(packets))


def done(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """What an engine counted, once SIGTERM has ended it."""
    process.send_signal(signal.SIGTERM)
    assert process.stdout is not None
    last = process.stdout.read().splitlines()[-1]
    assert process.wait(PATIENCE_S) == 0, last
    counted: dict[str, Any] = json.loads(last)
    return counted


def wanted() -> list[int]:
    """A capture's filter for what `send` sends, as classic BPF."""
    argv = ["tcpdump", "-ddd", "-y", "EN10MB", f"udp dst port {PORT}"]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return [int(number) for number in text.split()[1:]]
