# SPDX-License-Identifier: Apache-2.0
"""What is planted is named: each tenth name lost under load, leases and prefixes not renewed.

A clean gateway answers each name and renews each lease.
"""

import sys
from pathlib import Path

import pytest

from gatemark.judge.finding import Finding
from gatemark.judge.judgement import Judgement
from gatemark.kind.dns.plan import require_programs
from gatemark.plan.model import Arm, Command, Plan, Repeat, Workload
from gatemark.store.record import Record
from gatemark.tell.fact import say
from lab.planted import bare, measure

TENTH = Path(__file__).with_name("tenth.py")
LIGHT = Workload(kind="dns", rate_pps=50, duration_s=2)
FEW = Workload(kind="dhcp", rate_pps=20, duration_s=3)
# Each fourth answer of the provider's server is not heard.
UNHEARD = """
trap 'nft delete table inet planted' EXIT
nft -f - << end
table inet planted {
  chain heard {
    type filter hook input priority 0
    udp dport 546 numgen inc mod 4 == 3 drop
  }
}
end
echo deaf
while sleep 1; do :; done
"""
PREFIX = Workload(kind="delegation", duration_s=16)
TOO_BUSY = ("did not end within", "own socket was full")  # this machine is
# Of eight addresses one is heard when it asks anew (from 0.0.0.0), and never when it renews.
DEAF = """
trap 'nft delete table inet planted' EXIT
nft -f - << end
table inet planted {
  chain heard {
    type filter hook input priority 0
    udp dport 67 ip saddr & 0.0.0.7 == 0.0.0.5 drop
  }
}
end
echo deaf
while sleep 1; do :; done
"""


def plan(load: Workload, *features: str, **commands: Command) -> Plan:
    arm = Arm(path="nat", features=features, name="gateway")
    return Plan(
        schema="gatemark.plan/1",
        title="services",
        why="",
        reading="",
        name=f"test/{len(features)}{load.rate_pps:g}",
        arm=(arm,),
        command=commands,
        sweep={"rate_pps": (load.rate_pps, 1000)} if "tenth" in commands else {},
        workload=load,
        repeat=Repeat(times=1),
    )


def ok(measured: tuple[Judgement, list[Record]]) -> tuple[Judgement, list[Record]]:
    for each in measured[1]:
        if any(words in each.reason for words in TOO_BUSY):
            pytest.skip(each.reason)
    assert [(each.status, each.reason) for each in measured[1]] == [("ok", "")] * len(measured[1])
    return measured


def wrong(judgement: Judgement, shape: str) -> Finding | None:
    findings = [each for diagnosis in judgement.diagnoses for each in diagnosis.findings]
    return next((each for each in findings if each.shape == shape), None)


@pytest.fixture(autouse=True, scope="module")
def _programs() -> None:
    require_programs()


def test_a_forwarder_that_loses_every_tenth_query_under_load_is_named() -> None:
    run = f"exec {sys.executable} {TENTH} 198.18.1.1 198.19.1.2"
    tenth = Command(run=run, ready="forwards")
    judgement, _ = ok(measure(bare(plan(LIGHT, "command:tenth", tenth=tenth))))
    named = wrong(judgement, "lookups-lost")
    assert named is not None
    assert 0.07 < named.values["share"] < 0.3
    assert "1.00 k queries/s" in say.words(named.fact)


def test_leases_that_are_not_renewed_are_named() -> None:
    deaf = Command(run=DEAF, ready="deaf")
    judgement, (record,) = ok(measure(bare(plan(FEW, "command:deaf", "dhcp:dnsmasq", deaf=deaf))))
    named = wrong(judgement, "not-renewed")
    assert named is not None
    who = str(record.evidence.service["not renewed, who"]).split(", ")
    lasts = [int(each.partition(" of ")[0].rpartition(".")[2]) for each in who if " of " in each]
    assert lasts
    assert {last % 8 for last in lasts} == {5}
    assert "no answer to 3 requests" in say.words(named.fact)


@pytest.mark.long
def test_a_renewal_of_a_prefix_that_is_lost_is_named() -> None:
    deaf = Command(run=UNHEARD, ready="deaf")
    planned = plan(PREFIX, "command:deaf", "pd:dhcpcd", deaf=deaf)
    judgement, (record,) = ok(measure(bare(planned)))
    named = wrong(judgement, "prefix-not-renewed")
    assert named is not None
    assert "as if no answer had come" in say.words(named.fact)
    assert record.values["pd_held"] > 0.9  # a Rebind brings it back


def test_a_clean_gateway_answers_each_name_and_leases_each_address() -> None:
    names, leases = plan(LIGHT, "dns:dnsmasq"), plan(FEW, "dhcp:dnsmasq")
    judgement, records = ok(measure(bare(names), bare(leases)))
    values = {name: value for record in records for name, value in record.values.items()}
    assert values["dns_refused"] == 0
    assert (values["dhcp_renewed"], values["dhcp_shared"]) == (1, 0)
    assert wrong(judgement, "not-renewed") is None
