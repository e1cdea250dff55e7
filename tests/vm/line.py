# SPDX-License-Identifier: Apache-2.0
"""A line: an arm that the tests of a file share, set once, and given back by the last of them."""

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Workload
from gatemark.store.record import Record
from vm.conftest import Booted, Stand

# A control port's address is tentative for a second after the boot; a pppd that has ended has no
# command line while it waits for init.
STATE = """
ip -o addr | sed 's/^[0-9]*: //; s/ tentative//' | sort
ip route; ip -6 route; ip neigh show nud permanent | sort
nft list ruleset; ip netns list; cat /proc/sys/net/ipv4/ip_forward
grep -ls '^ppp[d]' /proc/[0-9]*/cmdline; ls /run | sed /netns/d
"""
ANSWERED = {  # the addresses that the WAN host answers to
    "ipv4": "dst=198.19.1.1 ",
    "ipv6": "dst=2001:0002:0000:0002:0000:0000:0000:0001 ",
}


@dataclass(frozen=True, slots=True)
class Line:
    """An arm, and how its gateway was before. Its tests follow each other, so it is set once."""

    arm: Arm
    stand: Stand
    before: str

    @property
    def booted(self) -> Booted:
        """Its gateway."""
        return self.stand.booted()


def line_of(stand: Stand, arm: Arm) -> Line:
    booted = stand.booted()
    booted.run(booted.bench.setup.undo())
    return Line(arm, stand, booted.said(STATE))


def of(fixture: str, *arms: Arm) -> pytest.MarkDecorator:
    """These arms, for one fixture."""
    return pytest.mark.parametrize(fixture, arms, indirect=True, ids=lambda arm: arm.name)


def masqueraded(booted: Booted, arm: Arm, few: Workload, share: float) -> Record:
    """More than this share of a few packets came through, and answers are for the WAN port."""
    record = booted.measure(arm, replace(few, frame_bytes=100))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > share * record.accounting.tried
    assert ANSWERED[few.family] in booted.said("cat /proc/net/nf_conntrack")
    return record


def given_back(line: Line) -> None:
    booted, setup = line.booted, line.booted.bench.setup
    booted.run(setup.change(line.arm))
    during = booted.said(STATE)
    booted.run(setup.undo())
    assert booted.said(STATE) == line.before
    assert during != line.before
