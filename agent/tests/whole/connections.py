# SPDX-License-Identifier: Apache-2.0
"""Tests of the verb connect: whole agents, a client at a and a server at b."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wire import ADDRESS, Agent, B, Event, Keys, SkipError, Wire, expect, holds, sh

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER_PORT, CLIENT_PORT = 6101, 21000
DESCRIPTORS = 2868  # that a process may open: 500 for connections, the rest for pipes (crew.c)


def end(wire: Wire, role: str, keys: Keys) -> Agent:
    """One end up to its ready."""
    family = 6 if keys.get("family") == 6 else 4
    own = "::1" if family == 6 else "127.0.0.1"
    client, server = (own, own) if wire.loopback else ADDRESS[family]
    request: Keys = {"role": role, "mode": "open", "family": family, "connections": 100}
    if role == "server":
        request |= {"src": server, "src_port": SERVER_PORT}
    else:
        request |= {"src": client, "src_port": CLIENT_PORT, "src_ports": 2000}
        request |= {"dst": server, "dst_port": SERVER_PORT, "timeout_ms": 3000}
    agent = Agent(wire.a if role == "client" else wire.b, "connect", request | keys)
    expect(agent.ready["ev"], "ready", agent.ready)
    return agent


def pair(wire: Wire, client: Keys, server: Keys | None = None) -> tuple[Agent, Agent]:
    """Both ends up to their start; the server's goes first."""
    mode = {"mode": client.get("mode", "open"), "family": client.get("family", 4)}
    serving = end(wire, "server", mode | (server or {}))
    asking = end(wire, "client", client)
    for agent in (serving, asking):
        begun = agent.start()
        expect(begun["ev"], "start", begun)
    return asking, serving


def opened(wire: Wire, client: Keys, server: Keys | None = None) -> tuple[Event, Event]:
    """Opens, holds, lets go; what both report."""
    asking, serving = pair(wire, client, server)
    event = asking.until("opened")
    expect(event["ev"], "opened", event)
    done = asking.close()
    expect(done["open"], event["open"], "none was lost while held")
    return done, serving.close()


def conserved(sent: Event, served: Event) -> None:
    """What was begun came to something; what one end has seen the other has."""
    failed = sum(sent["failed"].values())
    expect(sent["begun"], sent["opened"] + sent["skipped"] + failed, sent)
    expect(sent["opened"], sum(sent["rate"]["connections"]), sent["rate"])
    expect(sum(sent["connect_ns"]["count"]), sent["connected"])
    holds(sent["t0_ns"] < sent["t1_ns"], sent)
    holds(served["accepted"] >= sent["opened"], served)


def opens(wire: Wire) -> None:
    """All that were asked for, one after the other or together, in both families."""
    for family in (4, 6):
        for ahead in (1, 32):
            keys = {"connections": 300, "ahead": ahead, "family": family, "duration_ms": 20000}
            sent, served = opened(wire, keys, {"connections": 300})
            conserved(sent, served)
            expect((sent["stop"], sent["open"], sent["failed"]), ("connections", 300, {}))
            expect(sent["verify"], {"asked": 300, "answered": 300})
            expect((served["accepted"], served["most"], served["full"]), (300, 300, ""))
            expect(served["echoed_bytes"], 2 * 300 * 16)


def bounded_server(wire: Wire) -> None:
    """It ends where the server takes no more, and reports at which number."""
    sent, served = opened(wire, {"connections": 200, "duration_ms": 20000}, {"connections": 120})
    conserved(sent, served)
    expect((sent["stop"], sent["open"]), ("failed", 120))
    expect(sent["first_failure"]["number"], 120)
    holds(sent["first_failure"]["why"] in ("refused", "reset"), sent)
    expect((served["most"], served["full"]), (120, "connections"))


def nobody_listens(wire: Wire) -> None:
    """The first one is refused: nothing is open."""
    asking = end(wire, "client", {})
    asking.start()
    expect(asking.until("opened")["open"], 0)
    sent = asking.close()
    expect((sent["stop"], sent["failed"]), ("failed", {"refused": 1}))
    expect(sent["first_failure"]["number"], 0)


def no_answer(wire: Wire) -> None:
    """Packets that vanish end it after the timeout, and not later."""
    if wire.loopback:
        raise SkipError("no filter of our own")
    with dropped():
        asking, serving = pair(wire, {"timeout_ms": 300, "duration_ms": 20000})
        event = asking.until("opened")
        expect((event["open"], event["failed"]), (0, 1))
        sent = asking.close()
        serving.close()
    expect(sent["failed"], {"no answer": 1})
    took_ns = sent["opening"]["t1_ns"] - sent["opening"]["t0_ns"]
    holds(took_ns >= 300e6, took_ns)


@contextmanager
def dropped() -> Iterator[None]:
    """While b drops what comes for the server."""
    rule = f"tcp dport {SERVER_PORT} drop"
    ruleset = f"table inet t {{ chain c {{ type filter hook input priority 0; {rule}; }}; }}"
    way_in = ("ip", "netns", "exec", B, "nft")
    try:
        sh(*way_in, "-f", "-", text=ruleset)
    except (subprocess.CalledProcessError, FileNotFoundError):
        raise SkipError("no nft") from None
    try:
        yield
    finally:
        sh(*way_in, "delete", "table", "inet", "t")


def many_processes(wire: Wire) -> None:
    """More than one process may open: they share the work, and every connection is held."""
    if wire.loopback:
        raise SkipError("emulated processes are slow")
    bound = f'ulimit -n {DESCRIPTORS} && exec "$0" "$@"'
    plain, Agent.command = Agent.command, ["sh", "-c", bound, *Agent.command]
    try:
        keys = {"connections": 2600, "src_ports": 3000, "ahead": 16, "duration_ms": 30000}
        asking, serving = pair(wire, keys, {"connections": 2600})
    finally:
        Agent.command = plain
    if asking.ready["processes"] == 1:
        raise SkipError("it may open as many as it likes (CAP_SYS_RESOURCE)")
    expect(asking.until("opened")["open"], 2600)
    sent, served = asking.close(), serving.close()
    conserved(sent, served)
    expect(sent["verify"], {"asked": 2600, "answered": 2600})
    expect((served["most"], served["full"]), (2600, ""))


def opened_and_closed(wire: Wire) -> None:
    """Connect, ask, answer, close: the server ends each, and none is left."""
    for family in (4, 6):
        asking, serving = pair(
            wire, {"mode": "crr", "connections": 8, "duration_ms": 1000, "family": family}
        )
        sent, served = asking.done(), serving.close()
        expect((sent["stop"], sent["failed"], sent["open"]), ("time", {}, 0))
        holds(sent["opened"] > 8, "more than are open at a time", sent["opened"])
        holds(sent["begun"] - sent["skipped"] - sent["opened"] <= 8, sent)
        holds(sum(sent["echo_ns"]["count"]) >= sent["opened"])
        expect((served["open"], served["full"]), (0, ""))
        holds(served["accepted"] >= sent["opened"])


def held_active(wire: Wire) -> None:
    """Messages go round robin at their rate, and each comes back."""
    keys = {"mode": "hold", "connections": 50, "active_pps": 500, "duration_ms": 400}
    asking, serving = pair(wire, keys)
    sent, served = asking.done(), serving.close()
    expect((sent["scheduled"], sent["failed"], sent["open"]), (200, {}, 50))
    holds(0 < sent["asked"] <= 200, sent["asked"])
    expect((sent["answered"], sum(sent["echo_ns"]["count"])), (sent["asked"], sent["asked"]))
    expect(sent["verify"], {"asked": 50, "answered": 50})
    expect(served["echoed_bytes"], 16 * (50 + sent["asked"] + 50))
    window_ns = sent["t1_ns"] - sent["t0_ns"]
    holds(window_ns >= 400e6, window_ns)


def held_idle(wire: Wire) -> None:
    """Nothing is sent for a while; then each is asked whether it is there."""
    asking, serving = pair(wire, {"mode": "hold", "connections": 50, "duration_ms": 100})
    sent = asking.done()
    serving.close()
    expect((sent["asked"], sent["open"]), (0, 50))
    expect(sent["verify"], {"asked": 50, "answered": 50})


def lost_while_held(wire: Wire) -> None:
    """A server that dies takes its connections with it: they are not counted."""
    asking, serving = pair(wire, {"mode": "hold", "connections": 50, "duration_ms": 3000})
    asking.until("opened")
    serving.process.kill()
    sent = asking.done()
    expect((sent["opened"], sent["open"], sent["failed"]), (50, 0, {"reset": 50}))


def refusals(wire: Wire) -> None:
    """Requests that cannot be meant."""
    for keys, key in (
        ({"dst": "nowhere"}, "dst"),
        ({"connections": 2001}, "connections"),
        ({"mode": "crr", "connections": 5000, "src_ports": 9000}, "connections"),
        ({"src_port": 65000}, "src_ports"),
        ({"role": "server", "src_ports": 1}, "dst"),
    ):
        client, server = ("127.0.0.1",) * 2 if wire.loopback else ADDRESS[4]
        request: Keys = {"role": "client", "mode": "open", "family": 4, "src": client}
        request |= {"src_port": CLIENT_PORT, "src_ports": 2000, "connections": 10}
        request |= {"dst": server, "dst_port": SERVER_PORT}
        agent = Agent(wire.a, "connect", request | keys)
        expect((agent.ready["ev"], agent.ready.get("key")), ("error", key), agent.ready)
        expect(agent.end(), 2)


CONNECT_TESTS = [
    opens,
    bounded_server,
    nobody_listens,
    no_answer,
    opened_and_closed,
    held_active,
    held_idle,
    lost_while_held,
    refusals,
    many_processes,
]
