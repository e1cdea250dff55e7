# SPDX-License-Identifier: Apache-2.0
"""What a sink takes for the trial's own: strays, replays and forgeries, planted by hand."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import connections
import streams
from ports import frame_ports
from sinks import header, inject, need_xdp, numbers, packet, udp
from wire import ADDRESS, A, Agent, Keys, Wire, conserved, expect, holds, sh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Event

KEY, OTHER = "000102030405060708090a0b0c0d0e0f", "00" * 16
MASK = 2**64 - 1
COUNTS = ("received", "unique", "duplicated", "reordered", "stale", "foreign", "beyond")
CONSTANTS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)

# Connects from an address, says something, and tells whether the connection is then closed.
CONNECT = """
import socket, sys
s = socket.socket()
s.settimeout(1)
s.bind((sys.argv[1], 0))
try:
    s.connect((sys.argv[2], int(sys.argv[3])))
    s.send(b"sixteen bytes...")
    print("open" if s.recv(1) else "closed")
except (BrokenPipeError, ConnectionResetError):  # also before connect() has returned
    print("closed")
except TimeoutError:
    print("open")
"""


def siphash(key: bytes, message: bytes) -> int:
    """SipHash-2-4, made here, so that the agent is not tested by its own."""
    words = [int.from_bytes(key[at : at + 8], "little") for at in (0, 8)]
    v = [constant ^ words[at % 2] for at, constant in enumerate(CONSTANTS)]

    def left(word: int, bits: int) -> int:
        return (word << bits | word >> (64 - bits)) & MASK

    def half(a: int, b: int, c: int, d: int, turn: int, other: int) -> None:
        v[a] = v[a] + v[b] & MASK
        v[c] = v[c] + v[d] & MASK
        v[b] = left(v[b], turn) ^ v[a]
        v[d] = left(v[d], other) ^ v[c]
        v[a] = left(v[a], 32)

    def rounds(count: int) -> None:
        for _ in range(count):
            half(0, 1, 2, 3, 13, 16)
            half(2, 1, 0, 3, 17, 21)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message)])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def tagged(number: int, flow: int = 0, *, key: str = KEY, time_ns: int = 0, flip: int = 0) -> bytes:
    """A tagged header of PROTOCOL.md; `flip`: bits of the tag that are wrong."""
    content = (flow << 71 | number << 39 | time_ns % 2**39).to_bytes(11)
    tag = siphash(bytes.fromhex(key), content) % 2**24 ^ flip
    return tag.to_bytes(3) + content


def received(wire: Wire, port: str, payloads: list[bytes], **keys: object) -> Event:
    """The report of a sink that got them."""
    sink = wire.sink(port=port, **keys)
    expect(sink.ready["ev"], "ready", sink.ready)
    sink.start()
    inject(wire, 4, [packet(4, udp(4, payload)) for payload in payloads])
    return sink.close()


def counts(report: Event) -> dict[str, int]:
    """Those that are not 0."""
    return {name: report[name] for name in COUNTS if report[name]}


def a_stray_costs_no_good_packet(wire: Wire) -> None:
    """One packet with a number that nobody sent, and then 3000 good ones."""
    need_xdp(wire)
    good = [header(number) for number in range(3000)]
    payloads = [*good[:10], header(0x40000000), *good[10:]]
    for port in ("xdp", "ring", "udp"):
        report = received(wire, port, payloads, most_packets=3000)
        expect(counts(report), {"received": 3000, "unique": 3000, "foreign": 1, "beyond": 1}, port)
        expect(report["flow"]["highest"], [2999], port)
        # Where nothing is known of the numbers it is a packet too many, and takes none with it.
        report = received(wire, port, payloads)
        expect(counts(report), {"received": 3001, "unique": 3001}, port)
        expect(report["flow"]["highest"], [2999], port)


def numbers_that_cannot_be(wire: Wire) -> None:
    """Beyond what is sent in all, and before it is due."""
    need_xdp(wire)
    for port in ("xdp", "ring"):
        strays = [header(at) for at in (100, 101, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)]
        report = received(wire, port, [header(0), *strays, header(99)], most_packets=100)
        expect(counts(report), {"received": 2, "unique": 2, "foreign": 5, "beyond": 5}, port)
        expect(report["corrupt_by"]["header"], 5)
        # Due after 25 s, two flows having a packet each in a round; bursts come 2.56 s sooner.
        keys: Keys = {"flows": 2, "most_pps": 100, "ledger": 2000}
        report = received(wire, port, [header(1250), header(1, 1), header(2, 1)], **keys)
        expect(counts(report), {"received": 2, "unique": 2, "foreign": 1, "beyond": 1}, port)
        expect((numbers(report, 0), numbers(report, 1)), ([], [1, 2]), port)


def a_stray_of_the_ledger(wire: Wire) -> None:
    """Within the bound a stray is remembered: the packet whose number it has is a second one."""
    need_xdp(wire)
    good = [header(number) for number in range(2500)]
    for port in ("xdp", "ring"):
        payloads = [*good[:10], good[2200], *good[10:]]
        report = received(wire, port, payloads, most_packets=2500, ledger=2500)
        expect(counts(report), {"received": 2501, "unique": 2500, "duplicated": 1}, port)


def strangers_without_the_key(wire: Wire) -> None:
    """Every sink takes what the key made, and nothing else, whoever knows all but the key."""
    need_xdp(wire)
    now = time.monotonic_ns()
    own = [tagged(0), tagged(1, 1, time_ns=now), tagged(1, time_ns=2**39 - 1)]
    altered = [  # flow and number are as they would be, the tag is not
        tagged(2, flip=1),
        tagged(2, flip=1 << 23),
        tagged(2, key=OTHER),  # of the trial before
        tagged(1)[:3] + tagged(2)[3:],
        tagged(1, 1, time_ns=now)[:13] + tagged(1, 1, time_ns=now ^ 1)[13:],  # a time of our own
        header(2),  # the other form, whose magic and run say nothing here
        bytes(14),
    ]
    strange = [
        tagged(2, 2, flip=1),
        tagged(2, 0x1FFFF, flip=1),
        tagged(0x40000000, flip=1),
        b"hello",
        tagged(3)[:13],
    ]
    beyond = [tagged(100), tagged(0xFFFFFFFF)]  # by who has the key, and no right to the number
    keys: Keys = {"key": KEY, "flows": 2, "most_packets": 100}
    for port in ("xdp", "ring", "udp"):
        report = received(wire, port, [*own, *altered, *strange, *beyond, tagged(2, 2)], **keys)
        foreign = len(altered) + len(strange) + len(beyond) + 1
        wanted = {"received": 3, "unique": 3, "foreign": foreign, "beyond": len(beyond)}
        expect(counts(report), wanted, port)
        # An unknown flow with the right tag is ours as well.
        headers = len(altered) + len(beyond) + 1
        expect(report["corrupt_by"], {"ip_sum": 0, "udp_sum": 0, "no_sum": 0, "header": headers})
    # Without the key a sink does not know what it is.
    expect(counts(received(wire, "xdp", own)), {"foreign": 3})


def damage_under_a_tag(wire: Wire) -> None:
    """A wrong checksum is damage, whatever the tag says."""
    need_xdp(wire)
    damaged = [packet(4, udp(4, tagged(1), check=check)) for check in ("wrong", "none")]
    for port in ("xdp", "ring"):
        sink = wire.sink(port=port, key=KEY)
        sink.start()
        inject(wire, 4, [*damaged, packet(4, udp(4, tagged(1)))])
        report = sink.close()
        expect((report["unique"], report["corrupt"], report["foreign"]), (1, 2, 0), port)


def senders_tag(wire: Wire) -> None:
    """Every way to send and to receive makes and reads the same tags; delays are true."""
    ends = [("udp", "udp", 4)]
    if not wire.loopback:
        need_xdp(wire)
        ends += [(port, "xdp", 6) for port in frame_ports(wire)] + [("live", "ring", 4)]
    for port, sink, family in ends:
        keys: Keys = {"key": KEY, "family": family, "flows": 3}
        send = keys | {"port": port, "frame_bytes": [100, 333, 1518], "packets": 300}
        bound = {"most_packets": 100, "most_pps": 5000}
        sent, got = wire.trial(send, keys | bound | {"port": sink})
        conserved(sent, got)
        expect((got["unique"], got["foreign"]), (sent["sent"], 0), port, sink, family)
        expect(got["flow"]["highest"], [99] * 3, port, sink)
        holds(max(got["delay_ns"]["low"]) < 5e9, got["delay_ns"])
    sent, got = wire.trial({"key": KEY}, {"key": OTHER})
    expect((sent["sent"], got["received"], got["foreign"]), (500, 0, 500))


def keys_are_refused(wire: Wire) -> None:
    """A key is 16 bytes; the error does not repeat it."""
    for key in ("", "0" * 31, "0" * 33, "g" * 32, "A" * 32):
        for agent in (wire.sink(key=key), wire.sender(key=key)):
            expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "key", 2))
            holds(not key or key not in agent.ready["reason"], agent.ready)
    for keys in ({"most_packets": -1}, {"most_pps": -1}):
        agent = wire.sink(**keys)
        expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", *keys, 2))


@contextmanager
def stranger(wire: Wire) -> Iterator[tuple[str, str]]:
    """Another host, on whose side the run's own is as well; its address and the listener's."""
    if wire.loopback:
        yield "127.0.0.77", "127.0.0.1"
        return
    sh("ip", "-n", A, "addr", "add", "10.9.0.77/24", "dev", "v0")
    try:
        yield "10.9.0.77", ADDRESS[4][1]
    finally:
        sh("ip", "-n", A, "addr", "del", "10.9.0.77/24", "dev", "v0")


def knock(wire: Wire, source: str, target: str, port: int) -> str:
    """What a connection from another host comes to."""
    words = (sys.executable, "-c", CONNECT, source, target, str(port))
    return sh(*(("ip", "netns", "exec", wire.a) if wire.a else ()), *words).strip()


def own(wire: Wire) -> list[str]:
    """The address of the host that may connect."""
    return ["127.0.0.1" if wire.loopback else ADDRESS[4][0]]


def streams_of_the_runs_own_hosts(wire: Wire) -> None:
    """Another host's connection takes no stream's place, before the start and after it."""
    with stranger(wire) as (source, target):
        sink = streams.stream(wire, "sink", "listen", {"peers": own(wire)})
        expect(knock(wire, source, target, streams.LISTENER_PORT), "closed")
        writing = streams.stream(wire, "source", "connect", {})
        for agent in (sink, writing):
            expect(agent.start()["ev"], "start")
        sent, got = writing.done(), sink.close()
        expect((got["strangers"], sent["strangers"]), (1, 0))
        holds(got["bytes"] > 0, got["bytes"])
        anyone = streams.stream(wire, "sink", "listen", {})
        expect(knock(wire, source, target, streams.LISTENER_PORT), "open")
        anyone.end()


def connections_of_the_runs_own_hosts(wire: Wire) -> None:
    """Another host's connection is closed at once and is none of the server's."""
    with stranger(wire) as (source, target):
        client: Keys = {"connections": 20, "duration_ms": 2000}
        asking, serving = connections.pair(wire, client, {"peers": own(wire)})
        asking.until("opened")
        expect(knock(wire, source, target, connections.SERVER_PORT), "closed")
        done, served = asking.close(), serving.close()
        expect((done["open"], served["accepted"], served["strangers"]), (20, 20, 1))


def peers_are_refused(wire: Wire) -> None:
    """What is no address, too many, and where nobody listens."""
    stream: Keys = {"role": "sink", "open": "listen", "family": 4, "src": "127.0.0.1"}
    stream |= {"src_port": 7999, "duration_ms": 100}
    server: Keys = {"role": "server", "mode": "open", "family": 4, "src": "127.0.0.1"}
    server |= {"src_port": 7999, "connections": 1}
    to: Keys = {"dst": "127.0.0.1", "dst_port": 7999, "src_port": 8001, "peers": ["10.0.0.1"]}
    for verb, keys in (
        ("stream", stream | {"peers": ["::1"]}),
        ("connect", server | {"peers": ["somebody"]}),
        ("connect", server | {"peers": ["10.0.0.1"] * 257}),
        ("stream", stream | to | {"open": "connect"}),
        ("connect", server | to | {"role": "client"}),
    ):
        agent = Agent(wire.b, verb, keys)
        expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "peers", 2), keys)


STRANGER_TESTS = [
    a_stray_costs_no_good_packet,
    numbers_that_cannot_be,
    a_stray_of_the_ledger,
    strangers_without_the_key,
    damage_under_a_tag,
    senders_tag,
    keys_are_refused,
    streams_of_the_runs_own_hosts,
    connections_of_the_runs_own_hosts,
    peers_are_refused,
]
