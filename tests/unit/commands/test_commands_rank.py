# SPDX-License-Identifier: Apache-2.0
"""`gatemark export --reference` and `gatemark rank`: a device's file, there and back."""

import json
import re
from pathlib import Path

import pytest
import sample
from inside import gatemark

from gatemark.judge.change.reference import beside
from gatemark.store.directory import RunDirectory
from gatemark.store.study.device import published, read, shipped
from gatemark.tell.group import source


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the run that README shows."""
    path = tmp_path_factory.mktemp("device")
    run = sample.unpack(path).name
    done = gatemark("export", run, "--reference", "--out", "virtual.toml", cwd=path)
    assert (done.code, done.out) == (0, "")
    return path / "virtual.toml"


def real(virtual: Path, path: Path, name: str) -> None:
    """The same as if it were of a box."""
    text = virtual.read_text().replace("virtual = true", "virtual = false", 1)
    text = re.sub(r', "?slow_to_pps"? = \d+', "", text)
    path.write_text(re.sub("^name = .*", f'name = "{name}"', text, count=1, flags=re.MULTILINE))


def test_a_file_says_what_it_is_of(virtual: Path) -> None:
    kept = read(virtual)
    assert kept.device.virtual
    assert kept.run.run == "20261129-000645-quick"
    knee = next(value for value in kept.value if value.quantity == "knee_pps")
    assert knee.defined.slow_to_pps == 30_000
    assert knee.lo <= knee.value <= knee.hi


def test_devices_are_ranked_and_the_virtual_one_is_left_out(virtual: Path, tmp_path: Path) -> None:
    for name in ("A", "B"):
        real(virtual, tmp_path / f"{name}.toml", name)
    words = ("rank", virtual, "A.toml", "B.toml", "--quantity", "goodput_bps", "--json")
    done = gatemark(*words, cwd=tmp_path)
    assert done.code == 0
    assert "virtual (lab) is a virtual gateway" in done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["device"] for row in rows} == {"A", "B"}
    assert {row["place"] for row in rows} == {1}


def test_a_run_of_a_virtual_gateway_has_no_rank(virtual: Path) -> None:
    done = gatemark("rank", "20261129-000645-quick", cwd=virtual.parent)
    assert (done.code, done.out) == (1, "")
    assert "no two devices" in done.err


def test_a_device_stands_beside_a_run_as_a_study_does(virtual: Path) -> None:
    run = virtual.parent / "20261129-000645-quick"
    judgement = source.judged(RunDirectory.open(run).contents(), run, drawn=False).judgement
    pairs = beside(judgement, published(read(virtual)))
    same = {pair.quantity for pair in pairs if pair.measured.value == pair.published.value}
    assert {"goodput_bps", "received_pps", "cpu_busy"} <= same


def test_no_virtual_gateway_ships_as_a_device() -> None:
    assert not any(kept.device.virtual for kept in shipped())


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('unit = "packets/s"', 'unit = "bit/s"', "is in packets/s, not bit/s"),
        ("gatemark.device-values/1", "gatemark.device-values/9", "write"),
        ('path = "route"', "path = 7", "path"),
    ],
)
def test_a_wrong_file_is_refused(
    virtual: Path, tmp_path: Path, old: str, new: str, text: str
) -> None:
    (tmp_path / "wrong.toml").write_text(virtual.read_text().replace(old, new, 1))
    done = gatemark("rank", "wrong.toml", cwd=tmp_path)
    assert done.code == 2
    assert text in done.err
    assert "wrong.toml" in done.err


def test_a_file_that_is_not_held_against_its_records_is_named(
    virtual: Path, tmp_path: Path
) -> None:
    real(virtual, tmp_path / "A.toml", "A")
    done = gatemark("rank", "A.toml", cwd=tmp_path)
    assert "A.toml: not held against its records, as run 20261129-000645-quick is not" in done.err


def test_a_file_that_its_run_contradicts_is_named(virtual: Path) -> None:
    real(virtual, virtual.parent / "A.toml", "A")
    done = gatemark("rank", "A.toml", cwd=virtual.parent)
    assert "A.toml: not what 20261129-000645-quick says: virtual is true there" in done.err
    done = gatemark("rank", virtual, cwd=virtual.parent)
    assert "not what" not in done.err
    assert "not held" not in done.err


def check(virtual: Path, old: str, new: str) -> tuple[int, str]:
    path = virtual.parent / "changed.toml"
    path.write_text(re.sub(old, new, virtual.read_text(), count=1, flags=re.MULTILINE))
    run = "20261129-000645-quick"
    done = gatemark("export", path.name, "--reference", "--check", run, cwd=path.parent)
    return done.code, done.out


@pytest.mark.parametrize(
    ("old", "new", "printed"),
    [
        ("virtual = true", "virtual = false", "virtual is true there"),
        (r"^records = .*", 'records = ""', "records of its run is [0-9a-f]{64} there"),
        ("^started = .*", 'started = "2020-01-01"', "started of its run is 2026.* there"),
        ("^hi = .*", "hi = 1e30", "is not .* there"),
        ("^n = .*", "n = 99", "is not .* there"),
        (r"^facts = \{", 'facts = { soc = "X",', "the facts of its device are others"),
    ],
)
def test_what_was_changed_in_a_file_is_found(
    virtual: Path, old: str, new: str, printed: str
) -> None:
    code, out = check(virtual, old, new)
    assert code == 1
    assert re.search(printed, out)


def test_a_file_as_it_was_written_is_as_its_run_says(virtual: Path) -> None:
    assert check(virtual, "^name = .*", 'name = "my box"') == (
        0,
        "changed.toml: as 20261129-000645-quick says\n",
    )


def test_a_record_that_was_changed_is_found(virtual: Path, tmp_path: Path) -> None:
    run = sample.unpack(tmp_path)
    line, *others = (run / "trials.jsonl").read_text().splitlines()
    (run / "trials.jsonl").write_text("\n".join((line, *reversed(others), "")))
    done = gatemark("export", virtual, "--reference", "--check", run, cwd=tmp_path)
    assert done.code == 1
    assert "records of its run is" in done.out
