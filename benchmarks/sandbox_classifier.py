# SPDX-License-Identifier: Apache-2.0
"""What gm-classifier's sandbox costs: packets for a second of its CPU time, with and without one.

As benchmarks/sandbox.py compares the agent with itself. `watch` reads packets by a packet socket,
and makes system calls for each batch of them; `run` reads a capture, and makes none for a packet.
What `attach` puts into the kernel does not see the sandbox. Rounds are interleaved, and the first
of a round alternates. The goal: no change, with a minimum detectable effect (MDE) of 2 % at most.
"""

import argparse
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.compare import progress
from benchmarks.sandbox import AGENTS, pair, put, text

CLASSIFIER: Final = Path(__file__).parents[1] / "classifier"
MODEL: Final = CLASSIFIER / "tests" / "models" / "short.txt"
TARGET: Final = "build/own/named/gm-classifier"
FLOWS: Final = 256
FLOOD: Final = 60_000  # packets of a round
CAPTURED: Final = 400_000
WORDS: Final = ("--priority", "first")


def packet(flow: int) -> bytes:
    """A frame of UDP from a host of the LAN."""
    lan = 0x0A000000 + flow
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 128, 0, 0, 64, 17, 0, lan, 0xC0000201)
    return bytes(12) + b"\x08\0" + ip + struct.pack(">HHHH", 5000, 6000, 108, 0) + bytes(100)


# In the namespace: whoever listens hears them at `lan`.
SENDER: Final = f"""
import socket, sys, time
sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sock.bind(("host", 0))
packets = [bytes.fromhex(line) for line in open(sys.argv[1])]
for number in range({FLOOD}):
    sock.send(packets[number % {FLOWS}])
"""


def capture(file: Path) -> None:
    """A capture of such packets, one each 10 us."""
    frames = [packet(flow) for flow in range(FLOWS)]
    with file.open("wb") as stream:
        stream.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number in range(CAPTURED):
            frame = frames[number % FLOWS]
            seconds, us = divmod(10 * number, 1_000_000)
            stream.write(struct.pack("<4I", seconds, us, len(frame), len(frame)) + frame)


def run(program: Path, folder: Path) -> float:
    """Packets of the capture for a second of CPU time."""
    words = [str(program), "run", str(MODEL), str(folder / "capture"), "--lan", "10.0.0.0/8"]
    process = subprocess.Popen([*words, *WORDS], stdout=subprocess.DEVNULL)
    return CAPTURED / cpu_s(process)


def watch(program: Path, folder: Path) -> float:
    """Packets that it saw, of a flood, for a second of CPU time."""
    words = [str(program), "watch", str(MODEL), "lan", *WORDS]
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(words, stdout=output)
        while not (folder / "output").stat().st_size:
            os.sched_yield()
        subprocess.run([sys.executable, "-c", SENDER, str(folder / "packets")], check=True)
        process.send_signal(signal.SIGTERM)
        took_s = cpu_s(process)
        output.seek(0)
        return int(output.read().splitlines()[-1].split(",")[0]) / took_s


def cpu_s(process: "subprocess.Popen[bytes]") -> float:
    """Wait for its end: the CPU time that it took."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{process.args!r}: exit code {process.returncode}")
    return used.ru_utime + used.ru_stime


WAYS: Final[dict[str, Callable[[Path, Path], float]]] = {"watch": watch, "run": run}


def main() -> None:
    """Measure in rounds, in a network namespace of our own; print the ratio of each way."""
    parser = argparse.ArgumentParser(prog="benchmarks.sandbox_classifier", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="rounds (default: 20)")
    parser.add_argument("--best", type=int, default=1, help="of so many in turns (default: 1)")
    options = parser.parse_args()
    if "INSIDE" not in os.environ:
        again = ["unshare", "-n", sys.executable, "-m", "benchmarks.sandbox_classifier"]
        again += ["--rounds", str(options.rounds), "--best", str(options.best)]
        raise SystemExit(
            subprocess.run(again, check=False, env=os.environ | {"INSIDE": "1"}).returncode
        )
    link = ("link", "add", "lan", "type", "veth", "peer", "name", "host")
    for words in (link, *(("link", "set", name, "up") for name in ("lan", "host"))):
        subprocess.run(["ip", *words], check=True)
    seen: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        images = dict(zip(AGENTS, pair(CLASSIFIER, TARGET), strict=True))
        capture(folder / "capture")
        (folder / "packets").write_text("".join(f"{packet(at).hex()}\n" for at in range(FLOWS)))
        for number, way in product(range(options.rounds), WAYS):
            progress(f"round {number + 1} of {options.rounds}: {way}")
            rates: dict[str, float] = {}
            for turn in range(options.best):
                for name in AGENTS if (number + turn) % 2 else AGENTS[::-1]:
                    rate = WAYS[way](put(images[name], folder), folder)
                    rates[name] = max(rates.get(name, 0), rate)
            for name, rate in rates.items():
                seen.setdefault((way, name), []).append(rate)
    progress("")
    for way in WAYS:
        print(text(way, *(seen[way, name] for name in AGENTS[::-1])))


if __name__ == "__main__":
    main()
