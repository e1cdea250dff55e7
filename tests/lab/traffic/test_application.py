# SPDX-License-Identifier: Apache-2.0
"""Real programs play through a lab; what ran them is killed, and nothing of them is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from gatemark.error import TOO_SLOW
from gatemark.kind.application.place import ALONE
from gatemark.kind.application.program.call_sip import RTP_PORT
from gatemark.kind.application.programs import APPLICATIONS, missing
from gatemark.node import isolated
from gatemark.plan.model import Workload
from lab.planted import bare, measure, plan
from lab.shape.faults import rules

EACH = 10  # packets of which one is dropped
MARK = "GATEMARK_TEST"
LONE = ("unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$0" "$@"')
PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:], stdin=0)"


QUICK = ("ssh", "mosh", "rsync")
LONGER = (
    "rtsp",
    "smb",
    "mqtt",
    "vnc",
    "game",
    "dash",
    "page-h3",
    "quic",
    "call-webrtc",
    "call-janus",
)


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in LONGER)]
)
def test_an_application_is_played_through_a_lab(name: str) -> None:
    if packages := missing([name]):
        pytest.skip(f"no {packages}")
    application = APPLICATIONS[name]
    load = Workload(kind="application", application=name, duration_s=application.least_s)
    judgement, (record,) = measure(bare(plan("nat", load)))
    if record.reason.startswith(TOO_SLOW):  # a busy machine, which says so
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", "")
    assert all(quality.quantity in record.values for quality in application.qualities)
    assert record.definition.application == name
    assert judgement.points[0].definition.quantity == application.about


@pytest.mark.long
@pytest.mark.parametrize("name", ["rtsp", "smb", "dash"])
def test_a_server_on_the_gateway_is_played_too(name: str) -> None:
    if packages := missing([name]):
        pytest.skip(f"no {packages}")
    seconds = APPLICATIONS[name].least_s
    load = Workload(kind="application", application=name, duration_s=seconds, direction="receive")
    _, (record,) = measure(bare(plan("endpoint", load)))
    if record.reason.startswith(TOO_SLOW):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", "")
    assert APPLICATIONS[name].qualities[0].quantity in record.values


@pytest.mark.skipif(bool(missing(["call-sip"])), reason=f"no {missing(['call-sip'])}")
def test_each_lost_packet_of_a_call_is_counted_on_its_way() -> None:
    load = Workload(kind="application", application="call-sip", duration_s=4.0)
    drop = f"iifname gw0 udp dport {RTP_PORT} numgen inc mod {EACH} {EACH - 1} drop"
    _, (record,) = measure(bare(plan("nat", load)), plant=rules(drop))
    if record.reason.startswith(TOO_SLOW):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", "")
    books = record.evidence.application
    sent, lost = int(books["up_sent"]), int(books["up_lost"])
    assert sent > 4 * EACH
    assert lost in {sent // EACH, sent // EACH + 1}
    assert books["down_lost"] == 0
    assert record.values["call_lost_share"] == lost / sent


def marked(mark: str) -> list[int]:
    """The processes that have the mark in their environment."""
    pids = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in path.read_bytes():
                pids.append(int(path.parent.name))
        except OSError:
            continue
    return pids


@pytest.mark.skipif(bool(missing(["ssh"])), reason=f"no {missing(['ssh'])}")
@pytest.mark.parametrize(("waits_s", "pipe_stays"), [(0.2, False), (2.0, True)])
def test_nothing_is_left_of_an_end_whose_laboratory_is_killed(
    waits_s: float, *, pipe_stays: bool
) -> None:
    """The kernel ends it; in its first moments, before it has asked for that, its pipe's end does.

    unshare(1) asks after its fork: a laboratory that dies between both is not seen by the kernel.
    """
    mark = f"{os.getpid()}-{waits_s}"
    player = isolated.python("gatemark.kind.application.player")
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *LONE, *ALONE, *player],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {MARK: mark},
    ) as parent:
        assert parent.stdin is not None
        request = {"end": "serve", "application": "ssh", "near": "127.0.0.1", "far": "127.0.0.1"}
        parent.stdin.write(msgspec.json.encode(request | {"seconds": 5.0}) + b"\n")
        parent.stdin.flush()
        time.sleep(waits_s)
        assert marked(mark)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        if not pipe_stays:
            parent.stdin.close()
        until = time.monotonic() + 30.0
        while marked(mark) and time.monotonic() < until:
            time.sleep(0.05)
        assert marked(mark) == []
