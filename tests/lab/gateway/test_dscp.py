# SPDX-License-Identifier: Apache-2.0
"""The feature `dscp:N`: the kernel takes its rules in a table of ours, and gives them back."""

import asyncio
import subprocess
from collections.abc import Iterator

import pytest

from gatemark.error import UsageError
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import Asked, feature_of
from gatemark.node.shell import Namespace
from gatemark.plan.feature import parts
from gatemark.station.wiring import Gateway

SPACE = "gm-test-dscp"


@pytest.fixture
def gateway() -> Iterator[Namespace]:
    subprocess.run(("ip", "netns", "add", SPACE), check=True)
    yield Namespace("gateway", SPACE)
    subprocess.run(("ip", "netns", "del", SPACE), check=True)


def test_both_families_are_marked_and_the_table_is_given_back(gateway: Namespace) -> None:
    async def there_and_back() -> str:
        changes = Changes(gateway)
        name, arguments = parts("dscp:46")
        asked = Asked(Gateway(gateway, {}), changes, "route", arguments)
        await feature_of(name).apply(asked)
        rules = await gateway.run("nft", "list", "ruleset")
        await changes.undo()
        assert await gateway.run("nft", "list", "ruleset") == ""
        return rules

    rules = asyncio.run(there_and_back())
    assert "hook forward" in rules
    assert ("ip dscp set ef" in rules, "ip6 dscp set ef" in rules) == (True, True)


def test_a_code_point_has_six_bits() -> None:
    with pytest.raises(UsageError, match="N from 0 to 63"):
        parts("dscp:64")
