# SPDX-License-Identifier: Apache-2.0
"""What a gateway's memory has besides what is free, from its own words."""

import asyncio

import pytest

from gatemark.error import NodeError
from gatemark.probe.connections import spare_bytes

KIB = 1024
FILES = "714\nActive(file):        300 kB\nInactive(file):      100 kB\n"
LISTS = "              high:  5\n              high:  217\n"


class Fake:
    """A gateway that says this, or nothing."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    async def run(self, *argv: str) -> str:
        del argv
        if self.text is None:
            raise NodeError("no such file")
        return self.text


@pytest.mark.parametrize(
    ("text", "spare"),
    [
        (FILES, (400 - 714) * KIB),
        (FILES + LISTS, (400 - 714 - 111 * 4) * KIB),
        ("", 0),
        (None, 0),
    ],
)
def test_the_reserve_and_half_of_the_cpus_lists_are_not_for_flows(
    text: str | None, spare: int
) -> None:
    assert asyncio.run(spare_bytes(Fake(text))) == spare  # type: ignore[arg-type]
