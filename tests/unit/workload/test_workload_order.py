# SPDX-License-Identifier: Apache-2.0
"""The order of the flows is the senders': agent/tests/unit/frame/order_test.c has these numbers."""

from itertools import product

from gatemark.workload.order import Order

THREE_ROUNDS = [
    *(1, 8, 5, 2, 9, 6, 3, 0, 7, 4),
    *(7, 8, 9, 0, 1, 2, 3, 4, 5, 6),
    *(6, 3, 0, 7, 4, 1, 8, 5, 2, 9),
]


def test_the_order_is_the_agents() -> None:
    order = Order(3, 10)
    assert [flow for number in range(3) for flow in order.flows_of(number)] == THREE_ROUNDS


def test_each_flow_is_once_in_a_round() -> None:
    for seed, flows in product((0, 1, 2), (1, 2, 3, 6, 64, 97, 1000)):
        order = Order(seed, flows)
        for number in range(5):
            assert sorted(order.flows_of(number)) == list(range(flows)), (seed, flows)


def test_without_a_seed_it_is_round_robin() -> None:
    assert list(Order(0, 4).flows_of(7)) == [0, 1, 2, 3]


def test_bytes_of_flows_are_put_in_the_order_of_sending() -> None:
    order, rounds = Order(5, 9), 20
    by_flow = [flow for number in range(rounds) for flow in order.flows_of(number)]
    assert list(order.sent(bytes(range(9)) * rounds)) == by_flow
