# SPDX-License-Identifier: Apache-2.0
"""The agent's access line, frame by frame against a model of it (line_model.py).

gmagent-PID-a  u0 ------ line0  gmagent-PID-l  line1 ------ u1  gmagent-PID-b
  numbered frames               agent, line                  numbered frames

The kernel stamps each frame once as it comes to the line. A second socket there reads the same
stamps, so the model tells of each frame whether it leaves, and when at the earliest, however busy
the machine is.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from line_model import Model, Way
from wire import A, Agent, B, Event, Keys, SkipError, Wire, expect, holds, sh, unless_overrun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

L = f"gmagent-{os.getpid()}-l"
PORTS = {"u0": A, "line0": L, "line1": L, "u1": B}
ENDS = {"up": ("u0", "line0", "u1"), "down": ("u1", "line1", "u0")}
SEED = 5
AQMS = ("fifo", "head", "codel")

# Prints stamp, number, length and VLAN of each numbered frame that comes to a device, once stdin is
# closed.
TAP = """
import json, select, socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
s.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
s.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
s.setsockopt(263, 8, 1)  # SOL_PACKET: PACKET_AUXDATA
s.setsockopt(263, 23, 1)  # PACKET_IGNORE_OUTGOING
s.bind((sys.argv[1], 3))  # ETH_P_ALL
print("ready", flush=True)
rows, ended = [], False
while True:
    ready, _, _ = select.select([s] if ended else [s, sys.stdin], [], [], 0 if ended else None)
    if s in ready:
        data, aux, _, _ = s.recvmsg(4096, 256)
        if data[12:14] == b"\\x88\\xb5":
            said = {kind: value for _, kind, value in aux}
            sec, nsec = struct.unpack("qq", said[35])
            vlan = struct.unpack("IIIHHHH", said[8])[5]
            number = int.from_bytes(data[14:18], "big")
            rows.append((sec * 10**9 + nsec, number, len(data), vlan))
    elif ended:
        break
    elif sys.stdin in ready:
        ended = True
print(json.dumps(rows))
"""

# Sends numbered frames: pairs of bytes, and ms to wait before.
SEND = """
import json, socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((sys.argv[1], 0))
head = bytes.fromhex("02000000000202000000000188b5")
for number, (size, wait_ms) in enumerate(json.load(sys.stdin)):
    if wait_ms: time.sleep(wait_ms / 1000)
    s.send(head + number.to_bytes(4, "big") + bytes(size - 18))
"""

Load = list[tuple[int, float]]  # bytes, ms to wait before
Row = tuple[int, int, int, int]  # stamp, number, bytes, VLAN


def schedule(way: Way, frames: Sequence[tuple[int, int]], between: int) -> list[tuple[str, int]]:
    """What the agent's schedule makes of frames; it looks what may leave after so many each."""
    program = Path(Agent.command[-1]).with_name("schedule")
    keys = asdict(way) | {"aqm": AQMS.index(way.aqm), "atm": int(way.atm)}
    lines = [" ".join(str(value) for value in keys.values())]
    lines += [f"{arrives} {size}" for arrives, size in frames]
    rows = sh(str(program), str(between), text="\n".join(lines)).splitlines()
    return [(word, int(at)) for word, at in (row.split() for row in rows)]


def random_way(draw: random.Random) -> Way:
    """Any line; the buffer is short of what comes."""
    rate = draw.choice([0, 100_003, 999_999, 1_000_000, 15_000_000, 99_999_989, 3_000_000_000])
    packets = draw.choice([0, 1, 3, 50, 300])
    return Way(
        rate_bps=rate,
        buffer_packets=packets,
        buffer_bytes=draw.choice([0, 1500, 30_000]) if packets else 40_000,
        fixed_ns=draw.choice([0, 20_000_001]),
        loss_ppb=draw.choice([0, 100_000_000]),
        seed=draw.randrange(1 << 40),
        aqm=draw.choice(AQMS),
        overhead_bytes=draw.choice([0, -14, 24]),
        atm=draw.random() < 0.3,
    )


def random_frames(draw: random.Random, way: Way) -> list[tuple[int, int]]:
    """Bursts and lone frames, at 1.2 times the rate at the mean, some with the same stamp."""
    frames, at = [], 1_700_000_000 * 10**9
    for _ in range(400):
        size = draw.choice([60, 60, 60, 590, 590, 1514, draw.randrange(14, 1515)])
        gap = float(way.takes_ns(size)) / 1.2 or 1000.0
        if draw.random() < 0.6:
            at += round(draw.expovariate(1 / gap / 1.6))
        frames.append((at, size))
    return frames


def schedule_is_the_model(wire: Wire) -> None:
    """To the nanosecond, for any line and any arrivals, whenever it is looked at."""
    if wire.loopback:
        raise SkipError("built for this machine alone")
    words = set()
    for seed in range(20):
        draw = random.Random(seed)  # noqa: S311 - the same each time
        way = random_way(draw)
        frames = random_frames(draw, way)
        wanted = Model(way).run(frames)
        between = (1, 7, 1000)[seed % 3]
        expect(schedule(way, frames, between), wanted, seed, way)
        words |= {(way.aqm, word) for word, _ in wanted}
    expect(words, {(aqm, word) for aqm in AQMS for word in "sdl"})


@contextmanager
def cables(wire: Wire) -> Iterator[None]:
    """Both cables; nobody at their ends has anything to say."""
    if wire.loopback:
        raise SkipError("needs devices of its own")
    sh("ip", "netns", "add", L)
    try:
        for host, own, at in ((A, "u0", "line0"), (B, "u1", "line1")):
            sh("ip", "-n", host, "link", "add", own, "type", "veth", "peer", "name", at, "netns", L)
        for device, space in PORTS.items():
            sh("ip", "-n", space, "link", "set", device, "addrgenmode", "none")
            sh("ip", "-n", space, "link", "set", device, "up")
        yield
    finally:
        # A namespace's devices go some time after it, and the next test wants their names.
        for host, own in ((A, "u0"), (B, "u1")):
            subprocess.run(["ip", "-n", host, "link", "del", own], capture_output=True, check=False)
        sh("ip", "netns", "del", L)


def request(up: Way, down: Way, **keys: object) -> Keys:
    """The request of a line with these ways; in the normal class, unless asked."""
    base: Keys = {"gateway_device": "line0", "wan_device": "line1", "seed": SEED, "priority": 0}
    for name, way in (("up", up), ("down", down)):
        own = asdict(way)
        base[name] = {key: own[key] for key in own if key not in {"seed", "frame_most"}}
    return base | keys


class Tap:
    """A second look at what comes to a device."""

    def __init__(self, device: str) -> None:
        argv = ["ip", "netns", "exec", PORTS[device], sys.executable, "-c", TAP, device]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True)
        assert self.process.stdout
        expect(self.process.stdout.readline(), "ready\n")

    def rows(self) -> list[Row]:
        """All so far; it ends."""
        return [tuple(row) for row in json.loads(self.process.communicate(timeout=20)[0])]


def send(device: str, load: Load) -> subprocess.Popen[str]:
    """Begins to send numbered frames from a device."""
    argv = ["ip", "netns", "exec", PORTS[device], sys.executable, "-c", SEND, device]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, text=True)
    assert process.stdin
    process.stdin.write(json.dumps(load))
    process.stdin.close()
    return process


def ask(agent: Agent, command: str) -> Event:
    """A command and its answer."""
    agent.say({"cmd": command})
    return agent.event()


def settled(agent: Agent, frames: dict[str, int]) -> Event:
    """The books once so many frames came and none waits."""
    for _ in range(400):
        done = ask(agent, "stop")
        expect(done["ev"], "done", done)
        if all(done[way]["in"] == n and not done[way]["waiting"] for way, n in frames.items()):
            return done
        time.sleep(0.02)
    raise AssertionError({way: done[way]["in"] for way in frames}, frames)


def clocks_apart_ns() -> int:
    """CLOCK_REALTIME less CLOCK_MONOTONIC, by the reading of five that took the shortest time."""
    readings = []
    for _ in range(5):
        before, now, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after - before, now - (before + after) // 2))
    return min(readings)[1]


def check_way(books: Event, way: Way, came: list[Row], left: list[Row]) -> None:
    """One way: each frame as the model has it, and the books as the frames were."""
    fates = Model(way).run([(stamp, size) for stamp, _, size, _ in came])
    by_word = {word: [row for row, fate in zip(came, fates, strict=True) if fate[0] == word]
               for word in "sdl"}  # fmt: skip
    expect([row[1] for row in left], [row[1] for row in by_word["s"]])
    expect(
        [books[key] for key in ("in", "sent", "dropped", "lost", "refused", "waiting")],
        [len(came), *(len(by_word[word]) for word in "sdl"), 0, 0],
    )
    expect(books["bytes"], sum(row[2] for row in left))
    expect(sorted(books["drops"]["bytes"]), sorted(row[2] for row in by_word["d"]))
    dues = [at for word, at in fates if word == "s"]
    early = [row for row, due in zip(left, dues, strict=True) if row[0] < due]
    expect(early, [])
    expect(sum(books["late_ns"]["count"]), books["sent"])
    busy = sum(float(way.takes_ns(row[2])) for row in by_word["s"] + by_word["l"])
    holds(abs(books["busy_ns"] - busy) <= len(came), books["busy_ns"], busy)
    # CLOCK_MONOTONIC against CLOCK_REALTIME: as far apart as the clocks, but for what is slewed.
    apart = clocks_apart_ns()
    drops = sorted(at for word, at in fates if word == "d")
    for at, wanted in zip(books["drops"]["at_ns"], drops, strict=True):
        holds(abs(at + apart - wanted) < 1_000_000, at, wanted, apart)


@unless_overrun()
def crosses(up: Way, down: Way, loads: dict[str, Load]) -> Event:
    """Both ways at once, with these loads; returns the books."""
    taps = {device: Tap(device) for device in PORTS}
    agent = Agent(L, "line", request(up, down))
    expect(agent.ready["ev"], "ready", agent.ready)
    expect(ask(agent, "begin")["ev"], "begin")
    for process in [send(ENDS[way][0], load) for way, load in loads.items()]:
        expect(process.wait(20), 0)
    done = settled(agent, {way: len(load) for way, load in loads.items()})
    rows = {device: tap.rows() for device, tap in taps.items()}
    for name, way, seed in (("up", up, 2 * SEED), ("down", down, 2 * SEED + 1)):
        _, came, left = ENDS[name]
        check_way(done[name], replace(way, seed=seed), rows[came], rows[left])
    expect(done["clock_stepped_ns"], 0)
    again = agent.close()
    expect([again[way]["in"] for way in ENDS], [done[way]["in"] for way in ENDS])
    return done


MIXED: Load = [(60, 0), (590, 0), (1514, 0), (60, 0), (1000, 0)]


def lines_refuse_and_drop(wire: Wire) -> None:
    """A full buffer of packets refuses what comes; one of bytes drops the oldest."""
    with cables(wire):
        fifo = Way(rate_bps=1_000_000, buffer_packets=10)
        head = Way(rate_bps=2_000_000, buffer_packets=0, buffer_bytes=9000, aqm="head")
        done = crosses(fifo, head, {"up": MIXED * 8, "down": MIXED * 8})
        holds(done["up"]["dropped"] > 0 and done["down"]["dropped"] > 0, done)
        expect(done["up"]["peak_packets"], 10)
        holds(7000 < done["down"]["peak_bytes"] <= 9000, done["down"]["peak_bytes"])


def lines_keep_queues_short(wire: Wire) -> None:
    """CoDel; and cells of ATM, loss and a fixed delay the other way."""
    with cables(wire):
        codel = Way(rate_bps=2_000_000, buffer_packets=200, aqm="codel")
        atm = Way(rate_bps=20_000_000, fixed_ns=30_000_000, loss_ppb=200_000_000, atm=True,
                  overhead_bytes=-4)  # fmt: skip
        done = crosses(codel, atm, {"up": MIXED * 20, "down": MIXED * 10})
        holds(done["up"]["dropped"] > 0 and done["down"]["lost"] > 0, done)


@unless_overrun()
def lines_pass_everything(wire: Wire) -> None:
    """Without a rate; books that begin anew; a VLAN tag; who else is addressed."""
    with cables(wire):
        agent = Agent(L, "line", request(Way(rate_bps=0), Way(rate_bps=0)))
        expect(agent.ready["ev"], "ready", agent.ready)
        expect(send("u0", MIXED).wait(20), 0)
        expect(settled(agent, {"up": 5})["up"]["sent"], 5)
        expect(ask(agent, "begin")["ev"], "begin")
        tap = Tap("u1")
        tagged = "020000000099" + "020000000001" + "8100" + "0007" + "88b5" + "00000009" + "00" * 60
        code = "import socket,sys; s = socket.socket(17, 3); s.bind(('u0', 0)); " \
            "s.send(bytes.fromhex(sys.argv[1]))"  # fmt: skip
        sh("ip", "netns", "exec", A, sys.executable, "-c", code, tagged)
        done = settled(agent, {"up": 1, "down": 0})
        expect((done["up"]["sent"], done["up"]["bytes"]), (1, len(tagged) // 2))
        expect([row[1:] for row in tap.rows()], [(9, len(tagged) // 2 - 4, 7)])
        agent.close()


def lines_sleep(wire: Wire) -> None:
    """An idle line leaves its CPU free; it runs in the class that is asked for, or says why not."""
    with cables(wire):
        agent = Agent(L, "line", request(Way(), Way(), priority=50))
        expect(ask(agent, "begin")["ev"], "begin")
        time.sleep(0.3)
        done = ask(agent, "stop")
        holds(done["cpu_ns"] < 30_000_000, done["cpu_ns"])
        expect(agent.ready["sched"] == "fifo", not done["notes"], agent.ready, done["notes"])
        agent.close()


def lines_are_refused(wire: Wire) -> None:
    """Bad requests, by their key; a command that is none; a build without the verb."""
    if wire.loopback:
        agent = Agent(wire.b, "line", {})
        if len(Agent.command) > 1:  # for a device
            expect((agent.ready["ev"], agent.end()), ("error", 1), agent.ready)
            holds("no verb line" in agent.ready["reason"], agent.ready)
        return
    good = request(Way(), Way())
    bad: list[tuple[Keys, str, int]] = [
        ({"wan_device": "line0"}, "wan_device", 2),
        ({"wan_device": "line7"}, "wan_device", 1),
        ({"up": good["up"] | {"buffer_packets": 0}}, "up", 2),
        ({"down": good["down"] | {"aqm": "red"}}, "down", 2),
        ({"down": good["down"] | {"atm": 1}}, "down", 2),
        ({"up": 5}, "up", 2),
        ({"up": good["up"] | {"buffer_packets": 1_000_000}}, "up", 2),
        ({"up": good["up"] | {"rate_bps": 500_000_000, "fixed_ns": 5 * 10**9}}, "up", 2),
        ({"priority": 100}, "priority", 2),
    ]
    with cables(wire):
        for keys, key, code in bad:
            agent = Agent(L, "line", good | keys)
            expect((agent.ready["ev"], agent.ready.get("key")), ("error", key), keys, agent.ready)
            expect(agent.end(), code, keys)
        agent = Agent(L, "line", good)
        expect((ask(agent, "start")["key"], agent.end()), ("cmd", 2))


LINE_TESTS = [
    schedule_is_the_model,
    lines_refuse_and_drop,
    lines_keep_queues_short,
    lines_pass_everything,
    lines_sleep,
    lines_are_refused,
]
