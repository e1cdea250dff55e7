# SPDX-License-Identifier: Apache-2.0
"""A campaign on a gateway over SSH (dropbear in a namespace), carried by real Dask processes."""

import os
import re
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import GATEMARK, environment

from gatemark.commands.campaign.block import held
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import doing
from gatemark.gateway.journal import Journal
from lab.station.played import Played
from lab.station.server import keys, listening
from lab.station.test_box import GATEWAY, STATION

if TYPE_CHECKING:
    from dasked import Cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
PATIENCE_S = 600.0
LOOK_S = 0.1
REPEATS = 3
TTL_S = 3.0
NAME = "bench.toml"
STOPPED = "stopped"  # processes of the gateway; its namespace has no name on the played host
PLAN = """
schema = "gatemark.plan/1"
title = "a few packets"
why = "They show that the way is there."
reading = "All of them arrive."
[[arm]]
path = "route"
[workload]
frame_bytes = 128
duration_s = 0.3
rate_pps = 1000
[repeat]
times = 5
"""
CAMPAIGN = f"""
schema = "gatemark.campaign/1"
title = "Two images of a box"
repeats = {REPEATS}
[[model]]
name = "box"
stations = ["{NAME}"]
switch = "cat {{image}} >> switched"
power = "./power.sh"
[[build]]
name = "field"
image = {{ box = "old.bin" }}
[[build]]
name = "next"
image = {{ box = "new.bin" }}
[[suite]]
plan = "plan.toml"
"""


@dataclass
class Bench:
    """A played host with a gateway, and a campaign's files."""

    host: Played
    folder: Path
    parts: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def campaign(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        command = self.host.words(*GATEMARK, "campaign", *words)
        self.parts.append(subprocess.Popen(command, env=environment()))
        return self.parts[-1]

    def end(self) -> None:
        """What a failed test leaves: coordinators, and the blocks that outlive them."""
        for part in self.parts:
            part.kill()
            part.wait()
        for pid in [pid for at in self.folder.glob("out/begun/*") for pid in doing(at)]:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

    def stop_gateway(self) -> None:
        """Every process of it, dropbear's and ours; its power has them go on."""
        stopped = gateway_pids(self.host)
        (self.folder / STOPPED).write_text(" ".join(map(str, stopped)))
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)


def gateway_pids(host: Played) -> list[int]:
    words = ["ip", "netns", "pids", host.gateway]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    # A device is locked by its address, which other tests' played gateways have as well.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    keys(tmp_path)
    for name, text in (
        (NAME, STATION),
        ("plan.toml", PLAN),
        ("box.toml", CAMPAIGN),
        ("old.bin", "old\n"),
        ("new.bin", "new\n"),
    ):
        (tmp_path / name).write_text(text)
    with listening(tmp_path) as host:
        host.on("gw", "sh", "-ec", GATEWAY)
        host.run("ip", "link", "set", "lo", "up")
        power = tmp_path / "power.sh"
        power.write_text(f"#!/bin/sh\necho cycled >> cycled\nkill -CONT $(cat {STOPPED}) || true\n")
        power.chmod(0o755)
        made = Bench(host, tmp_path)
        try:
            yield made
        finally:
            made.end()


def until(what: Callable[[], object]) -> None:
    """By our own sleeps: where a machine stands still, that is no wait."""
    for _ in range(int(PATIENCE_S / LOOK_S)):
        if what():
            return
        time.sleep(LOOK_S)
    raise AssertionError("it did not come to pass")


def ended(coordinator: "subprocess.Popen[bytes]") -> int:
    """Its exit code."""
    until(lambda: coordinator.poll() is not None)
    return coordinator.returncode


def measures_a_second(folder: Path) -> bool:
    """Whether a trial of the second block is over: a switch would wait for minutes."""
    logs = [log.read_text() for log in (folder / "begun").glob("*-box-2/log")]
    return any(re.search(r"[1-8]/10", text) for text in logs)


def once(bench: Bench, folder: Path) -> None:
    """Each block counts once, whole."""
    made = Ledger(folder / "campaign.db", time.time)
    counted = sorted(attempt.block for attempt in made.attempts("state = 'done'"))
    assert counted == list(range(1, REPEATS + 1))
    assert ended(bench.campaign("check", folder)) == 0


def kill_worker(cluster: "Cluster") -> None:
    cluster.kill(NAME)


def kill_scheduler(cluster: "Cluster") -> None:
    from dasked import SCHEDULER

    cluster.kill(SCHEDULER)


def stop_worker(cluster: "Cluster") -> None:
    cluster.kill(NAME, signal.SIGSTOP)
    time.sleep(2 * TTL_S)
    cluster.kill(NAME, signal.SIGCONT)


def retire(cluster: "Cluster") -> None:
    """By Dask's own client, on the host."""
    script = (
        "import sys; sys.path[:0] = sys.argv[3:]\n"
        "from pathlib import Path; import dask, distributed\n"
        "from gatemark.fleet import carrier\n"
        "dask.config.set(carrier.secure(Path(sys.argv[2])))\n"
        "client = distributed.Client(sys.argv[1], timeout=20)\n"
        "client.retire_workers(close_workers=True)\n"
    )
    words = [*cluster.before, GATEMARK[0], "-c", script, cluster.address, str(cluster.keys)]
    subprocess.run(words, env=cluster.environment, check=True, timeout=PATIENCE_S)


def test_each_block_of_a_gateway_over_ssh_counts_once_whatever_dies(bench: Bench) -> None:
    pytest.importorskip("distributed")
    import dasked

    folder = bench.folder / "out"
    with dasked.cluster(
        bench.folder / "dask", [NAME], f"{TTL_S:g}s", bench.host.words()
    ) as cluster:
        words = ["--executor", f"dask://127.0.0.1:{cluster.port}", "--keys", str(cluster.keys)]
        coordinator = bench.campaign("run", bench.folder / "box.toml", "--out", folder, *words)
        for harm in (kill_worker, kill_scheduler, retire, stop_worker):
            until(lambda: cluster.going() or coordinator.poll() is not None)
            time.sleep(0.5)
            if coordinator.poll() is None:
                harm(cluster)
        assert ended(coordinator) == 0
    once(bench, folder)
    switched = (bench.folder / "switched").read_text().split()
    assert len(switched) >= 2 * REPEATS
    assert set(switched) == {"old", "new"}


def test_a_gateway_that_stands_still_has_its_power_cycled_and_is_tried_once_more(
    bench: Bench,
) -> None:
    folder = bench.folder / "out"
    coordinator = bench.campaign("run", bench.folder / "box.toml", "--out", folder)
    until(lambda: measures_a_second(folder) or coordinator.poll() is not None)
    bench.stop_gateway()
    assert ended(coordinator) == 0
    once(bench, folder)
    attempts = Ledger(folder / "campaign.db", time.time).attempts("state IN ('failed', 'void')")
    assert any("gateway" in attempt.why for attempt in attempts)
    assert (bench.folder / "cycled").read_text().split() == ["cycled"] * len(attempts)


def test_who_measures_a_gateway_already_is_waited_for(bench: Bench) -> None:
    folder = bench.folder / "out"
    journal = Journal(tomllib.loads(STATION)["gateway"]["address"])
    journal.folder.mkdir(parents=True)
    with held(journal.folder / f"{journal.word}.lock"):
        coordinator = bench.campaign("run", bench.folder / "box.toml", "--out", folder)
        until(lambda: waits(folder) or coordinator.poll() is not None)
        assert coordinator.poll() is None
    assert ended(coordinator) == 0
    once(bench, folder)
    assert not Ledger(folder / "campaign.db", time.time).attempts("state IN ('failed', 'void')")


def waits(folder: Path) -> bool:
    logs = [log.read_text() for log in (folder / "begun").glob("*/log")]
    return any("another run measures it: wait" in text for text in logs)
