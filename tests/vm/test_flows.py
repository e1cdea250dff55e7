# SPDX-License-Identifier: Apache-2.0
"""A table with a kernel of its own: its bound is raised, filled to its end, and set back."""

import pytest
from lab.planted import plan

from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.station import lock
from gatemark.store.record import Record
from vm.conftest import Booted

BOUNDS = "cd /proc/sys/net/netfilter; cat nf_conntrack_max nf_conntrack_buckets"
FEATURES = ("conntrack", "conntrack-max:3000", "conntrack-timeout:120")
ARM = Arm(path="route", name="conntrack", features=FEATURES)
FILL = Workload(kind="flows", flows=4_000, steps=8, clients=5, rate_pps=2_000, duration_s=0.4)


def fill(booted: Booted) -> Record:
    spec = order([plan(ARM, FILL)], seed=1)[0]
    with lock.machine(print):
        record, _ = booted.run(trial.run(booted.bench, spec, lambda *_: None))
    return record


def test_a_table_ends_at_the_bound_that_it_was_given(booted: Booted) -> None:
    if booted.lab.model.arch.name == "aarch64":
        pytest.skip("two of them will do")
    record = fill(booted)
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.conntrack["max"] == 3000
    assert 2_900 <= record.values["flows"] <= 3_000
    assert record.evidence.conntrack["early_drop"] > 0
    booted.run(booted.bench.setup.undo())
    most, buckets = booted.said(BOUNDS).split()
    assert (most, buckets) == ("1024", "1024")
