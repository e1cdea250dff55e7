# SPDX-License-Identifier: Apache-2.0
"""The highest rate that each shaper holds: what came through, what it added."""

from gatemark.judge.judgement import Judgement
from gatemark.judge.verdict import shaping
from gatemark.tell.answer import rates
from gatemark.tell.answer.rates import Column
from gatemark.tell.words import traffic
from gatemark.tell.words.number import MBPS, PERCENT, Scale
from gatemark.tell.words.table import Table

ANCHOR = "shapers"
CAPTION = (
    "Shapers: the highest rate that each holds. Uploads' frames fill 95 % of it, and add at most "
    "5 ms, or the time of three full frames, to a flow's delay. Of that: its highest percentile, "
    "up to the 99th, that ten packets exceed"
)
MS = Scale(1e6, "ms")
S = Scale(1.0, "s")


def table(judgement: Judgement) -> Table:
    """A line for each search."""
    points = list(shaping.held(judgement.points).values())
    numbers = (
        ("holds, Mbit/s", "held_bps", MBPS),
        ("no more, Mbit/s", "too_fast_bps", MBPS),
        ("share of it, %", "shaped_share", PERCENT),
        ("adds, ms", "shaped_added_ns", MS),
        ("CPU, %", "cpu_busy", PERCENT),
        ("trials", "search_trials", S),
        ("search, s", "search_s", S),
    )
    return rates.of_points(
        CAPTION,
        [
            Column("setup", lambda p: p.arm),
            Column("load", lambda p: traffic.load(p.definition)),
            *(_number(head, name, to) for head, name, to in numbers),
            Column("bottleneck", lambda p: p.limit),
        ],
        points,
    )


def _number(head: str, name: str, to: Scale) -> Column:
    return Column(head, lambda p: rates.cell(p, name, to), is_number=True)
