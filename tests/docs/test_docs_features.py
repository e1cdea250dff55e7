# SPDX-License-Identifier: Apache-2.0
"""The features of the field: each that is whole has a plan, a test and a run's record.

`--update-golden` makes the table of docs/features.md anew.
"""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from golden import kept
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.number import DASH
from gatemark.plan.load import load

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "features.md"
MARK: Final = "made of src/gatemark/reference/features.csv"
EVERY: Final = "every run"
STATES: Final = ("whole", "part", "missing", "not here")


class Feature(NamedTuple):
    """A line of the list."""

    id: str
    feature: str
    state: str
    plan: str  # suite/name, a verb of gatemark, or every run
    test: str  # a file or a folder
    record: str  # a page of docs, and text of the row that has the figure
    missing: str


def features() -> list[Feature]:
    """The list as it is kept by hand."""
    file = ROOT / "src" / "gatemark" / "reference" / "features.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        return [Feature(**row) for row in csv.DictReader(lines)]


FEATURES: Final = features()
WHOLE: Final = [each for each in FEATURES if each.state == "whole"]


def is_there(plan: str) -> bool:
    """Return whether a plan, or a verb, exists."""
    if verb := re.fullmatch("`gatemark (.*)`", plan):
        return verb[1] in get_command(app).commands  # type: ignore[attr-defined]
    return plan == EVERY or bool(load(plan))


@pytest.mark.parametrize("feature", WHOLE, ids=lambda each: each.id)
def test_a_whole_feature_has_a_plan_a_test_and_a_record(feature: Feature) -> None:
    page, _, text = feature.record.partition(": ")
    assert is_there(feature.plan)
    assert (ROOT / feature.test).exists()
    assert text in (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_each_feature_has_a_state_and_what_is_not_whole_a_reason() -> None:
    assert [each.id for each in FEATURES] == [str(n + 1) for n in range(len(FEATURES))]
    assert {each.state for each in FEATURES} <= {*STATES}
    assert not [each.id for each in FEATURES if each.state != "whole" and not each.missing]


def test_the_page_has_the_list(request: pytest.FixtureRequest) -> None:
    kept.between(request, PAGE, MARK, table())


def table() -> str:
    """The count, and a row for each."""
    count = Counter(each.state for each in FEATURES)
    states = ", ".join(f"{count[state]} {state}" for state in STATES)
    rows = "".join(
        f"| {each.id} | {each.feature} | {each.state} | {_shown(each)} | {each.missing or DASH} |\n"
        for each in FEATURES
    )
    head = "| | feature | state | plan; test; record | what is missing |\n|---|---|---|---|---|\n"
    return f"Of {len(FEATURES)} features: {states}.\n\n{head}{rows}"


def _shown(feature: Feature) -> str:
    if feature.state != "whole":
        return DASH
    page, _, _ = feature.record.partition(": ")
    name = Path(feature.test).name.removesuffix(".py")
    return f"{feature.plan}; [{name}](../{feature.test}); [{page.removesuffix('.md')}]({page})"
