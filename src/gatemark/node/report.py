# SPDX-License-Identifier: Apache-2.0
"""An agent's lines, checked: an object with an event, and the keys of a report that we use.

Names and meanings are those of agent/PROTOCOL.md. A report may have more than is named here. Which
of the keys that need not be there are, depends on what was asked: who reads them knows.
"""

import re
from typing import Any, Final, NotRequired, TypedDict

import msgspec

from gatemark.counter import CorruptByCounters, FlowCounters, ReplayCounters, SinkCounters
from gatemark.node.reader import odd

# Every count and time of an agent fits into 64 bits, and into what a record can keep. Digits in a
# text are none: a ledger in base64 has a run of them where every third packet was lost.
TOO_LONG: Final = re.compile(rb"[\[,:]\s*-?[0-9]{20}")
# A long line is searched by it only where it has so many digits in a row: that is seen faster.
TWENTY: Final = b"0" * 20
AS_ZEROS: Final = bytes.maketrans(b"0123456789", b"0" * 10)

Column = list[int]


class Histogram(TypedDict):
    """Lower bounds of the buckets in use, and their counts."""

    low: Column
    count: Column


class Spans(TypedDict):
    """The first of some times: begin and length; how many there were, and how long all."""

    t_ns: Column
    ns: Column
    count: int
    total_ns: int


class Message(TypedDict):
    """Any message."""

    ev: str


class Hello(TypedDict):
    """The first event: which agent it is."""

    protocol: int


class Failed(TypedDict):
    """Why it cannot go on."""

    reason: str
    key: NotRequired[str]
    fix: NotRequired[str]


class Tick(TypedDict):
    """The progress of a job."""

    t_ns: int
    tried: NotRequired[int]
    received: NotRequired[int]
    bytes: NotRequired[int]
    connections: NotRequired[int]
    samples: NotRequired[int]


class Sending(TypedDict):
    """Packets by the time when they were tried."""

    t0_ns: int
    bin_ms: int
    tried: Column
    refused: Column


class Sent(TypedDict):
    """A sender's report."""

    t0_ns: int
    t1_ns: int
    scheduled: int
    tried: int
    refused: int
    cpu_ns: int
    tried_by_flow: Column
    late_ns: NotRequired[dict[str, int]]
    gaps_over_1ms: NotRequired[int]
    burst: NotRequired[int]
    sending: NotRequired[Sending]
    pauses: NotRequired[Spans]


class Rate(TypedDict):
    """Arrivals over time, by bin."""

    t0_ns: int
    bin_ms: int
    packets: NotRequired[Column]
    bytes: NotRequired[Column]
    connections: NotRequired[Column]
    delay_sum_ns: NotRequired[Column]
    delay_max_ns: NotRequired[Column]


class Silence(Spans):
    """Times without an arrival at one receive queue."""

    first_ns: int
    last_ns: int


class Ledger(TypedDict):
    """Which numbers came: a bit for each, in base64, by flow and in the order of sending."""

    numbers: int
    words: int
    bits: list[str]
    sent: str


class Came(SinkCounters):
    """A sink's report."""

    cpu_ns: int
    flow: FlowCounters
    rate: Rate
    gap_ns: Histogram
    delay_ns: NotRequired[Histogram]
    delay_by_flow: NotRequired[list[Histogram]]
    late: NotRequired[Histogram]
    corrupt_by: CorruptByCounters
    silences: NotRequired[list[Silence]]
    ledger: NotRequired[Ledger]


class Streamed(TypedDict):
    """The report of an end of TCP streams."""

    bytes: int
    cpu_ns: int
    mss_bytes: int
    calls: int
    stream: dict[str, Column]
    t0_ns: NotRequired[int]  # of a source
    t1_ns: NotRequired[int]
    bytes_acked: NotRequired[int]
    retransmits: NotRequired[int]
    info: NotRequired[dict[str, Column]]
    first_ns: NotRequired[int]  # of a sink
    last_ns: NotRequired[int]
    rate: NotRequired[Rate]


class Failure(TypedDict):
    """The first connection that failed."""

    number: int
    why: str


class Opened(TypedDict):
    """All connections are open that will be."""

    open: int


class Connected(TypedDict):
    """The report of an end of many connections."""

    cpu_ns: int
    open: int
    memory_bytes: int
    t0_ns: NotRequired[int]  # of a client
    t1_ns: NotRequired[int]
    begun: NotRequired[int]
    opened: NotRequired[int]
    skipped: NotRequired[int]
    scheduled: NotRequired[int]
    asked: NotRequired[int]
    answered: NotRequired[int]
    stop: NotRequired[str]
    failed: NotRequired[dict[str, int]]
    first_failure: NotRequired[Failure]
    opening: NotRequired[dict[str, int]]
    connect_ns: NotRequired[Histogram]
    echo_ns: NotRequired[Histogram]
    rate: NotRequired[Rate]
    accepted: NotRequired[int]  # of a server
    full: NotRequired[str]
    cpu_accept_ns: NotRequired[int]


class Ready(TypedDict):
    """A job that can start."""

    port: NotRequired[str]
    passed_over: NotRequired[dict[str, str]]


class Loaded(Ready):
    """A replay that can start."""

    length_ns: int
    up: int
    down: int
    flows: int
    padded: int
    over: int
    left_out: dict[str, int]


class ReplaySender(TypedDict):
    """The packets that a side of a replay sent."""

    scheduled: int
    tried: int
    refused: int
    late_ns: dict[str, int]
    tried_by_flow: Column
    packet: NotRequired[dict[str, Column]]


class ReplaySink(ReplayCounters):
    """The packets that came to a side of a replay."""

    flow: dict[str, Column]
    rate: Rate
    gap_ns: Histogram
    behind_ns: Histogram
    packet: NotRequired[dict[str, Column]]


class Replayed(TypedDict):
    """The report of a side of a replay."""

    t0_ns: int
    t1_ns: int
    cpu_ns: int
    sender: ReplaySender
    sink: ReplaySink


class Watched(TypedDict):
    """Counters over time."""

    t_ns: Column
    cpu_ns: int
    threads: NotRequired[dict[str, dict[str, Column]]]
    cpu: NotRequired[dict[str, dict[str, Column]]]
    softnet: NotRequired[dict[str, dict[str, Column]]]
    interfaces: NotRequired[dict[str, dict[str, Column]]]
    memory: NotRequired[dict[str, Column]]
    conntrack: NotRequired[dict[str, Column]]
    slab: NotRequired[dict[str, dict[str, Column]]]
    pagesets: NotRequired[dict[str, Column]]


class Soaked(TypedDict):
    """Turns of the loops over time."""

    t_ns: Column
    turns: dict[str, Column]


class Forwarded(TypedDict):
    """The packets that were sent on at XDP, and those that were not."""

    forwarded: int
    passed: int


class LineLate(Histogram):
    """The lateness of frames that left a line, ns."""

    p50: int
    p99: int
    p999: int
    max: int
    within_50us: int


class LineDrops(TypedDict):
    """The first frames that a line dropped."""

    at_ns: Column
    bytes: Column
    left_out: int


LineBooks = TypedDict(
    "LineBooks",
    {
        "in": int,
        "sent": int,
        "dropped": int,
        "lost": int,
        "refused": int,
        "waiting": int,
        "bytes": int,
        "busy_ns": int,
        "peak_packets": int,
        "peak_bytes": int,
        "late_ns": LineLate,
        "drops": LineDrops,
    },
)


class Lined(TypedDict):
    """The books of both ways of a line."""

    up: LineBooks
    down: LineBooks
    cpu_ns: int
    clock_stepped_ns: int
    notes: list[str]


class Booked(TypedDict):
    """The times of a responsiveness test's probes, and those that failed."""

    foreign: dict[str, Column]
    self: dict[str, Column]
    tried: int
    failed: dict[str, int]


class Responded(TypedDict):
    """The report of a responsiveness test's client (kind/responsiveness/client.py)."""

    t0_ns: int
    t1_ns: int
    window_ns: int
    cpu_ns: int
    bytes: int
    rate: Rate
    intervals: dict[str, list[float]]
    idle: Booked
    loaded: Booked
    course: dict[str, int | bool | str]
    version: str
    cipher: str
    mss_bytes: int
    reopened: int


class Served(TypedDict):
    """The report of its server."""

    cpu_ns: int
    bytes: int
    rate: Rate
    asked: dict[str, int]
    ended: dict[str, int]
    strangers: int
    ahead_bytes: Column


class Fast(TypedDict):
    """Whether an end of an application got its CPU (kind/application/watch.py)."""

    late_p99_ns: int
    late_most_ns: int
    wait_share: float
    waiter: str
    robbed_ns: int
    pressure: float
    cpu_ns: int
    rx_pps: float
    rx_bps: float
    tx_pps: float
    tx_bps: float


class Noted(TypedDict):
    """What an end of an application saw."""

    values: NotRequired[dict[str, float]]
    samples: NotRequired[dict[str, list[float]]]
    words: NotRequired[dict[str, str | int | float]]
    rtp: NotRequired[dict[str, list[tuple[int, int, int]]]]
    live: NotRequired[dict[str, list[tuple[int, int, int]]]]


class Played(TypedDict):
    """The report of an end of an application (kind/application/player.py)."""

    t0_ns: int
    t1_ns: int
    cpu_ns: int
    watch: Fast
    seen: Noted


class Handed(Ready):
    """An end of an application that is under way, and what the other one is given."""

    handed: dict[str, str]


class Looked(TypedDict):
    """A single look; `failed`: 0, or why a list is not whole."""

    files: dict[str, str]
    # name, number, MTU, whether it has XDP; counters of drops
    links: NotRequired[list[tuple[str, int, int, int, int, int, int, int, int, int, int, int]]]
    qdiscs: NotRequired[list[tuple[str, int, int, int, int]]]  # kind, port, handle, parent, drops
    tables: NotRequired[list[tuple[int, str]]]  # of nf_tables: family, name
    rules: NotRequired[int]
    forgot: NotRequired[int]
    failed: int


class CaptureReady(TypedDict):
    """A capture that can start."""

    by: str
    memory_bytes: int
    passed_over: NotRequired[str]


class Captured(TypedDict):
    """The counters of a capture until now."""

    t_ns: int
    captured: int
    written: int
    bytes: int
    drops: dict[str, int]
    cpu_ns: int
    resident_bytes: int
    error: NotRequired[str]


EVENTS: Final[dict[str, Any]] = {"hello": Hello, "error": Failed, "tick": Tick, "ready": Ready}
OF_VERB: Final[dict[tuple[str, str], Any]] = {
    ("send", "done"): Sent,
    ("sink", "done"): Came,
    ("stream", "done"): Streamed,
    ("connect", "opened"): Opened,
    ("connect", "done"): Connected,
    ("replay", "ready"): Loaded,
    ("replay", "done"): Replayed,
    ("watch", "done"): Watched,
    ("look", "done"): Looked,
    ("soak", "done"): Soaked,
    ("forward", "count"): Forwarded,
    ("forward", "done"): Forwarded,
    ("line", "done"): Lined,
    ("capture", "ready"): CaptureReady,
    ("capture", "tick"): Captured,
    ("capture", "done"): Captured,
    ("client", "done"): Responded,
    ("server", "done"): Served,
    ("serve", "ready"): Handed,
    ("serve", "done"): Played,
    ("use", "ready"): Handed,
    ("use", "done"): Played,
}


def message(host: str, verb: str, line: bytes, program: str = "gm-agent") -> dict[str, Any]:
    """One line of an agent on the host `host`. Raises NodeError if it is none, or an odd one."""
    what = f"what {program} {verb} printed"
    text = line[:200].decode(errors="replace")
    if TWENTY in line.translate(AS_ZEROS) and TOO_LONG.search(line):
        raise odd(host, f"{what} (a number of more than 19 digits)", text)
    try:
        decoded: dict[str, Any] = msgspec.json.decode(line)
        event = msgspec.convert(decoded, Message)["ev"]
        if schema := OF_VERB.get((verb, event)) or EVENTS.get(event):
            msgspec.convert(decoded, schema)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise odd(host, f"{what} ({error})", text) from None
    return decoded
