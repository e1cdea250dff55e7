# SPDX-License-Identifier: Apache-2.0
"""How exactly a capture's timing is kept: our replay and tcpreplay, interleaved, on the same files.

One side of a conversation goes from the LAN host straight to the WAN host. There tcpdump's kernel
time stamps give the gaps between packets. The error is the difference of each gap from the gap in
the capture. Both tools are started as the laboratory starts them, with precedence over other work.
Goal: our percentiles are no worse than tcpreplay's.
"""

import argparse
import shutil
import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bare_lab import OurAgent, ends, lab
from benchmarks.compare import Comparison, compare_less, progress, show
from benchmarks.peers import Ends
from gatemark.kind.replay.source import ENDS, capture
from gatemark.node.binary import agent_path
from gatemark.node.shell import FIRST

SECONDS = 4.0
CASES = (("game", 1), ("voip", 1), ("video", 1), ("video", 20))  # source, speed in times its timing
SHARES = {"50 %": 0.5, "90 %": 0.9, "99 %": 0.99, "max": 1.0}
LEAST_US = 0.01  # resolution of a comparison of gaps
PCAP_NS_MAGIC = 0xA1B23C4D
ETHERNET = 1

Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round


def main() -> None:
    """Measure in rounds, each with every case and both tools; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.replay", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if not shutil.which("tcpreplay"):
        parser.exit(1, "not installed: tcpreplay; `make bench` installs it\n")
    with lab() as made, TemporaryDirectory() as folder:
        at = ends(made, "direct")
        rows = list(_compare(at, Path(folder), options.rounds))
    progress("")
    show(rows, json_=options.json)


def _compare(at: Ends, folder: Path, rounds: int) -> Iterator[Comparison]:
    values: Values = defaultdict(list)
    for number in range(1, rounds + 1):
        for source, speed in CASES:
            progress(f"round {number} of {rounds}: {source}, {speed} times its timing")
            trace = folder / f"{source}-{speed}.pcap"
            wanted = one_side(at, source, SECONDS * speed, trace)
            for tool in ("ours", "tcpreplay"):
                times = _arrivals(at, tool, trace, speed, folder)
                errors = errors_us(times, wanted, speed)
                for name, share in SHARES.items():
                    what = f"{source} x{speed}: gap error, {name}"
                    values[what, tool].append(errors[int((len(errors) - 1) * share)])
    for (what, tool), ours in values.items():
        if tool == "ours":
            theirs = values[what, "tcpreplay"]
            yield compare_less(what, ours, "tcpreplay", theirs, "us", LEAST_US)


def one_side(at: Ends, source: str, seconds: float, into: Path) -> list[int]:
    """Write what the LAN side of a source sends as Ethernet frames; returns its times in ns."""
    raw, times = capture(source, "ipv4", seconds), []
    lan = bytes(map(int, ENDS["ipv4"][0].split(".")))
    macs = bytes.fromhex((at.dst_mac + at.src_mac).replace(":", "")) + b"\x08\x00"
    made = [struct.pack("<IHHIIII", PCAP_NS_MAGIC, 2, 4, 0, 0, 65535, ETHERNET)]
    for at_s, at_ns, packet in _records(raw):
        if packet[12:16] == lan:
            frame = macs + packet
            times.append(at_s * 1_000_000_000 + at_ns)
            made.append(struct.pack("<IIII", at_s, at_ns, len(frame), len(frame)) + frame)
    into.write_bytes(b"".join(made))
    return times


def _records(pcap: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", pcap, at)
        yield seconds, nanoseconds, pcap[at + 16 : at + 16 + kept]
        at += 16 + kept


def errors_us(times: Sequence[int], wanted: Sequence[int], speed: int) -> list[float]:
    """The difference of each gap from the capture's, sorted."""
    if len(times) != len(wanted):
        raise RuntimeError(f"{len(times)} packets arrived of {len(wanted)}")
    gaps = zip(pairwise(times), pairwise(wanted), strict=True)
    return sorted(abs((b - a) - (d - c) / speed) / 1e3 for (a, b), (c, d) in gaps)


def _arrivals(at: Ends, tool: str, trace: Path, speed: int, folder: Path) -> list[int]:
    """Arrival times in ns at the WAN host."""
    seen = folder / "seen.pcap"
    words = f"tcpdump -i wan9 -Q in -s 64 -B 65536 --time-stamp-precision=nano -w {seen} udp"
    tcpdump = subprocess.Popen(
        at.at_sink(*words.split()), stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    assert tcpdump.stderr is not None
    while "listening" not in tcpdump.stderr.readline():
        pass
    if tool == "ours":
        _ours(at, trace, speed)
    else:
        command = ("tcpreplay", "-q", "-K", f"--multiplier={speed}", "-i", at.device, str(trace))
        subprocess.run(at.at_source(*FIRST, *command), check=True, capture_output=True)
    time.sleep(1.3)  # tcpdump reads its ring a second later
    tcpdump.terminate()
    tcpdump.communicate()
    return [seconds * 1_000_000_000 + ns for seconds, ns, _ in _records(seen.read_bytes())]


def _ours(at: Ends, trace: Path, speed: int) -> None:
    request = {
        "trace": str(trace),
        "side": "lan",
        "ways": "up",
        "device": at.device,
        "dst_mac": at.dst_mac,
        "family": 4,
        "client": at.src,
        "far": at.dst,
        "speed": speed,
        "duration_ms": round(SECONDS * 1000) + 100,
    }
    agent = OurAgent(at.at_source(*FIRST, str(agent_path()), "replay"), request)
    agent.start()
    agent.event("sent")
    agent.close()


if __name__ == "__main__":
    main()
