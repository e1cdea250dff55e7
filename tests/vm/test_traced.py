# SPDX-License-Identifier: Apache-2.0
"""A stock kernel that traces calls tells the path of a packet itself, where nobody counts."""

import pytest

from gatemark.plan.model import Arm, Workload
from gatemark.probe import graph
from vm.conftest import Booted

pytestmark = pytest.mark.long
ARM = Arm(path="route", name="rules", features=("conntrack", "filter:10"))
ONE = Workload(kind="walk", ordered=True, frame_bytes=446)
STATE = """mount -t tracefs nodev /sys/kernel/tracing
cat /sys/kernel/tracing/current_tracer /sys/kernel/tracing/tracing_on
umount /sys/kernel/tracing; grep -c tracefs /proc/mounts || true"""


def test_its_own_tracer_tells_the_path(booted: Booted) -> None:
    before = booted.said(STATE)
    record = booted.measure(ARM, ONE)
    assert (record.status, record.reason) == ("ok", "")
    counted = record.evidence.counted
    assert counted is not None
    assert counted.tracer == graph.TRACER
    order = [call.function for call in counted.path]
    met = [order.index(name) for name in ("nf_conntrack_in", "ip_forward", "nft_do_chain")]
    assert met == sorted(met)
    assert sum(call.ns for call in counted.path) > 0
    assert booted.said(STATE) == before
