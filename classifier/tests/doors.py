# SPDX-License-Identifier: Apache-2.0
"""python tests/doors.py PROGRAM: what strangers and kills can do to gm-classifier; prints TAP.

All of it is in a network namespace of its own. Strangers have other addresses than the node that
has the key.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

HERE: Final = Path(__file__).resolve().parent
MODEL: Final = HERE / "models" / "short.txt"
KEY: Final = bytes.fromhex("00112233445566778899aabbccddeeff")
NODE: Final = ("127.0.0.1", 4739)
PATIENCE_S: Final = 30.0  # until something has to be so; a busy machine is slower than a quiet one
TRIES: Final = 40
MASK: Final = (1 << 64) - 1
ENTERPRISE: Final = 32473
INSIDE: Final = "GATEMARK_DOORS"  # set in the namespace
FLOW: Final = bytes((10, 0, 0, 2, 192, 0, 2, 1)) + struct.pack(">2HB", 5000, 6000, 17)
NET_ADMIN, BPF = 1 << 12, 1 << 39  # linux/capability.h
FILTERED: Final = "2"  # SECCOMP_MODE_FILTER


def siphash(key: bytes, data: bytes) -> int:
    """SipHash-2-4, as it is published (Aumasson, Bernstein 2012)."""
    k0, k1 = struct.unpack("<2Q", key)
    v: list[int] = [k ^ c for k, c in zip((k0, k1, k0, k1), INITIAL, strict=True)]
    whole = data + bytes(-(len(data) + 1) % 8) + bytes((len(data) & 255,))
    for (word,) in struct.iter_unpack("<Q", whole):
        v[3] ^= word
        _rounds(v, 2)
        v[0] ^= word
    v[2] ^= 255
    _rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


INITIAL: Final = struct.unpack(">4Q", b"somepseudorandomlygeneratedbytes")


def _rounds(v: list[int], count: int) -> None:
    def left(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & MASK

    for _ in range(count):
        for a, b, bits, turn in ((0, 1, 13, True), (2, 3, 16, False)):
            v[a] = (v[a] + v[b]) & MASK
            v[b] = left(v[b], bits) ^ v[a]
            if turn:
                v[a] = left(v[a], 32)
        for a, b, bits, turn in ((0, 3, 21, False), (2, 1, 17, True)):
            v[a] = (v[a] + v[b]) & MASK
            v[b] = left(v[b], bits) ^ v[a]
            if turn:
                v[a] = left(v[a], 32)


class Keyed:
    """A connection of a classifier node that has the key."""

    def __init__(self, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(NODE, PATIENCE_S, (source, 0))
        self.number = self.records = 0
        self.nonce = self.socket.recv(16, socket.MSG_WAITALL)
        self.socket.settimeout(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, *, action: int = 1, ttl_s: int = 600, key: bytes = KEY) -> None:
        """An order for the one flow of these tests."""
        own = [(element | 0x8000, size) for element, size in ((1, 1), (2, 2))]
        fields = [(8, 4), (12, 4), (7, 2), (11, 2), (4, 1), *own]
        order = struct.pack(">2H", 256, len(fields))
        order += b"".join(
            struct.pack(">2H", *field) + (field[0] >> 15) * struct.pack(">I", ENTERPRISE)
            for field in fields
        )
        tag = struct.pack(">4HI", 259, 1, 7 | 0x8000, 8, ENTERPRISE)
        record = FLOW + struct.pack(">BH", action, ttl_s)
        sets = _set(2, order + tag) + _set(256, record) + struct.pack(">2H", 259, 12)
        head = struct.pack(">2H3I", 10, 16 + len(sets) + 8, 0, self.records, 0)
        sealed = self.nonce + struct.pack(">Q", self.number) + head + sets
        self.socket.sendall(head + sets + struct.pack(">Q", siphash(key, sealed)))
        self.number, self.records = self.number + 1, self.records + 2

    @property
    def is_open(self) -> bool:
        """Whether the action node has not ended it."""
        try:
            return self.socket.recv(1, socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False


def _set(number: int, body: bytes) -> bytes:
    return struct.pack(">2H", number, 4 + len(body)) + body


def rap(kind: int, timeout_s: int = 600) -> None:
    """A datagram of RAP for the same flow, from anyone: 0 adds it, 1 removes it."""
    template = struct.pack(">9H", 256, 0, 1, 2, 3, 4, 5, 12, 14)
    sets = _set(1, template) + _set(256, FLOW + struct.pack(">BH", kind, timeout_s))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(struct.pack(">2H2I", 1, 12 + len(sets), 0, 0) + sets, NODE)


class Program:
    """A gm-classifier that serves, with what it has printed."""

    def __init__(self, program: str, *words: str) -> None:
        self.log = Path(f"log-{time.monotonic_ns()}")
        with self.log.open("wb") as stream:
            self.process = subprocess.Popen(
                [program, *words], stdout=stream, stderr=subprocess.STDOUT
            )
        self.is_up = becomes(lambda: "\n" in self.said or self.process.poll() is not None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()

    @property
    def said(self) -> str:
        """All that it has printed."""
        return self.log.read_text()

    def column(self, number: int) -> int:
        """A counter of its last whole line."""
        rows = [line.split(",") for line in self.said.split("\n")[1:-1] if line[:1].isdigit()]
        return int(rows[-1][number]) if rows else 0

    @property
    def children(self) -> list[int]:
        """Its processes."""
        pid = self.process.pid
        return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def act(program: str) -> Program:
    """An action node that hears RAP, too."""
    return Program(program, "act", NODE[0], "--key", "key", "--rap", NODE[0])


def becomes(condition: Callable[[], bool]) -> bool:
    """Whether it is so within the time that is given to everything here."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def nft(*words: str) -> str:
    """What nft prints."""
    return subprocess.run(["nft", *words], capture_output=True, text=True, check=False).stdout


def has_table() -> bool:
    """Whether an action node's table is there."""
    return "gatemark_act" in nft("list", "tables")


def elements() -> str:
    """The flows that are marked, without the seconds that are left."""
    text = nft("-n", "list", "set", "inet", "gatemark_act", "flows4")
    return text.partition("elements")[2]


def rights(pid: int) -> tuple[int, str, str]:
    """What a process may do: capabilities, no_new_privs, its filter (proc_pid_status(5))."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    shown = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    kept = {int(shown[key], 16) for key in ("CapPrm", "CapEff")}
    return max(kept), shown["NoNewPrivs"], shown["Seccomp"]


def tests(program: str) -> Iterator[tuple[bool, str]]:
    """Each test: whether it holds, and what it is."""
    yield from sandboxed(program)
    yield from keys(program)
    yield from killed(program)
    yield from unkeyed(program)
    yield from strangers(program)


def sandboxed(program: str) -> Iterator[tuple[bool, str]]:
    """Nobody who reads what is foreign has more rights than its job needs."""
    with act(program) as node:
        is_least = rights(node.process.pid) == (0, "1", FILTERED)
        yield is_least, f"act has no rights, and a filter: {rights(node.process.pid)}"
        seen = [rights(pid) for pid in node.children]
        yield seen == [(NET_ADMIN, "1", "0")], f"its keeper may change the network alone: {seen}"
    words = (str(MODEL), "lan", "--priority", "first", "--to", NODE[0], "--key", "key")
    for verb, wanted in (("watch", NET_ADMIN), ("attach", NET_ADMIN | BPF)):
        with Program(program, verb, *words) as one:
            seen = [rights(one.process.pid)] if one.process.poll() is None else []
            yield seen == [(wanted, "1", FILTERED)], f"{verb} has few rights: {seen} {one.said}"


def keys(program: str) -> Iterator[tuple[bool, str]]:
    """A key that others can read, or change, is no secret."""
    modes = (0o644, 0o640, 0o604, 0o602, 0o620, 0o606, 0o660, 0o666, 0o444, 0o440, 0o404, 0o777)
    owned = ((0o600, 65534), (0o400, 65534), (0o644, 65534))
    for mode, owner in (*((mode, 0) for mode in modes), *owned):
        other = Path("other-key")
        other.write_text(KEY.hex())
        os.chown(other, owner, owner)
        other.chmod(mode)
        words = [program, "act", NODE[0], "--key", str(other)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        holds = done.returncode == 2 and "chmod 600" in done.stderr
        yield holds, f"a key of mode {mode:o} of user {owner} is refused: {done.stderr.strip()}"


def killed(program: str) -> Iterator[tuple[bool, str]]:
    """Whatever is killed, the table goes, or does with the next start."""
    with act(program) as node, Keyed() as keyed:
        keyed.say()
        was = becomes(lambda: "10.0.0.2" in elements())
        node.process.kill()
        gone = becomes(lambda: not has_table())
        yield was and gone, "an action node that is killed leaves no table"
    with act(program) as node:
        os.kill(node.children[0], signal.SIGKILL)
        ended = becomes(lambda: node.process.poll() == 1)
        yield ended and "has gone" in node.said, f"without its keeper it ends: {node.said!r}"
    was = has_table()
    with act(program):
        yield was and elements() == "", "the next start makes what was left anew, and empty"
    yield not has_table(), "an action node that ends leaves no table"


def unkeyed(program: str) -> Iterator[tuple[bool, str]]:
    """RAP, which anyone can send, touches nothing but what came by RAP."""
    with act(program) as node, Keyed() as keyed:
        keyed.say(ttl_s=600)
        becomes(lambda: "10.0.0.2" in elements())
        for kind, timeout_s, what in ((1, 0, "removes"), (0, 1, "shortens"), (0, 9000, "renews")):
            before = node.column(1)
            rap(kind, timeout_s)
            becomes(lambda before=before: node.column(1) > before)  # type: ignore[misc]
            holds = "10.0.0.2" in elements() and "timeout 600s" in elements()
            yield holds, f"RAP {what} no order that came with the key: {elements()}"
        keyed.say(action=0)
        yield becomes(lambda: "10.0.0.2" not in elements()), "who has the key ends it"
        rap(0)
        was = becomes(lambda: "10.0.0.2" in elements())
        rap(1)
        yield was and becomes(lambda: "10.0.0.2" not in elements()), "RAP ends what RAP began"


def strangers(program: str) -> Iterator[tuple[bool, str]]:
    """Who has no key keeps nobody out, by whatever number of connections."""
    how = {
        "opens connections": (TRIES, "127.0.0.7", b""),
        "sends half a message": (TRIES, "127.0.0.7", bytes((0, 10, 0, 99))),
        "sends what has no right tag": (TRIES, "127.0.0.7", FORGED),
        # More addresses than there are places: the right node has to try again, as it does.
        "opens connections from 200 addresses": (10 * TRIES, "127.0.1.", b""),
    }
    for what, (tries, source, bytes_) in how.items():
        with act(program) as node, Keyed() as early:
            early.say()
            words = [sys.executable, "-c", STRANGER, source, bytes_.hex()]
            stranger = subprocess.Popen(words)
            becomes(lambda: connections() > MANY)
            for _ in range(tries):
                with suppress(OSError), Keyed() as one:
                    one.say()
            least = TRIES if tries == TRIES else 1
            becomes(lambda node=node, least=least: node.column(3) > least)  # type: ignore[misc]
            heard = node.column(3) - 1
            is_kept = early.is_open
            stranger.kill()
            stranger.wait()
            holds = heard >= least and is_kept and node.process.poll() is None
            text = f"{heard} of {tries} tries, the one before {'kept' if is_kept else 'lost'}"
            yield holds, f"while a stranger {what}, the right node is heard: {text}"
    with act(program):
        old = [Keyed() for _ in range(16)]
        for one in old:
            one.say()
        new = Keyed("127.0.0.9")
        new.say()
        closed = becomes(lambda: not old[0].is_open)
        holds = closed and new.is_open and all(one.is_open for one in old[1:])
        yield holds, "where all places are taken, the node that was silent for longest goes"
        for one in (*old, new):
            one.socket.close()


STRANGER: Final = f"""
import random, socket, sys
source, bytes_ = sys.argv[1], bytes.fromhex(sys.argv[2])
held = []
while True:
    try:
        own = source + str(random.randint(1, 200)) if source.endswith(".") else source
        held.append(socket.create_connection({NODE}, 30, (own, 0)))
        held[-1].sendall(bytes_)
    except OSError:
        pass
    del held[:-600]
"""
FORGED: Final = struct.pack(">2H3I2HQ", 10, 28, 0, 0, 0, 259, 12, 1)
MANY: Final = 30  # connections of a stranger


def connections() -> int:
    """Sockets of the other ends: what a stranger opened."""
    return Path("/proc/net/tcp").read_text().count("0100007F:1283 ")


def main(program: str) -> int:
    """1 where a test failed."""
    if not shutil.which("nft") or os.geteuid() != 0:
        print("ok 1 - doors # SKIP needs root and nft")
        return 0
    if INSIDE not in os.environ:
        again = ["unshare", "-n", sys.executable, __file__, str(Path(program).resolve())]
        return subprocess.run(again, check=False, env=os.environ | {INSIDE: "1"}).returncode
    link = ("link", "add", "lan", "type", "veth", "peer", "name", "host")
    for words in (link, *(("link", "set", name, "up") for name in ("lo", "lan", "host"))):
        subprocess.run(["ip", *words], check=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("key").touch(mode=0o600)
        Path("key").write_text(KEY.hex())
        for number, (holds, name) in enumerate(tests(program), 1):
            print(f"{'ok' if holds else 'not ok'} {number} - {' '.join(name.split())}", flush=True)
            failed |= not holds
        os.chdir("/")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
