# SPDX-License-Identifier: Apache-2.0
"""The outcome of packets sent one at a time: the instructions of one, by function."""

from collections import Counter as Tally
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from gatemark.kind.walk.load import Walked
from gatemark.kind.walk.traced import Traced, loads
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe.path import by_function, calls
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Counted, Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way

KEPT: Final = 50  # modes: arms are compared by all that both have
NAMED: Final = 9  # of them, by what they ran more
MORE: Final = 60  # functions of each


def define(both: Definition, load: Workload) -> Definition:
    """What is of one packet alone in a definition."""
    return replace(
        both,
        quantity="instructions",
        l4=load.l4,
        frame_bytes=load.frame_bytes,
        rate_layer="instructions",
        duration_s=0.0,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The total that stands for all walks, and its share; each walk accounts for its packet.

    Nothing where a tracer saw the path: it counts no instructions.
    """
    del spec
    if _traced(raw):
        return {}, None
    walked = _walked(raw)
    totals, mode = walked.totals, walked.typical
    return {"instructions": float(mode), "mode_share": totals.count(mode) / len(totals)}, None


def evidence(raw: Raw) -> dict[str, Any]:
    """The modes, and what the first of them is made of; or what a tracer saw."""
    if traced := _traced(raw):
        return {
            "counted": Counted(
                walks=traced.packets,
                lost=0,
                functions=traced.functions,
                path=traced.path,
                tracer=traced.tracer,
            )
        }
    sent, walked = raw.ways[0].sender, _walked(raw)
    counter, symbols = sent["counter"], sent["symbols"]
    first = walked.typical
    modes = list(dict.fromkeys((first, *_modes(walked.totals))))
    functions = {
        mode: by_function(counter, symbols, Tally(walked.path(mode))) for mode in modes[: NAMED + 1]
    }
    own = functions[first]
    more = {
        str(mode): _more({name: n for name, (n, _) in own.items()}, functions[mode])
        for mode in functions
        if mode != first
    }
    return {
        "counted": Counted(
            walks=walked.walks,
            disturbed=walked.disturbed,
            lost=walked.lost,
            modes={str(mode): walked.totals.count(mode) for mode in modes},
            more=more,
            functions=own,
            path=calls(counter, symbols, walked.path(first)) if sent["ordered"] else (),
            refills=walked.refills / walked.walks,
            plugin=sent["plugin"],
        )
    }


def series(way: Way) -> Series:
    """Instructions of each walk, by when it began."""
    if "traced" in way.sender:
        return {}
    walked: Walked = way.sender["walked"]
    return {f"source.{way.wire.direction}.instructions": (walked.at_ns, walked.totals)}


def _traced(raw: Raw) -> Traced | None:
    traced: Traced | None = raw.ways[0].sender.get("traced")
    return traced


def _walked(raw: Raw) -> Walked:
    walked: Walked = raw.ways[0].sender["walked"]
    return walked


def _modes(totals: list[int]) -> list[int]:
    """Totals by how often they came, the smaller first where two came as often."""
    often = sorted(Tally(totals).items(), key=lambda item: (-item[1], item[0]))
    return [total for total, _ in often][:KEPT]


def _more(own: Mapping[str, int], other: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Which functions of another mode ran more than in the first one, the dearest."""
    rises = {name: n - own.get(name, 0) for name, (n, _) in other.items()}
    falls = {name: -n for name, n in own.items() if name not in other}
    changed = sorted((rises | falls).items(), key=lambda item: (-abs(item[1]), item[0]))
    return {name: by for name, by in changed[:MORE] if by}


KIND: Final = Kind(loads, define, outcome, series=series, evidence=evidence)
