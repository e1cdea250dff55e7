# SPDX-License-Identifier: Apache-2.0
"""The scripts that a page draws with are those that were taken from their packages."""

import hashlib
import re

import altair
from runner.process import ROOT

from gatemark.tell.script import VEGA

FOLDER = ROOT / "src/gatemark/tell/asset/vega"
LOCK = ROOT / "setup/lock/npm.txt"


def locked() -> dict[str, str]:
    """The version of each script, by the name of its file."""
    rows = [line.split() for line in LOCK.read_text().splitlines()]
    return {file.rpartition("/")[2]: package.rpartition("@")[2] for package, _, file in rows}


def test_each_script_has_the_sum_that_it_was_taken_with() -> None:
    sums = dict(line.split()[::-1] for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    assert sums == {
        name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in sorted(VEGA)
    }


def test_each_script_says_the_version_that_is_locked() -> None:
    assert [
        name
        for name, version in locked().items()
        if f'"{version}"' not in (FOLDER / name).read_text()
    ] == []
    assert sorted(locked()) == sorted(VEGA)


def test_tests_check_figures_by_the_schema_of_the_vega_lite_that_draws_them() -> None:
    major = re.match(r"v(\d+)", altair.SCHEMA_VERSION)
    assert major is not None
    assert locked()["vega-lite.min.js"].split(".")[0] == major[1]
