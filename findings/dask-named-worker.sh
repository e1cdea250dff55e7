#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dask 2026.8.0: a task for `workers="bench"` waits forever once that worker has died and come back.
#
# Client.submit takes a worker's name, and workers are given names to be the same after a restart, so one
# expects the next worker of that name to get the task. The scheduler takes the name for the address that
# has it just then, and keeps the address. A worker that comes back has another port: what waits for it is
# never run and never fails, though `scheduler_info` shows an idle worker of that name. A task that was sent
# while no such worker was there does run, for then the name is kept as a host's. Whom it hurts: who pins
# tasks to a machine with a device, a GPU or a licence: after a crash the queue of that machine stands
# still, and what is sent later overtakes it.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q dask==2026.8.0 distributed==2026.8.0
cat >probe.py <<'PYTHON'
import subprocess
import sys
import time

from distributed import Client

PORT = "18786"


def dask(kind, *words):
    argv = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, "--no-dashboard"]
    return subprocess.Popen(argv, stderr=subprocess.DEVNULL)


def worker():
    return dask("worker", f"tcp://127.0.0.1:{PORT}", "--name", "bench", "--nthreads", "1", "--no-nanny")


scheduler, bench = dask("scheduler", "--host", "127.0.0.1", "--port", PORT), worker()
try:
    client = Client(f"tcp://127.0.0.1:{PORT}", timeout=60)
    client.wait_for_workers(1, timeout=60)
    first = next(iter(client.scheduler_info()["workers"]))

    def pinned(function, *words):
        return client.submit(function, *words, workers=["bench"], pure=False)

    at_work, queued = pinned(time.sleep, 60), pinned(int, "1")
    time.sleep(1)
    bench.kill()
    bench.wait()
    while client.scheduler_info()["workers"]:
        time.sleep(0.1)
    between = pinned(int, "2")
    bench = worker()
    between.result(timeout=60)
    after = pinned(int, "3")
    after.result(timeout=60)
    time.sleep(20)
    ((address, facts),) = client.scheduler_info()["workers"].items()
    print("worker", facts["name"], "at another address:", address != first, "busy:", bool(client.processing()[address]))
    tasks = {"at work as it died": at_work, "queued then": queued, "sent while it was away": between, "sent later": after}
    for name, future in tasks.items():
        print(f"{name}: {future.status}")
finally:
    bench.kill()
    scheduler.kill()
PYTHON
venv/bin/python probe.py 2>/dev/null | tee seen.txt
cat >expected.txt <<'TEXT'
worker bench at another address: True busy: False
at work as it died: pending
queued then: pending
sent while it was away: finished
sent later: finished
TEXT
cmp seen.txt expected.txt
