# SPDX-License-Identifier: Apache-2.0
"""Kernels on the gateway's processor: what each does, what it means for a packet, who published it.

Tables: each command's points; the share that a kernel has of a routed packet's time; what the
study of boards says of its figures 6 to 10, beside what is measured here; CoreMark and memory
beside those of published routers.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.kind.algorithm import budget, left_out, platform
from gatemark.kind.algorithm import point as kernel
from gatemark.kind.algorithm.inputs import early, inputs, order
from gatemark.number import si
from gatemark.store.record import Record
from gatemark.store.reference import printed
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import Scale
from gatemark.tell.words.table import NONE, Table

CAPTIONS = {
    "lpm": "Longest prefix match: look-ups by this processor",
    "filter": "Set membership: keys a second, each phase by itself",
    "match": "Pattern matching: payloads searched",
    "gateway": "What a gateway does besides",
    "platform": "The processor itself",
    "coremark": "CoreMark",
}
WHOLE = Scale(1.0, "")
PER_S = Scale(1e6, "M/s")
NS = Scale(1.0, "ns")
MB_S = Scale(1e6, "MB/s")
SCORE = "iterations/s"
# Quantity -> its column and scale, besides those of phases.
COLUMNS = {
    "ops_s": ("M/s", PER_S),
    "ns": ("ns each", NS),
    "dependent_ns": ("ns each, after the last", NS),
    "instructions_each": ("instructions each", WHOLE),
    "accesses_each": ("memory accesses each", WHOLE),
    "l1_misses_each": ("L1d misses each, modelled", WHOLE),
    "l2_misses_each": ("L2 misses each, modelled", WHOLE),
    "bytes_per_s": ("MB/s", MB_S),
    "false_positive_ratio": ("false positives, %", number.PERCENT),
    "bytes": ("KiB", Scale(1024.0, "KiB")),
    "build_s": ("build, ms", Scale(1e-3, "ms")),
    "clock_hz": ("MHz", Scale(1e6, "MHz")),
    "cache_latency_ns": ("cache, ns", NS),
    "memory_latency_ns": ("memory, ns", NS),
    **{f"{way}_bytes_per_s": (f"{way}, MB/s", MB_S) for way in ("copy", "scale", "add", "triad")},
}
PHASE = ".ns"  # ends a phase's time: insert.ns
SATURATED = "the study's sizes saturate both filters: hashing and memory alone"


def tables(source: Source) -> Iterator[tuple[str, Table]]:
    """All of them; those that nothing is known for have no rows."""
    parts = source.parts or [source]
    points = [point for part in parts for point in part.judgement.points]
    records = [record for part in parts for record in part.records]
    notes = {
        "match": [*early(records), *left_out.sentences(records, "match")],
        "lpm": left_out.sentences(records, "lpm"),
    }
    for command, caption in CAPTIONS.items():
        text = _noted(caption, notes.get(command, []))
        yield f"kernels-{command}", _of_command(list(kernel.of(points, command)), text)
    yield "kernels-line", _lines(records)
    yield "kernels-packet", _shares(points)
    yield "kernels-study", _study(parts, early(records))
    yield "kernels-platform", _platforms(points)


def _noted(caption: str, notes: Sequence[str]) -> str:
    """A caption with sentences behind it."""
    return f"{caption}. {' '.join(notes)}".removesuffix(".") if notes else caption


def _of_command(points: Sequence[PointResult], caption: str) -> Table:
    phases = dict.fromkeys(name for p in points for name in p.values if name.endswith(PHASE))
    columns = COLUMNS | ({"ops_s": (SCORE, WHOLE)} if caption == CAPTIONS["coremark"] else {})
    spec = [
        Column("kernel", lambda p: traffic.kernel(p.definition)),
        *(_column(points, name, *column) for name, column in columns.items()),
        *(_column(points, name, f"{name.removesuffix(PHASE)}, ns", NS) for name in phases),
    ]
    studied = any(kernel.words(p.definition).get("workload") == "study" for p in points)
    note = f"; {SATURATED}" if studied else ""
    return column.table(caption + note, points, *spec)


def _lines(records: Sequence[Record]) -> Table:
    """CoreMark's own lines, as its rules have them reported."""
    lines = [
        str(report["line"])
        for record in records
        for report in record.evidence.kernels
        if record.status == "ok" and report["command"] == "coremark"
    ]
    rows = tuple((line,) for line in lines)
    caption = "CoreMark's own lines; CoreMark is a trademark of EEMBC"
    return Table(caption, ("report",), rows, frozenset())


def _column(points: Sequence[PointResult], name: str, head: str, to: Scale) -> Column[PointResult]:
    def cell(point: PointResult) -> str:
        return rates.cell(point, name, to)

    return Column(head, cell, is_number=True, is_there=any(name in p.values for p in points))


def _shares(points: Sequence[PointResult]) -> Table:
    """Each kernel that a routed packet needs: its time, and its share of the packet's."""
    packet = budget.packet_ns(points)
    rows = [
        (
            part.words,
            number.plain(part.ns, number.decimals_of(part.ns)),
            f"{100 * part.ns / packet.value:.1f}" if packet else NONE,
        )
        for part in budget.parts(points)
    ]
    if ceiling := budget.ceiling_pps(points):
        ns = number.plain(1e9 / ceiling, number.decimals_of(1e9 / ceiling))
        share = f"{1e11 / ceiling / packet.value:.1f}" if packet else NONE
        rows.append(
            (f"all of {', '.join(budget.SUM)}: at most {si(ceiling, 'packets/s')}", ns, share)
        )
    head = ("kernel", "ns a packet", "of a routed packet, %")
    return Table(_packet_caption(packet), head, tuple(rows), frozenset({1, 2}))


def _packet_caption(packet: Interval | None) -> str:
    if packet is None:
        return "What kernels take of a packet; its whole time: gatemark run algorithms/packet"
    rate = si(1e9 / packet.value, "packets/s")
    return f"What kernels take of a packet, which here takes {packet.value:.0f} ns ({rate})"


def _study(parts: Sequence[Source], notes: Sequence[str]) -> Table:
    """Each rank of figures 6 to 10 that is printed in words; a dash needs another processor."""
    points = [point for part in parts for point in part.judgement.points]
    if not any(kernel.is_kernel(point.definition) for point in points):
        return Table("", (), (), frozenset())
    rows = [
        (
            f"{row['experiment'].removeprefix('algo').strip('.') or 'all'}",
            row["device"],
            f"{row['parameter'].replace('_', ' ')}: {row['value']}{_unit(row['unit'])}",
            _here(parts, row["experiment"], row["parameter"]),
        )
        for row in printed("P", "algo")
        if not row["note"].startswith(("printed", "derived"))
    ]
    caption = "The study of boards, figures 6 to 10: bars without numbers, so ranks alone"
    caption = _noted(caption, notes)
    return Table(caption, ("kernel", "device", "there", "here"), tuple(rows), frozenset())


def _unit(unit: str) -> str:
    return "" if unit == "text" else f" {unit}"


def _here(parts: Sequence[Source], experiment: str, parameter: str) -> str:
    """Return what is measured here, of each run by itself: two runs are of two processors."""
    compared = HERE.get((experiment, parameter))
    texts = [(part.label, compared(part.judgement.points)) for part in parts] if compared else []
    return "; ".join(f"{label}: {text}" if label else text for label, text in texts if text) or NONE


def _sst_against_treebitmap(points: Sequence[PointResult]) -> str:
    pairs = (("sst7", "tbm4"), ("sst15", "tbm5"))
    return _ratios(points, "lpm", "structure", pairs)


def _hybrid_against_delayed(points: Sequence[PointResult]) -> str:
    return _ratios(points, "match", "engine", (("hfa", "d2fa"),))


def _query_against_insert(points: Sequence[PointResult]) -> str:
    for point in kernel.studied(points, "filter"):
        times = point.values
        if kernel.words(point.definition)["structure"] == "bf" and "insert.ns" in times:
            ratio = times["insert.ns"].value / times["query.ns"].value
            return f"a query is {_times(ratio)} times as fast as an insertion"
    return ""


def _ratios(
    points: Sequence[PointResult], command: str, word: str, pairs: Sequence[tuple[str, str]]
) -> str:
    """Return the ratio of one structure's rate to another's, for each input by itself."""
    texts = []
    for first, second in pairs:
        ratios = list(kernel.ratios(points, command, word, (first, second)))
        names = inputs([words for words, _ in ratios])
        of_each = sorted(zip(names, ratios, strict=True), key=lambda pair: order(pair[0]))
        if of_each:
            times = ", ".join(f"{_times(ratio)} ({name})" for name, (_, ratio) in of_each)
            texts.append(f"{first} is {times} times as fast as {second}")
    return "; ".join(texts)


def _times(ratio: float) -> str:
    """Three digits, also of a small ratio."""
    return f"{ratio:#.3g}".removesuffix(".")


HERE: dict[tuple[str, str], Callable[[Sequence[PointResult]], str]] = {
    ("algo.lpm", "sst_vs_tbm"): _sst_against_treebitmap,
    ("algo.bf", "query"): _query_against_insert,
    ("algo.match", "d2fa_vs_hfa"): _hybrid_against_delayed,
}


def _platforms(points: Sequence[PointResult]) -> Table:
    """CoreMark, clock and memory of published routers, then of this one; ratios to their PC."""
    own = platform.of_points(points)
    if not own.is_known:
        return Table("", (), (), frozenset())
    others = platform.published(printed("K", "host"))
    reference = next((other for other in others if other.is_reference), own)

    def ratio(value: Callable[[platform.Platform], float], places: int = 3) -> Callable[..., str]:
        return lambda row: _plain(_over(value(row), value(reference)), places)

    return column.table(
        "The platform beside published routers; ours of memory is by a variant of the STREAM "
        "benchmark code",
        (*others, own),
        Column("device", lambda row: row.device),
        column.number("MHz", lambda row: _plain(row.mhz, 0)),
        column.number("CoreMark", lambda row: _plain(row.coremark, 0)),
        column.number("CoreMark/MHz", lambda row: _plain(_over(row.coremark, row.mhz), 2)),
        column.number("STREAM copy, MB/s", lambda row: _plain(row.copy_mb_s, 0)),
        column.number("CoreMark to the PC's", ratio(lambda row: row.coremark)),
        column.number("copy to the PC's", ratio(lambda row: row.copy_mb_s)),
    )


def _over(value: float, other: float) -> float:
    return value / other if value and other else 0.0


def _plain(value: float, places: int) -> str:
    return number.plain(value, places) if value else NONE


KIND: Final = Answer(lambda source: list(tables(source)))
