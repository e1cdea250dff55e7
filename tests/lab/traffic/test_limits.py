# SPDX-License-Identifier: Apache-2.0
"""Planted limits: each is put into the lab in turn, and the result names it."""

import pytest

from gatemark.plan.model import Workload
from gatemark.run.bench import Bench
from gatemark.tell.fact import say
from lab.planted import measure, plan

OVERLOAD = Workload(rate_pps=30_000, flows=64, duration_s=0.6)


async def _shaper(bench: Bench) -> None:
    shaper = "root tbf rate 5mbit burst 16kb limit 32kb"
    await bench.station.gateway.run("tc", "qdisc", "add", "dev", "gw1", *shaper.split())


async def _four_ports(bench: Bench) -> None:
    (arm,) = plan("nat", OVERLOAD).arm
    await bench.prepare(arm, OVERLOAD, 0)
    rules = (
        "flush chain inet gatemark postrouting; add rule inet gatemark postrouting "
        'oifname "gw1" meta l4proto udp masquerade to :40000-40003'
    )
    await bench.station.gateway.run("nft", rules)


@pytest.mark.long
def test_a_slowed_gateway_is_limited_by_its_cpu() -> None:
    judgement, _ = measure(plan("route", OVERLOAD, slow_to_pps=10_000))
    assert judgement.points[0].limit == "cpu", say.words(judgement.points[0].why)


@pytest.mark.long
def test_a_token_bucket_on_the_wan_port_is_a_shaper() -> None:
    judgement, _ = measure(plan("route", OVERLOAD), plant=_shaper)
    assert judgement.points[0].limit == "shaper", say.words(judgement.points[0].why)


@pytest.mark.long
def test_a_sender_that_caps_itself_is_the_tester_and_its_rate_at_least() -> None:
    load = Workload(rate_pps=30_000, cap_pps=20_000, flows=64, duration_s=0.6)
    judgement, _ = measure(plan("route", load))
    (point,) = judgement.points
    assert (point.limit, point.at_least) == ("tester", True), say.words(point.why)


@pytest.mark.long
def test_an_exhausted_masquerade_port_range_is_the_flow_table() -> None:
    load = Workload(rate_pps=5_000, flows=64, duration_s=0.6)
    judgement, _ = measure(plan("nat", load), plant=_four_ports)
    assert judgement.points[0].limit == "flow-table", say.words(judgement.points[0].why)


@pytest.mark.long
def test_what_is_delivered_whole_has_no_limit() -> None:
    load = Workload(rate_pps=2_000, flows=8, duration_s=0.6)
    judgement, _ = measure(plan("route", load))
    point = judgement.points[0]
    if say.words(point.why).startswith("the sender made"):
        pytest.skip("other work keeps the tester from its CPU")
    assert point.limit == "none", say.words(point.why)
