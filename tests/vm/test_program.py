# SPDX-License-Identifier: Apache-2.0
"""Programs on a gateway of another kernel, over SSH: they capture, count, compute and end there."""

import pytest

from gatemark.plan.model import Arm, Factor, Workload
from vm.conftest import Booted, on, require_built

pytestmark = pytest.mark.long

CAPTURE = Arm(path="nat", name="capture", features=("capture:tcpdump:68",))

LOOK_UPS: dict[str, Factor] = {"table": "generated:300:1", "mix": "uniform", "queries": 4096}
ONCE: dict[str, Factor] = {"repeats": 1, "pass_ms": 0}
DIGEST = "efe19cd21fad6b1a"  # of these look-ups by any structure, on every processor


@on("qemu-x86", "qemu-mips")
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


@on("qemu-x86", "qemu-mips")
def test_our_capture_takes_a_packet_socket_where_bpf_is_interpreted(booted: Booted) -> None:
    record = booted.measure(Arm(path="nat", name="ours", features=("capture:gatemark:68",)))
    require_built(record)
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    is_compiled = booted.said("cat /proc/sys/net/core/bpf_jit_enable 2> /dev/null || echo 0") != "0"
    assert f'"by":"{"bpf" if is_compiled else "packet"}"' in program.last_words
    assert program.counters["captured"] == program.crossed


@on("qemu-mips")
def test_a_classifier_is_loaded_where_words_are_read_at_even_places(booted: Booted) -> None:
    record = booted.measure(Arm(path="nat", name="classified", features=("classify:jumping",)))
    require_built(record)
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    assert record.accounting is not None
    assert program.counters["seen"] >= record.accounting.unique


@on("qemu-x86", "qemu-mips", "qemu-aarch64")
def test_a_look_up_there_has_the_result_of_every_processor(booted: Booted) -> None:
    words = LOOK_UPS | ONCE | {"structure": "tbm4"}
    load = Workload(kind="algorithm", command="lpm", words=words)
    record = booted.measure(Arm(path="endpoint"), load)
    require_built(record)
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.kernels[0]["digest"] == DIGEST
