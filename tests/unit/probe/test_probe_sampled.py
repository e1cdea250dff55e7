# SPDX-License-Identifier: Apache-2.0
"""What perf script prints, read: stacks, their tree, time of a packet."""

import pytest

from gatemark.probe import sampled

SAID = """
	ffffffff816d1008 ip_forward+0x12
	ffffffff816d2183 net_rx_action

	ffffffff816d1010 ip_forward
	ffffffff816d2183 net_rx_action

	ffffffff816d2190 net_rx_action
""".splitlines()


def test_stacks_are_read_outermost_first() -> None:
    assert list(sampled.stacks(SAID)) == [
        ("net_rx_action", "ip_forward"),
        ("net_rx_action", "ip_forward"),
        ("net_rx_action",),
    ]


def test_samples_become_time_of_one_packet() -> None:
    path = sampled.calls(sampled.stacks(SAID), packets=2)
    each_ns = 1e9 / sampled.RATE_HZ / 2
    assert [(call.function, call.depth) for call in path] == [
        ("net_rx_action", 0),
        ("ip_forward", 1),
    ]
    assert [call.ns for call in path] == pytest.approx([each_ns, 2 * each_ns], abs=1)


def test_the_dearest_branch_stands_first() -> None:
    stacks = [("a", "small"), ("a", "large"), ("a", "large")]
    assert [call.function for call in sampled.calls(stacks, 1)] == ["a", "large", "small"]


def test_calls_are_not_counted() -> None:
    assert sampled.sizes(sampled.calls([("a",)], 1))["a"][1] == 0
