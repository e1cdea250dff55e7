# SPDX-License-Identifier: Apache-2.0
"""What is sent beside a flow is said in words, and not by its keys."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Workload
from gatemark.plan.workloads import in_words
from gatemark.tell.answer.flow import beside


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (Workload(kind="tcp"), "a: 1 TCP stream ↑ up, for 9 s"),
        (
            Workload(kind="tcp", streams=4, congestion="reno", direction="down", start_s=3),
            "a: 4 TCP streams ↓ down, reno, from 3 s on, for 9 s",
        ),
        (Workload(kind="replay", trace="voip", dscp=46), "a: voip ↑ up, for 9 s, dscp 46"),
        (Workload(kind="udp", rate_pps=50), "a: UDP ↑ up, 50 packets/s, for 9 s"),
    ],
)
def test_a_workload_is_said_in_words(load: Workload, words: str) -> None:
    assert beside([f"a: {in_words(replace(load, duration_s=9.0))}"]) == words
