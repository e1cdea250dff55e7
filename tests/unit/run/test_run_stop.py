# SPDX-License-Identifier: Apache-2.0
"""A signal ends a run in order, and only the process that was meant."""

import os
import signal
import subprocess
import sys

import pytest

WAIT = """
import asyncio, os, signal, sys
from gatemark.run.stop import on_stop

async def main():
    end = asyncio.Event()
    on_stop(end.set)
    if sys.argv[1] == "fork" and os.fork() == 0:
        os.kill(os.getpid(), signal.SIGTERM)  # as a library of ours ends its child
        os._exit(0)
    print("up", flush=True)
    await asyncio.wait_for(end.wait(), float(sys.argv[2]))
    print("in order", flush=True)

asyncio.run(main())
"""


def started(*words: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-c", WAIT, *words]
    env = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_order(number: signal.Signals) -> None:
    process = started("alone", "20")
    process.send_signal(number)
    assert process.communicate(timeout=20)[0] == "in order\n"


def test_a_childs_signal_is_not_ours() -> None:
    process = started("fork", "0.3")
    assert process.communicate(timeout=20)[0] == ""
