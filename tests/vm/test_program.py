# SPDX-License-Identifier: Apache-2.0
"""Programs on a gateway of another kernel, over SSH: they capture, count and end there."""

from gatemark.plan.model import Arm
from vm.conftest import Booted

CAPTURE = Arm(path="nat", name="capture", features=("capture:tcpdump:68",))


def test_a_virtual_gateway_captures_where_it_has_the_tool(booted: Booted) -> None:
    record = booted.measure(CAPTURE)
    if booted.said("command -v tcpdump || echo none") == "none":  # no room for it (image/arch.py)
        assert record.status == "skipped"
        assert record.reason.startswith("not available here: gateway: capture:tcpdump:68: ")
        return
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    assert (program.ended, program.left) == ("term", 0)
    assert program.counters["captured"] == program.crossed, program.last_words
    assert booted.said("ls -d /tmp/gatemark-program* /var/tmp/gatemark-program* || true") == ""
