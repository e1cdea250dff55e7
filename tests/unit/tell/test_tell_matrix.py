# SPDX-License-Identifier: Apache-2.0
"""A campaign's answer: the page, Markdown and JUnit say the same of each gate."""

import re
from dataclasses import replace

import drawn
import pytest
from msgspec import structs

from gatemark.commands.campaign.answer import exit_code, lines
from gatemark.judge.change.gate import Claim, Row, decide
from gatemark.tell import matrix
from gatemark.tell.chart import change
from gatemark.tell.export import gates
from gatemark.tell.matrix import Campaigned, Kept

BLOCKS = range(1, 8)


def row(what: str, change: float) -> Row:
    old = {at: 1e5 * (1 + at / 1000) for at in BLOCKS}
    return Row(
        model="ax3000",
        suite="cost/ab",
        what=what,
        quantity="received_pps",
        unit="packets/s",
        higher_is_better=True,
        values={"old": old, "new": {at: v * (1 + change) for at, v in old.items()}}
        if change
        else {},
    )


def campaign(*changes: float, undecided: str = "fail", missing: tuple[str, ...] = ()) -> Campaigned:
    """With a gated row of each change; 0: it was not measured."""
    rows = [row(f"received, {64 << at} B", change) for at, change in enumerate(changes)]
    claims = [
        Claim(row=r, build="new", against="old", allow=0.01, undecided=undecided)  # type: ignore[arg-type]
        for r in rows
    ]
    return Campaigned(
        title="The <new> firmware",
        builds=["old", "new"],
        images=[("ax3000", "old", "abc"), ("ax3000", "new", "def")],
        rows=[r for r in rows if r.values],
        decided=decide(claims),
        blocks=[Kept("ax3000", "cost/ab", at, "rack", f"runs/{at}/report.html") for at in BLOCKS],
        stations=[("rack", "ax3000", "ok", "")],
        missing=missing,
        command="gatemark campaign resume release",
    )


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (campaign(0.001), 0),
        (campaign(-0.1), 3),
        (campaign(-0.1, 0.001), 3),
        (campaign(-0.1, 0.001, missing=("1 block waits",)), 3),
        (campaign(0.001, 0), 1),
        (campaign(0.001, 0, undecided="pass"), 0),
        (campaign(0.001, missing=("1 block waits",)), 1),
        (campaign(0), 4),
    ],
)
def test_the_exit_code_is_that_of_the_gates(made: Campaigned, code: int) -> None:
    assert exit_code(made) == code


@pytest.mark.parametrize(
    ("undecided", "outcomes"),
    [("fail", ["failure", "error"]), ("pass", ["failure", "skipped"])],
)
def test_infrastructure_is_never_a_failure(undecided: str, outcomes: list[str]) -> None:
    text = gates.junit(campaign(-0.1, 0.001, 0, undecided=undecided)).decode()
    assert re.findall(r"<(failure|error|skipped)[ />]", text) == outcomes
    assert text.count("<testcase") == 3


def test_the_answer_names_the_worst() -> None:
    sentence = campaign(-0.05, -0.1).sentence
    assert sentence.startswith("new is slower than old: \N{MINUS SIGN}10")
    assert sentence.endswith("on ax3000, cost/ab, received, 128 B, and 1 row more.")


def test_the_page_has_every_build_and_a_link_to_each_block() -> None:
    page = matrix.render(campaign(-0.1, missing=("ax3000: 2 blocks waiting",)))
    assert "The &lt;new&gt; firmware" in page
    assert "new, against old" in page
    assert "ax3000: 2 blocks waiting" in page
    assert page.count('href="runs/') == len(BLOCKS)


def test_markdown_is_a_table_for_a_pull_request() -> None:
    text = gates.markdown(campaign(-0.1)).decode()
    assert "| ax3000 | cost/ab | received, 64 B | new | old | 1 % |" in text
    assert text.count("slower") >= 2


def test_data_ends_with_the_answer() -> None:
    *rows, answer = lines(campaign(-0.1, 0.001))
    assert [each["gate"] for each in rows] == ["failed", "passed"]
    assert (answer["row"], answer["exit_code"]) == ("answer", 3)


def test_a_step_in_the_row_of_builds_is_told_with_its_build() -> None:
    names = [f"24.{at:02d}" for at in range(12)]
    values = {
        name: dict.fromkeys(BLOCKS, 100000.0 * (0.9 if at >= 7 else 1.0) * (1 + at / 10000.0))
        for at, name in enumerate(names)
    }
    made = replace(
        campaign(-0.1), builds=names, rows=[structs.replace(row("received", 0.1), values=values)]
    )
    (step,) = [table.rows for table in matrix.tables(made) if table.caption.startswith("Steps")]
    assert step == (("ax3000", "cost/ab", "received", "24.07", "\N{MINUS SIGN}9.9"),)


def test_what_failed_stands_first() -> None:
    (table,) = [each for each in matrix.tables(campaign(0.001, -0.1, 0)) if each.caption == "Gates"]
    assert [row[-1] for row in table.rows] == ["FAILS", "undecided", "passes"]


def test_a_value_leads_to_its_block_or_to_all_of_them() -> None:
    made = campaign(0.001)
    place = ("ax3000", "cost/ab")
    assert made.ways == {place: "#blocks-1"}
    assert 'id="blocks-1"' in matrix.render(made)
    alone = replace(made, blocks=made.blocks[:1])
    assert alone.ways == {place: "runs/1/report.html"}


@pytest.mark.parametrize(("builds", "figures"), [(7, 0), (12, 1)])
def test_a_row_of_builds_is_drawn_where_steps_can_be_told(builds: int, figures: int) -> None:
    names = [f"24.{at:02d}" for at in range(builds)]
    levels = [100000.0 * (0.9 if at >= 7 else 1.0) for at in range(builds)]
    values = {name: dict.fromkeys(BLOCKS, level) for name, level in zip(names, levels, strict=True)}
    made = replace(
        campaign(0.1), builds=names, rows=[structs.replace(row("received", 0.1), values=values)]
    )
    every = drawn.every(change.TREND, change.trends(made.rows, made.builds))
    assert len(every) == figures
    assert matrix.render(made).count('class="plot"') == figures
    for figure in every:
        assert figure.title == "ax3000, cost/ab: \N{MINUS SIGN}10.0 % from 24.07 on"
        assert len(figure.rows) == builds


def test_a_step_in_time_alone_is_layout_or_memory() -> None:
    timed = Claim(row=row("received", -0.1), build="new", against="old", allow=0.01)
    counted = structs.replace(
        row("instructions", 0.001), model="x86", exact=True, higher_is_better=False
    )
    exact = Claim(row=counted, build="new", against="old", allow=0.005)
    made = replace(campaign(-0.1), decided=decide([timed, exact]))
    assert list(made.causes) == [
        "new on ax3000 is slower in time, not in instructions (x86): layout or memory, not code"
    ]
    alone = replace(made, decided=decide([timed]))
    assert list(alone.causes) == []


def test_a_name_of_a_stranger_is_no_mark() -> None:
    evil = "<img src=x> [a](javascript:b) | `c`\n# d"
    made = replace(campaign(-0.1, missing=(f"{evil}: 1 block waiting",)), title=evil)
    made = replace(made, rows=[structs.replace(each, model=evil, what=evil) for each in made.rows])
    shown = gates.markdown(made).decode()
    assert r"## \<img src=x> \[a\](javascript:b) \| \`c\` \# d" in shown
    assert r"- \<img src=x> \[a\](javascript:b) \| \`c\` \# d: 1 block waiting" in shown
    assert not re.search(r"(?<!\\)[<\[`]|^# ", shown)
