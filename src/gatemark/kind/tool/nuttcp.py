# SPDX-License-Identifier: Apache-2.0
"""nuttcp: its command lines and its `-fparse` output.

`real_seconds` has two decimals, so the time is taken from bytes and rate. `pkt` counts what was
sent, `drop` what of it its receiver did not get; a few datagrams that begin and end a test are in
neither. It takes the kernel's congestion control.
"""

import re
from typing import Final

from gatemark.error import InvalidTrialError
from gatemark.kind.tool.job import Job, Result, Tool

# Of up and down, so that both can run at once; of data streams the first of up to 128.
CONTROL: Final = {True: 5010, False: 5011}
DATA: Final = {True: 5100, False: 5300}
FAMILY: Final = {"ipv4": "-4", "ipv6": "-6"}


def serve(job: Job) -> tuple[str, ...]:
    """One client, then it ends. It listens on every address of its host: it has no option."""
    return ("nuttcp", "-1", "--nofork", FAMILY[job.load.family], f"-P{CONTROL[job.away]}")


def call(job: Job) -> tuple[str, ...]:
    """The client. Down, `-F` lets it open TCP's connections, as through a NAT it must."""
    load, udp = job.load, job.load.kind == "udp"
    words = ["nuttcp", FAMILY[load.family], "-fparse", f"-T{load.duration_s:g}"]
    words += [f"-P{CONTROL[job.away]}", f"-p{DATA[job.away]}"]
    words += [] if job.away else ["-r"] if udp else ["-r", "-F"]
    if udp:
        words += ["-u", f"-l{job.payload}"]
        words += [f"-R{round(load.rate_pps)}p" if load.rate_pps else "-Ru"]
    else:
        words += [f"-l{load.write_bytes}"]
        words += [f"-N{load.streams}"] if load.streams > 1 else []
        words += [f"-w{load.socket_buffer_bytes >> 10}"] if load.socket_buffer_bytes else []
    return (*words, job.server)


def read(job: Job, text: str) -> Result:
    """Return what both ends counted. Raises InvalidTrialError."""
    fields = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", text)}
    wanted = ("rate_Mbps", "pkt", "drop") if job.load.kind == "udp" else ("rate_Mbps",)
    if any(name not in fields for name in wanted):
        raise InvalidTrialError(f"nuttcp reported no result: {text.strip()[-100:] or 'no word'}")
    bps = fields["rate_Mbps"] * 1e6
    if job.load.kind == "udp":
        received = int(fields["pkt"] - fields["drop"])
        seconds = received * job.payload * 8 / bps if bps else fields.get("real_seconds", 0.0)
        return Result(seconds=seconds, sent=int(fields["pkt"]), received=received)
    more = {"retransmits": fields["retrans"]} if "retrans" in fields else {}
    return Result(seconds=fields["real_seconds"], bps=bps, more=more)


NUTTCP: Final = Tool(
    "nuttcp", serve, call, read, lambda job: CONTROL[job.away], sets_congestion=False
)
