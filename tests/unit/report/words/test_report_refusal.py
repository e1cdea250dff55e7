# SPDX-License-Identifier: Apache-2.0
"""Arms that were not measured are named right below the sentence, wherever a run is shown."""

from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.report import page, terminal
from gatemark.report.export import markdown
from gatemark.report.words.refusal import by_reason, not_measured
from gatemark.stats.judgement import Refusal

QUEUE = "the kernel has no such queue"
LINE = f"Not measured: fq_codel, cake in quick/sweep ({QUEUE})"


def refusal(arm: str, plan: str = "quick/sweep", trials: int = 6, reason: str = QUEUE) -> Refusal:
    return Refusal(plan=plan, arm=arm, reason=reason, trials=trials, of=6)


JUDGED = replace(builder.judgement(), refusals=(refusal("fq_codel"), refusal("cake")))
SOURCE = builder.source(judged=JUDGED)


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


def test_of_a_run_with_several_plans_the_plan_is_named() -> None:
    assert not_measured(SOURCE.run, JUDGED) == [LINE]


@pytest.mark.parametrize("whole", [True, False])
def test_it_is_right_below_the_sentence_in_the_terminal(whole: bool) -> None:
    text = " ".join(terminal.answer(SOURCE, Path("report.html"), whole=whole).split())
    assert text.startswith(f"{JUDGED.sentence} {LINE}")


def test_it_is_right_below_the_sentence_in_markdown() -> None:
    lines = markdown.export([SOURCE]).decode().splitlines()
    assert lines[2:5] == [f"**{JUDGED.sentence}**", "", LINE]


def test_it_is_on_the_page() -> None:
    text = page.render([SOURCE]).replace("\N{NO-BREAK SPACE}", " ")
    assert f'<p class="warning">{LINE}</p>' in text
    assert text.index('<p class="sentence">') < text.index(LINE) < text.index('<ul class="tags">')


def test_each_run_of_a_page_has_its_own() -> None:
    runs = [builder.source(label=label, judged=JUDGED) for label in ("A", "B")]
    assert page.render(runs).replace("\N{NO-BREAK SPACE}", " ").count(LINE) == 2
