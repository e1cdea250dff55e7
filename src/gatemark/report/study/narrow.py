# SPDX-License-Identifier: Apache-2.0
"""What runs hold of some plans alone: a part of a study is of its own plans, and of no other."""

import dataclasses
from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from gatemark.report.group.source import Source


def narrowed(source: Source, plans: Collection[str], line_bps: float = 0.0) -> Source:
    """The same of these plans alone; what is judged of no plan stays.

    With `line_bps` only the queues of a line of this rate.
    """
    judgement, kept = source.judgement, {None, *plans}
    every: dict[str, Any] = {n: getattr(judgement, n) for n in judgement.__struct_fields__}
    own = {
        name: tuple(each for each in judged if getattr(each, "plan", None) in kept)
        for name, judged in every.items()
        if isinstance(judged, tuple)
    }
    if line_bps:
        own["queues"] = tuple(queue for queue in own["queues"] if queue.line_bps == line_bps)
    return dataclasses.replace(
        source,
        records=[record for record in source.records if record.plan in plans],
        judgement=replace(judgement, **own),
    )
