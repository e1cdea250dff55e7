# SPDX-License-Identifier: Apache-2.0
"""Quantities in words."""

import pytest

from gatemark.quantity import (
    JUDGED,
    MEASURED,
    QUANTITIES,
    UNITS,
    is_bounded,
    is_higher_better,
    words,
)
from gatemark.store.record import HEADLINE


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("delay_p50_ns", "median one-way delay"),
        ("step_packet_ns", "what a step of a ladder adds to the time of the gateway's busiest CPU"),
        ("change_received_pps", "change of the received rate"),
        ("step_function_instructions", "instructions that a step of a ladder adds to a function"),
        ("interrupts.busiest_share", "interrupts: busiest share"),
    ],
)
def test_a_quantity_is_told_in_words(name: str, text: str) -> None:
    assert words(name).startswith(text)


def test_a_shorter_time_is_better() -> None:
    times = [name for name, quantity in QUANTITIES.items() if quantity.unit in ("ns", "s")]
    both = [*times, *(f"uploads.{name}" for name in times)]
    assert "delay_p50_ns" in both
    assert [name for name in both if is_higher_better(name)] == []


IS_HIGHER_BETTER = {
    "received_pps": True,
    "no_loss_pps": True,
    "cwnd_p50": True,
    "interrupts.busiest_share": True,
    "instructions": False,
    "loss_ratio": False,
    "up.missed_40ms_ratio": False,
    "queue_loss_ratio": False,
    "program_cpu": False,
    "flow_bytes": False,
    "bytes": False,
    "power_w": False,
}


def test_what_is_better() -> None:
    assert {name: is_higher_better(name) for name in IS_HIGHER_BETTER} == IS_HIGHER_BETTER


def test_a_rate_that_a_definition_is_about_has_a_bound_where_the_tester_ends() -> None:
    rates = {name for name in HEADLINE.values() if UNITS[name] in ("bit/s", "packets/s", "1/min")}
    assert all(map(is_bounded, rates))
    assert not is_bounded("delay_p50_ns")
    assert not is_bounded("flows_predicted")


def test_no_two_quantities_have_the_same_words() -> None:
    assert len({quantity.words for quantity in QUANTITIES.values()}) == len(MEASURED) + len(JUDGED)
