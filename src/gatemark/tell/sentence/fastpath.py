# SPDX-License-Identifier: Apache-2.0
"""Where do connections go over time: into the flow table, out of it, and who is cut off?"""

from collections.abc import Iterator, Mapping
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.kind.fastpath.plan import FASTPATH
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number
from gatemark.tell.words.figure import upper

WHOLE: Final = 0.9  # of the time in the flow table: readings before the first packets are not
LOST: Final = 0.999


def applies(case: Case) -> bool:
    """Return True where flows were followed."""
    return any(point.definition.quantity == FASTPATH for point in case.judgement.points)


def say(case: Case) -> str:
    """Say of each arm where its flows were, and which fell out."""
    points = [point for point in case.judgement.points if "fastpath_kept" in point.values]
    texts = [f"{point.arm}: {', '.join(_parts(point))}" for point in points]
    text = "; ".join(texts)
    return f"{upper(text)}." if text else ""


def _where(value: Mapping[str, float]) -> str:
    """Return where its steady flows are."""
    if (steady := value.get("fastpath_steady")) is None:
        return "which way its flows go could not be read"
    is_hardware = value.get("fastpath_hardware", 0.0) >= WHOLE
    where = "hardware" if is_hardware else "the flow table"
    if not steady:
        return "all goes the usual path"
    share = "" if steady >= WHOLE else f" {number.quantity(steady, 'ratio')} of the time"
    return f"steady flows are in {where}{share}"


def _parts(point: PointResult) -> Iterator[str]:
    """Yield what is to be known of an arm."""
    value = {name: each.value for name, each in point.values.items()}
    yield _where(value)
    if age_ns := value.get("fastpath_age_ns"):
        again = value.get("fastpath_again", 0.0)
        yield (
            f"a flow is out after {number.quantity(age_ns, 'ns')} of silence"
            f"{f' and comes back ({again:g} times)' if again else ''}"
        )
    if torn := value.get("fastpath_torn"):
        yield f"{torn:g} left it though packets came"
    if gone := value.get("fastpath_forgotten"):
        yield f"{gone:g} connections are forgotten"
    if (kept := value.get("fastpath_slow_kept", 1.0)) < LOST:
        yield f"of slow ones {number.quantity(1 - kept, 'ratio')} of the packets are lost"
    if dead := value.get("fastpath_idle_died"):
        yield f"{number.quantity(dead, 'ratio')} of idle ones are dead"
