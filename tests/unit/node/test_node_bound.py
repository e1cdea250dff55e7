# SPDX-License-Identifier: Apache-2.0
"""A host that prints for ever: an error in one line, and this machine keeps its memory."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from gatemark.node.bound import ERRORS_BYTES, Tail

MOST_MIB = 450  # of this process: Python, asyncssh, and the longest line twice
ROOM_MIB = 2048  # of address space: without a bound a flood fills it, and nothing else

# In a process of its own, so that its memory is that of the flood alone. The budget of lines is
# less than in earnest, so that the test is quick.
FLOODED = """
import asyncio, json, resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
resource.setrlimit(resource.RLIMIT_AS, ({room} << 20, {room} << 20))
from gatemark.error import NodeError
from gatemark.node import bound
from gatemark.node.shell import Local
bound.LINES_BYTES = 8 << 20

async def lines(node, *command):
    process = await node.start(*command)
    kept = []
    try:
        while line := await process.line():
            kept.append(line)
    finally:
        process.kill()
        await process.wait()

async def errors(node, *command):
    process = await node.start(*command)
    while await process.line():
        pass
    text = await process.errors()
    await process.wait()
    raise NodeError(str(len(text)))

async def run(node, *command):
    await node.run(*command)

async def flood(do, *command):
    if {ssh}:
        import sshd
        from gatemark.node.remote.ssh import Ssh
        async with sshd.serving(Path({folder!r})) as server:
            node = Ssh("gateway", server.login())
            await node.connect()
            try:
                return await do(node, *command)
            finally:
                await node.close()
    return await do(Local("gateway"), *command)

messages = []
for do, *command in {floods!r}:
    try:
        asyncio.run(flood(globals()[do], *command))
    except NodeError as error:
        messages.append(str(error))
# ru_maxrss would have that of whoever forked this process, too.
status = dict(row.split(":", 1) for row in Path("/proc/self/status").read_text().splitlines())
print(json.dumps([messages, int(status["VmHWM"].split()[0]) >> 10]))
"""

# What floods, how it is taken, and what is said of it.
FLOODS = {
    ("run", "cat", "/dev/zero"): "gateway: 'cat /dev/zero' printed more than 32 MiB",
    ("lines", "yes"): "gateway: 'yes' printed more than 8 MiB",
    ("errors", "sh", "-c", "head -c 2000000 /dev/zero >&2"): str(ERRORS_BYTES),
}
LONG_LINE = {
    ("lines", "cat", "/dev/zero"): "gateway: 'cat /dev/zero' printed more than 64 MiB in one line"
}


def flooded(floods: Iterable[Sequence[str]], folder: Path, *, ssh: bool = False) -> list[str]:
    """What is said of commands that flood, one after another; memory stays bounded meanwhile."""
    program = FLOODED.format(
        tests=str(Path(__file__).parents[2]),
        room=ROOM_MIB,
        floods=list(floods),
        ssh=ssh,
        folder=str(folder),
    )
    command_line = [sys.executable, "-c", program]
    done = subprocess.run(command_line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    messages, used_mib = json.loads(done.stdout)
    assert used_mib < MOST_MIB
    return list(messages)


@pytest.mark.parametrize(
    "ssh", [False, pytest.param(True, marks=pytest.mark.long)], ids=["local", "ssh"]
)
def test_what_prints_for_ever_is_ended_and_of_errors_the_last_are_kept(
    ssh: bool, tmp_path: Path
) -> None:
    assert flooded(FLOODS, tmp_path, ssh=ssh) == [*FLOODS.values()]


@pytest.mark.long
def test_a_line_without_end_is_ended(tmp_path: Path) -> None:
    assert flooded(LONG_LINE, tmp_path) == [*LONG_LINE.values()]


def test_the_end_of_errors_is_their_end() -> None:
    tail = Tail()
    for number in range(100_000):
        tail.feed(b"%d\n" % number)
    assert tail.text.endswith("99998\n99999\n")


def test_a_command_with_errors_and_much_output_does_not_stop() -> None:
    from gatemark.node.shell import Local

    text = "yes error | head -c 300000 >&2; yes | head -c 3000000; cat"
    assert len(asyncio.run(Local().run("sh", "-c", text, stdin="x" * 200_000))) == 3_200_000
