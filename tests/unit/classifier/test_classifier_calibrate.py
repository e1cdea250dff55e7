# SPDX-License-Identifier: Apache-2.0
"""Confidence by applications that were held out."""

from pathlib import Path

import pytest

from gatemark.classifier.c45 import read
from gatemark.classifier.calibrate import calibrated, reliability
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import OTHER, PRIORITY, Recipe
from gatemark.classifier.track import Track, Window
from gatemark.classifier.verdict import Verdict, judge

TREE = """# headers: 1
# unknown: 60
classes other realtime
attributes max.iat
n_0 a_0 r c_0 100 c_0:90 c_1:50
"""
SMALL, LARGE = 50, 500


def track(application: int, label: str, *windows: Window) -> Track:
    flow = Flow(
        Path("a.pcap"), "udp", "192.0.2.1", 1, "198.51.100.1", 2, str(application), "bulk", 1
    )
    return Track(flow, label, windows, 10 * len(windows))


def window(value: int, hint: int = 0) -> Window:
    return Window(10, 1, (value,), 0, hint)


def judged(*tracks: Track) -> list[Verdict]:
    return judge(read(TREE.replace("50\n", "60\n"), Path("m")), Recipe(headers=True), tracks)


def test_a_leaf_is_as_sure_as_applications_were_right_with_one_of_each_beside() -> None:
    """Of eight applications six are right however many windows each has; (6 + 1) / (8 + 2)."""
    tracks = [track(n, PRIORITY if n < 6 else OTHER, *[window(LARGE)] * (n + 1)) for n in range(8)]
    model = calibrated(read(TREE, Path("m")), judged(*tracks))
    assert model.nodes[0].above.confidence == 70
    assert model.nodes[0].least.confidence == 50  # nothing came that way


def test_headers_have_a_confidence_of_their_own() -> None:
    tracks = [track(n, PRIORITY, window(SMALL, hint=2)) for n in range(8)]
    tracks += [track(n, OTHER, window(SMALL, hint=1)) for n in range(8)]
    assert calibrated(read(TREE, Path("m")), judged(*tracks)).header["sure"] == "90"


def test_reliability_shows_what_applications_that_had_no_say_made_of_it() -> None:
    rows = reliability(judged(*(track(n, PRIORITY, window(LARGE)) for n in range(12))))
    assert [(r.way, r.given, r.applications, r.right) for r in rows] == [
        ("max.iat>", PRIORITY, 12, 1.0)
    ]
    assert rows[0].percent == 88  # (6 + 1) / (6 + 2)


@pytest.mark.parametrize("before", [SMALL, LARGE])
def test_what_is_unknown_changes_nothing(before: int) -> None:
    """The second leaf is less sure than the model asks for."""
    model = read(TREE, Path("m"))
    hints = (window(before, hint=2), window(LARGE), window(SMALL), window(LARGE))
    decided = judge(model, Recipe(headers=True), [track(0, PRIORITY, *hints)])[0].decided
    assert decided == (PRIORITY, PRIORITY, OTHER, OTHER)
