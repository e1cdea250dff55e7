# SPDX-License-Identifier: Apache-2.0
"""The losses of one direction of a trial, by time of sending: the evidence for their shape.

The sink keeps a bit for each packet that was tried (agent/PROTOCOL.md, `ledger`), so it is known
which packets were lost and when these were sent. A record keeps sums of it.
"""

import msgspec


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """One direction. Times count from the first packet's due time; bins are of equal width."""

    direction: str  # up, down, send, receive
    bin_ms: float  # width of each bin
    tried: tuple[int, ...] = ()  # packets, by time of sending
    refused: tuple[int, ...] = ()  # of these, refused by the sender's port: the queue was full
    lost: tuple[int, ...] = ()  # of these, never received; with those refused
    arrived: tuple[int, ...] = ()  # packets, by time of arrival; the bins go on after the end
    by_flow: tuple[int, ...] = ()  # lost, of each flow; empty: nothing, or more than 1024 flows
    # The LAN host's port of each of these flows; where `delay_by_flow` is kept, too.
    ports: tuple[int, ...] = ()
    tried_by_flow: tuple[int, ...] = ()  # where `by_flow` is kept
    by_size: dict[str, tuple[int, int]] = {}  # frame bytes -> tried, lost; of several sizes alone
    lead: tuple[int, ...] = ()  # each flow's packets lost from its first one on, where any are
    halves: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # `by_flow` of even, odd numbers
    first_ms: float | None = None  # when the first lost packet was sent
    run_mean: float = 0.0  # packets lost in a row, in the order of sending; the mean
    distance_cv: float | None = None  # of distances between losses: deviation / mean; None: < 3
    # Start and length in ms of times without an arrival: over 4.5 ms, the 64 longest, by time.
    silences: tuple[tuple[float, float], ...] = ()
    pauses: tuple[tuple[float, float], ...] = ()  # of the sender, likewise
    # Median one-way delay of each flow, ns, 0: nothing came; at low rates alone.
    delay_by_flow: tuple[int, ...] = ()
    late: dict[str, int] = {}  # reordered packets: highest number less its own, at least -> count
    corrupt: dict[str, int] = {}  # cause -> packets: ip_sum, udp_sum, no_sum, header
