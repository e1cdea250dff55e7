# SPDX-License-Identifier: Apache-2.0
"""What the agent's sandbox costs: packets for a second of its CPU time, with and without one.

The agent without is the same binary, byte for byte, but for the function that enters the sandbox:
it returns at once. Another build would lay its code out otherwise, which costs or gains a per cent
by itself. Both send and receive from host to host on the same lab, as fast as they can, round by
round in turn, and the first of a round alternates. `raw` and `ring` make a system call for each
burst, so a filter costs them most; `udp` makes one for each packet at its sink. CPU time and not
the clock: what a neighbour takes of the machine is in neither side. An XDP sink runs in the kernel
and has next to none of its own. The goal: no change, with a minimum detectable effect (MDE) of 2 %
at most. The processor is x86-64; `nm` (binutils) names the function's place.
"""

import argparse
import json
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.bare_lab import OurAgent, Report, ends, lab
from benchmarks.compare import progress
from benchmarks.peers import Ends
from gatemark.judge.change.paired import compare_pairs
from gatemark.station.netns import Lab

WAYS: Final = (("raw", "ring"), ("udp", "udp"), ("auto", "auto"))
FRAME_BYTES: Final = 64
AGENTS: Final = ("with", "without")
AGENT: Final = Path(__file__).parents[1] / "agent"
ENTER: Final = " T sandbox_enter"
NONE: Final = b"none: this kernel"  # what sandbox_enter() then says that there is
RETURNS: Final = struct.Struct("<BIB")  # mov eax, address; ret
LOADED: Final = 1  # PT_LOAD, elf(5)


def main() -> None:
    """Measure in rounds; print the ratio of each way."""
    parser = argparse.ArgumentParser(prog="benchmarks.sandbox", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="rounds (default: 20)")
    parser.add_argument(
        "--keep", type=Path, help="a file: its rounds count as well, ours are added"
    )
    parser.add_argument("--seconds", type=float, default=0.3, help="of each trial (default: 0.3)")
    parser.add_argument(
        "--way", choices=[way[0] for way in WAYS], help="one way to send (default: all)"
    )
    options = parser.parse_args()
    ways = [way for way in WAYS if options.way in (None, way[0])]
    with TemporaryDirectory() as folder, lab() as made, ExitStack() as stack:
        images = dict(zip(AGENTS, pair(AGENT, "build/x86_64/named/gm-agent"), strict=True))
        kept = stack.enter_context((options.keep or Path(folder, "rounds")).open("a+"))
        at = ends(made, "direct")
        for number, way in product(range(options.rounds), ways):
            progress(f"round {number + 1} of {options.rounds}: {way[0]} to {way[1]}")
            seen = {
                name: _measured(made, at, put(images[name], Path(folder)), way, options.seconds)
                for name in (AGENTS if number % 2 else AGENTS[::-1])
            }
            kept.write(json.dumps(seen) + "\n")
        kept.seek(0)
        rounds = [json.loads(line) for line in kept]
    progress("")
    for what in dict.fromkeys(what for seen in rounds for what in seen["with"]):
        pairs = [seen for seen in rounds if what in seen["with"]]
        print(text(what, *([seen[name][what] for seen in pairs] for name in AGENTS[::-1])))


def text(what: str, without: Sequence[float], with_: Sequence[float]) -> str:
    """The change in percent, its 95 % interval, and the MDE."""
    change = compare_pairs(without, with_)
    shares = (100 * share for share in (change.change.value, change.change.lo, change.change.hi))
    middle, low, high = (f"{share:+.1f}" for share in shares)
    rate = f"{median(with_):12,.0f} packets for a second of CPU time"
    mde = f"MDE {100 * change.mde:.1f} %, {len(with_)} rounds"
    return f"{what:12} {rate} {middle} % ({low} to {high}), {mde}"


def put(image: bytes, folder: Path) -> Path:
    """A new file, so that neither has the better places in memory and caches in all rounds."""
    program = folder / "program"
    program.unlink(missing_ok=True)
    program.write_bytes(image)
    program.chmod(0o755)
    return program


def pair(sources: Path, target: str) -> tuple[bytes, bytes]:
    """A program of ours, and the same one whose sandbox_enter() returns at once."""
    named = sources / target
    zig = f"ZIG={sys.executable} -m ziglang"
    words = ["make", "-s", "-C", str(sources), target, zig, f"PYTHON={sys.executable}"]
    subprocess.run(words, check=True)
    symbols = subprocess.run(["nm", named], capture_output=True, text=True, check=True).stdout
    address = next(int(line.split()[0], 16) for line in symbols.splitlines() if ENTER in line)
    whole = named.read_bytes()
    image = bytearray(whole)
    begin = _offset(image, address)
    code = RETURNS.pack(0xB8, _address(image, image.index(NONE)), 0xC3)
    image[begin : begin + len(code)] = code
    return whole, bytes(image)


def _segments(image: bytes | bytearray) -> Iterator[tuple[int, int, int]]:
    """Offset, address and bytes of what is loaded: the program headers of a 64-bit ELF file."""
    (table,), (each, count) = (
        struct.unpack_from("<Q", image, 32),
        struct.unpack_from("<HH", image, 54),
    )
    for number in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", image, table + number * each
        )
        if kind == LOADED:
            yield offset, address, length


def _offset(image: bytes | bytearray, address: int) -> int:
    return next(o + address - a for o, a, length in _segments(image) if a <= address < a + length)


def _address(image: bytes | bytearray, offset: int) -> int:
    return next(a + offset - o for o, a, length in _segments(image) if o <= offset < o + length)


def _measured(
    made: Lab, at: Ends, agent: Path, way: Sequence[str], seconds: float
) -> dict[str, float]:
    """What each end did for a second of its CPU time, as fast as it goes: packets/s."""
    sink_request = {"port": way[1], "device": made.ports["wan9"].device, **_COMMON}
    sink = OurAgent(at.at_sink(str(agent), "sink"), sink_request | {"dst_port": 9})
    sink.start()
    request: Report = {"port": way[0], "device": at.device, "src": at.src, "dst": at.dst, **_COMMON}
    request |= {"src_port": 20000, "dst_port": 9, "frame_bytes": FRAME_BYTES}
    request |= {"duration_ms": round(seconds * 1000)}
    request |= {} if way[0] == "udp" else {"dst_mac": at.dst_mac}
    sender = OurAgent(at.at_source(str(agent), "send"), request)
    sender.start()
    report = sender.event("done")
    sender.process.wait()
    sunk = sink.close()
    ends_ = {f"sender {way[0]}": report["sent"] * 1e9 / report["cpu_ns"]}
    if way[1] != "auto":
        ends_[f"sink {way[1]}"] = sunk["unique"] * 1e9 / sunk["cpu_ns"]
    return ends_


_COMMON: Final[Report] = {"family": 4, "run": 1}


if __name__ == "__main__":
    main()
