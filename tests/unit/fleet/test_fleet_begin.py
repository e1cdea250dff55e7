# SPDX-License-Identifier: Apache-2.0
"""A campaign of a real device as it begins: images are held to, a station is of one campaign."""

import fcntl
import shutil
import threading
from pathlib import Path

import pytest
from inside import gatemark

from gatemark import flock
from gatemark.commands.campaign import answer, coordinate
from gatemark.commands.campaign.layout import SWITCH_S, Layout
from gatemark.error import UsageError
from gatemark.fleet.course import FOLDER
from gatemark.fleet.ledger import MOST_FAILED, Block, Ledger
from gatemark.station import lock

STATION = """schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@192.0.2.1"
lan = "eth0"
wan = "eth1"
[lan]
nic = "enp3s0"
[wan]
nic = "enp4s0"
"""
CAMPAIGN = """schema = "gatemark.campaign/1"
title = "Two images"
repeats = 6
[[model]]
name = "box"
stations = ["rack.toml"]
switch = "./flash.sh {image}"
[[build]]
name = "field"
image = { box = "old.bin" }
[[build]]
name = "next"
image = { box = "new image.bin" }
[[suite]]
plan = "cost/ab"
[[gate]]
build = "next"
against = "field"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a campaign's files, of which one has begun in `begun`."""
    monkeypatch.setattr(lock, "folder", lambda: tmp_path / "locks")
    for name, text in (
        ("rack.toml", STATION),
        ("box.toml", CAMPAIGN),
        ("old.bin", "old"),
        ("new image.bin", "new"),
    ):
        (tmp_path / name).write_text(text)
    coordinate.begin(tmp_path / "box.toml", tmp_path / "begun")
    return tmp_path


def test_what_a_station_is_asked_for_is_whole(home: Path) -> None:
    layout, ledger = coordinate.opened(home / "begun")
    attempt = ledger.claim("rack.toml", "box", "{id}-{model}-{repeat}", lambda _: 60.0)
    assert attempt
    task = layout.task(attempt, ledger.blocks()[0])
    assert [arm.switch for arm in task.arms] == ["./flash.sh old.bin", "./flash.sh 'new image.bin'"]
    assert (task.base, task.station) == (str(home), str(home / "rack.toml"))
    assert task.lock


def test_a_deadline_has_room_for_the_command_that_switches(home: Path) -> None:
    (switched, *_) = coordinate.opened(home / "begun")[1].blocks()
    text = CAMPAIGN.replace('switch = "./flash.sh {image}"\n', "")
    for image in ("old", "new image"):
        text = text.replace(f'image = {{ box = "{image}.bin" }}', 'setup = "nat"')
    (home / "box.toml").write_text(text)
    coordinate.begin(home / "box.toml", home / "second")
    (alone, *_) = coordinate.opened(home / "second")[1].blocks()
    assert switched.estimate_s - alone.estimate_s == pytest.approx(2 * SWITCH_S, abs=1.0)


def test_the_power_is_cycled_by_a_command_of_the_files_folder(home: Path) -> None:
    text = CAMPAIGN.replace("[[build]]", 'power = "./cycle.sh {station}"\n[[build]]', 1)
    (home / "box.toml").write_text(text)
    (home / "cycle.sh").write_text('#!/bin/sh\necho "$1" > cycled\n')
    (home / "cycle.sh").chmod(0o755)
    coordinate.begin(home / "box.toml", home / "second")
    layout, _ = coordinate.opened(home / "second")
    coordinate.cycle(layout, home / "second", "rack.toml")
    assert (home / "cycled").read_text() == f"{home / 'rack.toml'}\n"


def test_a_quarantined_station_is_taken_back_on_probation(home: Path) -> None:
    (_, ledger), place = coordinate.opened(home / "begun"), home / "begun"
    for name, printed in (
        ("rack.tml", "no station 'rack.tml'; did you mean 'rack.toml'?"),
        ("rack.toml", "station rack.toml is ok: only a quarantined one is taken back"),
    ):
        done = gatemark("campaign", "readmit", place, name)
        assert (done.code, done.err) == (2, f"gatemark: {place}: {printed}\n")
    ledger.mark("rack.toml", "quarantined", "its control (direct) shows a step")
    done = gatemark("campaign", "readmit", place, "rack.toml")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert [each.state for each in ledger.places()] == ["suspect"]


def test_an_image_that_changed_is_refused(home: Path) -> None:
    (home / "new image.bin").write_text("newer")
    done = gatemark("campaign", "resume", "--trust", home / "begun")
    assert done.err == (
        "gatemark: the image of next for box changed since the campaign began: "
        "begin another campaign\n"
    )
    assert done.code == 2


def test_an_image_that_is_missing_is_refused_with_its_line(home: Path) -> None:
    (home / "old.bin").unlink()
    done = gatemark("campaign", "plan", "box.toml", cwd=home)
    assert done.err.startswith("gatemark: box.toml:10: ")
    assert "old.bin: No such file or directory: build field of box has no image" in done.err
    assert done.code == 2


def test_a_station_is_in_one_campaign(home: Path) -> None:
    coordinate.begin(home / "box.toml", home / "second")
    path, layout = str(home / "rack.toml"), coordinate.opened(home / "begun")[0]
    with (
        coordinate._own("rack.toml", path, layout, home / "begun"),
        pytest.raises(
            UsageError, match=f"station rack.toml is in the campaign {home / 'begun'}: wait for it"
        ),
    ):
        coordinate.coordinate(home / "second", trust=True)


def test_a_folder_has_one_campaign(home: Path) -> None:
    with pytest.raises(UsageError, match="holds a campaign: `gatemark campaign resume"):
        coordinate.begin(home / "box.toml", home / "begun")


def test_a_campaign_has_one_coordinator(home: Path) -> None:
    with coordinate.alone(home / "begun"):
        done = gatemark("campaign", "resume", "--trust", home / "begun")
    assert "runs this campaign" in done.err
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_of_two_that_begin_at_once_the_first_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one begins and ends its beginning while the first one still plans."""
    planned, folder = Layout.blocks, home / "twice"

    def overtaken(layout: Layout) -> list[Block]:
        monkeypatch.setattr(Layout, "blocks", planned)
        coordinate.begin(home / "box.toml", folder)
        return planned(layout)

    monkeypatch.setattr(Layout, "blocks", overtaken)
    with pytest.raises(UsageError, match="holds a campaign: `gatemark campaign resume"):
        coordinate.begin(home / "box.toml", folder)
    assert len(coordinate.opened(folder)[1].blocks()) == 6


def test_what_another_one_begins_is_not_written_to(home: Path) -> None:
    (home / "held").mkdir()
    with coordinate.alone(home / "held"):
        done = gatemark("campaign", "run", home / "box.toml", "--out", home / "held")
    assert "runs this campaign" in done.err
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert list((home / "held").iterdir()) == []


def test_who_only_asks_is_waited_for(home: Path) -> None:
    released = threading.Event()
    with flock.opened(str(home / "begun")) as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)  # as `status` does, in a long moment

        def release() -> None:
            released.set()
            fcntl.flock(handle, fcntl.LOCK_UN)

        timer = threading.Timer(0.3, release)
        timer.start()
        with coordinate.alone(home / "begun"):
            assert released.is_set()
        timer.join()


def test_who_asks_is_no_coordinator(home: Path) -> None:
    folder = home / "begun"
    with flock.opened(str(folder)) as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        assert not coordinate.is_going(folder)
    with coordinate.alone(folder):
        assert coordinate.is_going(folder)


def test_a_claim_is_final_once_no_block_is_open(home: Path) -> None:
    layout, ledger = coordinate.opened(home / "begun")
    made = answer.campaigned(layout, ledger, home / "begun")
    assert {each.claim.final for each in made.decided} == {False}
    for _ in range(len(ledger.blocks()) * MOST_FAILED):
        attempt = ledger.claim("rack.toml", "box", FOLDER, lambda _: 60.0)
        assert attempt
        ledger.drop(attempt.id, "failed", "no power")
    made = answer.campaigned(layout, ledger, home / "begun")
    assert {each.claim.final for each in made.decided} == {True}


def test_a_file_that_was_changed_in_its_folder_is_refused(home: Path) -> None:
    with (home / "begun" / "campaign.toml").open("a") as file:
        file.write("# more\n")
    done = gatemark("campaign", "status", home / "begun")
    assert done.code == 0  # from the ledger alone
    done = gatemark("campaign", "report", home / "begun")
    assert "not as it was when the campaign began" in done.err


def test_a_copy_has_a_name_of_its_own(home: Path) -> None:
    coordinate.copy(home / "begun", home / "copy")
    shutil.rmtree(home / "begun")
    ledger = Ledger.open(home / "copy", lambda: 0.0)
    assert ledger.meta("copied from") == str(home / "begun")
    assert len(ledger.blocks()) == 6
    assert list(coordinate.check(home / "copy")) == []


def test_a_copy_leaves_out_what_its_ledger_does_not_know(home: Path) -> None:
    ledger = Ledger.open(home / "begun", lambda: 0.0)
    known = ledger.claim(ledger.places()[0].name, ledger.blocks()[0].model, FOLDER, lambda _: 0.0)
    assert known
    for name in (known.folder, "00099-begun-meanwhile"):
        (home / "begun" / "runs" / name).mkdir(parents=True)
    coordinate.copy(home / "begun", home / "copy")
    assert [path.name for path in (home / "copy" / "runs").iterdir()] == [known.folder]


def test_what_nobody_runs_is_not_drained(home: Path) -> None:
    done = gatemark("campaign", "drain", home / "begun")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "nobody runs this campaign" in done.err
