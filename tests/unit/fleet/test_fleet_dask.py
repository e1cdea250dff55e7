# SPDX-License-Identifier: Apache-2.0
"""Real Dask processes that die, are retired or stand still: each block counts once, whole."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dasked
import fleet
import pytest
from dasked import SCHEDULER, Cluster
from fake_block import TRIALS

from gatemark.error import GatemarkError
from gatemark.fleet import keys, link
from gatemark.fleet.course import Course
from gatemark.fleet.dask import Dask
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.link import LEAST_TRIES, Link

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
STATIONS = [("a", "m"), ("b", "m"), ("c", "n")]
PLACES = [name for name, _ in STATIONS]
TTL_S = 3.0


@pytest.fixture(autouse=True)
def distributed() -> None:
    """Skip where there is no Dask."""
    pytest.importorskip("distributed")


def once(folder: Path, made: Ledger, repeats: int) -> None:
    """Each block counts once, each trial of it is there once."""
    counted = made.attempts("state = 'done'")
    assert sorted(attempt.block for attempt in counted) == list(range(1, 2 * repeats + 1))
    for attempt in counted:
        lines = (folder / "runs" / attempt.folder / "trials.jsonl").read_text().split()
        assert lines == [str(number) for number in range(TRIALS)]


def kill_workers(cluster: Cluster, rng: random.Random) -> None:
    cluster.kill(rng.choice(PLACES))


def kill_the_scheduler(cluster: Cluster, _: random.Random) -> None:
    cluster.kill(SCHEDULER)


def retire_all(cluster: Cluster, _: random.Random) -> None:
    cluster.retire()


def stop_and_go_on(cluster: Cluster, rng: random.Random) -> None:
    """For longer than the scheduler waits for a worker."""
    name = rng.choice(PLACES)
    cluster.kill(name, signal.SIGSTOP)
    time.sleep(2 * TTL_S)
    cluster.kill(name, signal.SIGCONT)


def kill_a_block(cluster: Cluster, rng: random.Random) -> None:
    cluster.kill_a_block(rng)


@pytest.mark.parametrize(
    "harm", [kill_workers, kill_the_scheduler, retire_all, stop_and_go_on, kill_a_block]
)
def test_each_block_counts_once(
    harm: Callable[[Cluster, random.Random], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(dasked.TRIAL_S, "0.4")
    repeats, rng = 5, random.Random(5)
    made = fleet.ledger(tmp_path, fleet.Fleet(), STATIONS, repeats)
    with dasked.cluster(tmp_path, PLACES, f"{TTL_S:g}s") as cluster:
        harming = threading.Timer(0, lambda: harmed(cluster, harm, rng))
        harming.start()
        ended(tmp_path, dasked.course(tmp_path, made, cluster))
        harming.join()
    made = Ledger(tmp_path / "campaign.db", time.time)
    once(tmp_path, made, repeats)


def harmed(
    cluster: Cluster, harm: Callable[[Cluster, random.Random], None], rng: random.Random
) -> None:
    """Twice, while blocks run."""
    for _ in range(2):
        until = time.monotonic() + 60
        while not cluster.going() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(rng.uniform(0.2, 1.0))
        harm(cluster, rng)


def ended(folder: Path, work: Course) -> None:
    """To its end."""
    work.ledger.close()
    work.ledger = Ledger(folder / "campaign.db", time.time, synchronous="OFF")
    work.run()
    assert work.executor
    if isinstance(work.executor, Dask):
        work.executor.link.close()


def test_what_waits_for_a_worker_that_dies_is_asked_of_the_next(tmp_path: Path) -> None:
    """Dask takes a worker's name for its address of just then: by itself the task waits forever."""
    asked = Link("", tmp_path / "keys", lambda _: None)
    with dasked.cluster(tmp_path, ["a"]) as cluster, cluster.client() as client:
        asked.address = cluster.address
        client.wait_for_workers(1, timeout=60)
        begun = tmp_path / "begun"
        _running = link.send(client, "a", "long", dasked.wait, begun)
        while not begun.exists():
            time.sleep(0.05)
        first = int(begun.read_text())
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(asked.ask, "a", 120.0, os.getpid)
            while sum(map(len, client.processing().values())) < 2:
                time.sleep(0.05)
            cluster.kill("a")
            assert answer.result() != first
        asked.close()


def test_a_stranger_is_refused(tmp_path: Path) -> None:
    """No certificate, and that of another authority."""
    keys.make(tmp_path / "others")
    with dasked.cluster(tmp_path, ["a"]) as cluster:
        with cluster.client() as client:
            client.wait_for_workers(1, timeout=60)
        dask = Dask(tmp_path, cluster.address, tmp_path / "others", "fake", dasked.carry)
        dask.link.patience_s = 0.0
        with pytest.raises(GatemarkError, match="no scheduler of these keys"):
            polled(dask, LEAST_TRIES)
        assert not plain(cluster)


def polled(dask: Dask, times: int) -> None:
    for _ in range(times):
        assert dask.poll(0.0) == []


def plain(cluster: Cluster) -> bool:
    """Whether somebody without a certificate is answered."""
    import socket
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", cluster.port), timeout=10) as raw:
        try:
            with context.wrap_socket(raw) as wrapped:
                return bool(wrapped.recv(1))
        except OSError:
            return False
