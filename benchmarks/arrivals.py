# SPDX-License-Identifier: Apache-2.0
"""When a sender's packets arrive at the WAN host, by tcpdump's kernel time stamps."""

import struct
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bare_lab import our_sender
from benchmarks.peers import Ends, Peer, sending, served

PCAP_NS_MAGIC = 0xA1B23C4D
BEGUN_S = 0.4  # until tcpdump captures
RETIRED_S = 1.1  # tcpdump reads its ring a second later
KEPT = 0.8  # of a pass: tools start and end


def arrivals(
    at: Ends, sender: Peer | Path | None, payload: int, rate: int, seconds: float, folder: Path
) -> list[int]:
    """Times in ns of the middle of a pass. `sender`: a tool, another build of our agent, or ours.

    payload in bytes, rate in packets/s.
    """
    trace = folder / "arrivals.pcap"
    words = f"tcpdump -i wan9 -Q in -s 64 -B 65536 --time-stamp-precision=nano -w {trace} udp"
    with ExitStack() as stack:
        if isinstance(sender, Peer):
            stack.enter_context(served(sender, at))
        tcpdump = subprocess.Popen(
            at.at_sink(*words.split()), stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(BEGUN_S)
        if isinstance(sender, Peer):
            stack.enter_context(sending(sender, at, payload, rate, seconds, folder))
            time.sleep(seconds + 0.3)
        else:
            ours = our_sender(at, payload, rate, seconds, agent=sender)
            ours.start()
            ours.event("done")
        time.sleep(RETIRED_S)
        tcpdump.terminate()
        tcpdump.wait()
    times = _times(trace.read_bytes())
    edge = round(len(times) * (1 - KEPT) / 2)
    return times[edge : len(times) - edge]


def _times(pcap: bytes) -> list[int]:
    """Time stamps of a nanosecond pcap."""
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic == PCAP_NS_MAGIC
    times, at = [], 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", pcap, at)
        times.append(seconds * 1_000_000_000 + nanoseconds)
        at += 16 + kept
    return times
