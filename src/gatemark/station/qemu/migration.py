# SPDX-License-Identifier: Apache-2.0
"""A guest's whole state into a file, and out of it: QEMU's migration.

QEMU gets the file open, over its monitor: it may start no program (`exec:`), and opens a file by
itself (`file:`) from 8.2 on alone.
"""

import asyncio
import time
from typing import Final

from gatemark.error import StationError
from gatemark.station.qemu.qmp import Monitor

INCOMING: Final = ("-incoming", "defer")  # a machine that waits for a state, and has none till then
NAME: Final = "state"
URI: Final = f"fd:{NAME}"
LONGEST_S, LOOK_S = 60.0, 0.05
# A card that comes up elsewhere tells its neighbours. Ours know it, and every packet is a test's.
QUIET: Final = {"announce-rounds": 0}
FAST: Final = {"max-bandwidth": 1 << 40}  # QEMU's own 128 MiB/s are for networks
FAILED: Final = ("failed", "cancelled")


async def save(monitor: Monitor, file: int) -> None:
    """Write a guest's state; it goes on afterwards. Raises StationError."""
    await monitor.ask("migrate-set-parameters", **FAST)
    await monitor.hand(NAME, file)
    await monitor.ask("stop")
    try:
        await monitor.ask("migrate", uri=URI)
        await _over(monitor)
    finally:
        await monitor.ask("cont")


async def resume(monitor: Monitor, file: int) -> None:
    """Have a machine that waits (`INCOMING`) go on from a state. Raises StationError."""
    await monitor.ask("migrate-set-parameters", **QUIET)
    await monitor.hand(NAME, file)
    await monitor.ask("migrate-incoming", uri=URI)
    await _over(monitor)
    await monitor.ask("cont")


async def _over(monitor: Monitor) -> None:
    until = time.monotonic() + LONGEST_S
    while (state := await monitor.ask("query-migrate")).get("status") != "completed":
        if state.get("status") in FAILED:
            raise StationError(f"virtual machine: {state.get('error-desc', 'no snapshot')}")
        if time.monotonic() > until:
            raise StationError(f"virtual machine: no snapshot in {LONGEST_S:g} s")
        await asyncio.sleep(LOOK_S)
