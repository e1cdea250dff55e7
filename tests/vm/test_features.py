# SPDX-License-Identifier: Apache-2.0
"""Features that this machine's kernel may lack, on a stock kernel: each works and is given back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from gatemark.error import UnavailableError
from gatemark.gateway.journal import Journal
from gatemark.gateway.setup import Setup
from gatemark.node.inventory import settings
from gatemark.plan.model import Arm
from gatemark.station.wiring import Gateway
from vm.conftest import FEW, Booted

Way = Literal["switch", "route", "nat", "endpoint"]


def arm(path: Way, *features: str) -> Arm:
    return Arm(path=path, name="arm", features=features)


# What xdp and software offload carry is measured below, what shapers do in test_shape_vm.py.
ARMS = [
    arm("route", "filter:100:legacy"),
    arm("switch", "bridge-netfilter", "filter:10:set"),
    arm("route", "netfilter-absent"),
]
CRASHED = [
    arm("route", "filter:100:legacy"),
    arm("nat", "offload:software", "shape:cake:50"),
    arm("route", "xdp", "steering:threaded"),
]
LACKING = [
    (arm("route", "offload:hardware"), "offload:hardware: .*: Could not process rule"),
    (arm("route", "steering:rps"), "one CPU only"),
]
# Loaded before, since a kernel keeps what rules once called for (gateway/difference.py).
LOADED = """
modprobe -a nf_conntrack nf_conntrack_netlink nft_ct nft_chain_nat nft_masq nf_tables bridge
modprobe -a nf_flow_table nf_flow_table_inet nft_flow_offload sch_htb sch_cake
"""
# Those that a feature loads or unloads by itself.
MODULES = "cut -d' ' -f1 /proc/modules | grep -E '^(ip|x|br_|nf_conn)' | sort"
TRACKING = "grep -c '^nf_conntrack ' /proc/modules || true"

pytestmark = pytest.mark.long


@asynccontextmanager
async def unchanged(gateway: Gateway) -> AsyncIterator[None]:
    async def state() -> dict[str, str]:
        state = await settings(gateway.node, gateway.devices.values())
        state["modules"] = await gateway.run("sh", "-c", MODULES)
        state["links"] = await gateway.run("sh", "-c", "ip -d -o link show")
        return state

    before = await state()
    yield
    assert await state() == before


@pytest.mark.parametrize("arm", CRASHED, ids=lambda arm: arm.setup)
def test_a_feature_is_undone_whole_after_a_crash(
    booted: Booted, arm: Arm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    async def change() -> None:
        await booted.bench.setup.undo()
        gateway = replace(booted.lab.gateway, journal="root@guest")
        await gateway.run("sh", "-c", LOADED)
        async with unchanged(gateway):
            cut = Setup(gateway)
            await cut.begin()
            await cut.change(arm)
            assert cut.changes.journal is not None
            cut.changes.journal.close()
            for agent in cut.changes.holding:
                await gateway.run("kill", "-9", str(agent.hello["pid"]))
                await agent.process.wait()
            left = Journal(gateway.journal)
            await left.open(gateway.node)
            left.close()

    booted.run(change())


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.setup)
def test_packets_cross_each(booted: Booted, arm: Arm) -> None:
    record = booted.measure(arm)
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried


@pytest.mark.parametrize(("arm", "why"), LACKING, ids=lambda case: getattr(case, "setup", ""))
def test_what_it_lacks_is_told(booted: Booted, arm: Arm, why: str) -> None:
    with pytest.raises(UnavailableError, match=why):
        booted.run(booted.bench.setup.change(arm))


def test_what_was_offloaded_is_measured(booted: Booted) -> None:
    record = booted.measure(arm("nat", "offload:software"))
    assert record.evidence.offload["entries"] == FEW.flows
    assert record.evidence.offload["usual"] >= FEW.flows  # each flow's first packets
    assert record.values["offloaded_share"] > 0.8


def test_a_classifier_sees_flows_that_are_offloaded_by_software_and_reports_them(
    booted: Booted,
) -> None:
    record = booted.measure(arm("nat", "classify:jumping", "offload:software"))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    (program,) = record.evidence.programs
    assert program.counters["offloaded"] == FEW.flows
    assert any(f"up to {FEW.flows} flows at a time" in note for note in record.notes)
    assert program.counters["seen"] >= record.accounting.unique  # tc's hook is before the table's


def test_what_xdp_forwards_is_counted(booted: Booted) -> None:
    record = booted.measure(arm("route", "xdp"))
    assert record.values["offloaded_share"] > 0.95
    assert record.evidence.offload["forwarded"] > 0


def test_tracking_is_unloaded_where_netfilter_shall_be_absent(booted: Booted) -> None:
    booted.run(booted.bench.setup.undo())
    booted.said(LOADED)
    assert booted.said(TRACKING) == "1"
    booted.run(booted.bench.setup.change(arm("route", "netfilter-absent")))
    assert booted.said(TRACKING) == "0"
    booted.run(booted.bench.setup.undo())
    assert booted.said(TRACKING) == "1"
