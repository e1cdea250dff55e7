# SPDX-License-Identifier: Apache-2.0
"""Sender and sink compared with six known tools, on one lab: see benchmarks/peers.py.

`direct`: LAN host to WAN host, with a CPU for the receiving port. `route`: through the gateway,
which has its own CPU, while sender and sink share the other. The tools are interleaved. Each sends
one wire packet in one skb and is bound to the same CPUs. Ours counts what its sink accounts for,
each packet by its number. Tools with a receiver are counted by it. trafgen, tcpreplay and testpmd
have none here and are counted by the interface.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.bare_lab import delivered, ends, lab, our_sender, our_sink
from benchmarks.compare import Comparison, compare, progress, show
from benchmarks.peers import SENDERS, WITH_SINK, Ends, Peer, missing, sending, served
from gatemark.station.netns import Lab

PAYLOADS = (64, 512, 1472)
PATHS = ("direct", "route")
SECONDS = 2.0
EVERYWHERE = "raw + ring"  # ports that any kernel has, as a peer of the best ports

Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round


def main() -> None:
    """Measure in rounds, each with every tool once; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.traffic", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument(
        "--payload", type=int, nargs="+", default=PAYLOADS, help="bytes (default: 64 512 1472)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if absent := missing():
        parser.exit(1, f"not installed: {', '.join(absent)}; `make bench` installs them\n")
    with lab() as made, TemporaryDirectory() as folder:
        rows = list(throughput(made, Path(folder), options.rounds, options.payload))
        show(rows, json_=options.json)


def throughput(
    made: Lab, folder: Path, rounds: int, payloads: Sequence[int]
) -> Iterator[Comparison]:
    """Packets/s that each tool delivers; of ours also the packets unaccounted for."""
    values: Values = defaultdict(list)
    for number in range(1, rounds + 1):
        for path, payload in product(PATHS, payloads):
            progress(f"round {number} of {rounds}: {path}, {payload} bytes")
            at = ends(made, path)
            _ours(made, at, path, payload, values)
            for peer in (*WITH_SINK, *SENDERS):
                _theirs(made, at, path, payload, peer, folder, values)
    for (what, tool), theirs in values.items():
        if tool not in ("ours", ""):
            yield compare(what, values[what, "ours"], tool, theirs, "packets/s")
    progress("")
    for (what, _), counts in values.items():
        if not what.endswith("bytes"):
            print(
                f"{what}: median {median(counts):.4g}, from {min(counts):.4g} to {max(counts):.4g}"
            )


def _ours(made: Lab, at: Ends, path: str, payload: int, values: Values) -> None:
    """Measure with the best ports of this machine, then with those that work everywhere."""
    for name, ports in (("ours", ("auto", "auto")), (EVERYWHERE, ("raw", "ring"))):
        sink = our_sink(at, _sink_device(path), ports[1])
        sender = our_sender(at, payload, 0, SECONDS, ports[0])
        sink.start()
        sender.start()
        before = _gateway_ns(made)
        sent = sender.event("done")
        busy = _gateway_ns(made) - before
        time.sleep(0.1)
        report = sink.close()
        span_ns = sent["t1_ns"] - sent["t0_ns"]
        values[_what(path, payload), name].append(report["unique"] * 1e9 / span_ns)
        if path == "direct":
            # On the tester's own cable everything that the port took must arrive.
            lost = sent["tried"] - sent["refused"] - report["unique"]
            values[f"{_what(path, payload)}, {name}: packets unaccounted for", ""].append(lost)
        else:
            share = busy / span_ns
            values[f"{_what(path, payload)}, {name}: gateway's thread busy", ""].append(share)


def _gateway_ns(made: Lab) -> int:
    """CPU time of the thread that forwards from the LAN host."""
    pid = made.threads["gw0"].pid
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def _theirs(  # noqa: PLR0913, PLR0917
    made: Lab, at: Ends, path: str, payload: int, peer: Peer, folder: Path, values: Values
) -> None:
    with served(peer, at) as server, sending(peer, at, payload, 0, SECONDS, folder) as sender:
        rate = delivered(made, _sink_device(path), SECONDS)
        if peer.counted is not None:
            client, _ = sender.communicate(timeout=SECONDS + 15)
            assert server is not None
            server.terminate()
            output, _ = server.communicate()
            rate = peer.counted(payload, client, output)
        if rate > 0:
            values[_what(path, payload), peer.name].append(rate)
        else:
            progress(f"{peer.name} sent nothing")


def _sink_device(path: str) -> str:
    return "wan9" if path == "direct" else "wan0"


def _what(path: str, payload: int) -> str:
    return f"{path}, {payload} bytes"


if __name__ == "__main__":
    main()
