# SPDX-License-Identifier: Apache-2.0
"""Courses of a line: their files, their rates over time, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.error import UsageError
from gatemark.plan.line.course import FOLDER, NAMES, Course, Step, course_of
from gatemark.plan.line.time import in_words, longest_s, silence_s
from gatemark.plan.load import read_plan
from gatemark.plan.model import Line, LineWay
from gatemark.station.line.line import steps

HEAD = "seconds,share,delay_ms\n"
PLAN = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
setup.path = "route"
[workload]
rate_pps = 10
[line]
rate_bps = 1e6
"""
HALVES = LineWay(rate_bps=10e6, course="halves", period_s=6)


def made(way: LineWay) -> Course:
    course = course_of(way)
    assert course is not None
    return course


def written(folder: Path, text: str) -> LineWay:
    (folder / "own.csv").write_text(text)
    return LineWay(rate_bps=1e6, course=str(folder / "own.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_each_of_ours_can_be_followed(name: str) -> None:
    course = made(LineWay(rate_bps=10e6, course=name))
    assert course.period_s == 60
    assert 3e6 < course.bits(0, 60) / 60 < 10e6


def test_ours_are_what_their_generator_makes(tmp_path: Path) -> None:
    maker = tmp_path / "make.py"
    maker.write_text((FOLDER / "make.py").read_text())
    subprocess.run([sys.executable, maker], check=True)
    for name in NAMES:
        assert (tmp_path / f"{name}.csv").read_text() == (FOLDER / f"{name}.csv").read_text()


def test_a_rate_is_by_the_time_and_comes_again() -> None:
    course = made(HALVES)
    assert [course.at(s).rate_bps for s in (-1, 0, 2, 3.9, 4, 8.1)] == [
        1e7,
        1e7,
        5e6,
        5e6,
        1e7,
        5e6,
    ]
    assert course.bits(0, 6) == pytest.approx(50e6)
    assert course.bits(1, 15) == pytest.approx(10e6 + 10e6 + 20e6 + 50e6 + 20e6 + 5e6)
    assert course.bits(-2, 0) == pytest.approx(20e6)


@given(st.floats(-5, 40), st.floats(0, 20), st.floats(0, 20))
def test_bits_add_up(at_s: float, first_s: float, more_s: float) -> None:
    course = made(HALVES)
    whole = course.bits(at_s, at_s + first_s + more_s)
    parts = course.bits(at_s, at_s + first_s) + course.bits(at_s + first_s, at_s + first_s + more_s)
    assert whole == pytest.approx(parts, abs=1)


def test_mahimahis_times_are_a_rate(tmp_path: Path) -> None:
    # 12 Mbit/s for 100 ms, nothing for 100, 6 for 50.
    times = [*range(100), *range(200, 250, 2), 250]
    (tmp_path / "own.trace").write_text("".join(f"{ms}\n" for ms in times))
    course = made(LineWay(course=str(tmp_path / "own.trace")))
    assert course.steps[0] == Step(0, 12e6, 0)
    assert course.steps[1] == Step(0.1, 0, 0)
    assert course.steps[2].rate_bps == pytest.approx(6e6, rel=0.05)
    assert course.longest_still_s == pytest.approx(0.1)
    assert course.period_s == 0.25
    slower = made(LineWay(course=str(tmp_path / "own.trace"), rate_bps=1e6))
    assert max(step.rate_bps for step in slower.steps) == 1e6


def test_a_trace_begins_where_something_is_delivered(tmp_path: Path) -> None:
    (tmp_path / "late").write_text("150\n151\n300\n")
    course = made(LineWay(course=str(tmp_path / "late")))
    assert course.steps[0].rate_bps > 0
    assert course.period_s == 0.3


def test_the_agent_is_asked_for_three_numbers_a_step() -> None:
    asked = dict(steps(Line(down=HALVES)))
    assert asked == {
        "down_steps": [0, 10_000, 0, 2_000_000, 5_000, 0, 4_000_000, 10_000, 0],
        "down_period_us": 6_000_000,
    }


def test_times_are_by_the_slowest_step(tmp_path: Path) -> None:
    way = written(tmp_path, f"{HEAD}0,1,0\n1,0.1,30\n2,0,0\n5,,\n")
    line = Line(up=way)
    assert silence_s(line) == pytest.approx(1514 * 8 / 1e5 + 3 + 0.03)
    assert longest_s(line) == pytest.approx(51 * 1514 * 8 / 1e5 + 3 + 0.03)
    assert in_words(line).startswith("up 1 Mbit/s, 50 packets, course own.csv; down")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing is delivered"),
        ("x\n", ":1: 'x' is no whole number of ms"),
        ("5\n4\n", ":2: 4 ms is before 5 ms"),
        (HEAD, "do not begin at 0"),
        (f"{HEAD}0,1\n60,,\n", ":2: '0,1' is not three numbers"),
        (f"{HEAD}0,1,0\nx,,\n", ":3: 'x,,' is not the period's end"),
        (f"{HEAD}0,nan,0\n60,,\n", ":2: a number is below 0 or none"),
        (f"{HEAD}0,0,0\n1,1,0\n60,,\n", "its first step has no rate"),
        (f"{HEAD}0,1,0\n5,1,0\n3,1,0\n60,,\n", "do not go on"),
        (f"{HEAD}0,0.001,0\n60,,\n", "a step of 1000 bit/s"),
        (f"{HEAD}0,1,9000\n60,,\n", "a delay of more than 2000 ms"),
        (f"{HEAD}0,1,0\n9000,,\n", "a period of 9000 s"),
    ],
)
def test_what_is_no_course_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        made(written(tmp_path, text))
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ('course = "nowhere"', "No such file or directory; write docsis, halves, lte, starlink"),
        ("period_s = 4", "is of a course; leave it out"),
        ('course = "lte"\nrate_bps = 0', "write `rate_bps`"),
    ],
)
def test_a_plan_says_which_line_is_wrong(tmp_path: Path, keys: str, why: str) -> None:
    path = tmp_path / "plan.toml"
    head = PLAN if "rate_bps" not in keys else PLAN.replace("rate_bps = 1e6\n", "")
    path.write_text(head + keys + "\n")
    with pytest.raises(UsageError) as error:
        read_plan(path, "s/plan", "")
    assert why in str(error.value)


def test_a_file_is_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(f"{HEAD}0,1,0\n60,,\n")
    (tmp_path / "plan.toml").write_text(PLAN + 'course = "own.csv"\n')
    plan = read_plan(tmp_path / "plan.toml", "s/plan", "")
    assert plan.line is not None
    assert plan.line.up.course == str(tmp_path / "own.csv")
