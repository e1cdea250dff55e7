# SPDX-License-Identifier: Apache-2.0
"""What gm-classifier's sandbox costs: packets for a second of its CPU time, with and without one.

As benchmarks/sandbox.py compares the agent with itself. `watch` reads packets by a packet socket,
and makes system calls for each batch of them; `run` reads a capture, and makes none for a packet.
What `attach` puts into the kernel does not see the sandbox.

A machine that others share is faster and slower for seconds, and for milliseconds. So the two take
turns: a slice of one, then a slice of the same packets of the other, and which comes first
alternates. A round has new processes and files, since their places in memory are chance, and many
slices; it counts as one value, the median ratio of its neighbours. The shorter a slice, the more
of what others do is in both: `watch` is stopped while 256 packets come, and a slice is what it
takes for them, in full batches. A slice of `run` is a whole run, with its start. The goal: no
change, with a minimum detectable effect (MDE) of 2 % at most.
"""

import argparse
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import product
from operator import truediv
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.compare import progress
from benchmarks.sandbox import AGENTS, pair, put, text

CLASSIFIER: Final = Path(__file__).parents[1] / "classifier"
MODEL: Final = CLASSIFIER / "tests" / "models" / "short.txt"
TARGET: Final = "build/own/named/gm-classifier"
FLOWS: Final = 256  # a packet of each is a slice of `watch`
CAPTURED: Final = 400_000  # packets of a slice of `run`
SLICES: Final = {"watch": 1500, "run": 40}  # pairs of a round
WORDS: Final = ("--priority", "first")
IFACE, RMEM = 4, 6  # columns of /proc/net/packet

Slice = Callable[[], float]  # measures one: packets for a second of CPU time


def packet(flow: int) -> bytes:
    """A frame of UDP from a host of the LAN."""
    lan = 0x0A000000 + flow
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 128, 0, 0, 64, 17, 0, lan, 0xC0000201)
    return bytes(12) + b"\x08\0" + ip + struct.pack(">HHHH", 5000, 6000, 108, 0) + bytes(100)


FRAMES: Final = [packet(flow) for flow in range(FLOWS)]


def capture(file: Path) -> None:
    """A capture of such packets, one each 10 us."""
    with file.open("wb") as stream:
        stream.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number in range(CAPTURED):
            frame = FRAMES[number % FLOWS]
            seconds, us = divmod(10 * number, 1_000_000)
            stream.write(struct.pack("<4I", seconds, us, len(frame), len(frame)) + frame)


@contextmanager
def run(program: Path) -> Iterator[Slice]:
    """Whole runs over the capture."""
    file = program.parents[1] / "capture"
    words = [str(program), "run", str(MODEL), str(file), "--lan", "10.0.0.0/8", *WORDS]

    def measured() -> float:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{words!r}: exit code {process.returncode}")
        return CAPTURED / (used.ru_utime + used.ru_stime)

    yield measured


@contextmanager
def watch(program: Path) -> Iterator[Slice]:
    """Bursts that wait in the socket of a process, which is stopped until its turn comes."""
    device, file = program.parent.name, program.parent / "output"
    ip("link", "add", device, "up", "type", "veth", "peer", "name", f"{device}-host")
    ip("link", "set", f"{device}-host", "up")
    words = [str(program), "watch", str(MODEL), device, *WORDS]
    with file.open("w") as output, socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((f"{device}-host", 0))
        process = subprocess.Popen(words, stdout=output)
        sent = 0

        def measured() -> float:
            nonlocal sent
            for frame in FRAMES:
                sender.send(frame)
            sent += FLOWS
            before_ns = cpu_ns(process.pid)
            process.send_signal(signal.SIGCONT)
            while waits(device):
                time.sleep(0.001)
            stop(process)
            return FLOWS * 1e9 / (cpu_ns(process.pid) - before_ns)

        while not file.stat().st_size:
            time.sleep(0.001)
        stop(process)
        yield measured
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.wait()
    ip("link", "del", device)
    seen = int(file.read_text().splitlines()[-1].split(",")[0])
    if seen != sent:
        raise SystemExit(f"watch saw {seen} of {sent} packets")


def ip(*words: str) -> None:
    """Run iproute2's command."""
    subprocess.run(["ip", *words], check=True)


def waits(device: str) -> bool:
    """Whether packets wait for whoever listens there."""
    index = str(socket.if_nametoindex(device))
    rows = [line.split() for line in Path("/proc/net/packet").read_text().splitlines()[1:]]
    return any(int(row[RMEM]) for row in rows if row[IFACE] == index)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Return when it stands still."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)


def cpu_ns(pid: int) -> int:
    """The CPU time of a process that stands still: Documentation/scheduler/sched-stats.rst."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


WAYS: Final[dict[str, Callable[[Path], AbstractContextManager[Slice]]]] = {
    "watch": watch,
    "run": run,
}


def measure(way: str, images: dict[str, bytes], folder: Path) -> tuple[float, float]:
    """A round: packets for a second of CPU time without a sandbox, and with one."""
    with ExitStack() as stack:
        measured = {
            name: stack.enter_context(WAYS[way](put(image, folder / name)))
            for name, image in images.items()
        }
        rates: dict[str, list[float]] = {name: [] for name in images}
        for number in range(SLICES[way]):
            for name in AGENTS if number % 2 else AGENTS[::-1]:
                rates[name].append(measured[name]())
    without = median(rates["without"])
    return without, without * median(map(truediv, rates["with"], rates["without"]))


def main() -> None:
    """Measure in rounds, in a network namespace of our own; print the ratio of each way."""
    parser = argparse.ArgumentParser(prog="benchmarks.sandbox_classifier", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="rounds (default: 20)")
    parser.add_argument("--way", choices=list(WAYS), help="one of both (default: both)")
    options = parser.parse_args()
    if "INSIDE" not in os.environ:
        again = ["unshare", "-n", sys.executable, "-m", "benchmarks.sandbox_classifier"]
        done = subprocess.run(
            [*again, *sys.argv[1:]], env=os.environ | {"INSIDE": "1"}, check=False
        )
        raise SystemExit(done.returncode)
    seen: dict[str, list[tuple[float, float]]] = {
        way: [] for way in ([options.way] if options.way else WAYS)
    }
    with TemporaryDirectory() as folder:
        images = dict(zip(AGENTS, pair(CLASSIFIER, TARGET), strict=True))
        capture(Path(folder, "capture"))
        for name in images:
            Path(folder, name).mkdir()
        for number, way in product(range(options.rounds), seen):
            progress(f"round {number + 1} of {options.rounds}: {way}")
            seen[way].append(measure(way, images, Path(folder)))
    progress("")
    for way, rates in seen.items():
        print(text(way, *zip(*rates, strict=True)))


if __name__ == "__main__":
    main()
