# SPDX-License-Identifier: Apache-2.0
"""Instructions of a packet: the mode, the step, the functions, and an A/B test's verdict."""

import counted
import pytest
from msgspec.structs import replace

from gatemark.judge.change.exact import OTHERS, cause, dearest, moved, pair, ratio
from gatemark.judge.change.exact_ab import findings, regressed
from gatemark.judge.judgement import Executed, Judgement, Ladder, Step
from gatemark.judge.values import values
from gatemark.store.record import Record

ROUTE = sum(count for count, _ in counted.ROUTE.values())


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return counted.judgement()


def arms(judged: Judgement) -> dict[str, Executed]:
    return {one.arm: one for one in judged.executed}


def steps(judged: Judgement) -> dict[str, tuple[Ladder, Step]]:
    (ladder,) = judged.ladders
    return {step.arm: (ladder, step) for step in ladder.steps}


def shifted(one: Record, by: int) -> Record:
    """The trial as if `ip_forward` had run so much more in it."""
    arm = next(arm for arm in counted.ARMS if arm.name == one.arm)
    ran = counted.functions(arm.features)
    ran["ip_forward"] = (ran["ip_forward"][0] + by, 1)
    return counted.record(one.plan, arm, one.repeat, ran)


def test_the_number_is_that_of_most_walks(judged: Judgement) -> None:
    one = arms(judged)["route"]
    i = one.instructions
    assert (i.value, i.lo, i.hi, i.n) == (ROUTE, ROUTE, ROUTE, 3)
    assert (one.same, one.walks, one.share) == (3, 600, 0.7)


def test_other_modes_are_named_by_what_ran_more(judged: Judgement) -> None:
    others = arms(judged)["route"].others
    assert [(one.instructions - ROUTE, one.cause, one.walks) for one in others] == [
        (1200, "timer tick", 120),
        (12, "hash", 60),
    ]


def test_what_nothing_explains_has_no_name() -> None:
    assert cause({"ip_forward": 3}) == ""
    assert cause({}) == ""


def test_a_repeat_that_came_to_another_number_is_told() -> None:
    found = [shifted(one, 40) if one.repeat == 2 else one for one in counted.trials()]
    one = arms(counted.judgement(found))["route"]
    assert (one.instructions.value, one.instructions.hi, one.same) == (ROUTE, ROUTE + 40, 2)


def test_one_rule_more_is_one_rule_more(judged: Judgement) -> None:
    _, step = steps(judged)["101 rules"]
    difference = step.costs["instructions"].difference
    assert (difference.value, difference.lo, difference.hi) == (counted.RULE,) * 3
    assert (step.against, step.costs["instructions"].verdict) == ("100 rules", "slower")


def test_an_a_a_step_is_zero(judged: Judgement) -> None:
    ladder, step = steps(judged)["route again"]
    assert step.twin
    assert step.costs["instructions"].difference.value == ratio(ladder, step) == 0
    assert step.costs["instructions"].verdict == "no change"
    assert "twin-differs" not in [one.code for one in judged.warnings]


def test_an_a_a_step_that_is_not_zero_is_a_warning() -> None:
    found = [shifted(one, 1) if one.arm == "route again" else one for one in counted.trials()]
    assert "twin-differs" in [one.code for one in counted.judgement(found).warnings]


def test_one_instruction_is_told_and_is_the_noise_of_an_a_a_step() -> None:
    found = [shifted(one, 1) if one.arm == "route again" else one for one in counted.trials()]
    ladder, step = steps(counted.judgement(found))["route again"]
    assert (step.costs["instructions"].verdict, step.costs["instructions"].noise) == ("slower", 0)
    assert ladder.noise == {"instructions": 1}


def test_a_pair_is_of_one_plan_and_one_point(judged: Judgement) -> None:
    ladder, step = steps(judged)["conntrack"]
    other_plan = [one.about(plan="other") for one in judged.executed]
    other_point = [one.about(point={"frame_bytes": 9}) for one in judged.executed]
    assert pair([*other_plan, *other_point], ladder, step) is None
    known = pair(judged.executed, ladder, step)
    assert known is not None
    assert pair([*judged.executed, *other_plan, *other_point], ladder, step) == known


def test_fewer_instructions_are_faster() -> None:
    found = [shifted(one, -9) if one.arm == "route again" else one for one in counted.trials()]
    _, step = steps(counted.judgement(found))["route again"]
    assert step.costs["instructions"].verdict == "faster"


def test_other_modes_are_those_of_a_repeat_with_the_same_first() -> None:
    """A repeat whose first mode was the tick says what ran less: its names do not count."""
    found = [
        with_first_mode(one, 1200) if one.arm == "route" and one.repeat == 1 else one
        for one in counted.trials()
    ]
    others = arms(counted.judgement(found))["route"].others
    assert (others[0].instructions - ROUTE, others[0].cause) == (1200, "timer tick")


def test_repeats_that_disagree_are_no_claim() -> None:
    shift = {1: -60, 2: 30, 3: 30}
    found = [
        shifted(one, shift[one.repeat]) if one.arm == "route again" else one
        for one in counted.trials()
    ]
    _, step = steps(counted.judgement(found))["route again"]
    assert step.costs["instructions"].verdict == "within noise"


def test_functions_add_up_to_the_step(judged: Judgement) -> None:
    ladder, step = steps(judged)["conntrack"]
    both = pair(judged.executed, ladder, step)
    assert both is not None
    found = moved(*both)
    assert [(one.function, one.by) for one in found] == [
        ("nf_conntrack_in", 300),
        ("__siphash_aligned", 100),
    ]
    assert sum(one.by for one in found) == step.costs["instructions"].difference.value


def test_what_is_not_told_by_name_stays_in_the_sum(judged: Judgement) -> None:
    ladder, step = steps(judged)["conntrack"]
    both = pair(judged.executed, ladder, step)
    assert both is not None
    assert dearest(moved(*both), most=1) == [("nf_conntrack_in", 300), (OTHERS, 100)]


def test_the_answer_is_in_instructions(judged: Judgement) -> None:
    assert judged.sentence == (
        f"A virtual gateway executes {ROUTE} instructions to route a packet; "
        "the dearest steps add 100 rules 2050, conntrack 400, 101 rules 20."
    )


def test_nothing_is_missed_that_only_a_rate_has(judged: Judgement) -> None:
    assert [one.code for one in judged.warnings] == []
    assert {point.limit for point in judged.points} == {"none"}


def test_steps_and_their_functions_are_values(judged: Judgement) -> None:
    found = [one for one in values(judged) if one.arm == "conntrack"]
    by = {(one.quantity, one.function): one.value for one in found}
    assert by["step_instructions", ""] == 400
    assert by["step_function_instructions", "nf_conntrack_in"] == 300
    assert by["instructions", ""] == ROUTE + 400


def test_a_test_of_one_rule_more_finds_it() -> None:
    made = counted.compared()
    assert made.run.ab is not None
    (found,) = findings(made.run.ab, made.judgement)
    assert [(one.function, one.by) for one in found.moved] == [("nft_do_chain", counted.RULE)]
    assert found.word == "within what is accepted"
    assert "new (route + filter:101)" in made.judgement.sentence.lower()


@pytest.mark.parametrize(
    ("rules", "allow", "word"),
    [
        (100, 0.01, "no change"),
        (101, 0.0, "needs more"),
        (200, 0.01, "needs more"),
        (200, 1.0, "within what is accepted"),
        (50, 0.01, "needs less"),
    ],
)
def test_the_verdict_is_by_what_is_accepted(rules: int, allow: float, word: str) -> None:
    made = counted.compared(rules, allow)
    assert made.run.ab is not None
    found = findings(made.run.ab, made.judgement)
    assert found[0].word == word
    assert regressed(found) is (word == "needs more")
    words = (
        "instructions a packet more than old"
        if rules > 100
        else "instructions a packet fewer than old"
        if rules < 100
        else "executes as many instructions a packet as old"
    )
    assert words in made.judgement.sentence


def test_boots_are_counted() -> None:
    made = counted.compared(boots=3)
    one = made.judgement.executed[0]
    assert (one.boots, one.same_boots) == (3, 3)


def test_an_arm_without_a_valid_trial_is_stepped_over() -> None:
    found = [
        replace(one, status="invalid") if one.arm == "100 rules" else one
        for one in counted.trials()
    ]
    _, step = steps(counted.judgement(found))["101 rules"]
    assert step.against == "route"


def with_first_mode(one: Record, by: int) -> Record:
    """The trial as if the mode `by` above its first had come more often."""
    assert one.evidence.counted is not None
    own = one.evidence.counted
    plain = int(next(iter(own.modes)))
    more = own.more[str(plain + by)]
    modes = {str(plain + by): 110, str(plain): 90}
    ran = {
        name: (count + more.get(name, 0), calls) for name, (count, calls) in own.functions.items()
    }
    ran |= {name: (count, 1) for name, count in more.items() if name not in ran}
    less = {name: -count for name, count in more.items()}
    kept = replace(own, modes=modes, more={str(plain): less}, functions=ran)
    return replace(one, evidence=replace(one.evidence, counted=kept))


def test_a_step_is_told_at_one_mode_whichever_came_first() -> None:
    """In `101 rules` the tick came in most walks: one rule more is still one rule more."""
    found = [
        with_first_mode(one, 1200) if one.arm == "101 rules" else one for one in counted.trials()
    ]
    judged = counted.judgement(found)
    ladder, step = steps(judged)["101 rules"]
    assert step.costs["instructions"].difference.value == counted.RULE
    both = pair(judged.executed, ladder, step)
    assert both is not None
    assert [(one.function, one.by) for one in moved(*both)] == [("nft_do_chain", counted.RULE)]


def test_what_no_walk_was_read_of_is_not_told() -> None:
    one, other = counted.judgement().executed[:2]
    more = replace(other, instructions=replace(other.instructions, value=ROUTE + 7))
    assert [(part.function, part.by) for part in moved(one, more)] == [("not told", 7)]
