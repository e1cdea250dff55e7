# SPDX-License-Identifier: Apache-2.0
"""Tests of the verb stream: whole agents, one at each end, on the same ports again and again."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wire import ADDRESS, A, Agent, Event, Keys, SkipError, Wire, expect, holds, sh

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTOR_PORT, LISTENER_PORT = 5201, 5901
SYSCTL = Path("/proc/sys/net/ipv4")

# Peers of our own; each prints a line when it listens, and is killed at the end.
DEAF = """
import socket, sys
s = socket.create_server((sys.argv[1], 5901))
print("ready", flush=True)
taken = s.accept()
sys.stdin.read()
"""
FULL = """
import socket, sys
s = socket.create_server((sys.argv[1], 5901), backlog=0)
fillers = [socket.socket() for _ in range(3)]
for filler in fillers:
    filler.setblocking(False)
    filler.connect_ex((sys.argv[1], 5901))
print("ready", flush=True)
sys.stdin.read()
"""
LEAVING = """
import socket, sys
s = socket.create_server((sys.argv[1], 5901))
print("ready", flush=True)
taken, _ = s.accept()
taken.recv(1000)
taken.shutdown(socket.SHUT_WR)
sys.stdin.read()
"""


@contextmanager
def peer(wire: Wire, program: str) -> Iterator[None]:
    """One of those, where the listener would be."""
    way_in = ["ip", "netns", "exec", wire.b] if wire.b else []
    with subprocess.Popen(
        [*way_in, sys.executable, "-c", program, addresses(wire, 4)[1]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def addresses(wire: Wire, family: int) -> tuple[str, str]:
    """Of the connector and of the listener."""
    own = "::1" if family == 6 else "127.0.0.1"
    return (own, own) if wire.loopback else ADDRESS[family]


def emulated() -> bool:
    """qemu-user takes every TCP option for an integer: no name can be set, no struct be read."""
    return "qemu" in Agent.command[0]


def preset_congestion() -> str:
    """What a connection has that asks for nothing."""
    return (SYSCTL / "tcp_congestion_control").read_text().strip()


def stream(wire: Wire, role: str, opens: str, keys: Keys) -> Agent:
    """One end up to its ready: the connector at a, the listener at b."""
    listens = opens == "listen"
    connector, listener = addresses(wire, 6 if keys.get("family") == 6 else 4)
    request: Keys = {
        "role": role,
        "open": opens,
        "family": 4,
        "src": listener if listens else connector,
        "src_port": LISTENER_PORT if listens else CONNECTOR_PORT,
        "duration_ms": 200,
    }
    if not listens:
        request |= {"dst": listener, "dst_port": LISTENER_PORT}
    if emulated():
        request["congestion"] = preset_congestion()
    return Agent(wire.b if listens else wire.a, "stream", request | keys)


def pair(wire: Wire, source: Keys, sink: Keys, source_listens: bool) -> tuple[Agent, Agent]:
    """Source and sink up to their start; the sink's goes first."""
    agents: dict[str, Agent] = {}
    ends = [("source", source), ("sink", sink)]
    for number, (role, keys) in enumerate(ends if source_listens else reversed(ends)):
        agents[role] = stream(wire, role, "connect" if number else "listen", keys)
        expect(agents[role].ready["ev"], "ready", agents[role].ready)
    for role in ("sink", "source"):
        begun = agents[role].start()
        expect(begun["ev"], "start", begun)
    return agents["source"], agents["sink"]


def trial(
    wire: Wire, *, source: Keys | None = None, listens: bool = False, **both: object
) -> tuple[Event, Event]:
    """Both ends to their end."""
    sending, receiving = pair(wire, both | (source or {}), both, listens)
    sent = sending.done()
    return sent, receiving.close()


def bytes_conserved(sent: Event, received: Event) -> None:
    """What was acknowledged had come, what has come was sent; the reset drops the rest."""
    expect((sent["ev"], received["ev"]), ("done", "done"), sent, received)
    acked = sent["stream"]["bytes_acked"]
    for low, middle, high in zip(
        acked, received["stream"]["bytes"], sent["stream"]["bytes"], strict=True
    ):
        holds(0 < low <= middle <= high, low, middle, high)
    expect((sum(acked), sum(sent["stream"]["bytes"])), (sent["bytes_acked"], sent["bytes"]))
    expect(sum(received["stream"]["bytes"]), received["bytes"])
    expect(sum(received["rate"]["bytes"]), received["bytes"])
    holds(received["rate"]["t0_ns"] <= received["first_ns"] <= received["last_ns"], received)
    holds(sent["t0_ns"] <= received["first_ns"], "one host, one clock")
    holds(0 <= sent["short_calls"] <= sent["calls"] and received["calls"] > 0)
    holds(sent["mss_bytes"] > 500 and received["mss_bytes"] > 500, sent["mss_bytes"])
    samples_hold(sent)


def samples_hold(sent: Event) -> None:
    """Every stream is in every sample, from the begin to the end."""
    info, streams = sent["info"], len(sent["stream"]["bytes"])
    rows = len(info["t_ns"])
    expect({len(column) for column in info.values()}, {rows})
    expect(info["stream"], list(range(streams)) * (rows // streams))
    expect((info["t_ns"][0], info["t_ns"][-1]), (sent["t0_ns"], sent["t1_ns"]))
    expect(info["t_ns"], sorted(info["t_ns"]))
    expect(info["bytes_acked"][:streams], [0] * streams)
    expect(info["bytes_acked"][-streams:], sent["stream"]["bytes_acked"])
    expect(info["retransmits"][-streams:], sent["stream"]["retransmits"])
    known = not emulated()
    for name in ("rtt_us", "rtt_var_us", "cwnd"):
        holds(all(value >= 0 if known else value == -1 for value in info[name]), name, info[name])
    expect(sent["retransmits"], sum(sent["stream"]["retransmits"]) if known else -1)


def failed(agent: Agent, *words: str) -> Event:
    """The job ends in one clear error."""
    event = agent.ready
    while event and event["ev"] in {"ready", "start", "tick"}:
        event = agent.event()
    expect((event["ev"], agent.end()), ("error", 1), event)
    holds(all(word in event["reason"] for word in words), words, event)
    holds(event["fix"], event)
    return event


def streams_write(wire: Wire) -> None:
    """Both families, every size of a write."""
    for family in (4, 6):
        for size in (1, 1000, 131072, 1 << 20):
            sent, received = trial(wire, family=family, write_bytes=size)
            bytes_conserved(sent, received)
            took = sent["t1_ns"] - sent["t0_ns"]
            holds(200e6 <= took < 5e9, took)  # it stops, on a busy machine too
            holds(2 <= len(sent["info"]["t_ns"]) <= took / 100e6 + 1, took, sent["info"]["t_ns"])
            # A write takes all of its bytes, or is short.
            full = sent["calls"] - sent["short_calls"]
            holds(full * size <= sent["bytes"] + sent["short_calls"] * size, sent["calls"])
            holds(sent["bytes"] <= sent["calls"] * size)


def streams_many(wire: Wire) -> None:
    """Either end connects; four and sixteen streams, each with its share."""
    for count in (4, 16):
        for listens in (False, True):
            often: Keys = {"sample_ms": 10}
            sent, received = trial(
                wire, streams=count, listens=listens, write_bytes=20000, source=often
            )
            expect(len(received["stream"]["bytes"]), count)
            bytes_conserved(sent, received)
    sent, received = trial(wire, streams=256, duration_ms=1000, write_bytes=1000)
    bytes_conserved(sent, received)


def streams_are_bound(wire: Wire) -> None:
    """To the device; streams that tick report how far they are."""
    names = ("lo", "lo") if wire.loopback else ("v1", "v0")
    receiving = stream(wire, "sink", "listen", {"device": names[0], "tick_ms": 20})
    sending = stream(wire, "source", "connect", {"device": names[1], "tick_ms": 20})
    expect((receiving.ready["ev"], sending.ready["ev"]), ("ready", "ready"), sending.ready)
    expect([receiving.start()["ev"], sending.start()["ev"]], ["start", "start"])
    first, second = sending.until("tick"), sending.until("tick")
    holds(0 < first["bytes"] <= second["bytes"] and first["t_ns"] < second["t_ns"], first, second)
    expect(receiving.until("tick")["ev"], "tick")
    sent = sending.done()
    bytes_conserved(sent, receiving.close())
    agent = stream(wire, "sink", "listen", {"device": "nope0"})
    expect((agent.ready["key"], agent.end()), ("device", 1))


def streams_buffers(wire: Wire) -> None:
    """What was asked for is in force, doubled as the kernel does; else the kernel tunes."""
    for role, opens in (("sink", "listen"), ("source", "listen")):
        agent = stream(wire, role, opens, {"socket_buffer_bytes": 60000})
        expect(agent.ready["socket_buffer_bytes"], 120000, agent.ready)
        agent.end()
    sent, received = trial(wire, socket_buffer_bytes=60000, write_bytes=1 << 20)
    bytes_conserved(sent, received)
    holds(sent["short_calls"] > 0, "a block is larger than the buffer")
    queued = sent["bytes"] - sent["bytes_acked"]
    holds(queued <= 240000, "one segment more than the buffer", queued)


def streams_congestion(wire: Wire) -> None:
    """Asked for, in force, or refused with what there is."""
    known = (SYSCTL / "tcp_available_congestion_control").read_text().split()
    for name in {preset_congestion()} if emulated() else {"reno", "cubic"} & set(known):
        sending, receiving = pair(wire, {"congestion": name}, {"congestion": name}, False)
        expect({sending.ready["congestion"], receiving.ready["congestion"]}, {name})
        sent = sending.done()
        bytes_conserved(sent, receiving.close())
    agent = stream(wire, "source", "listen", {"congestion": "gatemark"})
    event = failed(agent, "gatemark")
    expect(event["key"], "congestion")
    holds(all(name in event["fix"] for name in known), event)


def streams_end_early(wire: Wire) -> None:
    """A source whose stdin is closed reports what it did; so does a sink, at any time."""
    for listens in (False, True):
        # The sink does not mind, because its own millisecond is over.
        sending, receiving = pair(wire, {"duration_ms": 60000}, {"duration_ms": 1}, listens)
        time.sleep(0.3)
        began = time.monotonic()
        sent = sending.close()
        holds(time.monotonic() - began < 50, "of 60 s")
        holds(0 < sent["t1_ns"] - sent["t0_ns"] < 50e9)
        bytes_conserved(sent, receiving.close())
    sending, receiving = pair(wire, {"duration_ms": 60000}, {"duration_ms": 60000}, False)
    time.sleep(0.1)
    expect(receiving.close()["ev"], "done")
    failed(sending, "the peer closed stream 0 after", "of 60 s")
    sending, receiving = pair(wire, {"duration_ms": 60000}, {"duration_ms": 60000}, False)
    time.sleep(0.1)
    expect(sending.close()["ev"], "done")
    failed(receiving, "the peer closed stream 0 after", "of 60 s")


def streams_before_start(wire: Wire) -> None:
    """No start comes, or another command."""
    for role in ("source", "sink"):
        agent = stream(wire, role, "listen", {})
        event = agent.close()
        expect(event["ev"], "error")
        holds("before start" in event["reason"], event)
    agent = stream(wire, "sink", "listen", {})
    agent.say({"cmd": "stop"})
    expect((agent.event()["key"], agent.end()), ("cmd", 2))


def streams_peer_killed(wire: Wire) -> None:
    """Either side, either way to open: the other reports which stream and when."""
    both: Keys = {"duration_ms": 60000, "streams": 3}
    for listens in (False, True):
        for victim in (0, 1):
            agents = pair(wire, both, both, listens)
            time.sleep(0.3)
            agents[victim].process.kill()
            failed(agents[1 - victim], "the peer closed stream", "of 60 s")
            agents[victim].process.wait(10)


def streams_peer_leaves(wire: Wire) -> None:
    """A peer that closes in order is gone too."""
    with peer(wire, LEAVING):
        agent = stream(wire, "source", "connect", {"duration_ms": 60000})
        expect(agent.start()["ev"], "start")
        failed(agent, "the peer closed stream 0", "of 60 s")


def streams_stall(wire: Wire) -> None:
    """A peer that never reads; a source that never writes."""
    with peer(wire, DEAF):
        agent = stream(wire, "source", "connect", {"duration_ms": 60000, "stall_ms": 500})
        expect(agent.start()["ev"], "start")
        failed(agent, "the peer took nothing for 0.5 s")
    receiving = stream(wire, "sink", "listen", {"stall_ms": 300, "duration_ms": 60000})
    sending = stream(wire, "source", "connect", {})
    expect(receiving.start()["ev"], "start")
    failed(receiving, "no byte came for 0.3 s")
    expect(sending.start()["ev"], "start")
    failed(sending, "the peer closed stream 0")


def streams_nobody(wire: Wire) -> None:
    """Nobody listens, no route, a host that is not there, a port that is taken."""
    expect(failed(stream(wire, "sink", "connect", {}), "refused")["key"], "dst_port")
    listening = stream(wire, "sink", "listen", {})
    taken = stream(wire, "sink", "listen", {})
    expect(failed(taken, "in use")["key"], "src_port")
    sending = stream(wire, "source", "connect", {})
    expect(sending.ready["ev"], "ready")
    again = stream(wire, "source", "connect", {})
    expect(failed(again, "already")["key"], "src_port")
    expect((sending.end(), listening.end()), (1, 1))
    expect(stream(wire, "sink", "listen", {"src": "192.0.2.77"}).ready["key"], "src")
    if wire.loopback:
        raise SkipError("over lo there is a way to everywhere")
    agent = stream(wire, "source", "connect", {"dst": "192.0.2.1"})
    expect(failed(agent, "no route to 192.0.2.1")["key"], "dst")
    sh("ip", "-n", A, "route", "add", "unreachable", "192.0.2.2/32")
    agent = stream(wire, "source", "connect", {"dst": "192.0.2.2"})
    expect(failed(agent, "192.0.2.2 cannot be reached")["key"], "dst")


def streams_time_out(wire: Wire) -> None:
    """A peer that never answers, and one that never comes, each for five seconds."""
    began = time.monotonic()
    listening = stream(wire, "sink", "listen", {"streams": 4, "src_port": 5902})
    coming = stream(wire, "source", "connect", {"streams": 3, "dst_port": 5902})
    expect(coming.ready["ev"], "ready", coming.ready)
    listening.say({"cmd": "start"})
    with peer(wire, FULL):
        agent = stream(wire, "source", "connect", {"src_port": 6201})
        expect(agent.ready["ev"], "error", agent.ready)
        expect(failed(agent, "within 5 s")["key"], "dst")
    expect(failed(listening, "3 of 4 streams")["key"], "streams")
    holds(4.5 < time.monotonic() - began < 50, time.monotonic() - began)


STREAM_REFUSALS: list[tuple[Keys, str]] = [
    ({"speed": 1}, "speed"),
    ({"role": "pump"}, "role"),
    ({"open": "ajar"}, "open"),
    ({"family": 5}, "family"),
    ({"src": "::1"}, "src"),
    ({"dst": "10.9.0.300"}, "dst"),
    ({"streams": 0}, "streams"),
    ({"streams": 257}, "streams"),
    ({"src_port": 65535, "streams": 2}, "src_port"),
    ({"write_bytes": 0}, "write_bytes"),
    ({"write_bytes": (1 << 24) + 1}, "write_bytes"),
    ({"socket_buffer_bytes": (1 << 30) + 1}, "socket_buffer_bytes"),
    ({"stall_ms": 99}, "stall_ms"),
    ({"sample_ms": 9}, "sample_ms"),
    ({"duration_ms": 3600000, "sample_ms": 10, "streams": 3}, "sample_ms"),
    ({"role": "sink", "duration_ms": 3600000, "bin_ms": 1}, "bin_ms"),
    ({"open": "listen"}, "dst"),
]


def streams_refuse(wire: Wire) -> None:
    """A wrong request is refused by its key."""
    for change, key in STREAM_REFUSALS:
        agent = stream(wire, "source", "connect", change)
        event = agent.ready
        expect((event["ev"], event.get("key"), agent.end()), ("error", key, 2), change, event)
        holds(event["reason"] and event["fix"], event)
    request = {"role": "sink", "open": "connect", "family": 4, "src": "127.0.0.1"}
    agent = Agent(wire.a, "stream", request | {"src_port": 5201, "duration_ms": 1})
    expect((agent.ready["key"], agent.end()), ("dst", 2))


STREAM_TESTS = [
    streams_write,
    streams_many,
    streams_are_bound,
    streams_buffers,
    streams_congestion,
    streams_end_early,
    streams_before_start,
    streams_peer_killed,
    streams_peer_leaves,
    streams_stall,
    streams_nobody,
    streams_time_out,
    streams_refuse,
]
