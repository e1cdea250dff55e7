# SPDX-License-Identifier: Apache-2.0
"""One-way delay of all packets of a trial: percentiles from the sinks' histograms, and over time.

It is the delay from just before a packet is handed to the sender's port until it enters the sink's
host, by one clock (RFC 7679): the sender's own call, the links, the gateway's queue and its work.
Where sender and sink are two machines their clocks are compared; the error of that is a value too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from gatemark.judge.math.histogram import is_told, merged, percentile
from gatemark.store.series import Series
from gatemark.workload.way import Way, binned

SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}


def delays(ways: Sequence[Way]) -> dict[str, float]:
    """Percentiles in ns over all directions; those with too few packets are left out.

    `delay_pdv_ns` is the packet delay variation of RFC 5481 section 4.2, each packet against the
    fastest, at 99.9 %. Nothing received: no delays.
    """
    every = [way.sink["delay_ns"] for way in ways]
    counts = merged((histogram["low"], histogram["count"]) for histogram in every)
    longest = _longest(ways) or max(counts, default=0)
    packets = sum(counts.values())
    values = percentiles(
        packets, lambda share: min(percentile(counts, share), longest), (*counts, longest)
    )
    error_ns = max((way.clock_error_ns for way in ways), default=0)
    return values | ({"clock_error_ns": float(error_ns)} if values and error_ns else {})


def percentiles(
    packets: float,
    percentile_of: Callable[[float], float],
    every: Collection[float],
    shares: Mapping[str, float] = SHARES,
) -> dict[str, float]:
    """The values of so many packets; `every` holds the shortest and the longest delay."""
    if not packets:
        return {}
    least = min(every)
    values = {
        f"delay_{name}_ns": percentile_of(share)
        for name, share in shares.items()
        if is_told(max(share, 1 - share), packets)
    }
    if "delay_p999_ns" in values:
        values["delay_pdv_ns"] = values["delay_p999_ns"] - least
    return {"delay_min_ns": least, **values, "delay_max_ns": max(every)}


def series(way: Way) -> Series:
    """The histogram, and for each bin with packets the mean and the longest delay in ns."""
    name, histogram = f"sink.{way.wire.direction}", way.sink["delay_ns"]
    columns: dict[str, tuple[Sequence[int], Sequence[float]]] = {
        f"{name}.delay_ns": (histogram["low"], histogram["count"])
    }
    if "delay_sum_ns" not in way.sink["rate"]:  # an older agent
        return columns
    counted = (binned(way, key)[1] for key in ("packets", "delay_sum_ns", "delay_max_ns"))
    bins = list(zip(binned(way, "packets")[0], *counted, strict=True))
    kept = [(at, total / count, most) for at, count, total, most in bins if count]
    at = [row[0] for row in kept]
    columns[f"{name}.delay_mean_ns"] = at, [row[1] for row in kept]
    columns[f"{name}.delay_max_ns"] = at, [row[2] for row in kept]
    return columns


def _longest(ways: Sequence[Way]) -> float:
    """The longest of all, exact where the bins hold it; else 0."""
    bins = [way.sink["rate"].get("delay_max_ns", []) for way in ways]
    return float(max(max(column, default=0) for column in bins)) if all(bins) else 0.0
