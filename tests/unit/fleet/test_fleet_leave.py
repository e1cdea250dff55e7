# SPDX-License-Identifier: Apache-2.0
"""Dask's processes end by a signal, also where what they do would not."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import environment

from gatemark.fleet import keys

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
# A class of Dask whose start cannot be cancelled, as its end cannot where it was once.
STUBBORN = """
import asyncio, sys
from contextlib import suppress
from pathlib import Path
import distributed
from gatemark.commands.campaign import carried

async def start(self):
    print("it begins", flush=True)
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

distributed.Worker.start_unsafe = distributed.Scheduler.start_unsafe = start
keys = Path(sys.argv[1])
"""
PROGRAMS = {
    "worker": "carried.worker('dask://127.0.0.1:9', 'a', keys, keys.parent / 'worker')",
    "scheduler": "carried.scheduler(keys, '127.0.0.1', 0)",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_what_cannot_be_cancelled(
    name: str, number: signal.Signals, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    keys.make(tmp_path / "keys")
    script = [sys.executable, "-c", STUBBORN + PROGRAMS[name], str(tmp_path / "keys")]
    with subprocess.Popen(
        script, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"it begins\n"
            process.send_signal(number)
            assert process.wait(60) == 0
        finally:
            process.kill()
