# SPDX-License-Identifier: Apache-2.0
"""`[expect]` of a plan: what is read, and what is refused with its line and the fix."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.error import UsageError
from gatemark.plan.expect import ExpectError, expectations
from gatemark.plan.load import read_plan
from gatemark.plan.model import Expectation

PLAN = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[[arm]]
path = "route"
[[arm]]
path = "nat"
features = ["filter:10"]
[sweep]
rate_pps = [10_000, 20_000, 40_000]
"""
LINES = PLAN.count("\n")


def read(folder: Path, text: str, variant: str = "") -> tuple[Expectation, ...]:
    path = folder / "p.toml"
    path.write_text(PLAN + text)
    return read_plan(path, "p", variant).expect


def refused(folder: Path, text: str) -> str:
    """What is said of the checks, without the file: the line counts from the first of `text`."""
    with pytest.raises(UsageError) as error:
        read(folder, text)
    _, line, message = str(error.value).split(":", 2)
    return f"{int(line) - LINES}:{message}"


def test_a_check_of_every_arm_is_read(tmp_path: Path) -> None:
    (check,) = read(tmp_path, '[expect]\nknee_pps = ">= 20e3"\n')
    assert check == Expectation(quantity="knee_pps", sign=">=", bound=20_000.0)


def test_a_check_of_an_arm_is_read_by_its_name(tmp_path: Path) -> None:
    (check,) = read(tmp_path, '[expect."nat + filter:10"]\nknee_pps = ">= 1"\n')
    assert check.arm == "nat + filter:10"


def test_a_check_of_a_case_is_of_its_points_alone(tmp_path: Path) -> None:
    text = '[[expect.case]]\narm = "route"\nat = { rate_pps = 20_000 }\ndelay_p99_ns = "< 2e6"\n'
    (check,) = read(tmp_path, text)
    assert (check.arm, check.at, check.wanted) == ("route", {"rate_pps": 20_000}, "< 2000000")


def test_a_check_may_need_a_fact_of_the_inventory(tmp_path: Path) -> None:
    text = '[[expect.case]]\nneeds = "{}"\ncpu_busy = "< 0.05"\n'
    assert read(tmp_path, text.format("switch"))[0].needs == "switch"
    with pytest.raises(UsageError, match="`needs` is a fact of the inventory; did you mean"):
        read(tmp_path, text.format("swich"))


def test_a_number_alone_is_to_be_equal(tmp_path: Path) -> None:
    (check,) = read(tmp_path, "[expect]\nloss_ratio_below_knee = 0\n")
    assert check.wanted == "= 0"


def test_a_probes_own_quantity_is_known(tmp_path: Path) -> None:
    (check,) = read(tmp_path, '[expect]\n"interrupts.busiest_share" = "< 0.9"\n')
    assert check.quantity == "interrupts.busiest_share"


def test_a_variant_replaces_a_check(tmp_path: Path) -> None:
    text = '[expect]\nknee_pps = "> 1"\n[variant.fast.expect]\nknee_pps = "> 2"\n'
    assert [check.bound for check in read(tmp_path, text, "fast")] == [2.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[expect]\nkneee_pps = 1\n", "2: unknown quantity 'kneee_pps' in [expect]; did you mean"),
        ("[expect]\nknee_pps = 1\nreceived_pp = 2\n", "3: unknown quantity 'received_pp'"),
        (
            "[expect]\nxyz = 1\n",
            "2: unknown quantity 'xyz' in [expect]; `gatemark show RUN",
        ),
        ("[expect]\nknee_pps_below_knee = 1\n", "2: unknown quantity 'knee_pps_below_knee'"),
        ('[expect]\nknee_pps = ">> 1"\n', "2: 'knee_pps' of [expect]: '>> 1' is no comparison; "),
        ('[expect]\nknee_pps = "1e999"\n', "2: 'knee_pps' of [expect]: '1e999' is no comparison"),
        ("[expect]\nknee_pps = true\n", "2: 'knee_pps' of [expect]: True is no comparison"),
        ("[expect]\nknee_pps = [1]\n", "2: 'knee_pps' of [expect]: [1] is no comparison"),
        ("[expect.rout]\nknee_pps = 1\n", "1: [expect]: no arm 'rout'; did you mean 'route'?"),
        (
            "[[expect.case]]\nat = { rat_pps = 1 }\nknee_pps = 1\n",
            "2: [expect]: no factor 'rat_pps' in this plan; did you mean 'rate_pps'?",
        ),
        (
            "[[expect.case]]\nat = { rate_pps = 2000 }\nknee_pps = 1\n",
            "2: [expect]: no point has rate_pps = 2000; did you mean '20000'?",
        ),
        ("[[expect.case]]\nat = 3\nknee_pps = 1\n", "2: `at` is a point: { rate_pps = 20000 }"),
        ("[[expect.case]]\narm = 3\nknee_pps = 1\n", "2: `arm` of [[expect.case]] is an arm's"),
        ("[variant.fast.expect]\nkneee_pps = 1\n", "2: unknown quantity 'kneee_pps' in [expect]"),
    ],
)
def test_a_wrong_check_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text).startswith(message)


def test_expectations_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f"expect = 3\n{PLAN}")
    with pytest.raises(UsageError, match=r":1: `expect` is a table"):
        read_plan(path, "p")


few = settings(max_examples=settings().max_examples // 2)


@few
@given(sign=st.sampled_from(["<", "<=", "=", ">=", ">"]), bound=st.floats(0, 1e14))
def test_what_is_wanted_reads_as_it_was_written(sign: str, bound: float) -> None:
    (check,) = expectations({"knee_pps": f"{sign} {bound}"})
    assert expectations({"knee_pps": check.wanted}) == (check,)


TEXTS = st.sampled_from(["knee_pps", "> 1", "=", "a\nb", "switch"]) | st.text(max_size=9)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
KEYS = st.sampled_from(["knee_pps", "case", "arm", "at", "needs"]) | TEXTS
VALUES = SCALARS | st.lists(SCALARS, max_size=1) | st.dictionaries(KEYS, SCALARS, max_size=2)
CASES = st.lists(st.dictionaries(KEYS, VALUES, max_size=3) | SCALARS, max_size=2)


@few
@given(SCALARS | st.dictionaries(KEYS, VALUES | CASES, max_size=3))
def test_whatever_stands_there_is_read_or_refused_in_a_line(value: object) -> None:
    try:
        expectations(value)
    except ExpectError as error:
        assert "\n" not in str(error)  # noqa: PT017  that it raises is not asked
