# SPDX-License-Identifier: Apache-2.0
"""`[keep] pcapng`: each packet that a rule on the gateway dropped is named, and where it was seen.

Read by tcpdump, and the comments by a reader of the test's own.
"""

import re
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.traffic.test_loss import EVERY, Planted, dropped

LOST = re.compile(r"lost: flow (\d+) number (\d+), seen last at (\w+ \w+ \(\w+\))")


def comments(data: bytes) -> Iterator[str]:
    """Of each packet, the option 1 of an Enhanced Packet Block."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        kept = struct.unpack_from("<I", data, at + 20)[0]
        options = at + 28 + kept + -kept % 4
        if kind == 6 and options + 4 < at + length - 4:
            code, size = struct.unpack_from("<HH", data, options)
            if code == 1:
                yield data[options + 4 : options + 4 + size].decode()
        at += length


@pytest.fixture(scope="module")
def kept() -> Planted:
    return dropped()


def test_each_lost_packet_is_named_once_and_where_it_was_seen(kept: Planted) -> None:
    record = kept.record
    named = [LOST.search(text) for text in comments(kept.packets) if "lost:" in text]
    assert all(named)
    lost = [(int(match[1]), int(match[2])) for match in named if match]
    assert record.accounting is not None
    assert len(lost) == len(set(lost)) == record.accounting.lost
    by_flow = [sum(flow == at for flow, _ in lost) for at in range(16)]
    assert by_flow == list(record.evidence.loss[0].by_flow)
    places = Counter(match[3] for match in named if match)
    at_the_rule = places["gateway gw0 (received)"]
    assert at_the_rule >= record.accounting.tried // EVERY - kept.backlogged
    assert places.total() - at_the_rule <= kept.backlogged


@pytest.mark.long
def test_other_readers_read_it(kept: Planted, tmp_path: Path) -> None:
    file = tmp_path / "kept.pcapng"
    file.write_bytes(kept.packets)
    argv = ["tcpdump", "-nr", str(file), "udp"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert b"WAN host wan0" in kept.packets
    assert len(done.stdout.splitlines()) > 40
