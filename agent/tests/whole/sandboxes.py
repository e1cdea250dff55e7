# SPDX-License-Identifier: Apache-2.0
"""What agents may do once they are ready: the rights that they keep, and their filter."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wire import ADDRESS, Agent, B, Keys, Wire, expect, holds

if TYPE_CHECKING:
    from collections.abc import Iterator

NET_BIND_SERVICE, NET_ADMIN, SYS_NICE, BPF = 1 << 10, 1 << 12, 1 << 23, 1 << 39  # capability.h
FILTERED = "2"  # SECCOMP_MODE_FILTER

# Connections, none of which is opened before `start`.
HOLD: Keys = {"mode": "open", "family": 4, "connections": 10}


def status(pid: int) -> dict[str, str]:
    """A process as the kernel shows it (proc_pid_status(5))."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def everywhere(wire: Wire) -> Iterator[tuple[Agent, int]]:
    """An agent for each verb that works over lo too, and the capabilities that it keeps."""
    own = ADDRESS[4][1] if not wire.loopback else "127.0.0.1"
    yield wire.sender(port="udp"), 0
    yield wire.sink(port="udp"), 0
    listening = {"role": "sink", "open": "listen", "family": 4, "src": own, "src_port": 9100}
    if len(Agent.command) == 1:  # emulated it has no choice of congestion control
        yield Agent(wire.b, "stream", {**listening, "duration_ms": 1000}), 0
    yield Agent(wire.b, "connect", {**HOLD, "role": "server", "src": own, "src_port": 9200}), 0
    client = {**HOLD, "role": "client", "src": own, "src_port": 9300, "src_ports": 20}
    client |= {"dst": own, "dst_port": 9200}
    yield Agent(wire.b, "connect", client), NET_BIND_SERVICE
    yield Agent(wire.b, "watch", {"samples": 2, "what": ["memory"]}), 0
    cpu = max(os.sched_getaffinity(0))
    yield Agent(wire.b, "soak", {"samples": 2, "cpus": [cpu]}), SYS_NICE


def on_devices(wire: Wire) -> Iterator[tuple[Agent, int]]:
    """An agent for each verb and port that needs root and a device of its own."""
    for port in ("raw", "afxdp"):
        yield wire.sender(port=port), 0
    yield wire.sender(port="live"), SYS_NICE | BPF
    yield wire.sink(port="ring"), 0
    yield wire.sink(port="xdp"), 0
    yield Agent(B, "slow", {"devices": ["v1"], "wait_ns": 0}), NET_ADMIN | BPF
    yield Agent(B, "forward", {"devices": ["v1"]}), BPF
    yield Agent(B, "capture", {"devices": ["v1"], "file": "/dev/null"}), NET_ADMIN | BPF
    flows = {"devices": ["v1"]}
    yield Agent(B, "flows", flows), NET_ADMIN | NET_BIND_SERVICE | BPF
    way = {"rate_bps": 1_000_000, "buffer_packets": 50}
    line = {"gateway_device": "v1", "wan_device": "lo", "up": way, "down": way, "priority": 0}
    yield Agent(B, "line", line), SYS_NICE


def kept_rights(agent: Agent) -> set[int]:
    """The capabilities that an agent may use, or get back, or hand on to a program."""
    shown = status(agent.process.pid)
    expect([shown[key] for key in ("CapInh", "CapBnd", "CapAmb")], [f"{0:016x}"] * 3)
    return {int(shown[key], 16) for key in ("CapPrm", "CapEff")}


def sandboxed(wire: Wire) -> None:
    """Once ready, an agent has a filter, no way to more rights, and those that its job needs."""
    for agents in (everywhere, on_devices)[: 1 if wire.loopback else 2]:
        for agent, rights in agents(wire):
            expect(agent.ready["ev"], "ready", agent.ready)
            shown = status(agent.process.pid)
            emulated = len(Agent.command) > 1  # qemu-user has no filters for its programs
            wanted = "none: this kernel has no CONFIG_SECCOMP_FILTER" if emulated else "seccomp"
            expect(agent.ready["sandbox"], wanted, agent.hello)
            expect(shown["NoNewPrivs"], "1", agent.hello)
            if not emulated:
                expect(shown["Seccomp"], FILTERED, agent.hello)
            if os.geteuid() == 0 and not emulated:
                expect(kept_rights(agent), {rights}, agent.hello)
            agent.end()


def children_sandboxed(wire: Wire) -> None:
    """So have the loops that soak."""
    agent = Agent(wire.b, "soak", {"samples": 2, "cpus": [max(os.sched_getaffinity(0))]})
    pid = agent.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    holds(children or wire.loopback, agent.ready)
    for child in children if len(Agent.command) == 1 else []:
        shown = status(int(child))
        expect((shown["Seccomp"], int(shown["CapEff"], 16)), (FILTERED, 0))


SANDBOX_TESTS = [sandboxed, children_sandboxed]
