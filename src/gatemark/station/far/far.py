# SPDX-License-Identifier: Apache-2.0
"""The far end of an arm's tunnel, in the cable before the WAN host, where a line would be.

That of `nat64` is before the LAN host: it makes an IPv6 host of it.

    gateway               gm-ID-line                    WAN host
    +-----+         +-------------------------+         +------+
    | gw1 |=========| wan0   station/far  line1 |-------| wan0 |
    +-----+         +-------------------------+         +------+

Neither the hosts nor their workloads see a difference: what leaves it are the bare packets.
"""

import asyncio
import json
from typing import Final

from gatemark.error import StationError, UnavailableError
from gatemark.node import isolated
from gatemark.node.reader import reader
from gatemark.node.shell import Process
from gatemark.node.shield import whole
from gatemark.plan.line.tunnel import ON_LAN, kind_of, path_bytes
from gatemark.plan.model import Arm
from gatemark.station import blocking, space
from gatemark.station.line.splice import Splice
from gatemark.station.station import Station

SETTLE_S: Final = 1.05  # as of a line (station/line/line.py)
STARTING_S: Final = 30.0  # Python, its modules, on a machine with other work
ANSWER_S: Final = 5.0
READY: Final = b"ready"
FIRST: Final = ("setpriv", "--pdeathsig", "KILL")
BOTH: Final = "a tunnel's far end stands where a line would: leave out [line], or the tunnel"


class Far:
    """The far end as it stands now. `set` before each trial, `release` in the end."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self._splice: Splice | None = None
        self._process: Process | None = None
        self._words: tuple[str, ...] = ()

    async def set(self, arm: Arm, *, lined: bool) -> None:
        """Put the arm's far end in, or take it out. Raises UnavailableError, StationError."""
        kind, further = kind_of(arm.features)
        words = (kind, str(path_bytes(further))) if kind else ()
        if words and words == self._words and self._process and not self._process.ended:
            return
        await self.release()
        if not words:
            return
        if lined:
            raise UnavailableError(BOTH)
        await self._put(*words)
        self._words = words

    async def release(self) -> None:
        """Take it out: the WAN host's device goes home, the namespace goes away."""
        process, self._process, self._words = self._process, None, ()
        if process:
            process.kill()
            await process.wait()
        splice, self._splice = self._splice, None
        if splice:
            try:
                await blocking.run(splice.take_out)
            finally:
                self.station.rewired()

    async def counts(self) -> dict[str, int]:
        """Packets that it took out, put in, saw bare, passed, and dropped as too long."""
        assert self._process is not None
        self._process.write(b"?\n")
        return _counts(await self._line(ANSWER_S))

    async def _put(self, kind: str, path: str) -> None:
        role = "lan0" if kind in ON_LAN else "wan0"
        self._splice = splice = Splice(self.station.ports, role)
        try:
            await blocking.run(splice.put_in)
            for port in (*splice.ports, splice.port):
                await space.offloads(port.node, port.device, "off")
                await port.node.run("ethtool", "-K", port.device, "tx", "off")
            await asyncio.sleep(SETTLE_S)
            gate, host = splice.ports
            near = splice.next  # the gateway's port
            self._process = await splice.node.start(
                *FIRST,
                *isolated.python("gatemark.station.far.end", gate.device, host.device, near.mac),
                *(kind, near.address("ipv4"), path),
            )
            if await self._line(STARTING_S) != READY:
                raise StationError("the tunnel's far end did not start")
        except BaseException:
            await whole(self.release())
            raise
        self.station.rewired()

    async def _line(self, within_s: float) -> bytes:
        assert self._process is not None
        try:
            async with asyncio.timeout(within_s):
                return (await self._process.line()).strip()
        except TimeoutError:
            raise StationError(f"the tunnel's far end says nothing for {within_s:g} s") from None


@reader("the counts of a tunnel's far end")
def _counts(line: bytes) -> dict[str, int]:
    counts: dict[str, int] = json.loads(line)
    return counts
