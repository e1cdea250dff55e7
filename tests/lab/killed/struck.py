# SPDX-License-Identifier: Apache-2.0
"""One kill on a machine of its own: python -m lab.killed.struck KIND NUMBER; prints JSON.

A program works; at a moment that is drawn, the program, another process that it began, or all of
them get SIGKILL. What is left then has a lease and 30 s to go. What stays is given to the next
start, a minute later by its files.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import doors
from command import GATEMARK

from gatemark.classifier import shipped
from gatemark.node.binary import classifier_path
from lab.killed import machine

SEED: Final = 47
LEASE_AND_30_S: Final = 40.0  # nothing here is leased for longer than 10 s
START_S: Final = 120.0  # of a program on a machine where twenty of them start
AGAIN_S: Final = 3.0
YOUNG_S: Final = 120.0  # older than what the next start may take for another's new one
NODE: Final = "127.0.0.1"
CAMPAIGN: Final = machine.HOME / "out"
RUN: Final = machine.HOME / "run"
KEYS: Final = machine.HOME / "keys"
PORT: Final = "8786"
ATTACH: Final = f"""
import asyncio, sys
from gatemark.classifier import shipped
from gatemark.gateway import attached
from gatemark.node.shell import Local
from gatemark.station.wiring import Gateway
gateway = Gateway(Local(), {{"gw0": "lan", "gw1": "wan"}})
shaper = "shape:htb2:20:wan:first=marked"
asyncio.run(attached.attach(gateway, {str(shipped.path("real-time"))!r}, shaper=shaper))
"""
DETACH: Final = """
import asyncio
from gatemark.gateway import attached
from gatemark.node.shell import Local
from gatemark.station.wiring import Gateway
asyncio.run(attached.detach(Gateway(Local(), {"gw0": "lan", "gw1": "wan"})))
"""
FILES: Final = {
    "plan.toml": """
schema = "gatemark.plan/1"
title = "a few packets"
why = "They show that the way is there."
reading = "All of them arrive."
[[arm]]
path = "route"
[workload]
frame_bytes = 128
duration_s = 0.2
rate_pps = 1000
[repeat]
times = 3
""",
    "application.toml": """
schema = "gatemark.plan/1"
title = "a page, a desktop and a call"
why = "They have browsers, servers, screens and sockets."
reading = "They are played."
[[arm]]
path = "nat"
[workload]
kind = "application"
duration_s = 4
[sweep]
application = ["page-h2", "vnc", "call-sip"]
[repeat]
times = 1
""",
    "campaign.toml": """
schema = "gatemark.campaign/1"
title = "Two setups"
repeats = 1
[[model]]
name = "lab"
stations = ["lab"]
[[build]]
name = "field"
setup = "route"
[[build]]
name = "next"
setup = "nat"
[[suite]]
plan = "plan.toml"
""",
}
PARTS: Final = ("the program", "another", "all")
Process = subprocess.Popen[bytes]


def begin(*words: str | Path) -> Process:
    """A program, whose words go to a file of the user's."""
    with Path("log").open("ab") as log:
        return subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )


def words() -> str:
    """What programs printed last."""
    return Path("log").read_text()[-2000:]


def gatemark(*command: str | Path) -> None:
    """A command to its end."""
    code = begin(*GATEMARK, *command).wait(START_S)
    assert code == 0, (command, code, words())


@dataclass
class Act:
    """An action node that takes orders by RAP all the time."""

    longest_s = 1.0
    words: tuple[str | Path, ...] = field(init=False)

    def __post_init__(self) -> None:
        Path("key").touch(mode=0o600)
        Path("key").write_text(doors.KEY.hex())
        self.words = (classifier_path(), "act", NODE, "--key", "key", "--rap", NODE)

    def start(self) -> Process:
        """It begins."""
        return begin(*self.words)

    def beside(self) -> None:
        """An order."""
        with suppress(ConnectionRefusedError):
            doors.rap(0)

    def again(self) -> None:
        """Another one, until it has made its table."""
        process = begin(*self.words)
        try:
            assert doors.becomes(lambda: bool(doors.elements() or doors.has_table()))
        finally:
            process.terminate()
            process.wait(START_S)


class Attach:
    """A classifier that stays on this machine, behind a shaper."""

    longest_s = 5.0

    def __init__(self) -> None:
        for name in ("lan", "wan"):
            subprocess.run(["ip", "link", "add", name, "type", "veth"], check=True)
            subprocess.run(["ip", "link", "set", name, "up"], check=True)

    def start(self) -> Process:
        """It is attached, and stays."""
        return begin(sys.executable, "-c", ATTACH)

    def beside(self) -> None:
        """Nothing."""

    def again(self) -> None:
        """Attach, unless it went on and is attached; and detach."""
        if begin(sys.executable, "-c", ATTACH).wait(START_S):
            assert "attached already" in words()
        assert begin(sys.executable, "-c", DETACH).wait(START_S) == 0, words()


class Capture:
    """A live capture on a lab that is open."""

    longest_s = 6.0

    def __init__(self) -> None:
        gatemark("lab", "up")

    def start(self, *more: str) -> Process:
        """It runs."""
        words = ("capture", "--on", "lan", "--filter", "udp", "--out", "file", *more)
        return begin(*GATEMARK, *words)

    def beside(self) -> None:
        """Nothing."""

    def again(self) -> None:
        """Another one, for a second."""
        assert self.start("--seconds", "1").wait(START_S) == 0


class Run:
    """A run on the built-in lab: its laboratory is killed, an agent that stays, or all."""

    longest_s = 8.0
    plan = FILES["plan.toml"].replace("times = 3", "times = 12")

    def __init__(self) -> None:
        Path("plan.toml").write_text(self.plan)

    def start(self) -> Process:
        """It runs."""
        return begin(*GATEMARK, "run", "plan.toml", "--out", RUN)

    def beside(self) -> None:
        """Nothing."""

    def again(self) -> None:
        """It goes on, where it has begun, to its end; what was kept is there as it was."""
        if not (RUN / "run.json").exists():
            return
        kept = (RUN / "trials.jsonl").read_bytes() if (RUN / "trials.jsonl").exists() else b""
        gatemark("run", "--resume", RUN)
        records = (RUN / "trials.jsonl").read_bytes()
        assert records.startswith(kept[: kept.rfind(b"\n") + 1])
        names = [json.loads(line)["trial"] for line in records.splitlines()]
        assert len(names) == len({*names})
        planned = {row["trial"] for row in json.loads((RUN / "run.json").read_text())["trials"]}
        assert planned <= {*names}


class Played(Run):
    """A run of applications: browsers, servers, screens and their sockets go too."""

    longest_s = 30.0
    plan = FILES["application.toml"]


class Campaign:
    """A campaign of one block on the built-in lab."""

    longest_s = 20.0
    executor: tuple[str | Path, ...] = ()

    def __init__(self) -> None:
        for name, text in FILES.items():
            Path(name).write_text(text)

    def start(self) -> Process:
        """Its coordinator."""
        words = ("run", "campaign.toml", "--out", CAMPAIGN, *self.executor)
        return begin(*GATEMARK, "campaign", *words)

    def beside(self) -> None:
        """Nothing."""

    def again(self) -> None:
        """It goes on, where it has begun, to its end; the block counts once."""
        if (CAMPAIGN / "campaign.db").exists():
            gatemark("campaign", "resume", CAMPAIGN)
        else:
            gatemark("campaign", "run", "campaign.toml", "--out", machine.HOME / "other")
        for folder in (CAMPAIGN, machine.HOME / "other"):
            if (folder / "campaign.db").exists():
                gatemark("campaign", "check", folder)


class Carried(Campaign):
    """A campaign by scheduler and worker, one of which is killed."""

    longest_s = 15.0
    victim = ""
    executor = ("--executor", f"dask://{NODE}:{PORT}", "--keys", KEYS)

    def __init__(self) -> None:
        super().__init__()
        gatemark("campaign", "keys", KEYS)
        at = ("campaign", "worker", f"dask://{NODE}:{PORT}", "--station", "lab", "--keys", KEYS)
        self.programs: dict[str, tuple[str | Path, ...]] = {
            "scheduler": ("campaign", "scheduler", "--host", NODE, "--keys", KEYS),
            "worker": (*at, "--folder", machine.HOME / "worker"),
        }

    def start(self) -> Process:
        """Coordinator, scheduler and worker: the one that is to be killed."""
        self.coordinator = super().start()
        self.running = {name: begin(*GATEMARK, *words) for name, words in self.programs.items()}
        return self.running[self.victim]

    def again(self) -> None:
        """Begin again what was killed, and see the campaign to its end."""
        self.running[self.victim] = begin(*GATEMARK, *self.programs[self.victim])
        if self.coordinator.wait(START_S):  # nobody was there when it began
            gatemark("campaign", "resume", CAMPAIGN)
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            process.wait(START_S)
        gatemark("campaign", "check", CAMPAIGN)


class Scheduler(Carried):
    """Its scheduler is killed."""

    victim = "scheduler"


class Worker(Carried):
    """Its worker is killed."""

    victim = "worker"


KINDS: Final[Mapping[str, Callable[[], Act | Attach | Capture | Run | Campaign]]] = {
    "act": Act,
    "attach": Attach,
    "capture": Capture,
    "run": Run,
    "application": Played,
    "campaign": Campaign,
    "scheduler": Scheduler,
    "worker": Worker,
}


def strike(process: Process, which: str, others: Collection[int], chance: random.Random) -> None:
    """Kill the program, another process of it, or all. A program that stays whole ends by TERM."""
    pids = {
        "the program": [process.pid],
        "another": [chance.choice([*others] or [process.pid])],
        "all": [process.pid, *others],
    }[which]
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if process.pid not in pids:
        time.sleep(1)
        process.terminate()


def left(before: set[str]) -> list[str]:
    """What is there that was not, or the other way round, when it is given up to wait for it."""
    until = time.monotonic() + LEASE_AND_30_S
    while (state := machine.state()) != before and time.monotonic() < until:
        time.sleep(AGAIN_S)
    gone, new = sorted(before - state), sorted(state - before)
    return [*(f"lacks {line}" for line in gone), *(f"has {line}" for line in new)]


def age() -> None:
    """Make all files of shared folders as old as they are a while later."""
    then = time.time() - YOUNG_S
    for place in machine.SHARED:
        for path in machine.below(place):
            if not path.is_relative_to(machine.SOURCE):
                with suppress(OSError):
                    os.utime(path, (then, then), follow_symlinks=False)


def blow(name: str, number: int) -> dict[str, object]:
    """What one came to."""
    chance = random.Random(f"{SEED} {name} {number}")
    kind = KINDS[name]()
    state, processes = machine.state(), {*machine.processes()}
    process = kind.start()
    after_s = chance.uniform(0.0, kind.longest_s)
    until = time.monotonic() + after_s
    while time.monotonic() < until:
        kind.beside()
        time.sleep(0.01)
    which = "the program" if isinstance(kind, Carried) else chance.choice(PARTS)
    strike(process, which, {*machine.processes()} - processes - {process.pid}, chance)
    first = left(state) if not isinstance(kind, Carried) else ["its campaign goes on"]
    last = []
    if first or isinstance(kind, Run):
        age()
        kind.again()
        last = left(state)
    return {"after_s": after_s, "which": which, "first": first, "last": last}


def main() -> None:
    """Ends with its machine, whatever ends it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    machine.furnish()
    try:
        row = blow(sys.argv[1], int(sys.argv[2]))
    except Exception as error:
        row = {"last": [repr(error)]}
    finally:
        machine.end()
    sys.stdout.write(json.dumps(row))


if __name__ == "__main__":
    main()
