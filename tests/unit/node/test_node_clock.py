# SPDX-License-Identifier: Apache-2.0
"""Reports of hosts with clocks of their own are brought onto this machine's, and the error told."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from gatemark.error import InvalidTrialError, NodeError
from gatemark.node.clock import BOOT_ID, Pair, here, read
from gatemark.node.shell import Clock, Local, Node


@dataclass(slots=True)
class Machine:
    """A host with a clock of its own."""

    name: str
    clocks: list[Clock]
    boot: str = "another"
    asked: list[str] = field(default_factory=list)

    async def run(self, *command: str, stdin: str = "") -> str:
        """Only its boot id is ever asked for."""
        del stdin
        assert command == ("cat", BOOT_ID)
        return self.boot

    async def clock(self) -> Clock:
        """The next that was planted; then it is lost."""
        self.asked.append("clock")
        if not self.clocks:
            raise NodeError(f"{self.name}: lost")
        return self.clocks.pop(0)


def pair(sender: object, sink: object) -> Pair:
    """Both clocks as they are read."""
    return asyncio.run(Pair.read(cast(Node, sender), cast(Node, sink)))


def test_times_are_ours_and_quantities_stay() -> None:
    report = {
        "t0_ns": 1100,
        "cpu_ns": 50,
        "first_ns": 0,
        "rate": {"t0_ns": 1200, "packets": [5, 6], "delay_max_ns": [1500]},
        "info": {"t_ns": [1100, 1300], "rtt_us": [7, 8]},
        "packet": {"sent_ns": [1150, -1, -2]},
    }
    assert here(report, Clock(ahead_ns=1000)) == {
        "t0_ns": 100,
        "cpu_ns": 50,
        "first_ns": 0,
        "rate": {"t0_ns": 200, "packets": [5, 6], "delay_max_ns": [1500]},
        "info": {"t_ns": [100, 300], "rtt_us": [7, 8]},
        "packet": {"sent_ns": [150, -1, -2]},
    }


def test_hosts_of_this_machine_have_one_clock_however_they_are_reached() -> None:
    mine = Machine("WAN host", [Clock(5, 5)], boot=Path(BOOT_ID).read_text())
    found = pair(Local(), mine)
    assert found.is_one
    assert not found.words
    assert not mine.asked


def test_two_machines_clocks_are_set_to_the_senders_and_their_error_adds_up() -> None:
    sender = Machine("LAN host", [Clock(5000, 20), Clock(5000, 30)])
    sink = Machine("WAN host", [Clock(-1000, 40), Clock(-900, 40)])
    before = pair(sender, sink)
    assert before.apart_ns == -6000
    assert before.wrapped_ns == (1 << 40) - 6000
    after = asyncio.run(before.again())
    assert after.error_ns == 30 + 40 + 100, "both errors, and what they drifted"
    assert "WAN host's set to LAN host's" in after.words


def test_a_host_that_is_lost_after_a_trial_does_not_cost_the_trial() -> None:
    before = pair(Machine("LAN host", [Clock(1, 2)]), Machine("WAN host", [Clock(3, 4)]))
    assert asyncio.run(before.again()) == before


def test_one_machine_is_asked_for_its_clock_by_a_boot_of_another() -> None:
    assert asyncio.run(read(cast(Node, Machine("WAN host", [Clock(3, 4)])))) == Clock(3, 4)


@pytest.mark.parametrize(("ahead_ns", "is_set"), [(400_000, False), (5_000_000, True)])
def test_a_clock_that_was_set_during_a_trial_makes_it_invalid(ahead_ns: int, is_set: bool) -> None:
    sink = Machine("WAN host", [Clock(0, 20), Clock(ahead_ns, 20)])
    after = asyncio.run(pair(Machine("LAN host", [Clock(1, 20), Clock(1, 20)]), sink).again())
    if not is_set:
        after.require_steady(10**9)
        return
    with pytest.raises(InvalidTrialError, match=r"of LAN host and WAN host were set apart by 5 ms"):
        after.require_steady(10**9)
