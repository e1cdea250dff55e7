# SPDX-License-Identifier: Apache-2.0
"""What a UDP trial found: rates, loss and delay of numbered packets."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from gatemark.plan.model import Workload
from gatemark.store.record import Accounting
from gatemark.store.series import Series
from gatemark.unit import l1_bps, payload_bytes
from gatemark.workload.way import Way, binned, over_time

DELAY_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def values(load: Workload, ways: Sequence[Way], accounting: Accounting) -> dict[str, float]:
    """Offered and received rate on each layer, the loss and the delay of all directions."""
    size, rate_pps = load.frame_bytes, sum(over_time(way, "packets") for way in ways)
    return {
        "offered_pps": sum(_offered(way, load.duration_s) for way in ways),
        "received_pps": rate_pps,
        "received_l1_bps": l1_bps(rate_pps, size),
        "received_l2_bps": rate_pps * size * 8,
        "received_l4_bps": rate_pps * payload_bytes(size, load.family) * 8,
        "loss_ratio": accounting.lost / accounting.tried if accounting.tried else 0.0,
    } | _delays(ways)


def _offered(way: Way, duration_s: float) -> float:
    """What the schedule asked for; without one, what the sender tried."""
    if scheduled := way.sender["scheduled"]:
        return float(scheduled) / duration_s
    return float(way.sender["tried"]) * 1e9 / way.span_ns


def _delays(ways: Iterable[Way]) -> dict[str, float]:
    """One-way delay percentiles over all packets of all directions."""
    counts: dict[int, int] = {}
    for way in ways:
        histogram = way.sink["delay_ns"]
        for low, count in zip(histogram["low"], histogram["count"], strict=True):
            counts[low] = counts.get(low, 0) + count
    if not counts:
        return {}
    lows = sorted(counts)
    shares = {f"delay_{name}_ns": percentile(counts, share) for name, share in DELAY_SHARES.items()}
    return {"delay_min_ns": lows[0], **shares, "delay_max_ns": lows[-1]}


def percentile(counts: Mapping[int, int], share: float) -> float:
    """Lower bound of the bucket that holds this share of a histogram, from the left."""
    lows = sorted(counts)
    wanted = share * sum(counts.values())
    sums = accumulate(counts[low] for low in lows)
    return float(next(low for low, so_far in zip(lows, sums, strict=True) if so_far >= wanted))


def series(way: Way) -> Series:
    """Histograms of delay and gaps, packets over time."""
    name = f"sink.{way.wire.direction}"
    found: dict[str, tuple[Sequence[int], Sequence[float]]] = {
        f"{name}.{kind}": (way.sink[kind]["low"], way.sink[kind]["count"])
        for kind in ("delay_ns", "gap_ns")
    }
    return found | {f"{name}.packets": binned(way, "packets")}
