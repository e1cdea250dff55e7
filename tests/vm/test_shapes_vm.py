# SPDX-License-Identifier: Apache-2.0
"""Faults by a virtual gateway's own kernel: netem and police, which this machine's lacks."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from lab.planted import a_run, plan
from msgspec.structs import replace

from gatemark.judge.finding import Diagnosis, Shape
from gatemark.judge.judge import judge
from gatemark.plan.model import Plan, Probe, Workload
from gatemark.plan.order import order
from vm.conftest import Booted, Stand

pytestmark = pytest.mark.long
RATES = (1_500, 3_000, 6_000, 9_000)
TRIES = 3  # a guest that other work holds up makes packets wait as a shaper does
BELOW = RATES[:3]  # what netem does depends on no rate
UNDO = "tc qdisc del dev {wan} root; tc qdisc del dev {lan} ingress; true"
POLICE = "tc qdisc add dev {lan} ingress; tc filter add dev {lan} ingress matchall action police "

FAULTS: dict[str, tuple[str, tuple[Shape, ...]]] = {
    "nothing": ("true", ()),
    "netem loses": ("tc qdisc add dev {wan} root netem loss 3%", ("constant-share",)),
    "netem duplicates": ("tc qdisc add dev {wan} root netem duplicate 5%", ("duplication",)),
    # A bit that is turned in a header sends a fifth of them elsewhere: these are lost. They are
    # some 35 at the lowest rate, and a share is told from ten on.
    "netem corrupts": (
        "tc qdisc add dev {wan} root netem corrupt 8%",
        ("corruption", "constant-share"),
    ),
    # One in ten is late, so at the lowest rate some 80 in a trial, and reordering is told from ten
    # on. With a correlation netem would draw from the middle, and a fiftieth of all were late.
    "netem reorders": (
        "tc qdisc add dev {wan} root netem delay 150ms reorder 90%",
        ("reordering",),
    ),
    "police, by packets": (
        POLICE + "pkts_rate 4000 pkts_burst 100 conform-exceed drop",
        ("policer",),
    ),
    "tbf": ("tc qdisc add dev {wan} root tbf rate 2mbit burst 3kb limit 20kb", ("shaper",)),
}


def swept(rates: tuple[int, ...]) -> Plan:
    """A few rates below what the guest carries."""
    load = Workload(frame_bytes=64, flows=64, duration_s=0.6)
    planned = plan("route", load, repeats=2)
    return replace(planned, sweep={"rate_pps": rates}, probe=Probe())


@contextmanager
def planted(booted: Booted, command: str) -> Iterator[None]:
    """A fault in the guest, taken out afterwards."""
    devices = booted.lab.gateway.devices
    names = {"lan": devices["gw0"], "wan": devices["gw1"]}
    booted.said("modprobe -a sch_netem sch_tbf sch_ingress cls_matchall act_police")
    booted.said(f"({UNDO.format(**names)}) 2>/dev/null")
    booted.said(command.format(**names))
    try:
        yield
    finally:
        booted.said(f"({UNDO.format(**names)}) 2>/dev/null")


def diagnosed(booted: Booted, command: str) -> Diagnosis | None:
    """What is said of a sweep with this fault."""
    planned = swept(BELOW if "netem" in command else RATES)
    trials = order((planned,), seed=1)
    with planted(booted, command):
        records = [booted.tried(spec) for spec in trials]
    judgement = judge(a_run(booted.lab, (planned,), trials), records)
    return next(iter(judgement.diagnoses), None)


@pytest.fixture(scope="module")
def _warm(stand: Stand) -> None:
    """A guest's first trial translates its code."""
    stand.booted().tried(order((swept(RATES),), seed=1)[0])


@pytest.mark.usefixtures("_warm")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_and_nothing_else(booted: Booted, name: str) -> None:
    command, shapes = FAULTS[name]
    for _ in range(TRIES if shapes else 1):  # a false alarm is one at once
        diagnosis = diagnosed(booted, command)
        named = [finding.shape for finding in (diagnosis.wrong if diagnosis else ())]
        if named == [*shapes]:
            break
    if diagnosis and diagnosis.get("tester"):
        pytest.skip("other work keeps the tester from its CPU")
    assert named == [*shapes]
