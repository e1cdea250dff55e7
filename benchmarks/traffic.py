# SPDX-License-Identifier: Apache-2.0
"""Sender and sink against iperf3, iperf2, nuttcp, trafgen and tcpreplay, on one lab, in turn.

Direct: LAN host to WAN host, the sink on a CPU of its own. Routed: through the gateway on its own
CPU, sender and sink sharing the other. Every tool sends one wire packet in one skb, is bound to
the same CPUs and counted by the same interface; those with a receiver of their own also count.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bare_lab import delivered, ends, lab, our_sender, our_sink
from benchmarks.compare import Comparison, compare, progress, show
from benchmarks.pacing import gaps
from benchmarks.peers import SENDERS, WITH_SINK, Ends, Peer, missing, sending, served
from gatemark.station.netns import Lab

PAYLOADS = (64, 512, 1472)
PATHS = ("direct", "route")
SECONDS = 2.0

Found = dict[tuple[str, str], list[float]]  # (what, tool) -> one value a round


def main() -> None:
    """Measure, in rounds that hold every tool once; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.traffic", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object a comparison")
    options = parser.parse_args()
    if absent := missing():
        parser.exit(1, f"not installed: {', '.join(absent)}; `make bench` installs them\n")
    with lab() as made, TemporaryDirectory() as folder:
        for measure in (throughput, gaps):
            rows = list(measure(made, Path(folder), options.rounds))
            progress("")
            show(rows, json_=options.json)


def throughput(made: Lab, folder: Path, rounds: int) -> Iterator[Comparison]:
    """Packets/s delivered by each sender, and counted by each sink."""
    found: Found = defaultdict(list)
    for number in range(1, rounds + 1):
        for path in PATHS:
            for payload in PAYLOADS:
                progress(f"round {number} of {rounds}: {path}, {payload} bytes")
                at = ends(made, path)
                _ours(made, at, path, payload, found)
                for peer in (*WITH_SINK, *SENDERS):
                    _theirs(made, at, path, payload, peer, folder, found)
    for (what, tool), theirs in found.items():
        if tool != "ours":
            yield compare(what, found[what, "ours"], tool, theirs, "packets/s")


def _ours(made: Lab, at: Ends, path: str, payload: int, found: Found) -> None:
    """Our sender alone, then with our sink: peers without a receiver have none to carry."""
    device = "wan9" if path == "direct" else "wan0"
    sender = our_sender(at, payload, 0, SECONDS)
    sender.start()
    found[_sent(path, payload), "ours"].append(delivered(made, device, SECONDS))
    sender.close()
    sink, sender = our_sink(at, device), our_sender(at, payload, 0, SECONDS)
    sink.start()
    sender.start()
    sent = sender.event("done")
    time.sleep(0.1)
    span_s = (sent["t1_ns"] - sent["t0_ns"]) / 1e9
    found[_counted(path, payload), "ours"].append(sink.close()["unique"] / span_s)


def _theirs(  # noqa: PLR0913, PLR0917
    made: Lab, at: Ends, path: str, payload: int, peer: Peer, folder: Path, found: Found
) -> None:
    device = "wan9" if path == "direct" else "wan0"
    with served(peer, at) as server, sending(peer, at, payload, 0, SECONDS, folder) as sender:
        rate = delivered(made, device, SECONDS)
        if peer.counted is None:
            found[_sent(path, payload), peer.name].append(rate)
        else:
            client, _ = sender.communicate(timeout=SECONDS + 15)
            assert server is not None
            server.terminate()
            heard, _ = server.communicate()
            found[_counted(path, payload), peer.name].append(peer.counted(client, heard))


def _sent(path: str, payload: int) -> str:
    return f"sender alone, {path}, {payload} bytes, delivered"


def _counted(path: str, payload: int) -> str:
    return f"sender and sink, {path}, {payload} bytes, counted"


if __name__ == "__main__":
    main()
