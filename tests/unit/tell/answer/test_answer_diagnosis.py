# SPDX-License-Identifier: Apache-2.0
"""What is wrong, as table, on the page, in the sentence and in the values of `--json`."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.fact import Fact
from gatemark.judge.finding import Diagnosis, Finding
from gatemark.judge.judgement import Judgement
from gatemark.judge.shape.change import changes
from gatemark.judge.values import values
from gatemark.quantity import judged_unit
from gatemark.tell import page
from gatemark.tell.answer import diagnosis
from gatemark.tell.fact import say
from gatemark.tell.sentence.fault import wrong

SHARE = Finding(
    shape="constant-share",
    fact=Fact("share", {"share": 0.02, "manner": None}),
    values={"share": 0.02, "queue_ms": 5.0},
)
FULL = Finding(shape="overload", fact=Fact("overload", {"busy": 1.0, "rate": 3e4}), values={})


@pytest.fixture
def judged() -> Judgement:
    judgement = builder.judgement()
    knee = judgement.knees[0]
    found = Diagnosis(subject=knee.subject, direction="up", findings=(SHARE, FULL))
    return replace(judgement, diagnoses=(found,))


def test_a_full_cpu_is_no_fault(judged: Judgement) -> None:
    (row,) = diagnosis.table(judged.diagnoses).rows
    assert row[0] == judged.diagnoses[0].setup
    assert row[-2:] == ("a constant share is lost", say.words(SHARE.fact))


def test_the_page_has_it_above_its_figures(judged: Judgement) -> None:
    bare = replace(builder.nothing(), ceilings=judged.ceilings)  # one figure
    wrong, sound = (
        page.render([builder.source(records=[], judged=found)])
        for found in (replace(bare, diagnoses=judged.diagnoses), bare)
    )
    assert wrong.index(say.words(SHARE.fact)) < wrong.index('id="first"')
    assert "What is wrong" in wrong
    assert "What is wrong" not in sound


def test_the_sentence_goes_on_with_it(judged: Judgement) -> None:
    assert wrong(judged.diagnoses) == "route loses 2.0 % at any rate"
    assert wrong(()) == ""


def test_the_sentence_tells_a_fault_of_a_setup_once(judged: Judgement) -> None:
    (first,) = judged.diagnoses
    worse = replace(SHARE, fact=Fact("share", {"share": 0.03, "manner": None}))
    assert wrong((first, replace(first, findings=(worse,)))) == wrong((first,))


def test_the_sentence_names_two_setups_of_one_fault(judged: Judgement) -> None:
    (first,) = judged.diagnoses
    subject = replace(first.subject, setup="nat")
    both = wrong((first, replace(first, subject=subject)))
    assert both == "each of route and nat loses 2.0 % at any rate"


def test_a_setup_of_two_shapes_with_one_clause_is_named_once(judged: Judgement) -> None:
    (first,) = judged.diagnoses
    other = replace(SHARE, shape="policer")
    assert wrong((replace(first, findings=(SHARE, other)),)) == wrong((first,))


def test_values_carry_its_code_and_its_numbers(judged: Judgement) -> None:
    rows = values(judged)
    own = {row.quantity: row for row in rows if row.shapes and row.quantity.startswith("loss_")}
    assert own["loss_share"].value == 0.02
    assert own["loss_queue_ns"].value == 5e6
    assert {row.unit for row in own.values()} == {judged_unit(name) for name in own}
    knee = next(row for row in rows if row.quantity == "knee_pps" and row.arm == "route")
    assert knee.shapes == ("constant-share",)


def test_a_shape_that_comes_or_goes_is_told(judged: Judgement) -> None:
    sound: tuple[Diagnosis, ...] = ()
    clause = "route up: {} loses 2.0 % at any rate, {} does not"
    assert [*map(say.words, changes(sound, judged.diagnoses))] == [clause.format("new", "old")]
    assert [*map(say.words, changes(judged.diagnoses, sound))] == [clause.format("old", "new")]
    assert changes(judged.diagnoses, judged.diagnoses) == []


def test_what_a_shape_was_measured_by_has_a_unit() -> None:
    """Of a level that carries less than another: judge/shape/factor.py."""
    own = {"loss_other_pps": "packets/s", "loss_other_ns": "ns", "loss_rate_hi_pps": "packets/s"}
    assert {name: judged_unit(name) for name in own} == own
