# SPDX-License-Identifier: Apache-2.0
"""What a flow saw of the queue that a load filled: what it costs, and how the queue behaves."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gatemark.judge.judgement import Judgement, Queue
from gatemark.judge.math.interval import Interval
from gatemark.judge.queue.trial import CPU
from gatemark.tell.fact import say
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.figure import grouped
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.table import NONE, Table

ANCHOR: Final = "queues"
SECONDS: Final = Scale(1e9, "s")
KB: Final = Scale(1e3, "kB")
RATIO: Final = Scale(1.0, "")
COST: Final = (
    "Queues: what a load adds to the delay of a flow beside it, and how much of the line it gets. "
    "Fairness: 100 % is the same to each of its streams. Dropped: packets a trial, by which queue, "
    "mostly the load's own"
)
SHAPE: Final = (
    "How these queues behave, beside what the arithmetic of TCP and a drop-tail buffer expects. "
    "Standing: the queue that never empties. Steady: from the load's first byte. Overshoot: the "
    "longest wait before, over the p95 after. Gone: from the load's last byte"
)
TAILS: Final = ("p95", "p98", "p99")  # few packets tell the lower ones alone


def tables(judgement: Judgement) -> list[tuple[str, Table]]:
    """What a load costs, and the queue's own shape."""
    return [(ANCHOR, cost(judgement.queues))]


def folded(judgement: Judgement) -> list[tuple[str, Table]]:
    """The queue's own shape, with what was expected and the causes of a difference."""
    return [(f"{ANCHOR}-shape", shape(judgement.queues))]


def cost(queues: Sequence[Queue]) -> Table:
    """A line for each queue."""
    ms = number.scale([q.values["queue_mean_ns"].value for q in queues], "ns") if queues else RATIO
    columns = {
        f"added p50, {ms.unit}": _cell("queue_added_p50_ns", ms),
        **{f"{name}, {ms.unit}": _cell(f"queue_added_{name}_ns", ms) for name in TAILS},
        "lost, %": _cell("queue_loss_ratio", PERCENT),
        "goodput, Mbit/s": _cell("queue_goodput_bps", number.MBPS),
        "of the line, %": _cell("queue_line_share", PERCENT),
        "CPU, %": _cell(CPU, PERCENT),
        "fairness, %": _cell("queue_fairness_ratio", PERCENT),
        "worst seconds, %": _cell("queue_fairness_p5_ratio", PERCENT),
        "dropped": _dropped,
    }
    return _table(COST, queues, columns)


def shape(queues: Sequence[Queue]) -> Table:
    """A line for each queue; its last column says why it is not as expected."""
    ms = number.scale([q.values["queue_mean_ns"].value for q in queues], "ns") if queues else RATIO
    columns = {
        f"wait p5, {ms.unit}": _cell("queue_p5_ns", ms),
        f"mean, {ms.unit}": _beside("mean_ns", ms),
        f"p95, {ms.unit}": _cell("queue_p95_ns", ms),
        "period, s": _beside("period_ns", SECONDS),
        f"trough, {ms.unit}": _beside("trough_ns", ms),
        "standing, kB": _cell("queue_standing_bytes", KB),
        "buffer, kB": _buffer,
        "steady, s": _cell("queue_steady_ns", SECONDS),
        "overshoot": _cell("queue_overshoot_ratio", RATIO),
        "gone, s": _cell("queue_recovery_ns", SECONDS),
        "explained": lambda queue: " ".join(map(say.words, queue.why)) or NONE,
    }
    return _table(SHAPE, queues, columns, noted=True)


Cell = Callable[[Queue], str]


def _table(
    caption: str, queues: Sequence[Queue], columns: Mapping[str, Cell], *, noted: bool = False
) -> Table:
    """A column that no queue has is left out."""
    words = ("explained", "dropped")
    return column.table(
        caption,
        queues,
        Column("setup", lambda queue: queue.arm),
        Column("load", _load),
        Column("flow", lambda q: f"{q.flow or q.definition.trace} {traffic.way(q.way)}"),
        Column("line", lambda q: number.nominal(q.line_bps, "bit/s") if q.line_bps else NONE),
        *(Column(head, make, head not in words, None) for head, make in columns.items()),
        noted=noted and any(queue.why for queue in queues),
    )


def _load(queue: Queue) -> str:
    return (
        traffic.point(queue.point) if queue.point else ", ".join(filter(None, queue.loads)) or NONE
    )


def _cell(name: str, to: Scale) -> Cell:
    def cell(queue: Queue) -> str:
        interval = queue.values.get(name)
        return NONE if interval is None else number.interval(interval, to)

    return cell


def _dropped(queue: Queue) -> str:
    """The packets that each queue drops in a trial, whoever sent them."""
    parts = [f"{name}: {grouped(round(packets))}" for name, packets in queue.dropped.items()]
    return ", ".join(parts) or NONE


def _beside(name: str, to: Scale) -> Cell:
    """What was seen, and in brackets what was expected."""

    def cell(queue: Queue) -> str:
        return _bracketed(
            queue.values.get(f"queue_{name}"), queue.expected.get(f"queue_expected_{name}"), to
        )

    return cell


def _buffer(queue: Queue) -> str:
    return _bracketed(queue.values.get("queue_buffer_bytes"), queue.buffer_bytes, KB)


def _bracketed(seen: Interval | None, wanted: float | None, to: Scale) -> str:
    if seen is None:
        return NONE
    text = number.interval(seen, to)
    if wanted is None:
        return text
    return f"{text} [{number.plain(wanted / to.factor, number.decimals_of(wanted / to.factor))}]"
