# SPDX-License-Identifier: Apache-2.0
"""The code point of a TCP workload is on the packets of both ends, as the gateway sees them."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Command, Family, Probe, Workload
from lab.planted import measure, plan

pytestmark = [pytest.mark.alone, pytest.mark.long]
COUNT = """
nft add table inet seen
nft add counter inet seen marked
nft add counter inet seen plain
nft add chain inet seen crossing '{ type filter hook forward priority 0; }'
for family in 'ip dscp' 'ip6 dscp'; do
    nft add rule inet seen crossing meta l4proto tcp $family 46 counter name marked
    nft add rule inet seen crossing meta l4proto tcp $family != 46 counter name plain
done
count() { nft list counter inet seen $1 | sed -n 's/.*packets \\([0-9]*\\).*/\\1/p'; }
trap 'echo "marked $(count marked) plain $(count plain)"; nft delete table inet seen; exit' TERM
echo counting
while :; do sleep 0.1; done
"""
COUNTERS = r"marked (?P<marked>\d+) plain (?P<plain>\d+)"


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_all_packets_of_both_ends_bear_it(family: Family) -> None:
    load = Workload(kind="tcp", family=family, duration_s=0.2, dscp=46)
    arm = Arm(path="route", name="seen", features=("command:count",))
    command = Command(run=COUNT, ready="counting", counters=COUNTERS)
    _, (record,) = measure(replace(plan(arm, load), command={"count": command}, probe=Probe()))
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    assert program.counters["marked"] > 10
    assert program.counters["plain"] == 0
