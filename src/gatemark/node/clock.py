# SPDX-License-Identifier: Apache-2.0
"""One clock for all hosts of a trial: this machine's, which every agent's report is brought onto.

Each machine counts its own time from its own boot. How far ahead of ours another is is read before
a trial and after it (node/remote/ssh.py); crystals drift by some 10 us a second meanwhile.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from gatemark.error import GatemarkError, InvalidTrialError
from gatemark.node.shell import Clock, Here, Node

BOOT_ID: Final = "/proc/sys/kernel/random/boot_id"  # random(4): of one boot of one kernel
HEADER_BITS: Final = 40  # of the time in a test packet (agent/PROTOCOL.md)

STEP_NS: Final = 1_000_000  # apart at once, beyond what the readings may be wrong by
DRIFT: Final = 200e-6  # crystals are within 100 ppm

# What tells a time in an agent's report; each a number, or a list of them. -1, -2 and 0 tell none.
TIMES: Final = frozenset({"t_ns", "t0_ns", "t1_ns", "first_ns", "last_ns", "sent_ns", "arrival_ns"})


async def read(node: Node) -> Clock:
    """A host's clock beside ours. All that runs on this machine's kernel has ours."""
    if isinstance(node, Here):
        return Clock()
    if (await node.run("cat", BOOT_ID)).strip() == Path(BOOT_ID).read_text().strip():
        return Clock()
    return await node.clock()


def here(report: Any, clock: Clock) -> Any:
    """A report with its times by this machine's clock."""
    if not clock.ahead_ns:
        return report
    match report:
        case dict():
            return {
                key: _shifted(value, clock.ahead_ns) if key in TIMES else here(value, clock)
                for key, value in report.items()
            }
        case [dict(), *_]:
            return [here(item, clock) for item in report]
        case _:
            return report


def _shifted(value: Any, ahead_ns: int) -> Any:
    if isinstance(value, list):
        return [_shifted(item, ahead_ns) for item in value]
    return value - ahead_ns if value > 0 else value


@dataclass(frozen=True, slots=True)
class Pair:
    """The clocks of a sender and of a sink, before a trial and, in the end, after it."""

    nodes: tuple[Node, Node]
    sender: Clock
    sink: Clock
    moved_ns: int = 0  # how much they drifted apart meanwhile

    @classmethod
    async def read(cls, sender: Node, sink: Node) -> Self:
        """Both now. Raises NodeError."""
        return cls((sender, sink), *await asyncio.gather(read(sender), read(sink)))

    async def again(self) -> "Pair":
        """The same after the trial; the worse error counts. Of a host that is lost: as before."""
        if self.is_one:
            return self
        try:
            now = await Pair.read(*self.nodes)
        except GatemarkError:
            return self
        worse = max(self, now, key=lambda pair: pair.sender.error_ns + pair.sink.error_ns)
        moved_ns = abs(now.apart_ns - self.apart_ns)
        return Pair(self.nodes, worse.sender, worse.sink, moved_ns)

    @property
    def is_one(self) -> bool:
        """Return whether both are this machine's clock."""
        return self.sender == self.sink == Clock()

    @property
    def apart_ns(self) -> int:
        """The sink's clock less the sender's."""
        return self.sink.ahead_ns - self.sender.ahead_ns

    @property
    def wrapped_ns(self) -> int:
        """The same as the sink takes it: modulo what a test packet's time has."""
        return self.apart_ns % (1 << HEADER_BITS)

    @property
    def error_ns(self) -> int:
        """At most so much is wrong with a one-way delay."""
        return self.sender.error_ns + self.sink.error_ns + self.moved_ns

    def require_steady(self, span_ns: int) -> None:
        """Raise InvalidTrialError if one of them was set meanwhile: no delay is known then."""
        unsure_ns = self.sender.error_ns + self.sink.error_ns
        if self.moved_ns - unsure_ns > STEP_NS + DRIFT * span_ns:
            sender, sink = (node.name for node in self.nodes)
            raise InvalidTrialError(
                f"the clocks of {sender} and {sink} were set apart by "
                f"{self.moved_ns / 1e6:.3g} ms during the trial: end what sets them"
            )

    @property
    def words(self) -> str:
        """Return the words of a record about it; nothing where there is one clock."""
        if self.is_one:
            return ""
        sender, sink = (node.name for node in self.nodes)
        return (
            f"one-way delays are between two clocks, {sink}'s set to {sender}'s: "
            f"wrong by {self.error_ns / 1000:.0f} us at most, {self.moved_ns / 1000:.0f} us of it "
            "because they drifted apart meanwhile"
        )
