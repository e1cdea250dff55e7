# SPDX-License-Identifier: Apache-2.0
"""What a block costs the coordinator: 5 000 blocks on 1 000 stations, in virtual time.

The ledger and the scheduler are the real ones; stations only count (tests/fleet.py). Then Dask:
1 000 tokens on two workers of this process, 10 000 empty tasks, at most one in flight a token.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import fleet

STATIONS, MODELS, REPEATS = 1000, 20, 250
TASKS = 10_000


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """What, its value, and at most what it should be."""
    del count, out
    yield from virtual()
    with suppress(ImportError):
        yield from dask()


def virtual() -> Iterator[tuple[str, float, float | None]]:
    stations = [(f"station-{at:04d}", f"model-{at % MODELS:02d}") for at in range(STATIONS)]
    blocks = MODELS * REPEATS
    with tempfile.TemporaryDirectory() as folder:
        path, carrier = Path(folder), fleet.Fleet()
        made = fleet.ledger(path, carrier, stations, REPEATS, synchronous="FULL")
        began, cpu = time.monotonic(), time.process_time()
        fleet.course(path, made, carrier).run()
        wall_s, cpu_s = time.monotonic() - began, time.process_time() - cpu
        began = time.monotonic()
        counts = made.counts()
        made.attempts("state IN ('claimed', 'started')")
        made.places()
        status_s = time.monotonic() - began
        assert sum(counts.values()) == blocks
        made.close()
        size = sum(file.stat().st_size for file in path.glob("campaign.db*"))
    yield "CPU of the coordinator a block, ms", 1e3 * cpu_s / blocks, 2.0
    yield "wall clock a block, ms", 1e3 * wall_s / blocks, None
    yield "ledger a block, bytes", size / blocks, 1024.0
    yield "a status, s", status_s, 0.1


def dask() -> Iterator[tuple[str, float, float | None]]:
    import distributed

    from gatemark.fleet import carrier

    tokens = [f"s{at}" for at in range(STATIONS)]
    halves = (tokens[::2], tokens[1::2])
    with distributed.LocalCluster(  # type: ignore[no-untyped-call,unused-ignore]
        n_workers=0, processes=False, dashboard_address=None
    ) as cluster:
        workers = [
            cluster.sync(
                _worker, cluster.scheduler.address, {carrier.resource(name): 1 for name in names}
            )
            for names in halves
        ]
        client = distributed.Client(cluster)
        client.wait_for_workers(2)
        memory = [_tasks(client, tokens) for _ in range(2)]
        client.close()
        for worker in workers:
            cluster.sync(worker.close)
    yield "Dask a task of 1 000 tokens, ms", memory[1][0], 5.0
    yield "Dask, memory more after 10 000 further tasks, MiB", memory[1][1] - memory[0][1], 20.0


async def _worker(address: str, tokens: dict[str, int]) -> Any:
    """Begin one, in the loop that it is to run in."""
    import distributed

    return await distributed.Worker(address, nthreads=8, resources=tokens)


def _tasks(client: Any, tokens: list[str]) -> tuple[float, float]:
    """ms a task, and the process' peak of memory in MiB."""
    import distributed

    from gatemark.fleet import carrier

    def sent(at: int) -> Any:
        token = {carrier.resource(tokens[at % len(tokens)]): 1}
        return client.submit(abs, at, resources=token, retries=0, pure=False)

    began = time.monotonic()
    running = distributed.as_completed([sent(at) for at in range(len(tokens))])
    number = len(tokens)
    for future in running:
        future.release()
        if number < TASKS:
            running.add(sent(number))
            number += 1
    taken_s = time.monotonic() - began
    return 1e3 * taken_s / TASKS, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
