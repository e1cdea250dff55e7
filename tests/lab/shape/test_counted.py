# SPDX-License-Identifier: Apache-2.0
"""Faults that no rate shows are named by what the gateway's own kernel counts of them."""

import pytest
from msgspec.structs import replace

from gatemark.judge.cause.find import named
from gatemark.judge.finding import Finding
from gatemark.plan.model import Arm, Command, Workload
from gatemark.store.record import Record
from gatemark.tell.fact import say
from lab.planted import bare, measure, plan, wanted

CALL = Workload(rate_pps=1_000, frame_bytes=128, flows=4, duration_s=0.5, dscp=46)
UPLOAD = Workload(kind="tcp", duration_s=1.0)
UNTIL = "echo at work; while :; do sleep 0.1; done"
TABLE = "nft add table ip w; nft add chain ip w c '{{ type filter hook {hook} priority 0; }}'; "
SILENT = TABLE.format(hook="output") + "nft add rule ip w c icmp type destination-unreachable drop"
PLANTED: dict[str, tuple[str, Workload, str]] = {
    "washed marks": (
        f"{TABLE.format(hook='forward')} nft add rule ip w c ip dscp set cs0",
        CALL,
        "All packets came with another mark than 46.",
    ),
    "a black hole of the MTU": (
        f"ip link set $PORT mtu 1492; {SILENT}",
        UPLOAD,
        "Segments of 1 500 bytes do not pass: the gateway's WAN port takes 1 492",
    ),
    "a filter of the reverse path": (
        "for f in all gw0; do echo 1 > /proc/sys/net/ipv4/conf/$f/rp_filter; done; "
        "ip route del 198.18.1.0/24; ip route add 198.18.1.0/24 dev $PORT",
        CALL,
        "The reverse path filter dropped",
    ),
    "no route": ("ip route del 198.19.1.0/24", CALL, "The gateway has no route for"),
    "a rule that counts": (
        f"{TABLE.format(hook='forward')} nft add rule ip w c numgen inc mod 4 0 counter drop",
        CALL,
        "A rule dropped",
    ),
    "a time to live": (
        f"{TABLE.format(hook='prerouting')} nft add rule ip w c ip ttl set 1",
        CALL,
        "came with a time to live that ends at the gateway",
    ),
    "nothing": ("true", CALL, ""),
}
FEW = ("washed marks", "a black hole of the MTU")


@pytest.fixture(scope="module")
def records(request: pytest.FixtureRequest) -> dict[str, Record]:
    """A trial of each that a test asks for: what a command left is undone before the next."""
    names = wanted(request, "name", PLANTED)
    plans = {
        name: replace(
            bare(plan(Arm(path="route", name=name, features=("command:w",)), load)),
            name=f"test/{number}",
            command={"w": Command(run=f"{command}; {UNTIL}", ready="at work")},
        )
        for number, name in enumerate(names)
        for command, load, _ in [PLANTED[name]]
    }
    _, measured = measure(*plans.values())
    by_plan = {record.plan: record for record in measured}
    return {name: by_plan[own.name] for name, own in plans.items()}


def findings(record: Record) -> list[Finding]:
    return [finding for diagnosis in named((), [record]) for finding in diagnosis.findings]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FEW else pytest.mark.long)
        for name, (_, _, words) in PLANTED.items()
        if words
    ],
)
def test_a_planted_cause_is_named_and_nothing_else(name: str, records: dict[str, Record]) -> None:
    assert records[name].reason == ""
    (finding,) = findings(records[name])
    assert PLANTED[name][2] in say.words(finding.fact)


@pytest.mark.parametrize("name", ["nothing"])
def test_a_sound_gateway_names_nothing(name: str, records: dict[str, Record]) -> None:
    assert findings(records[name]) == []
