# SPDX-License-Identifier: Apache-2.0
"""iperf3: its command lines and its JSON (`--json`; iperf_api.c, iperf_json_finish).

One skb is one packet only where GSO and GRO are off, as at our ports. Each UDP stream begins with
one datagram that opens it and is in no count. What its receiver's socket lost is in `lost_packets`
like any other loss.
"""

import json
from typing import Any, Final

from gatemark.error import InvalidTrialError
from gatemark.kind.tool.job import Job, Result, Tool
from gatemark.store.iperf3 import received_packets

PORT: Final = {True: 5201, False: 5202}  # of up and down, so that both can run at once


def serve(job: Job) -> tuple[str, ...]:
    """One client, then it ends."""
    return ("iperf3", "-s", "-1", "-B", job.server, "-p", str(PORT[job.away]))


def call(job: Job) -> tuple[str, ...]:
    """The client: `-b` is of each stream, in bits of payload for each second."""
    load = job.load
    words = ["iperf3", "-c", job.server, "-p", str(PORT[job.away]), "--json"]
    words += ["-t", f"{load.duration_s:.0f}", "-6" if load.family == "ipv6" else "-4"]
    words += [] if job.away else ["-R"]
    if load.kind == "udp":
        rate_bps = round(load.rate_pps * job.payload * 8 / load.flows)
        words += ["-u", "-l", str(job.payload), "-b", str(rate_bps), "-P", str(load.flows)]
        return tuple(words)
    words += ["-l", str(load.write_bytes), "-P", str(load.streams)]
    words += [] if job.by_route else ["-C", load.congestion]
    words += ["-O", f"{load.settle_s:.0f}"] if load.settle_s else []
    words += ["-w", str(load.socket_buffer_bytes)] if load.socket_buffer_bytes else []
    return tuple(words)


def read(job: Job, text: str) -> Result:
    """Return what both ends counted, from the client's report. Raises InvalidTrialError."""
    report = _report(text)
    end = report["end"]
    sent, received = end["sum_sent"], end["sum_received"]
    if job.load.kind == "udp":
        return Result(
            seconds=float(received["seconds"]),
            sent=int(sent["packets"]),
            received=received_packets(received, job.payload),
        )
    more = {"retransmits": float(sent.get("retransmits", 0))}
    more |= {"mss_bytes": float(mss)} if (mss := report["start"].get("tcp_mss_default")) else {}
    return Result(seconds=float(sent["seconds"]), bps=float(received["bits_per_second"]), more=more)


def _report(text: str) -> dict[str, Any]:
    """It exits with 0 after some failures too; then the report has the word `error`."""
    try:
        report: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        raise InvalidTrialError("iperf3 ended without a report") from None
    if "error" in report:
        raise InvalidTrialError(f"iperf3: {report['error']}")
    if not report.get("end", {}).get("sum_received"):
        raise InvalidTrialError("iperf3 reported no result")
    return report


IPERF3: Final = Tool("iperf3", serve, call, read, lambda job: PORT[job.away], sets_congestion=True)
