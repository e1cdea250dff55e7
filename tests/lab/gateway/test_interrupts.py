# SPDX-License-Identifier: Apache-2.0
"""The interrupts of a real load: what routes it raises NET_RX on the gateway's CPU."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Probe, Workload
from lab.planted import measure, plan

pytestmark = pytest.mark.long
POLL = 64  # packets that the kernel takes from a CPU's backlog in one poll (dev_weight)


def test_a_gateway_in_a_namespace_has_this_machines_softirqs() -> None:
    load = Workload(rate_pps=20_000, duration_s=0.5)
    _, records = measure(replace(plan("route", load), probe=Probe(use=("interrupts",))))
    (record,) = (r for r in records if r.pass_ == "instrumented")
    assert record.accounting is not None
    read = record.evidence.probes["interrupts"]
    assert read["of"].startswith("this machine")
    raised = read["softirq"]["NET_RX"][str(record.evidence.cpu[0].cpu)]
    assert raised >= record.accounting.unique / POLL
