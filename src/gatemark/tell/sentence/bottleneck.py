# SPDX-License-Identifier: Apache-2.0
"""The bottlenecks of setups in words."""

from collections.abc import Sequence

from gatemark.judge.judgement import Limit
from gatemark.store.record import Record
from gatemark.tell.sentence.rate import Rate
from gatemark.tell.words.shape import NAMES

LIMITS: dict[Limit, str] = {
    **{shape: name for shape, name in NAMES.items()},  # noqa: C416 - a dict of more keys
    "none": "all that was offered came through",
    "tester": "the tester is the bottleneck",
    "link": "the link is the bottleneck",
    "line": "the line is the bottleneck",
    "cpu": "its CPU is the bottleneck",
    "memory": "its memory is the bottleneck",
    "flow-table": "its flow table is the bottleneck",
    "shaper": "its shaper is the bottleneck",
    "unknown": "what holds it back is not known",
    "policer": "a policer is the bottleneck",
    "limiter": "a rate limit is the bottleneck",
}


def is_one_cpu(records: Sequence[Record]) -> bool:
    """Return True if the gateway has a CPU of its own, and only one."""
    cpus = {reading.cpu for record in records for reading in record.evidence.cpu}
    return len(cpus) == 1 and cpus != {None}


def phrases(records: Sequence[Record]) -> dict[Limit, str]:
    """The words for each bottleneck of this gateway."""
    cpus = {reading.cpu for record in records for reading in record.evidence.cpu}
    phrases = dict(LIMITS)
    if cpus == {None}:  # it has none of its own
        phrases["cpu"] = "the CPU is the bottleneck"
        phrases["tester"] = "the CPUs that it shares with the tester are the bottleneck"
    elif is_one_cpu(records):
        phrases["cpu"] = "its one CPU is the bottleneck"
    return phrases


def limits_of(texts: Sequence[Rate], records: Sequence[Record]) -> str:
    """A clause for each limit, with the setups that it held where they do not share one."""
    known = phrases(records)
    held: dict[Limit, list[str]] = {}
    for rate in texts:
        held.setdefault(rate.limit, []).append(rate.setup)
    if len(held) <= 1:
        return "".join(known[limit] for limit in held)
    return ", ".join(f"{known[limit]} ({', '.join(setups)})" for limit, setups in held.items())
