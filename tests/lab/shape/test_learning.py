# SPDX-License-Identifier: Apache-2.0
"""The gateway forgets its neighbours before each trial, and is kept from learning them at once."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Command
from gatemark.tell.fact import say
from lab.planted import measure
from lab.shape.test_shapes_lab import sweep

# A gateway that runs a program, as this one, shares its CPU: beside a virtual gateway on the same
# CPU it gets half of it, loses what nothing explains, and rightly says so.
pytestmark = [pytest.mark.long, pytest.mark.alone]
RATES = (5_000, 10_000, 16_000, 22_000)  # below a full CPU: what is learnt is told by these

# It asks every 20 ms and gives up for a while after three; six requests do not leave.
FORGET = """
nft delete table arp planted 2> /dev/null
nft add table arp planted
nft add chain arp planted asked '{ type filter hook output priority 0; }'
nft add rule arp planted asked numgen inc mod 100000 '<' 6 drop
echo 20 > /proc/sys/net/ipv4/neigh/gw1/retrans_time_ms
ip neigh flush dev gw1 nud permanent
ip neigh flush dev gw1
echo forgotten
exec sleep 1000
"""


def test_what_is_lost_until_a_neighbour_is_known() -> None:
    arm = Arm(path="route", name="forgets", features=("command:forget",))
    planned = replace(
        sweep(repeats=2),
        arm=(arm,),
        sweep={"rate_pps": RATES},
        command={"forget": Command(run=FORGET, ready="forgotten")},
    )
    judgement, _ = measure(planned)
    (diagnosis,) = judgement.diagnoses
    if diagnosis.get("tester"):
        pytest.skip("other work keeps the tester from its CPU")
    # A machine that is busy elsewhere stalls as well, and that is named beside it.
    (finding,) = (each for each in diagnosis.wrong if each.shape == "first-packets")
    assert "until something is learnt, as a neighbour" in say.words(finding.fact)
    assert finding.values["lasts_ms"] == pytest.approx(145, rel=0.4)
