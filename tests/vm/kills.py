# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, or whose control cable is cut, at random moments: is all given back?

    PYTHONPATH=src:tests python -m vm.kills --count 5 [--kind box] [--lease 5] [--seed 1]

Kinds: `netns` (the built-in lab), `qemu-x86`, `qemu-mips`, `box` (busybox and dropbear in a virtual
machine with NICs of a played host), and `cable`: the box, whose control cable is cut in place of a
kill; `openwrt` and `openwrt-cable`: the same with OpenWrt's own userland, set by uci and fw4. An
undisturbed run says first how long one takes and which trials it has.

After each blow, within the lease and 30 s: the gateway is set as before, and nothing of ours runs
on the host; no record that was kept is lost, and `run --resume` measures each other trial once.
Prints a line for each blow that was not stood, and a table. Exit code 1 if there was one.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from command import GATEMARK, environment
from lab.left import namespaces

from gatemark.error import NodeError
from vm.box import OPENWRT, PLAN, Box, box
from vm.cpu import placement

GRACE_S: Final = 30.0  # beyond the lease, until all is given back
RUN_S: Final = 600.0  # an undisturbed run under emulation on a busy machine
AGAIN_S: Final = 0.5
BOXES: Final = {  # kind -> the station of what it boots
    "box": "qemu-x86",
    "cable": "qemu-x86",
    "openwrt": OPENWRT,
    "openwrt-cable": OPENWRT,
}
LEFT: Final = """
ls -d /tmp/gatemark-lease-* /tmp/gatemark-program-* /tmp/gatemark-once.* 2> /dev/null
ps | grep -E '[g]m-agent|[c]at$' | wc -l
"""


class Bench(Protocol):
    """Where a run is struck."""

    lease_s: int

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        """`gatemark WORDS`, whose pid is the laboratory's."""

    def strike(self, run: "subprocess.Popen[str]") -> None:
        """End the run, or its way to the gateway."""

    def settings(self) -> str:
        """How gateway and host are now. Raises NodeError where that cannot be known yet."""

    def left(self) -> list[str]:
        """What is on this host when the run was resumed."""

    def station(self) -> list[str | Path]:
        """The option that names it."""


@dataclass
class Lab:
    """A station that ships, on this machine: it goes with the laboratory."""

    name: str
    lease_s: int = 0

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        """Here."""
        return started([*GATEMARK, *words])

    def strike(self, run: "subprocess.Popen[str]") -> None:
        """Kill it."""
        run.kill()

    def settings(self) -> str:
        """How many processes are in namespaces of labs that nobody holds any more."""
        return str(sum(len(processes(name)) for name in namespaces()))

    def left(self) -> list[str]:
        """Namespaces of labs that nobody holds; the next run removes them."""
        return namespaces()

    def station(self) -> list[str | Path]:
        """By its name; the built-in lab needs none."""
        return ["--station", self.name] if self.name != "netns" else []


@dataclass
class Played:
    """A box on a desk."""

    box: Box
    lease_s: int
    cut: bool

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        """On the played host, beside the box's CPU."""
        alone = ("taskset", "-c", str(placement().sink))
        return started(self.box.host.words(*alone, *GATEMARK, *words))

    def strike(self, run: "subprocess.Popen[str]") -> None:
        """Kill it; or pull the cable for longer than the lease, and wait for its end."""
        if not self.cut:
            run.kill()
            return
        self.box.host.run("ip", "link", "set", "ctl0", "down")
        try:
            time.sleep(self.lease_s + GRACE_S / 3)
        finally:
            self.box.host.run("ip", "link", "set", "ctl0", "up")

    def settings(self) -> str:
        """The box's, and the host's NICs."""
        nics = self.box.host.run("ip", "-br", "link", "show").splitlines()
        return self.gateway() + "\n".join(sorted(nics))

    def gateway(self) -> str:
        """The box's own."""
        return self.box.said(self.box.settings + LEFT)

    def left(self) -> list[str]:
        """Nothing: all is in its settings."""
        return []

    def station(self) -> list[str | Path]:
        """By its file."""
        path = self.box.folder / "bench.toml"
        lease = f'wan = "eth2"\nlease_s = {self.lease_s}'
        path.write_text(self.box.station.replace('wan = "eth2"', lease))
        return ["--station", path]


def started(words: Sequence[str | Path]) -> "subprocess.Popen[str]":
    """A command with its errors in a pipe."""
    return subprocess.Popen(
        [str(word) for word in words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def processes(name: str) -> list[str]:
    """Pids in a namespace; none if it is gone."""
    done = subprocess.run(
        ["ip", "netns", "pids", name], capture_output=True, text=True, check=False
    )
    return done.stdout.split()


def records(out: Path) -> list[dict[str, object]]:
    """The records of a run; half a line at the end is none."""
    path = out / "trials.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def finish(bench: Bench, *words: str | Path) -> str:
    """Run to the end; returns its last words if it failed."""
    run = bench.start(*words)
    _, errors = run.communicate(timeout=RUN_S)
    return errors.strip().splitlines()[-1] if run.returncode and errors.strip() else ""


def wait_for(look: Callable[[], str], before: str, within_s: float) -> tuple[float, str]:
    """Wait until all looks as before; returns the seconds that it took, and what does not."""
    now, since = "not reached", time.monotonic()
    while (took_s := time.monotonic() - since) < within_s:
        try:
            now = look()
        except (NodeError, AssertionError) as error:
            now = str(error)
        if now == before:
            return took_s, ""
        time.sleep(AGAIN_S)
    gone, new = set(before.splitlines()), set(now.splitlines())
    return took_s, f"not given back: lacks {sorted(gone - new)}, has {sorted(new - gone)}"


def blow(bench: Bench, out: Path, after_s: float, names: set[object]) -> tuple[float, str]:
    """Strike a run after so many seconds; returns s until all was given back, and what is wrong."""
    before = bench.settings()
    (out.parent / "plan.toml").write_text(PLAN.format(times=2))
    run = bench.start("run", out.parent / "plan.toml", *bench.station(), "--out", out)
    with suppress(subprocess.TimeoutExpired):
        run.wait(after_s)
    since = time.monotonic()
    bench.strike(run)
    _, errors = run.communicate(timeout=RUN_S)
    if "Traceback" in errors:
        return 0.0, errors
    struck_s = time.monotonic() - since
    took_s, wrong = wait_for(bench.settings, before, bench.lease_s + GRACE_S - struck_s)
    return struck_s + took_s, wrong or resumed(bench, out, names)


def resumed(bench: Bench, out: Path, names: set[object]) -> str:
    """Resume a run; what is wrong with that, or nothing."""
    kept = records(out)
    if not (out / "run.json").exists():
        return ""  # struck before there was a run
    if why := finish(bench, "run", "--resume", out):
        return f"not resumed: {why}"
    now = records(out)
    trials = [record["trial"] for record in now]
    unsound = [
        (r["trial"], r["reason"]) for r in now if r["trial"] in names and r["status"] != "ok"
    ]
    left = bench.left()
    faults = {
        "records that were kept are lost": now[: len(kept)] != kept,
        f"not measured: {unsound}": bool(unsound),
        f"other trials than planned: {trials}": sorted(trials, key=str)
        != sorted({*trials} | names, key=str),
        f"left on the host: {left}": bool(left),
    }
    return "; ".join(fault for fault, there in faults.items() if there)


@contextmanager
def bench_of(kind: str, folder: Path, lease_s: int) -> Iterator[Bench]:
    """The bench of a kind."""
    with ExitStack() as stack:
        if kind in BOXES:
            made = stack.enter_context(box(folder, BOXES[kind]))
            yield Played(made, lease_s, cut=kind.endswith("cable"))
        else:
            yield Lab(kind)


@dataclass
class Tally:
    """What came of a kind."""

    kind: str
    blows: int = 0
    stood: int = 0
    longest_s: float = 0.0


def tally(kind: str, count: int, lease_s: int, chance: random.Random) -> Tally:
    """Strike a kind so often."""
    result = Tally(kind)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "bench").mkdir()
        with bench_of(kind, folder / "bench", lease_s) as bench:
            whole_s, names = undisturbed(bench, folder / "whole")
            for number in range(count):
                out = folder / f"{number}" / "run"
                out.parent.mkdir()
                after_s = chance.uniform(0, whole_s)
                took_s, wrong = blow(bench, out, after_s, names)
                result.blows += 1
                result.stood += not wrong
                result.longest_s = max(result.longest_s, took_s)
                show(
                    f"{kind} {number}: after {after_s:.2f} s: {wrong or f'back in {took_s:.1f} s'}"
                )
    return result


def undisturbed(bench: Bench, folder: Path) -> tuple[float, set[object]]:
    """How long a run takes, and the names of its trials."""
    folder.mkdir()
    (folder / "plan.toml").write_text(PLAN.format(times=2))
    began = time.monotonic()
    words = ("run", folder / "plan.toml", *bench.station(), "--out", folder / "run")
    if why := finish(bench, *words):
        raise SystemExit(f"an undisturbed run failed: {why}")
    return time.monotonic() - began, {record["trial"] for record in records(folder / "run")}


def show(line: str) -> None:
    """Print it now."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Strike, and print the table."""
    parser = argparse.ArgumentParser(prog="vm.kills", description=__doc__)
    kinds = ("netns", "qemu-x86", "qemu-mips", *BOXES)
    parser.add_argument("--kind", choices=kinds, help="only this one (default: all)")
    parser.add_argument("--count", type=int, default=5, help="blows a kind (default: 5)")
    parser.add_argument("--lease", type=int, default=5, help="the box's lease, s (default: 5)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state  # journals of this program alone
        tallies = [
            tally(kind, options.count, options.lease, random.Random(f"{options.seed} {kind}"))
            for kind in kinds
            if options.kind in (None, kind)
        ]
    show(f"{'kind':10}{'blows':>7}{'given back':>12}{'longest, s':>12}")
    for row in tallies:
        show(f"{row.kind:10}{row.blows:7}{row.stood:12}{row.longest_s:12.1f}")
    sys.exit(any(row.stood < row.blows for row in tallies))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
