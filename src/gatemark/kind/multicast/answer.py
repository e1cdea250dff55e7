# SPDX-License-Identifier: Apache-2.0
"""Groups: what came to members and to others, and the times of joining and leaving."""

from typing import Final

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.multicast.plan import MULTICAST
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import Table

CAPTION: Final = (
    "Multicast: joining is timed to the next packet, leaving to the last. A group that comes to "
    "hosts that are no members is flooded, and then there is no such time"
)
SHARES: Final = {"forwarded_share": "to members, %", "flooded_share": "to others, %"}
TIMES: Final = {"join_ns": "join", "leave_ns": "leave"}


def table(judgement: Judgement) -> Table:
    """A line for each point, the tester's own first."""
    every = (*judgement.ceilings, *judgement.points)
    about = [point for point in every if point.definition.quantity == MULTICAST]
    to = {name: number.scale(rates.middles(about, name), "ns") for name in TIMES}
    spec: list[Column[PointResult]] = [
        Column("setup", rates.who),
        Column("point", traffic.point_words),
        *(Column(head, *rates.cells(about, name, PERCENT)) for name, head in SHARES.items()),
        *(
            Column(f"{head}, {to[name].unit}", *rates.cells(about, name, to[name]))
            for name, head in TIMES.items()
        ),
    ]
    return column.table(CAPTION, about, *spec)


KIND: Final = Answer(lambda source: [("multicast", table(source.judgement))])
