# SPDX-License-Identifier: Apache-2.0
"""Ports and addresses of many flows."""

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.plan.crowd import is_crowd
from gatemark.plan.model import FlowPorts, Workload
from gatemark.workload.flows import FAR_RANDOM, NEAR_RANDOM, flows


def load(flow_ports: FlowPorts, clients: int, each: int) -> Workload:
    """A crowd."""
    return Workload(flow_ports=flow_ports, clients=clients, flows=clients * each)


@few()
@given(st.sampled_from(["ordered", "random"]), st.integers(1, 250), st.integers(1, 40))
def test_no_two_flows_are_the_same(flow_ports: FlowPorts, clients: int, each: int) -> None:
    crowd = load(flow_ports, clients, each)
    near = flows(crowd).near
    assert len({(at % clients, port) for at, port in enumerate(near)}) == crowd.flows


def test_random_ports_are_those_of_the_rfc() -> None:
    random = flows(Workload(flow_ports="random", flows=5_000))
    assert set(random.near) <= set(NEAR_RANDOM)
    assert set(random.far) <= set(FAR_RANDOM)
    assert len(set(random.far)) > 4_500


def test_random_ports_are_the_same_every_time() -> None:
    crowd = load("random", 3, 100)
    assert flows(crowd) == flows(crowd)


@pytest.mark.parametrize(
    ("load", "crowd"),
    [
        (Workload(flows=4096), False),
        (Workload(flows=4097), True),
        (Workload(flows=2, clients=2), True),
        (Workload(flow_ports="random"), True),
    ],
)
def test_who_is_a_crowd(load: Workload, crowd: bool) -> None:
    assert is_crowd(load) is crowd
