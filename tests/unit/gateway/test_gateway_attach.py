# SPDX-License-Identifier: Apache-2.0
"""The script that attaches a classifier, by real shells: what fails is told and undone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gatemark.gateway import attached
from gatemark.gateway.undo import undo_script
from gatemark.node.quoted import Script, literal, shell, word
from gatemark.node.script import WHOLE

SHELLS = ["dash", "busybox sh", pytest.param("bash", marks=pytest.mark.long)]
PLACES = re.compile(r"/(dev/shm|tmp|run)(?=[ ;|/])")
NOWHERE = "gm-nowhere"  # a device; busybox would ask its own tc about it
TC = """#!/bin/sh
case "$*" in *add*) echo "Error: Specified qdisc kind is unknown." >&2; exit 2 ;; esac
"""
# It counts at once, as if it were attached.
WATCH = literal('[ "$1" = keep ] && echo 0 > counts')


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def attach(
    shell_: str, folder: Path, change: Script, watch: Script = WATCH
) -> "subprocess.CompletedProcess[str]":
    """Run the script with a tc that makes nothing, in places of this test alone."""
    tools, place = folder / "tools", folder / "place"
    tools.mkdir()
    place.mkdir()
    program(tools / "tc", TC)
    undo = undo_script([shell("echo undone >> {trace}", trace=str(folder / "trace"))])
    text = shell(
        attached.SET,
        name="classifier",
        binary=str(program(folder / "binary", "#!/bin/sh\n")),
        model=str(program(folder / "model", "")),
        lan=NOWHERE,
        change=word(change),
        undo=word(undo),
        start=word(literal("true")),
        watch=word(watch),
        attach=literal(PLACES.sub(str(place), attached.ATTACH)),
    )
    return subprocess.run(
        [*shell_.split(), *WHOLE[1:]],
        input=text,
        capture_output=True,
        text=True,
        env={"PATH": f"{tools}:/usr/sbin:/usr/bin:/sbin:/bin"},
        timeout=30,
        check=False,
    )


@pytest.fixture(params=SHELLS)
def a_shell(request: pytest.FixtureRequest) -> str:
    """Of those that gateways have."""
    if not shutil.which(request.param.split()[0]):
        pytest.skip(f"no {request.param} here")
    return str(request.param)


@pytest.mark.parametrize(
    ("line_mbit", "bytes_s"), [(100, 125_000), (8, 125_000), (5, 78_125), (2, 32_000), (1, 32_000)]
)
def test_a_flow_may_take_an_eighth_of_a_slow_line(line_mbit: float, bytes_s: int) -> None:
    assert attached.guard(1e6 * line_mbit) == bytes_s


def test_a_shaper_that_cannot_be_made_attaches_nothing(a_shell: str, tmp_path: Path) -> None:
    tc = str(tmp_path / "tools" / "tc")
    done = attach(a_shell, tmp_path, shell("{tc} qdisc add dev wan0 root cake\ntrue", tc=tc))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: Specified qdisc kind is unknown.\n"
    assert (tmp_path / "trace").read_text() == "undone\n"
    assert list((tmp_path / "place").iterdir()) == []


def test_what_stands_around_it_is_made_before_it_is_attached(a_shell: str, tmp_path: Path) -> None:
    done = attach(a_shell, tmp_path, literal("echo made >> ../trace"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "place" / "trace").read_text() == "made\n"
    assert done.stdout == f"{tmp_path}/place/classifier\n"


def test_what_it_says_once_it_is_attached_is_printed(a_shell: str, tmp_path: Path) -> None:
    watch = literal('[ "$1" = keep ] && echo "9 flows are offloaded" >said && echo 0 >counts')
    done = attach(a_shell, tmp_path, literal("true"), watch)
    assert done.stdout.splitlines() == [f"{tmp_path}/place/classifier", "9 flows are offloaded"]
