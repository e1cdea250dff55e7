# SPDX-License-Identifier: Apache-2.0
"""Stations with OpenWrt's own userland, where its image was built from its sources."""

import os
from collections.abc import Iterator

import pytest

from gatemark.error import UnavailableError
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt.image import image
from vm.conftest import Stand


def require(arch: str) -> None:
    """Skip the test, with a reason, where no image of that processor can be booted."""
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    try:
        image(ARCHES[arch])
    except UnavailableError as error:
        pytest.skip(str(error))


def stand(station: str, arch: str, *, counting: bool = False) -> Iterator[Stand]:
    """One of a processor; the test is skipped with a reason where it cannot stand."""
    require(arch)
    made = Stand(station, counting=counting)
    try:
        yield made
    finally:
        made.clear()
