# SPDX-License-Identifier: Apache-2.0
"""python tests/nodes.py PROGRAM: classifier nodes and action nodes in namespaces; prints TAP.

A host sends through three gateways in a row to another. At the first gateway's LAN a program
decides and tells all three; each marks the flow at its own forward hook, where a counter of
nftables sees it.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
MODEL: Final = HERE / "models" / "short.txt"
GATEWAYS: Final = 3
NODES: Final = GATEWAYS + 2
KEY: Final = "00112233445566778899aabbccddeeff"
MARK: Final = "0x10/0xf0"
TTL_S: Final = 4
SENT: Final = 900  # by several flows, and as many come back
ENOUGH: Final = 100  # packets until a class is confirmed
PATIENCE_S: Final = 20.0  # until something has to be so; a busy machine is slower than a quiet one
ORDERS: Final = "nodes,messages,refused,added,removed,renewed,untaken"
FLOWS: Final = 65_536  # that an action node holds (SETS_FLOWS), half of them by RAP at most
BY_RAP: Final = FLOWS // 2
PREFERRED: Final = ("--priority", "first,second,other")
TELLING: Final = ("--key", "key", "--ttl", str(TTL_S))
COUNTER: Final = """table inet seen {
  counter marked { }
  chain after {
    type filter hook forward priority 0
    meta mark & 0xf0 == 0x10 counter name marked
  }
}
"""
SENDER: Final = """
import socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("10.77.0.1", 5000))
while True:
    sock.sendto(bytes(72), ("10.77.3.2", 6000))
    time.sleep(.02)
"""
# Flows that differ, so that some change their class.
SEVERAL: Final = """
import random, socket, sys, time
draw = random.Random(1)
socks = []
for port in range(5100, 5106):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("10.77.0.1", port))
    socks.append(sock)
for _ in range(int(sys.argv[1])):
    at = draw.randrange(len(socks))
    socks[at].sendto(bytes(draw.randrange(20, 40 + 250 * at)), ("10.77.3.2", 6000))
    time.sleep(draw.random() * .002)
"""
SINK: Final = """
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("10.77.3.2", 6000))
print("listening", flush=True)
while True:
    data, sender = sock.recvfrom(2048)
    sock.sendto(data, sender)
"""
# What an action node would hear again: it greets with a nonce and keeps what a CN sends.
RECORDER: Final = """
import socket, sys
server = socket.create_server(("10.77.2.2", 4740))
print("listening", flush=True)
client, _ = server.accept()
client.sendall(bytes(16))
with open("heard", "wb") as file:
    while data := client.recv(4096):
        file.write(data)
        file.flush()
"""
REPLAYER: Final = """
import socket, sys
client = socket.create_connection(("10.77.2.2", 4739))
client.recv(16)
client.sendall(open("heard", "rb").read())
try:
    sys.exit(client.recv(1) != b"")
except ConnectionResetError:  # what came behind the first message was never read
    sys.exit(0)
"""
# A message of the right form, whose tag nobody with the key made.
FORGER: Final = """
import socket, struct, sys
client = socket.create_connection(("10.77.2.2", 4739))
client.recv(16)
client.sendall(struct.pack(">HHIII", 10, 28, 0, 0, 0) + struct.pack(">HH", 259, 12) + bytes(8))
sys.exit(client.recv(1) != b"")
"""
# Orders by RAP at the last action node: kind (0: add, 1: remove), the first flow, how many.
# It waits until each datagram was read, so that none is lost.
ORDERER: Final = """
import pathlib, socket, struct, sys, time
kind, first, count = map(int, sys.argv[1:])
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.connect(("10.77.2.2", 4739))
until = time.monotonic() + 120
template = struct.pack(">2H11H", 1, 26, 256, 0, 1, 2, 3, 4, 5, 12, 14, 15, 13)
def is_read():
    lines = pathlib.Path("/proc/net/udp").read_text().splitlines()[1:]
    queues = [line.split()[4] for line in lines if line.split()[1] == "02024D0A:1283"]
    return queues[0].endswith(":00000000")
def record(flow):
    lan, wan = struct.pack(">I", 0x0a640000 + flow), bytes((192, 0, 2, 1))
    return lan + wan + struct.pack(">2H2BHHB", 5000, 6000, 17, kind, 600, 0, 1)
for at in range(first, first + count, 100):
    records = b"".join(map(record, range(at, min(at + 100, first + count))))
    sets = template + struct.pack(">2H", 256, 4 + len(records)) + records
    sock.send(struct.pack(">2H2I", 1, 12 + len(sets), 0, 0) + sets)
    while not is_read():
        if time.monotonic() > until:
            sys.exit("the action node reads no more")
        time.sleep(.001)
"""


class Lab:
    """Namespaces in a row, and what runs in them."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = str(Path(program).resolve())
        self.folder = folder
        self.names = [f"gm-n{os.getpid()}-{at}" for at in range(NODES)]
        self.processes: list[subprocess.Popen[bytes]] = []
        (folder / "key").write_text(f"{KEY}\n")
        (folder / "key").chmod(0o600)

    def build(self) -> bool:
        """Node i has 10.77.i-1.2 to the left and 10.77.i.1 to the right. False: no right to."""
        if any(run("ip", "netns", "add", name).returncode for name in self.names):
            return False
        for at in range(NODES - 1):
            ends = (self.names[at], self.names[at + 1])
            run(
                *("ip", "link", "add", "wan", "netns", ends[0], "type", "veth"),
                *("peer", "name", "lan", "netns", ends[1]),
            )
            for number, (name, device) in enumerate(zip(ends, ("wan", "lan"), strict=True), 1):
                self.inside(name, "ip", "addr", "add", f"10.77.{at}.{number}/24", "dev", device)
                self.inside(name, "ip", "link", "set", device, "up")
        for at, name in enumerate(self.names):
            self.inside(name, "ip", "link", "set", "lo", "up")
            self.inside(name, "sysctl", "-qw", "net.ipv4.ip_forward=1")
            self.inside(name, "ip", "route", "add", "default", "via", f"10.77.{at}.2")
            for net in range(at - 1):
                way = f"10.77.{at - 1}.1"
                self.inside(name, "ip", "route", "add", f"10.77.{net}.0/24", "via", way)
        return True

    def close(self) -> None:
        """Nothing is left."""
        for process in self.processes:
            process.kill()
            process.wait()
        for name in self.names:
            run("ip", "netns", "del", name)

    def inside(self, name: str, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """A command in a namespace, to its end."""
        return run("ip", "netns", "exec", name, *words, text=text, folder=self.folder)

    def start(self, at: int, *words: str, log: str) -> subprocess.Popen[bytes]:
        """A program at a node, whose output goes to a file."""
        with (self.folder / log).open("wb") as stream:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.names[at], *words],
                stdout=stream,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
            )
        self.processes.append(process)
        return process

    def python(self, at: int, text: str, log: str, *words: str) -> subprocess.Popen[bytes]:
        """A program in Python at a node."""
        return self.start(at, sys.executable, "-c", text, *words, log=log)

    def lines(self, log: str) -> list[str]:
        """What a program wrote so far."""
        return (self.folder / log).read_text().splitlines()

    def marked(self, at: int) -> int:
        """Packets with the mark that a gateway forwarded."""
        text = self.inside(self.names[at], "nft", "list", "counter", "inet", "seen", "marked")
        words = text.stdout.split()
        return int(words[words.index("packets") + 1]) if "packets" in words else -1

    def all_mark(self) -> bool:
        """Whether each gateway marks packets that come now."""
        before = [self.marked(at) for at in range(1, GATEWAYS + 1)]
        time.sleep(0.3)
        after = [self.marked(at) for at in range(1, GATEWAYS + 1)]
        return all(0 <= was < is_ for was, is_ in zip(before, after, strict=True))

    def none_marks(self) -> bool:
        """Whether none does."""
        before = [self.marked(at) for at in range(1, GATEWAYS + 1)]
        time.sleep(0.3)
        return before == [self.marked(at) for at in range(1, GATEWAYS + 1)]

    def classify(self, verb: str, *more: str, log: str = "cn") -> subprocess.Popen[bytes]:
        """A classifier node at the first gateway, for all three."""
        to = ",".join(f"10.77.{at}.2" for at in range(GATEWAYS))
        words = (verb, str(MODEL), "lan", *PREFERRED, *TELLING, *(more or ("--to", to)))
        return self.start(1, self.program, *words, log=log)


def run(
    *words: str, text: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A command of the system."""
    return subprocess.run(
        words, capture_output=True, text=True, check=False, input=text, cwd=folder
    )


def becomes(condition: Callable[[], bool]) -> bool:
    """Whether it is so within the time that is given to everything here."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False


def tests(lab: Lab) -> Iterator[tuple[bool, str]]:
    """Each test: whether it holds, and what it is."""
    for at in range(1, GATEWAYS + 1):
        lab.inside(lab.names[at], "nft", "-f", "-", text=COUNTER)
        here = f"10.77.{at - 1}.2"
        words = ("act", here, "--key", "key", "--mark", MARK, "--rap", here)
        lab.start(at, lab.program, *words, log=f"an{at}")
    ready = becomes(lambda: all(ORDERS in lab.lines(f"an{at}") for at in range(1, GATEWAYS + 1)))
    yield ready, "three action nodes listen"
    lab.python(NODES - 1, SINK, "sink")
    becomes(lambda: "listening" in lab.lines("sink"))
    yield alike(lab)
    lab.python(0, SENDER, "sender")
    for verb in ("attach", "watch"):
        yield from steered(lab, verb)
    yield from reloaded(lab)
    yield unpreferred(lab)
    yield rap(lab)
    yield from refused(lab)
    yield from full(lab)
    yield offloaded(lab)


def alike(lab: Lab) -> tuple[bool, str]:
    """A packet socket gives each packet the class that a capture of the same packets gives it.

    tcpdump and the program have one time of a packet, which the kernel takes once. Its ring has
    room for all packets: by default one of these ports leaves room for 32, and on a busy machine
    more than that come before it is given a CPU.
    """
    name = "a packet socket, a capture and BPF give each packet the same class"
    if not shutil.which("tcpdump"):
        return True, f"{name} # SKIP no tcpdump"
    file = lab.folder / "packets.pcap"
    room = ("-s", "2048", "-B", "8192")  # bytes of a packet, KiB of them all
    words = ("-i", "lan", "-n", "-U", "--immediate-mode", *room, "-w", str(file), "udp")
    tcpdump = lab.start(1, "tcpdump", *words, log="tcpdump")
    asked = "--packets", *PREFERRED
    watch = lab.start(1, lab.program, "watch", str(MODEL), "lan", *asked, log="watched")
    becomes(lambda: bool(lab.lines("watched")) and "listening" in "".join(lab.lines("tcpdump")))
    lab.python(0, SEVERAL, "several", str(SENT)).wait()
    becomes(lambda: captured(file) >= 2 * SENT and not unread(lab))
    for process in (tcpdump, watch):
        process.send_signal(signal.SIGTERM)
        process.wait()
    inside = "--lan", "10.77.0.0/24"
    ran = run(lab.program, "run", str(MODEL), str(file), *inside, *asked)
    by_capture = [line.split(",") for line in ran.stdout.splitlines()[1:]]
    by_socket = [line.split(",") for line in lab.lines("watched")[1:]]
    first: dict[str, int] = {}
    for flow, time_us, *_ in by_socket:
        first.setdefault(flow, int(time_us))
    # Two sockets may see packets of two flows that come on two CPUs in another order.
    by_flow = itemgetter(0)
    socket_rows = sorted(
        ((flow, str(int(us) - first[flow]), *more) for flow, us, *more in by_socket), key=by_flow
    )
    capture_rows = sorted(((flow, us, *more) for flow, _, us, *more in by_capture), key=by_flow)
    verified = run(lab.program, "verify", str(MODEL), str(file), *inside)
    classes = {row[3] for row in socket_rows}
    holds = (
        socket_rows == capture_rows and len(capture_rows) > SENT and len(classes) > 1
    ) and verified.returncode == 0
    which = next(
        (pair for pair in zip(socket_rows, capture_rows, strict=False) if pair[0] != pair[1]), ""
    )
    more = f"{len(socket_rows)} and {len(capture_rows)} packets {sorted(classes)} {which}"
    return holds, f"{name}: {more}" + ("" if verified.returncode == 0 else verified.stderr)


def captured(file: Path) -> int:
    """Packets in a capture until now: 24 bytes, then each packet behind 16 of its own."""
    data, at, count = file.read_bytes(), 24, 0
    while at + 16 <= len(data):
        at += 16 + int.from_bytes(data[at + 8 : at + 12], sys.byteorder)
        count += at <= len(data)
    return count


def unread(lab: Lab) -> bool:
    """Whether a packet socket at the first gateway has bytes that its program did not read yet."""
    rows = lab.inside(lab.names[1], "cat", "/proc/net/packet").stdout.splitlines()[1:]
    return any(row.split()[6] != "0" for row in rows)


def steered(lab: Lab, verb: str) -> Iterator[tuple[bool, str]]:
    """A node that classifies, killed and begun again."""
    node = lab.classify(verb)
    marks = becomes(lab.all_mark)
    yield marks, f"{verb}: three gateways mark what one decides{explain(lab, marks)}"
    node.send_signal(signal.SIGKILL)
    node.wait()
    dead = becomes(lab.none_marks)
    forwards = becomes(lambda: forwarded(lab))
    yield dead and forwards, f"{verb}: killed, its marks time out, and packets are forwarded"
    node = lab.classify(verb)
    yield becomes(lab.all_mark), f"{verb}: begun again, it tells all that holds"
    node.send_signal(signal.SIGTERM)
    node.wait()
    becomes(lab.none_marks)


def reloaded(lab: Lab) -> Iterator[tuple[bool, str]]:
    """A reload of nftables at the last gateway takes its table along, and all marks with it."""
    node = lab.classify("attach")
    marks = becomes(lab.all_mark)
    watched = looked_after(lab)
    lab.inside(lab.names[GATEWAYS], "nft", "flush", "ruleset")
    lab.inside(lab.names[GATEWAYS], "nft", "-f", "-", text=COUNTER)
    again = becomes(lab.all_mark)
    yield marks and again, f"marks come back after a reload of nftables{explain(lab, again)}"
    yield watched, "an action node asks within a minute whether its nodes are there"
    node.send_signal(signal.SIGTERM)
    node.wait()
    becomes(lab.none_marks)


def looked_after(lab: Lab) -> bool:
    """Whether each connection of the last action node has a timer of less than a minute."""
    words = ("ss", "-Htno", "state", "established", "sport", "=", ":4739")
    lines = lab.inside(lab.names[GATEWAYS], *words).stdout.splitlines()
    return bool(lines) and all("(keepalive," in line and "min" not in line for line in lines)


def unpreferred(lab: Lab) -> tuple[bool, str]:
    """A flow of a class that is not preferred takes no place among the decisions."""
    words = ("watch", str(MODEL), "lan", "--priority", "second")
    node = lab.start(1, lab.program, *words, log="unpreferred")
    enough = becomes(lambda: last_counts(lab, "unpreferred").get("seen", 0) >= ENOUGH)
    node.send_signal(signal.SIGTERM)
    node.wait()
    decisions = last_counts(lab, "unpreferred").get("decisions")
    return enough and decisions == 0, f"watch: {decisions} decisions for a class without priority"


def last_counts(lab: Lab, log: str) -> dict[str, int]:
    """The last counters of a program, by their names; none before it wrote some."""
    lines = lab.lines(log)
    counters = [line for line in lines if line[:1].isdigit()]
    if not counters:
        return {}
    return dict(zip(lines[0].split(","), map(int, counters[-1].split(",")), strict=True))


def rap(lab: Lab) -> tuple[bool, str]:
    """A node of DIFFUSE's time is told by RAP, over UDP."""
    node = lab.classify("attach", "--to", ",".join(f"rap:10.77.{at}.2" for at in range(GATEWAYS)))
    marks = becomes(lab.all_mark)
    node.send_signal(signal.SIGTERM)
    node.wait()
    return marks and becomes(lab.none_marks), "three gateways mark what one decides, by RAP"


def forwarded(lab: Lab) -> bool:
    """Whether the last gateway forwards packets."""
    counts = []
    for _ in range(2):
        file = "/sys/class/net/wan/statistics/tx_packets"
        counts.append(int(lab.inside(lab.names[GATEWAYS], "cat", file).stdout))
        time.sleep(0.3)
    return counts[0] < counts[1]


def refused(lab: Lab) -> Iterator[tuple[bool, str]]:
    """What is recorded and sent again, or forged, ends the connection and marks nothing."""
    lab.python(GATEWAYS, RECORDER, "recorder")
    becomes(lambda: "listening" in lab.lines("recorder"))
    node = lab.classify("attach", "--to", "10.77.2.2:4740")
    heard = lab.folder / "heard"
    recorded = becomes(lambda: heard.exists() and heard.stat().st_size > 400)
    node.send_signal(signal.SIGKILL)
    for name, text in (("replayed", REPLAYER), ("forged", FORGER)):
        before = refusals(lab)
        ended = lab.python(GATEWAYS, text, name).wait() == 0
        counted = becomes(lambda before=before: refusals(lab) > before)  # type: ignore[misc]
        yield recorded and ended and counted and lab.none_marks(), f"a {name} message is refused"


def full(lab: Lab) -> Iterator[tuple[bool, str]]:
    """The last action node is told more flows by RAP than it may take."""
    node = lab.classify("attach")
    marks = becomes(lab.all_mark)
    before = last_counts(lab, f"an{GATEWAYS}")
    sent = FLOWS + 500
    order(lab, "0", 0, sent)
    grown = growth(lab, before, lambda now: now["untaken"] >= sent - BY_RAP)
    elements = in_set(lab)
    time.sleep(TTL_S + 1)
    holds = (
        (marks and becomes(lab.all_mark))
        and grown["renewed"] == 0
        and sent - BY_RAP <= grown["untaken"] <= sent - BY_RAP + 1
        and BY_RAP <= elements <= in_set(lab)
    )
    yield holds, f"an action node that is full keeps its marks: {elements} elements, {grown}"
    node.send_signal(signal.SIGTERM)
    node.wait()
    becomes(lab.none_marks)
    order(lab, "0", sent, 100)  # one of these takes the place that was left
    growth(lab, before, lambda now: now["untaken"] >= sent - BY_RAP + 100)
    node = lab.classify("attach")
    yield becomes(lab.all_mark), "a node with the key is heard while RAP has filled its half"
    yield room_again(lab)
    yield lost(lab)
    node.send_signal(signal.SIGTERM)
    node.wait()
    becomes(lab.none_marks)


def room_again(lab: Lab) -> tuple[bool, str]:
    """Flows that end make room for as many new ones, and renewals need none."""
    before = last_counts(lab, f"an{GATEWAYS}")
    was = in_set(lab)
    order(lab, "0", 1000, 300)
    order(lab, "1", 0, 1000)
    grown = growth(lab, before, lambda now: now["removed"] >= 1000)
    fewer = in_set(lab)
    order(lab, "0", FLOWS + 1000, 500)
    more = growth(lab, before, lambda now: now["added"] - grown["added"] >= 500)
    elements = in_set(lab)
    holds = (was - fewer, elements - fewer, more["renewed"], more["untaken"]) == (1000, 500, 0, 0)
    return holds, f"flows that end make room for new ones: {was}, {fewer}, {elements}, {more}"


def lost(lab: Lab) -> tuple[bool, str]:
    """A table that is gone is made anew, and flows that it had take no place of the new one."""
    before = last_counts(lab, f"an{GATEWAYS}")
    lab.inside(lab.names[GATEWAYS], "nft", "flush", "ruleset")
    lab.inside(lab.names[GATEWAYS], "nft", "-f", "-", text=COUNTER)
    order(lab, "0", 2 * FLOWS, 1000)  # the first transaction of these is refused, at most
    grown = growth(lab, before, lambda now: now["added"] + now["untaken"] >= 1000)
    elements = in_set(lab)
    holds = (
        grown["renewed"] == 1
        and grown["untaken"] == 0
        and 900 <= elements <= 1001
        and becomes(lab.all_mark)
    )
    return holds, f"a table that is gone is made anew, and is empty: {elements} elements, {grown}"


def order(lab: Lab, kind: str, first: int, count: int) -> None:
    """Flows told to the last action node by RAP, to their end."""
    lab.python(GATEWAYS, ORDERER, "orderer", kind, str(first), str(count)).wait()


def in_set(lab: Lab) -> int:
    """Elements of IPv4 at the last gateway."""
    words = ("nft", "list", "set", "inet", "gatemark_act", "flows4")
    return lab.inside(lab.names[GATEWAYS], *words).stdout.count(" timeout ")


def growth(
    lab: Lab, before: dict[str, int], enough: Callable[[dict[str, int]], bool]
) -> dict[str, int]:
    """What the last action node's counters grew by, as soon as that is enough or in vain."""

    def grown() -> dict[str, int]:
        now = last_counts(lab, f"an{GATEWAYS}")
        return {name: value - before[name] for name, value in now.items()}

    becomes(lambda: enough(grown()))
    return grown()


OFFLOAD: Final = """table inet past {
  flowtable fast { hook ingress priority 0; devices = { lan, wan }; }
  chain forward { type filter hook forward priority 0; meta l4proto udp flow add @fast; }
}
"""


def offloaded(lab: Lab) -> tuple[bool, str]:
    """What a flow table forwards is said."""
    name = "offloaded flows are detected and reported"
    done = lab.inside(lab.names[1], "nft", "-f", "-", text=OFFLOAD)
    if done.returncode:
        return True, f"{name} # SKIP {done.stderr.splitlines()[0]}"
    lab.classify("watch", log="offloaded")
    return becomes(lambda: "flows are offloaded" in "".join(lab.lines("offloaded"))), name


def refusals(lab: Lab) -> int:
    """Connections that the last action node ended."""
    return last_counts(lab, f"an{GATEWAYS}")["refused"]


def explain(lab: Lab, holds: bool) -> str:
    """The last lines of all, where something does not hold."""
    if holds:
        return ""
    logs = {log: lab.lines(log)[-3:] for log in ("cn", "an1", "an2", "an3", "sender")}
    return f": {logs} {[lab.marked(at) for at in range(1, GATEWAYS + 1)]}"


def main(program: str) -> int:
    """1 where a test failed."""
    if not shutil.which("nft"):
        print("ok 1 - nodes # SKIP no nft")
        return 0
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(program, Path(folder))
        try:
            if not lab.build():
                print("ok 1 - nodes # SKIP no right to add a namespace")
                return 0
            for number, (holds, name) in enumerate(tests(lab), 1):
                print(f"{'ok' if holds else 'not ok'} {number} - {name}", flush=True)
                failed |= not holds
        finally:
            lab.close()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
