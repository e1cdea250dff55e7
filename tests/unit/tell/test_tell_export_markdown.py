# SPDX-License-Identifier: Apache-2.0
"""Markdown to paste: tables that GitHub draws, conditions beside the numbers."""

import re
from collections.abc import Sequence

import builder
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.tell.export import markdown
from gatemark.tell.group.source import Source


def lines(judgement: Judgement | None = None, faults: Sequence[str] = ()) -> list[str]:
    source = Source(
        run=builder.run(),
        records=builder.trials(),
        judgement=judgement or builder.judgement(),
        faults=faults,
        label="20261121-quick",
    )
    return markdown.export([source]).decode().splitlines()


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


def test_the_answer_comes_first() -> None:
    assert lines()[2] == f"**{builder.judgement().sentence}**"


def test_every_table_is_whole() -> None:
    found = lines()
    rules = [place for place, line in enumerate(found) if line.startswith("| ---")]
    assert len(rules) == 3
    for place in rules:
        end = next(at for at in range(place, len(found)) if not found[at])
        assert len({cells(line) for line in found[place - 1 : end]}) == 1
        assert found[place - 2] == ""


def test_numbers_stand_right_and_units_in_the_head() -> None:
    found = lines()
    head = next(at for at, line in enumerate(found) if "knee, k packets/s" in line)
    assert found[head + 1].split(" | ")[2] == "---:"


def test_a_lower_bound_is_marked() -> None:
    made = builder.judgement()
    knee = replace(made.knees[0], at_least=True)
    assert any("| ≥ 30.1" in line for line in lines(replace(made, knees=(knee,))))


def test_virtual_and_slowed_are_said() -> None:
    text = "\n".join(lines())
    assert "Virtual: network namespaces" in text
    assert "- Slowdown: quick/sweep: slowed on purpose to about 30 k packets/s" in text


def test_the_command_that_repeats_it_is_the_end() -> None:
    assert lines()[-3:] == ["```sh", "gatemark run quick --station lab --seed 7", "```"]


def test_a_fence_is_longer_than_what_is_in_it() -> None:
    run = replace(builder.run(), command=("gatemark", "run", "```` x", "--seed", "7"))
    source = Source(
        run=run, records=builder.trials(), judgement=builder.judgement(), label="20261121-quick"
    )
    *_, begin, text, end = markdown.export([source]).decode().splitlines()
    assert "````" in text
    assert (begin, end) == ("`````sh", "`````")


def test_what_is_not_whole_is_said() -> None:
    assert "- Not whole: the last line was cut" in lines(faults=["the last line was cut"])


def test_a_study_has_a_column_for_each_arm() -> None:
    run, judgement = studies.run(), studies.judgement()
    source = Source(run=run, records=studies.trials(), judgement=judgement, label="studies")
    assert "| point | route | nat | switch |" in markdown.export([source]).decode()


def test_a_hostile_name_breaks_no_table() -> None:
    made = builder.judgement()
    knee = made.knees[0].about(setup="a|b\n<script> `c`")
    row = next(line for line in lines(replace(made, knees=(knee,))) if "script" in line)
    assert row.startswith(r"| a\|b \<script> \`c\` |")
