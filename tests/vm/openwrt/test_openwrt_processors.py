# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's own userland on the other processors, compiled by the agent's compiler."""

from collections.abc import Iterator

import pytest

from vm import openwrt
from vm.conftest import Booted, Stand

pytestmark = pytest.mark.long
CORES = {"openwrt-mips": ("mipsel", "mipsel_24kc"), "openwrt-aarch64": ("aarch64",) * 2}
RULES = "uci export; uci changes; nft -s list ruleset"


@pytest.fixture(scope="module", params=CORES)
def other_stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    yield from openwrt.stand(request.param, CORES[request.param][0])


@pytest.fixture
def other(other_stand: Stand) -> Booted:
    return other_stand.booted()


def test_it_is_openwrt_of_its_own_processor(other: Booted, other_stand: Stand) -> None:
    assert other.said("readlink /proc/1/exe") == "/sbin/procd"
    assert other.said("fw4 check > /dev/null 2>&1; echo $?") == "0"
    release = other.said(". /etc/openwrt_release; echo $DISTRIB_ARCH")
    assert release.startswith(CORES[other_stand.station][1])


def test_a_path_is_measured_and_given_back(other: Booted) -> None:
    before = other.said(RULES)
    record = other.measure("nat")
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried
    other.run(other.bench.setup.undo())
    assert other.said(RULES) == before
