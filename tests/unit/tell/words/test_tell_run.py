# SPDX-License-Identifier: Apache-2.0
"""The command that repeats a run, on a page that is kept."""

import pytest

from gatemark.tell.words.run import portable


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("gatemark run quick --seed 1", "gatemark run quick --seed 1"),
        ("gatemark run a/b --line 1000/500", "gatemark run a/b --line 1000/500"),
        ("gatemark run --set a.folder=/x/y/mark", "gatemark run --set a.folder=DIR/mark"),
        ("gatemark run '/x y/a plan.toml'", "gatemark run 'DIR/a plan.toml'"),
        ("gatemark run /plan.toml --out '/x/first'", "gatemark run DIR/plan.toml --out DIR/first"),
    ],
)
def test_a_path_of_this_machine_is_a_placeholder(command: str, kept: str) -> None:
    assert portable(command) == kept
