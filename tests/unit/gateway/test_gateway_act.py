# SPDX-License-Identifier: Apache-2.0
"""What an action node is given: each decided flow once, and the mark that shapers look at."""

from gatemark.gateway import mark
from gatemark.gateway.feature.act import BY, flows
from gatemark.gateway.feature.shape import rules


def test_no_two_flows_are_the_same() -> None:
    known = list(flows(2_500))  # of three hosts
    assert len({*known}) == 2_500


def test_a_set_is_looked_up_once_for_each_way() -> None:
    text = BY["set"](list(flows(2_000)))
    assert text.count("192.0.2.1") == 2_000
    assert text.count("@flows") == text.count(mark.SET) == 2


def test_rules_are_one_for_each_flow() -> None:
    assert BY["rules"](list(flows(20))).count(mark.SET) == 20


def test_a_flow_that_is_marked_is_the_one_that_goes_first() -> None:
    assert mark.IS_SET in rules("marked")
    assert mark.VALUE & mark.MASK == mark.VALUE
