# SPDX-License-Identifier: Apache-2.0
"""Quantities in words."""

import pytest

from gatemark.store.quantity import JUDGED, MEASURED, QUANTITIES, words


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


def test_no_two_quantities_have_the_same_words() -> None:
    assert len({quantity.words for quantity in QUANTITIES.values()}) == len(MEASURED) + len(JUDGED)
