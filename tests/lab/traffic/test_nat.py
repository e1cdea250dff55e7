# SPDX-License-Identifier: Apache-2.0
"""Linux's masquerade behaves as its source says, and planted differences are seen."""

import pytest
from msgspec.structs import replace

from gatemark.plan.load import load
from gatemark.plan.model import Arm, Repeat, Workload
from gatemark.run.bench import Bench
from gatemark.store.record import Record
from lab.planted import Plant, bare, measure, plan

IDLE_S = 6.0  # so that a mapping of 2 s is seen to die


def values(*features: str, idle_s: float = 1.0) -> dict[str, float]:
    """The values of one trial of NAT with features."""
    record = trial(Arm(path="nat", features=features, name="nat"), idle_s)
    assert (record.status, record.reason) == ("ok", "")
    return record.values


def trial(arm: Arm, idle_s: float) -> Record:
    _, (shipped,) = load("nat/behaviour")
    workload = replace(shipped.workload, duration_s=idle_s)
    planned = replace(shipped, arm=(arm,), workload=workload, repeat=Repeat(times=1))
    _, (record,) = measure(bare(planned))
    return record


def test_masquerade_keeps_a_port_until_another_client_has_it() -> None:
    seen = values()
    assert (seen["nat_port_kept"], seen["nat_udp_reused_host"]) == (1, 1)
    assert (seen["nat_port_shared"], seen["nat_udp_reused_rival"]) == (1, 0)
    assert (seen["nat_udp_from_port"], seen["nat_udp_from_host"]) == (0, 0)
    assert (seen["nat_udp_hairpin"], seen["nat_tcp_hairpin"]) == (0, 0)
    assert (seen["nat_error_in"], seen["nat_error_out"], seen["nat_echo"]) == (1, 1, 1)
    assert seen["nat_tcp_crossed"] == 1
    assert seen["nat_tcp_silent"] == 0  # nobody filters: the gateway's own kernel answers


@pytest.mark.long
def test_a_port_by_chance_and_a_mapping_that_dies_early() -> None:
    seen = values("masquerade:fully-random", "conntrack-timeout:2", idle_s=IDLE_S)
    assert (seen["nat_port_kept"], seen["nat_udp_reused_host"]) == (0, 0)
    assert 1e9 < seen["nat_udp_once_ns"] < 4e9
    assert seen["nat_refreshed"] == 1


PLANTED = """table inet planted {
  chain forward {
    type filter hook forward priority 0;
    iifname "gw0" oifname "gw2" drop
  }
}
"""


async def lost(bench: Bench) -> None:
    await bench.station.gateway.run("nft", "-f", "-", stdin=PLANTED)


@pytest.mark.parametrize("planted", [None, lost])
def test_a_hairpin_carries_packets_and_one_that_is_missing_is_named(planted: Plant | None) -> None:
    load = Workload(rate_pps=2000, duration_s=0.3)
    judged, (record,) = measure(bare(plan("hairpin", load)), plant=planted)
    assert record.status == "ok"
    assert (record.values["loss_ratio"] == 1) is (planted is lost)
    wrong = [each.fact.code for made in judged.diagnoses for each in made.wrong]
    assert ("nothing.hairpin" in wrong) is (planted is lost)
