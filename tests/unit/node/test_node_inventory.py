# SPDX-License-Identifier: Apache-2.0
"""The inventory: what a host says of itself, and nothing where it has nothing to say."""

import asyncio
import os
from typing import Any

import pytest

from gatemark.node.inventory import GATEWAY, TESTER, inventory
from gatemark.node.shell import Local


@pytest.fixture(scope="module")
def taken() -> dict[str, Any]:
    return asyncio.run(inventory(Local("gateway"), ["lo"]))


def test_both_hosts_are_asked(taken: dict[str, Any]) -> None:
    assert taken.keys() == {"gateway", "tester"}


def test_the_kernel_is_told(taken: dict[str, Any]) -> None:
    assert os.uname().release in taken["tester"]["kernel"]
    assert os.uname().release in taken["gateway"]["kernel"]


def test_what_a_host_lacks_is_left_out(taken: dict[str, Any]) -> None:
    assert all(text.strip() for host in taken.values() for text in host.values())


def test_only_what_was_asked_is_told(taken: dict[str, Any]) -> None:
    assert taken["gateway"].keys() <= GATEWAY.keys()
    assert taken["tester"].keys() <= {*TESTER, "kernel_config_sha256"}
