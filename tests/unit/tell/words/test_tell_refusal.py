# SPDX-License-Identifier: Apache-2.0
"""Arms that were not measured are named right below the sentence, wherever a run is shown."""

from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Refusal
from gatemark.tell import page, terminal
from gatemark.tell.export import markdown
from gatemark.tell.group.source import Source
from gatemark.tell.words.refusal import by_reason, not_measured

QUEUE = "the kernel has no such queue"
LINE = f"Not measured: fq_codel, cake in quick/sweep ({QUEUE})"


def refusal(arm: str, plan: str = "quick/sweep", trials: int = 6, reason: str = QUEUE) -> Refusal:
    return Refusal(plan=plan, arm=arm, reason=reason, trials=trials, of=6)


@pytest.fixture(scope="module")
def source() -> Source:
    refusals = (refusal("fq_codel"), refusal("cake"))
    return builder.source(judged=replace(builder.judgement(), refusals=refusals))


@pytest.mark.parametrize(
    ("refusals", "plans", "lines"),
    [
        ((), 1, []),
        ((refusal("fq_codel"), refusal("cake")), 1, [f"fq_codel, cake ({QUEUE})"]),
        ((refusal("cake", trials=2),), 1, [f"2 of 6 trials of cake ({QUEUE})"]),
        (
            (refusal("cake"), refusal("pcap", reason="no tcpdump"), refusal("fq")),
            1,
            [f"cake, fq ({QUEUE})", "pcap (no tcpdump)"],
        ),
        ((refusal("cake", "a/b"), refusal("cake", "a/c")), 3, [f"cake in 2 plans ({QUEUE})"]),
    ],
)
def test_each_reason_has_a_line(
    refusals: tuple[Refusal, ...], plans: int, lines: list[str]
) -> None:
    assert by_reason(refusals, plans) == lines


def test_of_a_run_with_several_plans_the_plan_is_named(source: Source) -> None:
    assert not_measured(source.run, source.judgement, source.records) == [LINE]


def test_an_arm_without_a_valid_trial_is_named_with_its_reason(source: Source) -> None:
    first, *others = source.records
    same = [record for record in others if record.arm == first.arm]
    fault = [replace(record, status="invalid", reason="no agent") for record in (first, *same)]
    rest = [record for record in others if record.arm != first.arm]
    lines = not_measured(source.run, source.judgement, [*fault, *rest])
    assert lines[1:] == [f"No valid trial: {first.arm} in {first.plan} (no agent)"]
    assert not_measured(source.run, source.judgement, [*fault[1:], first, *rest])[1:] == []


@pytest.mark.parametrize("whole", [True, False])
def test_it_is_right_below_the_sentence_in_the_terminal(source: Source, whole: bool) -> None:
    text = " ".join(terminal.answer(source, Path("report.html"), whole=whole).split())
    assert text.startswith(f"{source.judgement.sentence} {LINE}")


def test_it_is_right_below_the_sentence_in_markdown(source: Source) -> None:
    lines = markdown.export([source]).decode().splitlines()
    assert lines[2:5] == [f"**{source.judgement.sentence}**", "", LINE]


def test_it_is_on_the_page(source: Source) -> None:
    text = page.render([source]).replace("\N{NO-BREAK SPACE}", " ")
    assert f'<p class="warning">{LINE}</p>' in text
    assert text.index('<p class="sentence">') < text.index(LINE) < text.index('<ul class="tags">')


def test_each_run_of_a_page_has_its_own(source: Source) -> None:
    runs = [builder.source(label=label, judged=source.judgement) for label in ("A", "B")]
    assert page.render(runs).replace("\N{NO-BREAK SPACE}", " ").count(LINE) == 2
