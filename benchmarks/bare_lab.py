# SPDX-License-Identifier: Apache-2.0
"""The built-in lab for programs that are not trials: our agent and the peers use the same hosts."""

import asyncio
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.compare import progress
from benchmarks.peers import Ends
from gatemark.node.binary import agent_path
from gatemark.station import lock
from gatemark.station.awake import awake
from gatemark.station.demand import Demand
from gatemark.station.netns import Lab
from gatemark.station.recover import recover

Report = dict[str, Any]
STARTED = 100  # packets after which a program sends


@contextmanager
def lab() -> Iterator[Lab]:
    """A lab that routes, with the machine locked for it."""
    recover()
    made = Lab()
    with lock.machine(progress), awake():
        asyncio.run(made.up())
        try:
            yield made
        finally:
            asyncio.run(made.down())


@contextmanager
def received_at_once(made: Lab) -> Iterator[Ends]:
    """The path `direct`, where the sender's CPU receives each packet as soon as it is sent.

    This gives exact times. The port has NAPI, because it takes no live frames without it. It has no
    thread: a thread would stamp packets when it wakes, not when they arrive.
    """
    at = ends(made, "direct", relieved=False)
    gro = ("ethtool", "-K", "wan9", "gro")
    asyncio.run(made.hosts["wan"].run(*gro, "on"))
    try:
        yield at
    finally:
        asyncio.run(made.hosts["wan"].run(*gro, "off"))


def ends(made: Lab, path: str, *, relieved: bool = True) -> Ends:
    """Sender and sink for `direct` or `route`. Without a gateway the sink has the gateway's CPU.

    On `direct` the receiving port has a thread on that CPU, for every tool, as in a trial.
    Otherwise the sender's CPU would also receive.
    """
    placement = made.placement
    direct = path == "direct"
    near, far = ("lan9", "wan9") if direct else ("lan0", "wan0")
    hop = made.ports["wan9" if direct else "gw0"]
    sink_cpu = placement.gateway if direct else placement.sink
    asyncio.run(made.meet(Demand(relieved=direct and relieved)))
    return Ends(
        source=made.hosts["lan"].netns,
        sink=made.hosts["wan"].netns,
        device=near,
        src=made.ports[near].address("ipv4"),
        dst=made.ports[far].address("ipv4"),
        src_mac=made.ports[near].mac,
        dst_mac=hop.mac,
        sender_cpu=placement.sender,
        sink_cpu=sink_cpu,
    )


def received(made: Lab, device: str) -> int:
    """Packets that a port of the WAN host has received, by the port's counter."""
    path = f"/sys/class/net/{device}/statistics/rx_packets"
    done = subprocess.run(
        made.hosts["wan"].argv("cat", path), capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def delivered(made: Lab, device: str, seconds: float) -> float:
    """Packets/s that arrive at the port in the middle of a sending time that has just begun.

    It begins with the first packets: a program may take seconds until then.
    """
    none, until = received(made, device), time.monotonic() + 5.0
    while received(made, device) < none + STARTED and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.4)
    first, began = received(made, device), time.monotonic()
    time.sleep(seconds - 0.8)
    last, ended = received(made, device), time.monotonic()
    return (last - first) / (ended - began)


class OurAgent:
    """gm-agent without the laboratory: one job, controlled through its pipe."""

    def __init__(self, command: tuple[str, ...], request: Report) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, start_new_session=True
        )
        self.event("hello")
        self.send(request)
        self.event("ready")

    def send(self, message: Report) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def event(self, wanted: str) -> Report:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message: Report = json.loads(line)
            if message["ev"] == "error":
                raise RuntimeError(message["reason"])
            if message["ev"] == wanted:
                return message
        raise RuntimeError(f"gm-agent ended without '{wanted}'")

    def start(self) -> None:
        self.send({"cmd": "start"})
        self.event("start")

    def close(self) -> Report:
        assert self.process.stdin is not None
        self.process.stdin.close()
        report = self.event("done")
        self.process.wait()
        return report


def our_sender(
    at: Ends,
    payload: int,
    rate_pps: float,
    seconds: float,
    port: str = "auto",
    agent: Path | None = None,
    **keys: object,
) -> OurAgent:
    """Our sender, ready: one flow, with a number and a time in every packet.

    `agent` is another build of it, `keys` are further ones of its request.
    """
    request = {
        "port": port,
        "device": at.device,
        "family": 4,
        "src": at.src,
        "dst": at.dst,
        "src_port": 20000,
        "dst_port": 9,
        "frame_bytes": payload + 46,
        "rate_pps": rate_pps,
        "duration_ms": round(seconds * 1000),
        "run": 1,
    }
    if port != "udp":  # a plain socket asks the kernel for the next hop
        request["dst_mac"] = at.dst_mac
    return OurAgent(at.at_source(str(agent or agent_path()), "send"), request | keys)


def our_sink(
    at: Ends, device: str, port: str = "auto", agent: Path | None = None, **keys: object
) -> OurAgent:
    """Our sink, ready: it checks every packet for duplicates, delay and gap."""
    request = {"port": port, "device": device, "family": 4, "dst_port": 9, "run": 1}
    return OurAgent(at.at_sink(str(agent or agent_path()), "sink"), request | keys)
