# SPDX-License-Identifier: Apache-2.0
"""`gatemark campaign plan` refuses in one line what cannot be measured or cannot decide."""

import re
from pathlib import Path

import pytest
from inside import gatemark

from gatemark.fleet.file import SHARE, share

FILE = """\
schema  = "gatemark.campaign/1"
title   = "Rules"
repeats = 7

[[model]]
name     = "lab"
stations = ["lab", "lab"]

[[build]]
name  = "field"
setup = "route"

[[build]]
name  = "next"
setup = "route+filter:100"

[[build]]
name  = "last"
setup = "route"

[[suite]]
plan = "cost/ab"

[[gate]]
build   = "next"
against = "field"
allow   = "3%"

[[gate]]
build   = "last"
against = "previous"
"""


def planned(folder: Path, text: str) -> tuple[int, str, str]:
    (folder / "c.toml").write_text(text)
    done = gatemark("campaign", "plan", "c.toml", cwd=folder)
    return done.code, done.out, done.err


def test_a_plan_says_what_it_takes(tmp_path: Path) -> None:
    code, out, err = planned(tmp_path, FILE)
    assert (code, err) == (0, "")
    words = ("blocks", "boots", "trials", "gated rows", "repeats needed", "images")
    facts = {word: line.split()[-1] for line in out.splitlines() for word in words if word in line}
    assert facts == {
        "blocks": "7",
        "boots": "21",
        "trials": "70",
        "gated rows": "2",
        "repeats needed": "7",
        "images": "3",
    }


FAULTS = (
    ("campaign/1", "campaign/9", 'c.toml:1: write schema = "gatemark.campaign/1"'),
    ("repeats = 7", "repeats = 0", "c.toml:3: repeats = 0: 1 to 1000"),
    ("repeats = 7", "repeat = 7", "c.toml:3: unknown key 'repeat'; did you mean 'repeats'?"),
    ("repeats = 7", 'repeats = "7"', "c.toml:3: Expected `int`, got `str`"),
    (
        "repeats = 7",
        "repeats = 6",
        "c.toml:3: 2 rows and 6 repeats: the smallest p is 0.031, 0.025 is needed: "
        "repeats = 7, or gate fewer points",
    ),
    ('stations = ["lab", "lab"]', "stations = []", "c.toml:7: lab has no station"),
    ('["lab", "lab"]', '["lba"]', "c.toml:7: no station 'lba'; did you mean 'lab'?"),
    ('name  = "next"', 'name  = "field"', "c.toml:14: two builds are called field"),
    ('name  = "next"', 'name  = "previous"', "c.toml:14: name = 'previous': in a gate that is"),
    ('name  = "next"', 'name  = "a/b"', "c.toml:14: name = 'a/b': up to 60 letters"),
    ('"route+filter:100"', '"rout"', "c.toml:15: 'rout': no path 'rout'; did you mean"),
    ('"route+filter:100"', '""', "c.toml:14: build next: give it an image for lab, or a"),
    ('plan = "cost/ab"', 'plan = "cost/ba"', "c.toml:22: no suite or plan 'cost/ba'"),
    ('plan = "cost/ab"', 'plan = "quick"', "c.toml:22: suite quick: name one of its plans"),
    ('build   = "next"', 'build   = "nxt"', "c.toml:25: build: no 'nxt'; did you mean 'next'"),
    ('allow   = "3%"', 'allow   = "much"', f"c.toml:27: allow = 'much': {SHARE}"),
    (
        'allow   = "3%"',
        "point = { flows = 7 }",
        "c.toml:27: the gate of next against",
    ),
    (  # its rates are one row, the knee
        'plan = "cost/ab"\n\n[[gate]]\n',
        'plan = "quick/sweep"\n\n[[gate]]\npoint = { rate_pps = 26000 }\n',
        "c.toml:25: the gate of next against field has no row: no suite has a row of such",
    ),
    (  # three sizes, each with a goal and three shares
        'plan = "cost/ab"',
        'plan = "rfc/latency"',
        "c.toml:3: 24 rows and 7 repeats: the smallest p is 0.016, 0.0021 is needed",
    ),
    ('plan = "cost/ab"', 'plan = "cost/tune"', "c.toml:3: 4 rows and 7 repeats: the smallest"),
    ('allow   = "3%"', 'models = ["x"]', "c.toml:27: models: no 'x'"),
    ('against = "field"', 'against = "next"', "c.toml:26: next against next: name a build"),
    (
        'setup = "route+filter:100"',
        'image = { lab = "new.bin" }',
        "c.toml:15: new.bin: no kernel can be changed on lab: give lab a `switch`",
    ),
    (
        'stations = ["lab", "lab"]',
        'stations = ["lab"]\n[[model]]\nname = "vm"\nstations = ["qemu-x86"]\nexact = true\n'
        '[[build]]\nname = "old"\nimage = { lab = "lab.toml" }',
        "c.toml:14: build old: give it an image for vm, or a setup",
    ),
    (
        'setup = "route+filter:100"',
        'image = { lab = "none.toml" }',
        "c.toml:15: ",
    ),
    (
        'setup = "route+filter:100"',
        'image = { lba = "new.bin" }',
        "c.toml:15: build next: no model 'lba'; did you mean 'lab'?",
    ),
    (
        'stations = ["lab", "lab"]',
        'stations = ["lab"]\nswitch = "flash.sh"',
        "c.toml:8: switch = 'flash.sh': say where the image's file goes: {image}",
    ),
)


def test_what_cannot_be_is_told_in_one_line(tmp_path: Path) -> None:
    wrong = []
    for old, new, printed in FAULTS:
        assert old in FILE
        code, out, err = planned(tmp_path, FILE.replace(old, new, 1))
        is_told = err.removeprefix("gatemark: ").startswith(printed)
        if not is_told or (code, out, err.count("\n")) != (2, "", 1):
            wrong.append((new, code, out, err))
    assert wrong == []


def test_a_share_is_per_cent_or_a_small_number() -> None:
    ratios: dict[str | float, float] = {"3%": 0.03, 0.03: 0.03, "0.03": 0.03, "20%": 0.2, 0: 0.0}
    assert {word: share(word) for word in ratios} == pytest.approx(ratios)
    for word in ("much", "100%", "1", 1, 0.2):
        with pytest.raises(ValueError, match=re.escape(SHARE)):
            share(word)


def test_a_folder_without_a_campaign_is_told(tmp_path: Path) -> None:
    done = gatemark("campaign", "status", tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no campaign there" in done.err
