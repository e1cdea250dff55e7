# SPDX-License-Identifier: Apache-2.0
"""A table with a kernel of its own: its bound is raised, filled to its end, and set back."""

import pytest
from lab.planted import plan

from gatemark.gateway import guard
from gatemark.judge.cause.find import named
from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.store.record import Record
from gatemark.tell.fact import say
from vm.conftest import Booted, on

BOUNDS = "cd /proc/sys/net/netfilter; cat nf_conntrack_max nf_conntrack_buckets"
FEATURES = ("conntrack", "conntrack-max:3000", "conntrack-timeout:120")
ARM = Arm(path="route", name="conntrack", features=FEATURES)
FILL = Workload(kind="fill", flows=4_000, steps=4, clients=5, rate_pps=2_000, duration_s=0.4)
ROOMY = ("conntrack-max:400000", "conntrack-timeout:120")
NAT = Arm(path="nat", name="nat", features=ROOMY)
# Each step is long enough for a shell in an agent's place, which reads once a second.
TO_THE_END = Workload(
    kind="fill",
    flows=100_000,
    steps=25,
    clients=10,
    servers=10,
    rate_pps=4_000,
    duration_s=1.2,
)


def fill(booted: Booted, arm: Arm = ARM, load: Workload = FILL) -> Record:
    return booted.tried(order([plan(arm, load)], seed=1)[0])


@pytest.mark.long
def test_a_table_ends_at_the_bound_that_it_was_given(booted: Booted) -> None:
    kept = " ".join(guard.KEPT)
    was = booted.said(f"cat {kept}")
    record = fill(booted)
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.conntrack["max"] == 3000
    assert 2_900 <= record.values["flows"] <= 3_000
    assert record.evidence.conntrack["early_drop"] > 0
    assert booted.said(f"cat {kept}").split() == list(guard.KEPT.values())
    booted.run(booted.bench.setup.undo())
    most, buckets = booted.said(BOUNDS).split()
    assert (most, buckets) == ("1024", "1024")
    assert booted.said(f"cat {kept}") == was


@pytest.mark.long
def test_a_limit_lowered_alone_refuses_flows_that_could_evict_others(booted: Booted) -> None:
    booted.measure("nat")  # which has the kernel track connections
    was, buckets = booted.said(f"{BOUNDS}; echo 128 > nf_conntrack_max").split()
    assert int(buckets) >= 1024
    try:
        record = booted.measure("nat", Workload(rate_pps=2_000, flows=4_000, duration_s=2.0))
    finally:
        booted.said(f"echo {was} > /proc/sys/net/netfilter/nf_conntrack_max")
    (diagnosis,) = named((), [record])
    (finding,) = [f for f in diagnosis.findings if f.shape == "full-table"]
    assert "nf_conntrack_buckets" in say.words(finding.fact)
    assert 0.05 < finding.values["share"] < 0.5  # 0.14 for an eighth of the buckets


# The others have twice the memory, and would take as much longer.
@pytest.mark.long
@on("qemu-mips")
def test_a_gateway_whose_memory_ends_tells_so_and_lives(booted: Booted) -> None:
    for _ in range(3):  # a hiccup of a busy machine ends a fill as well
        record = fill(booted, NAT, TO_THE_END)
        assert (record.status, record.reason) == ("ok", "")
        if record.evidence.fill["killed"]:
            break
    assert record.evidence.fill["killed"]
    assert 0 < record.values["flows"] < TO_THE_END.flows
    assert record.values["flows_predicted"] > 0
    after = booted.measure("nat")  # what is undone and set for it needs memory
    assert (after.status, after.reason) == ("ok", "")
