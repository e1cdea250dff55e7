# SPDX-License-Identifier: Apache-2.0
"""A capture crosses NAT from both sides, every packet accounted for; a broken one is refused."""

import struct
from pathlib import Path

import backlog
import pytest
from command import gatemark

from gatemark.kind.replay.source import capture
from gatemark.plan.model import Workload
from gatemark.store.record import REPLAYED
from lab.planted import bare, measure, plan

PLAN = """\
schema = "gatemark.plan/1"
title = "A broken trace"
why = ""
reading = ""
setup.path = "route"
workload = { kind = "replay", direction = "both", trace = "broken.pcap" }
"""


def test_each_packet_of_a_trace_crosses_nat_both_ways(tmp_path: Path) -> None:
    trace = tmp_path / "call.pcap"
    trace.write_bytes(capture("video", "ipv4", 0.5))
    load = Workload(
        kind="replay", direction="both", trace=str(trace), clones=6, clients=3, duration_s=0.5
    )
    with backlog.watched() as backlogs:
        _, (record,) = measure(bare(plan("nat", load)))
    assert (record.status, record.reason) == ("ok", "")
    account = record.accounting
    assert account is not None
    assert account.tried == account.scheduled == 6 * len(list(records(trace.read_bytes())))
    assert account.lost <= backlogs.dropped
    assert (account.duplicated, account.foreign, account.corrupt) == (0, 0, 0)
    assert record.values["delay_min_ns"] > 0


def records(pcap: bytes) -> list[int]:
    """Where the records of a pcap begin."""
    places, at = [], 24
    while at < len(pcap):
        places.append(at)
        at += 16 + int(struct.unpack_from("<I", pcap, at + 8)[0])
    return places


@pytest.mark.long
def test_a_trace_that_breaks_off_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    whole = capture("voip", "ipv4", 0.1)
    (tmp_path / "broken.pcap").write_bytes(whole[:-7])
    (tmp_path / "plan.toml").write_text(PLAN)
    done = gatemark("run", "plan.toml", cwd=tmp_path)
    last = records(whole)[-1]
    assert done.code == 2
    assert f"broken.pcap: at byte {last}: it breaks off: 193 bytes of a packet's 200" in done.err
    assert not (tmp_path / "gatemark-runs").exists()


def test_extension_headers_and_atomic_fragments_cross_nat(tmp_path: Path) -> None:
    trace = tmp_path / "options.pcap"
    frames = [frame(n) for n in range(30)]
    packets = (struct.pack("<IIII", 1, n * 1000, len(f), len(f)) + f for n, f in enumerate(frames))
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    trace.write_bytes(header + b"".join(packets))
    load = Workload(
        kind="replay", direction="both", trace=str(trace), family="ipv6", duration_s=0.2
    )
    _, (record,) = measure(bare(plan("nat", load)))
    assert (record.status, record.reason) == ("ok", "")
    account = record.accounting
    assert account is not None
    assert (account.scheduled, account.unique, account.foreign) == (30, 30, 0)
    assert not any(note.startswith(REPLAYED) for note in record.notes)


def frame(number: int) -> bytes:
    """UDP over IPv6: plain, behind options of the destination, or in an atomic fragment."""
    udp = struct.pack(">HHHH", 5000, 53, 48, 0) + bytes(40)
    options, fragment = b"\x11\x00\x01\x04" + bytes(4), b"\x11\x00\x00\x00" + bytes(4)
    following, header = ((17, b""), (60, options), (44, fragment))[number % 3]
    payload = header + udp
    ends = bytes.fromhex("fd000000000000000000000000000010") + bytes.fromhex(
        "20010db8000000000000000000000005"
    )
    ip = struct.pack(">IHBB", 0x60000000, len(payload), following, 64) + ends + payload
    return bytes.fromhex("02000000000102000000000286dd") + ip
