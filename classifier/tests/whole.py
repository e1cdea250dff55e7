# SPDX-License-Identifier: Apache-2.0
"""python tests/whole.py PROGRAM [--all]: gm-classifier as a whole; prints TAP.

The kernel and the program have to mark every packet of real captures alike. The captures are those
of `shared/data/traffic` beside the repository, or of the folder that TRAFFIC names.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import csv
import itertools
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
BESIDE: Final = HERE.parents[1].parent / "shared" / "data" / "traffic"
TRAFFIC: Final = Path(os.environ.get("TRAFFIC", BESIDE)) / "pcap"
MODELS: Final = sorted((HERE / "models").glob("*.txt"))
GENERAL: Final = HERE / "models" / "jumping.txt"  # three classes, which tests name
# A game, a call, UDP and TCP at once, IPv6, and many flows of few packets.
SOME: Final = (
    "lab_openarena_s30_m60_b6.pcap",
    "zoom.pcap",
    "http_ipv6.pcap",
    "gnutella.pcap",
)
EXIT_USAGE: Final = 2
RAW: Final = 101  # link type of packets that begin with IP
GAME: Final = 0xFF0001
FLOOD_HOSTS: Final = 1500
FLOOD_FLOWS: Final = 60
BURST: Final = 512  # new flows of a host at once
BEYOND: Final = 88
SENT: Final = 60
COMMAS: Final = 6  # in a line of counters
DEVICES: Final = (
    "ip link add lan type veth peer name host",
    "ip addr add 10.77.0.1/24 dev lan",
    "ip link set lan up",
    "ip link set host up",
)
# From the LAN's other end, so that each packet comes in at the device.
SENDER: Final = f"""
import socket, struct, time
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("host", 0))
ip = struct.pack(">BBHHHBBHII", 0x45, 0, 100, 0, 0, 64, 17, 0, 0x0A4D0002, 0xC0000201)
packet = bytes(12) + b"\\x08\\0" + ip + struct.pack(">HHHH", 5000, 6000, 80, 0) + bytes(72)
for _ in range({SENT}):
    raw.send(packet)
    time.sleep(.005)
"""


def main(program: str, *, everything: bool) -> int:
    """Each test; 1 where one failed."""
    failed = 0
    for number, line in enumerate(tests(program, everything=everything), 1):
        verdict, _, name = line.partition(" - ")
        print(f"{verdict} {number} - {name}", flush=True)
        failed |= verdict != "ok"
    return failed


def tests(program: str, *, everything: bool) -> Iterator[str]:
    """Lines of TAP without their numbers."""
    yield usage(program)
    yield refused(program)
    yield flood(program)
    yield bounded(program)
    yield attached(program)
    paths = sorted(TRAFFIC.glob("*")) if everything else [TRAFFIC / name for name in SOME]
    paths = [path for path in paths if path.exists()]
    if not paths:
        yield f"ok - kernel and program agree # SKIP no captures in {TRAFFIC}"
        return
    yield modes_agree(program, paths[0])
    for model in MODELS:
        yield agree(program, model, paths)


def call(program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def usage(program: str) -> str:
    """A wrong command line is told, and ends with 2."""
    for words in ((), ("walk",), ("run", "x"), ("features", "x", "--window", "1")):
        done = call(program, *words)
        if done.returncode != EXIT_USAGE or done.stdout or done.stderr.count("\n") != 1:
            return f"not ok - usage: {words}: {done}"
    return "ok - a wrong command line is refused"


def refused(program: str) -> str:
    """A file that is no model is refused with its line, before a capture is looked at."""
    done = call(program, "run", Path(__file__), str(HERE / "whole.py"))
    wanted = f"gm-classifier: {Path(__file__)}:2: "
    if done.returncode == EXIT_USAGE and done.stderr.startswith(wanted):
        return "ok - a foreign file is no model"
    return f"not ok - a foreign file is no model: {done}"


def flood(program: str) -> str:
    """A decided flow keeps its mark while a flood of new flows from many hosts pushes it out.

    The program's tables hold all of them, the kernel's 65 536: both mark every packet alike.
    """
    name = "decided flow outlives a flood of flows"
    game = [udp(GAME, 5000, at * 40_000) for at in range(40)]
    strangers = (
        udp(host, port, 1_600_000 + host % 1000)
        for host in range(FLOOD_HOSTS)
        for port in range(FLOOD_FLOWS)
    )
    after = [udp(GAME, 5000, 1_700_000 + at * 40_000) for at in range(5)]
    done = verify(program, (*game, *strangers, *after))
    if "run as root" in done.stderr:
        return f"ok - {name} # SKIP {done.stderr.strip()}"
    packets, marked, different, *_ = done.stdout.splitlines()[-1].split(",")
    if done.returncode or marked != str(len(game) - 19 + len(after)):
        return f"not ok - {name}: {done.stdout[:300]}{done.stderr}"
    return f"ok - {name}: {packets} packets, {marked} with a mark, {different} different"


def bounded(program: str) -> str:
    """The kernel counts packets of new flows that are too many of a host."""
    name = "packets of flows beyond a host's bound are counted as untracked"
    done = verify(program, (udp(GAME, port, 0) for port in range(BURST + BEYOND)))
    if "run as root" in done.stderr:
        return f"ok - {name} # SKIP {done.stderr.strip()}"
    counts = next(csv.DictReader(done.stdout.splitlines()), {})
    if done.returncode or counts.get("untracked") != str(BEYOND):
        return f"not ok - {name}: {done.stdout[:300]}{done.stderr}"
    return f"ok - {name}"


def verify(program: str, records: Iterable[bytes]) -> subprocess.CompletedProcess[str]:
    """These records of pcap through the kernel and through the program."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW))
        file.writelines(records)
        file.flush()
        return call(program, "verify", GENERAL, file.name, "--lan", "10.0.0.0/8")


def udp(host: int, port: int, time_us: int) -> bytes:
    """A record of pcap: 100 bytes of UDP from 10.HOST to 192.0.2.1."""
    total = 100
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, total, 0, 0, 64, 17, 0, 0x0A000000 + host, 0xC0000201)
    packet = ip + struct.pack(">HHHH", 1024 + port, 443, total - len(ip), 0)
    seconds, rest = divmod(1_000_000 + time_us, 1_000_000)
    return struct.pack("<IIII", seconds, rest, len(packet), total) + packet


def attached(program: str) -> str:
    """At a device it marks packets; it leaves nothing when it ends, and begins after a kill."""
    name = "attached to a device"
    space = f"gm-cls-{os.getpid()}"
    inside = ("ip", "netns", "exec", space)
    if run("ip", "netns", "add", space).returncode:
        return f"ok - {name} # SKIP no right to add a namespace"
    try:
        for line in DEVICES:
            run(*inside, *line.split())
        counted = [serve(inside, program, end) for end in (signal.SIGTERM, signal.SIGKILL)]
        run(*inside, "tc", "qdisc", "del", "dev", "lan", "clsact")  # of a kernel without TCX
        counted.append(serve(inside, program, signal.SIGTERM))
        refused = reload(inside, program, "no-lengths", "short")
        left = run(*inside, "tc", "qdisc", "show", "dev", "lan").stdout
    finally:
        run("ip", "netns", "del", space)
    fault = [line for line in counted[::2] if line.count(",") != COMMAS]
    if "of lengths ask for: attach it anew; the model in use stays" not in refused:
        return f"not ok - {name}: another model: {refused}"
    if fault or "clsact" in left or int(counted[-1].split(",")[3]) < SENT - 20:
        return f"not ok - {name}: {counted} {left}"
    return f"ok - {name}: {counted[-1]}"


def serve(inside: Sequence[str], program: str, end: signal.Signals) -> str:
    """Attach it, send a flow, and end it so; the last line that it printed."""
    words = ("attach", str(GENERAL), "lan", "--priority", "first,second,other")
    with subprocess.Popen(
        [*inside, program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        if lines[0].startswith("seen,"):
            process.send_signal(signal.SIGHUP)
            run(*inside, sys.executable, "-c", SENDER)
        process.send_signal(end)
        lines += process.stdout.readlines()
    return lines[-1].strip()


def reload(inside: Sequence[str], program: str, first: str, second: str) -> str:
    """Attach one model, put another into its file, and say so; what is said of that."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        shutil.copy(HERE / "models" / f"{first}.txt", model)
        words = ("attach", str(model), "lan", "--priority", "first")
        with subprocess.Popen(
            [*inside, program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.readline()
            shutil.copy(HERE / "models" / f"{second}.txt", model)
            process.send_signal(signal.SIGHUP)
            refusal = process.stderr.readline()
            process.send_signal(signal.SIGTERM)
    return refusal


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """A command of the system."""
    return subprocess.run(words, capture_output=True, text=True, check=False)


def modes_agree(program: str, capture: Path) -> str:
    """At the end of each jumping window a sliding one shows the same, but for what came before."""
    words = ("features", capture, "--attributes", "mean.plen stdev.iat fpckts.pcnt bstdev.iatbd")
    jumping = rows(call(program, *words).stdout)
    sliding = rows(call(program, *words, "--sliding").stdout)
    if jumping and jumping.items() <= sliding.items():
        return f"ok - {len(jumping)} jumping windows are among {len(sliding)} sliding ones"
    return "not ok - jumping windows are among sliding ones"


def rows(printed: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Windows by flow and packet."""
    lines = [*csv.reader(printed.splitlines())][1:]
    return {(flow, packet): tuple(values) for flow, packet, *values in lines}


def agree(program: str, model: Path, captures: list[Path]) -> str:
    """The kernel marks each packet as the program does."""
    name = f"kernel and program agree: {model.stem}"
    packets = marked = 0
    for capture, rest in itertools.product(captures, ("0", "20")):
        done = call(program, "verify", model, capture, "--priority", "first", "--rest", rest)
        if "run as root" in done.stderr:
            return f"ok - {name} # SKIP {done.stderr.strip()}"
        if "can be read: " in done.stderr:  # none of its flows has a side of the LAN
            continue
        if done.returncode:
            return f"not ok - {name}: {capture.name}: {done.stdout[:300]}{done.stderr}"
        counts = [int(count) for count in done.stdout.splitlines()[-1].split(",")[:2]]
        packets, marked = packets + counts[0], marked + counts[1]
    return f"ok - {name}: {packets} packets of {len(captures)} captures, {marked} with a mark"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], everything="--all" in sys.argv))
