# SPDX-License-Identifier: Apache-2.0
"""Good, fair, bad and not judged, from planted points."""

import msgspec
import pytest

from gatemark.error import TOO_SLOW
from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.group import Group
from gatemark.judge.subject import Subject
from gatemark.kind.application.answer import cell, table
from gatemark.kind.application.figure import Played
from gatemark.kind.application.grade import Grade, best, grades, word
from gatemark.kind.application.point import decide
from gatemark.kind.application.programs import APPLICATIONS
from gatemark.store.record import Definition
from gatemark.tell.fact import say
from gatemark.tell.sentence.applications import answer
from gatemark.tell.words.table import NONE

MS = 1e6
SHAPED = ("shape:cake:2.85:wan",)


def point(
    application: str,
    arm: str,
    values: dict[str, float],
    features: tuple[str, ...] = (),
    **factors: float,
) -> PointResult:
    """A point of one application; `clean` is the arm with nothing beside."""
    definition = Definition(
        quantity=APPLICATIONS[application].about,
        application=application,
        path="nat",
        features=features,
        beside=() if arm == "clean" else ("upload: tcp",),
    )
    return PointResult(
        subject=Subject(
            plan="apps/first",
            arm=arm,
            setup="nat",
            point={"application": application, **factors},
            definition=definition,
        ),
        values={name: Interval(value, value, value, 3, 0.75) for name, value in values.items()},
        limit="none",
        why="" if values else TOO_SLOW,
        at_least=False,
        invalid=0 if values else 1,
        warnings=(),
        tester_cpu=None,
        link_bps=None,
    )


def typing(arm: str, ms: float, *features: str, **factors: float) -> PointResult:
    values = {"letter_p95_ns": ms * MS, "letters_unseen_share": 0.0}
    return point("ssh", arm, values, features, **factors)


def words(*points: PointResult) -> list[str]:
    return [grade.word for grade in grades(points)]


def test_a_figure_is_good_up_to_its_limit_and_bad_beyond_the_other() -> None:
    assert words(typing("clean", 100), typing("a", 101), typing("b", 251)) == [
        "good",
        "fair",
        "bad",
    ]


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (84, "good"),
        (86, "good or fair"),
        (110, "good or fair"),
        (120, "fair"),
        (260, "fair or bad"),
    ],
)
def test_a_figure_near_a_limit_has_the_words_of_both_sides(ms: float, text: str) -> None:
    assert grades([typing("clean", 1), typing("upload", ms)])[1].text == text


def test_an_interval_over_a_limit_has_the_words_of_both_sides() -> None:
    loaded = typing("upload", 150)
    wide = Interval(150 * MS, 90 * MS, 260 * MS, 3, 0.75)
    loaded = msgspec.structs.replace(loaded, values=loaded.values | {"letter_p95_ns": wide})
    assert grades([typing("clean", 1), loaded])[1].text == "good to bad"


def test_the_worst_figure_decides() -> None:
    lost = point("ssh", "upload", {"letter_p95_ns": 5 * MS, "letters_unseen_share": 0.1})
    _, grade = grades([typing("clean", 1), lost])
    assert (grade.word, cell(grade)) == ("bad", "bad: 10.0 % unseen")


def test_where_the_clean_way_is_not_good_nothing_is_judged() -> None:
    _, grade = grades([typing("clean", 120), typing("upload", 500)])
    assert grade.word == "not judged"
    assert say.words(grade.why) == "the clean way is not good"


def test_a_point_without_a_valid_trial_is_not_judged() -> None:
    clean, loaded = grades([point("ssh", "clean", {}), typing("upload", 500)])
    assert {clean.word, loaded.word} == {"not judged"}
    assert say.words(loaded.why) == "this machine was too slow"


def test_a_gateway_that_carries_nothing_is_no_slow_machine() -> None:
    why = "the call was one-sided: an end sent nothing"
    reasons = (why, why, f"{TOO_SLOW}: a timer came late")
    subject = typing("upload", 1).subject
    trials = Group(subject=subject, outside=(), instrumented=(), reasons=reasons)
    assert say.words(decide(trials, ()).why) == why


@pytest.mark.parametrize("application", ["ssh", "page-h2"])
def test_what_was_not_played_on_the_clean_way_is_not_judged(application: str) -> None:
    quantity = APPLICATIONS[application].qualities[0].quantity
    (grade,) = grades([point(application, "upload", {quantity: MS})])
    assert grade.word == "not judged"
    assert "an arm with `beside = false`" in say.words(grade.why)


def test_each_level_is_judged_by_its_own_clean_way_and_has_a_row() -> None:
    points = [
        typing("clean", 1, "", **{"line.up.rate_bps": 1e6}),
        typing("upload", 400, "", **{"line.up.rate_bps": 1e6}),
        typing("clean", 150, "", **{"line.up.rate_bps": 5e6}),
        typing("upload", 20, "", **{"line.up.rate_bps": 5e6}),
    ]
    assert words(*points) == ["good", "bad", "fair", "not judged"]
    made = table(grades(points))
    assert made.head == ("where", "application", "clean", "upload")
    assert [row[0] for row in made.rows] == ["line up 1 Mbit/s", "line up 5 Mbit/s"]
    assert [row[3] for row in made.rows] == ["bad: 400 ms", "not judged: 20.0 ms"]


def test_repeats_show_their_spread() -> None:
    spread = msgspec.structs.replace(
        typing("clean", 1), values={"letter_p95_ns": Interval(2 * MS, 1 * MS, 9 * MS, 3, 0.75)}
    )
    (grade,) = grades([spread])
    assert cell(grade) == "good: 2 (1\N{EN DASH}9) ms"


def test_a_call_that_is_not_good_says_how_late_it_is() -> None:
    clean = point("call-sip", "clean", {"call_mos": 4.4, "call_delay_p95_ns": 2 * MS})
    late = point("call-sip", "upload", {"call_mos": 1.0, "call_delay_p95_ns": 1200 * MS})
    assert [cell(grade) for grade in grades([clean, late])] == [
        "good: MOS 4.4",
        "bad: MOS 1.0, 1.20 s late",
    ]


def test_the_sentence_names_what_breaks_what_helps_and_what_was_not_judged() -> None:
    points = [
        point("call-sip", "clean", {"call_mos": 4.4, "call_delay_p95_ns": 2 * MS}),
        point("call-sip", "upload", {"call_mos": 1.0, "call_delay_p95_ns": 1200 * MS}),
        point("call-sip", "CAKE", {"call_mos": 4.3, "call_delay_p95_ns": 20 * MS}, SHAPED),
        typing("clean", 1),
        typing("upload", 200),
        point("dns", "clean", {}),
        point("dns", "upload", {"lookup_p95_ns": MS}),
    ]
    assert answer(grades(points)) == (
        "Beside the upload: call (SIP, 1.20 s late) is bad, typing (ssh) is fair. "
        "Shaped to 2.85 Mbit/s (CAKE): call (SIP) is good, typing (ssh) is not judged; "
        "type `tc qdisc replace dev WAN root cake bandwidth 2.85mbit`. "
        "Not judged: names (DNS)."
    )


def test_the_sentence_says_where_no_shaper_helps() -> None:
    points = [typing("clean", 1), typing("upload", 400), typing("CAKE", 300, *SHAPED)]
    assert answer(grades(points)).endswith("is bad. No shaper makes one of them good.")


def test_bars_are_of_the_figure_that_decided() -> None:
    clean = point("film", "clean", {"film_waiting_share": 0.0, "film_rate_share": 1.0})
    blurred = point("film", "upload", {"film_waiting_share": 0.0, "film_rate_share": 0.2})
    shown = Played(APPLICATIONS["film"], grades([clean, blurred]))
    assert shown.quantity == "film_rate_share"
    texts = [shown.text(grade) for grade in shown.grades]
    assert texts == ["good: 100 % of the rate", "fair: 20.0 % of the rate"]


def test_an_arm_that_was_skipped_has_no_grade() -> None:
    skipped = msgspec.structs.replace(point("ssh", "CAKE", {}, SHAPED), invalid=0)
    assert [grade.point.arm for grade in grades([typing("clean", 1), skipped])] == ["clean"]


@pytest.mark.parametrize(("ms", "grade"), [(740, "good"), (1300, "fair"), (1600, "bad")])
def test_a_page_is_judged_by_the_clean_one(ms: float, grade: str) -> None:
    clean = point("page-h2", "clean", {"page_p50_ns": 500 * MS})
    assert words(clean, point("page-h2", "upload", {"page_p50_ns": ms * MS})) == ["good", grade]


def test_a_film_below_the_highest_rate_is_fair_at_worst() -> None:
    film = APPLICATIONS["film"].qualities[1]
    assert [word(film, share) for share in (0.7, 0.2)] == ["good", "fair"]


def arms() -> list[Grade]:
    return list(
        grades(
            [
                typing("clean", 1),
                typing("upload", 400),
                typing("upload + CAKE", 8, *SHAPED),
                point("dns", "clean", {"lookup_p95_ns": MS, "lookups_lost_share": 0.0}),
                point("dns", "upload", {"lookup_p95_ns": 400 * MS, "lookups_lost_share": 0.0}),
            ]
        )
    )


def test_the_best_shaper_is_the_one_with_which_most_is_good() -> None:
    helps = best(arms())
    assert helps is not None
    assert (helps.name, helps.setting, helps.good) == (
        "upload + CAKE",
        "shape:cake:2.85:wan",
        ["typing (ssh)"],
    )
    assert best(grade for grade in arms() if not grade.shaper) is None


def test_an_application_is_a_line_and_an_arm_a_column() -> None:
    made = table(arms())
    assert made.head == ("application", "clean", "upload", "upload + CAKE")
    assert made.rows[0] == ("typing (ssh)", "good: 1.00 ms", "bad: 400 ms", "good: 8.00 ms")
    assert made.rows[1][3] == NONE
