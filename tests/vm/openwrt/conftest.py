# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's own userland on a virtual gateway, booted once for all files."""

from collections.abc import Iterator

import pytest

from vm import openwrt
from vm.conftest import Stand


@pytest.fixture(scope="session")
def openwrt_stand() -> Iterator[Stand]:
    yield from openwrt.stand("openwrt-x86", "x86_64")
