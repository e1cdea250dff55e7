# SPDX-License-Identifier: Apache-2.0
"""A gateway's memory beside a load: what was left, and what its own programs held."""

import builder
from msgspec.structs import replace

from gatemark.judge.point.group import group
from gatemark.store.record import Evidence, ProgramReading, Record
from gatemark.tell.answer.trials import memory as table
from gatemark.tell.words.table import NONE

MIB = 1 << 20


def program(held_bytes: int) -> ProgramReading:
    return ProgramReading(
        program="classify:jumping",
        command="gm-classifier",
        cpu=0.0,
        cpu_user=0.0,
        cpu_system=0.0,
        memory_bytes=held_bytes,
        processes=1,
        ended="term",
        exit_code=0,
    )


def read(left_mib: int, *programs: ProgramReading) -> Record:
    """An instrumented trial in which so much was left."""
    memory = {"available_bytes": left_mib * MIB, "slab_bytes": MIB}
    evidence = Evidence(memory=memory, programs=programs)
    return replace(builder.trials()[-1], pass_="instrumented", evidence=evidence)  # noqa: S106


def test_a_point_has_the_medians_of_its_repeats() -> None:
    trials = [
        read(left, program(held)) for left, held in ((30, 15_000), (10, 17_000), (20, 16_000))
    ]
    (row,) = table(group(trials)).rows
    assert row[2:] == ("20.0", "1.0", "15.6")


def test_a_gateway_without_programs_holds_none() -> None:
    (row,) = table(group([read(10)])).rows
    assert row[-1] == NONE


def test_where_no_memory_was_read_there_is_no_row() -> None:
    assert table(group(builder.trials())).rows == ()
