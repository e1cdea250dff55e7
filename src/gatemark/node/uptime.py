# SPDX-License-Identifier: Apache-2.0
"""Another machine's clock beside ours, by round trips.

/proc/uptime is read by the shell itself in one long loop, so that a round trip is short and no
process is made. It counts in steps of 10 ms (fs/proc/uptime.c) what CLOCK_MONOTONIC counts on a
machine that never sleeps. A reading u, asked for at t0 and here at t1, says that the clock was
between u and u + 10 ms at some time between t0 and t1, so it is ahead of ours by at least u - t1
and at most u + 10 ms - t0. All readings have to agree, which leaves about half the best round trip
for the error, however coarse the steps: readings fall anywhere within a step.
"""

import re
import time
from collections.abc import Iterable

from gatemark.error import NodeError
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import Printed, reader
from gatemark.node.shell import Clock, Node

STEP_NS = 10_000_000
READINGS = 50
UPTIME = re.compile(r"([0-9]{1,9})\.([0-9]{2})")
READ = literal("while read -r _; do read -r up _ < /proc/uptime; echo $up; done")

Reading = tuple[int, int, int]  # ns: asked at, what was said, heard at


async def clock(node: Node) -> Clock:
    """A host's clock. Raises NodeError."""
    process = await node.start(*sh(READ))
    try:
        readings = []
        for _ in range(READINGS):
            asked_ns = time.monotonic_ns()
            process.write(b"\n")
            text = (await process.line()).decode(errors="replace").strip()
            readings.append((asked_ns, _ns(Printed.by(node.name, text)), time.monotonic_ns()))
    finally:
        process.close_stdin()
        process.kill()
        await process.wait()
    return agreed(node.name, readings)


def agreed(name: str, readings: Iterable[Reading]) -> Clock:
    """Return what all readings have in common. Raises NodeError if that is nothing."""
    asked, text, heard = zip(*readings, strict=True)
    least = max(up - t1 for up, t1 in zip(text, heard, strict=True))
    most = min(up + STEP_NS - t0 for up, t0 in zip(text, asked, strict=True))
    if least > most:
        raise NodeError(f"{name}: its clock jumped while it was read; try again")
    return Clock(ahead_ns=(least + most) // 2, error_ns=(most - least + 1) // 2)


@reader("its /proc/uptime")
def _ns(text: str) -> int:
    if not (match := UPTIME.fullmatch(text)):
        raise ValueError(text)
    return int(match[1]) * 1_000_000_000 + int(match[2]) * STEP_NS
