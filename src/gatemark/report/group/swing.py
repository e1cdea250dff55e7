# SPDX-License-Identifier: Apache-2.0
"""What a delay does over time, in words: how far it moves, whether it is a sawtooth, its jitter."""

from collections.abc import Iterator, Sequence

from gatemark.report.group import latency, pool, trace
from gatemark.report.group.latency import Load
from gatemark.report.group.pool import Kept
from gatemark.report.group.trace import Sheaf, Trace
from gatemark.report.words import number, traffic
from gatemark.stats.point.sawtooth import standing_bytes
from gatemark.store.record import Record


def title(
    loads: Sequence[Load], drawn: Sequence[Trace], records: Sequence[Record], sheaf: Sheaf
) -> str:
    """The finding: a sawtooth where there is one, else between what the mean delay stays."""
    kept = trace.trials(records)
    if text := next(_sawteeth(loads, kept, sheaf), ""):
        return text.removesuffix(".")
    first = next(trace for trace in drawn if trace.quantities.get("delay_ns"))
    values = [i.value for i in first.quantities["delay_ns"] if i]
    low, high = (number.quantity(end, "ns") for end in (min(values), max(values)))
    where = f"{first.point.arm}, {traffic.DIRECTION.get(first.way, first.way)}"
    step = number.nominal(first.step_s * 1e9, "ns")
    return f"The delay, as the mean of each {step}, stays between {low} and {high} ({where})"


def words(loads: Sequence[Load], kept: Kept, sheaf: Sheaf) -> str:
    """Sawteeth of all arms, or that there are none; jitter where every packet's delay was kept."""
    texts = list(_sawteeth(loads, kept, sheaf)) or ["No sawtooth: it has no period."]
    texts += (text for load in loads for text in _variation(load))
    return " ".join(texts)


def _variation(load: Load) -> Iterator[str]:
    """The swing of each direction of a replay, from a packet to the next of its flow."""
    for way in traffic.DIRECTION:
        middle, far = (load.point.values.get(f"{way}.ipdv_{p}_ns") for p in ("p50", "p99"))
        if middle:
            end = f", by up to {number.quantity(far.value, 'ns')} for 99 %" if far else ""
            yield (
                f"{load.arm} {traffic.way(way)}: successive packets differ by "
                f"{number.quantity(middle.value, 'ns')} at the median{end} (IPDV, RFC 3393)."
            )


def _sawteeth(loads: Sequence[Load], kept: Kept, sheaf: Sheaf) -> Iterator[str]:
    for load in loads:
        sawtooth = pool.swing(load.point, kept, sheaf)
        if sawtooth is None:
            continue
        text = (
            f"{latency.way(load)}: the delay swings by {number.quantity(sawtooth.swing_ns, 'ns')} "
            f"every {number.quantity(sawtooth.period_s * 1e9, 'ns')}"
        )
        least, rate = (load.point.values.get(n) for n in ("delay_min_ns", "received_l2_bps"))
        if least and rate:
            queue = standing_bytes(sawtooth, least.value, rate.value)
            text += f"; a queue of about {float(f'{queue:.3g}'):,.0f} bytes never empties"
        yield f"{text}."
