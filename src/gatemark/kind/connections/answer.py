# SPDX-License-Identifier: Apache-2.0
"""Points that are about connections: how many, how fast, and how long each took."""

from typing import Final

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.connections.point import QUANTITIES
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer
from gatemark.tell.fact import say
from gatemark.tell.words import column, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table


def table(judgement: Judgement) -> Table:
    """Points that are about connections: how many, how fast, how long each took."""
    everyone = (*judgement.ceilings, *judgement.points)
    about = [p for p in everyone if p.definition.quantity in QUANTITIES]
    spec: list[Column[PointResult]] = [
        Column("setup", rates.who),
        Column("point", traffic.point_words),
        *rates.connecting(about),
        Column("lost, %", *rates.cells(about, "loss_ratio", PERCENT)),
        Column("CPU, %", *rates.cells(about, "cpu_busy", PERCENT)),
        Column("bottleneck", lambda p: p.limit),
        Column("why", lambda p: say.words(p.why) or NONE),
    ]
    return column.table("TCP connections, each with a message and its echo", about, *spec)


KIND: Final = Answer(lambda source: [("connections", table(source.judgement))])
