# SPDX-License-Identifier: Apache-2.0
"""`gatemark fit`: its answer, what it says of what was not measured, how it refuses nonsense."""

import json
import re
from pathlib import Path

import builder
import counted
import msgspec
import packets
import pytest
from inside import accepted, gatemark
from msgspec.structs import replace

from gatemark.store.directory import RunDirectory
from gatemark.store.record import Evidence

NAT = ("--setup", "nat")
SMALL = ("--line", "10/5")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packets.keep(tmp_path_factory.mktemp("made") / "run")


def test_it_answers_with_the_interval_and_what_to_switch_off(run: Path) -> None:
    done = gatemark("fit", "--line", "300/100", "--setup", "nat+conntrack+filter:1000", run)
    assert (done.code, done.err) == (0, "")
    assert "not enough for 300/100 Mbit/s: both directions at once take" in done.out
    assert "filter:1000:" in done.out
    assert "The sum fails: NAT with conntrack costs" in done.out.replace(
        "conntrack with NAT", "NAT with conntrack"
    )


def test_it_has_a_line_for_each_frame_size(run: Path) -> None:
    rows = [json.loads(line) for line in gatemark(*words(run), "--json").out.splitlines()]
    assert [round(row["frame_bytes"]) for row in rows] == [64, 362, 1518]
    assert [row["answer"] for row in rows] == ["enough"] * 3
    assert rows[0]["directions"]["up"]["needed_pps"] == pytest.approx(5e6 / 8 / 84)
    assert rows[0]["cpu_lo"] < rows[0]["cpu"] < rows[0]["cpu_hi"]


def test_strict_ends_with_a_code(run: Path) -> None:
    for line, code in (("10/5", 0), ("9000/9000", 3)):
        assert gatemark("fit", "--line", line, *NAT, "--strict", run).code == code, line


def test_strict_asks_for_every_frame_size(run: Path) -> None:
    done = gatemark("fit", "--line", "1000/500", *NAT, "--strict", "--json", run)
    answers = [json.loads(line)["answer"] for line in done.out.splitlines()]
    assert (done.code, answers[0], answers[-1]) == (3, "not enough", "enough")


def test_units_are_taken(run: Path) -> None:
    one, other = (
        gatemark("fit", "--line", line, *NAT, "--frame", "64", "--json", run).out
        for line in ("2.5Gbit/2.5Gbit", "2500/2500Mbit/s")
    )
    assert one == other
    assert json.loads(one)["up_bps"] == 2.5e9


REFUSALS = (
    ("--line fast --setup nat", "--line fast: write down/up in Mbit/s"),
    ("--line 1000/0 --setup nat", "--line 1000/0: write down/up in Mbit/s"),
    ("--line 1/2/3 --setup nat", "--line 1/2/3: two rates at most"),
    ("--line 1000 --setup nat", "--line 1000: write down/up, as 1000/500; 1000/1000 where both"),
    ("--line 10/5 --setup nta", "--setup nta: no such name; did you mean 'nat'?"),
    ("--line 10/5 --setup nat+filtre:9", "--setup nat+filtre:9: `features`: no feature 'filtre:9'"),
    ("--line 10/5 --setup nat+filter", "--setup nat+filter: `features`: 'filter': write filter:N"),
    (
        "--line 10/5 --setup switch+conntrack",
        "--setup switch+conntrack: `features`: conntrack has no effect on the path switch",
    ),
    ("--line 10/5 --setup nat --frame 63", "--frame 63: write imix, or 64 to 1518 bytes"),
    ("--setup nat", "--line: say which line is to be carried"),
)


def test_nonsense_is_refused_with_the_mend(run: Path) -> None:
    asked = [(f"fit {words} {run}", begins) for words, begins in REFUSALS]
    assert accepted(asked) == {}


def test_what_was_not_measured_names_the_plan_that_does(run: Path) -> None:
    done = gatemark("fit", *SMALL, "--setup", "nat+buckets:4096", run)
    assert (done.code, done.out) == (1, "")
    assert "did not measure buckets:4096 at overload: add an arm with it" in done.err
    done = gatemark("fit", *SMALL, "--setup", "switch", run)
    assert re.search(r"did not measure switch at overload: `gatemark run \w+/\S+` does", done.err)


def test_what_the_station_lacks_is_said_with_its_reason(tmp_path: Path) -> None:
    path = packets.keep(tmp_path / "run")
    lacks = "not available here: no cake in this kernel"
    made = packets.shaped_trials(0)[0]
    skipped = replace(made, status="skipped", reason=lacks, values={}, trial="lacks", sequence=999)
    with RunDirectory.open(path).trials_file.open("ab") as file:
        file.write(msgspec.json.encode(skipped) + b"\n")
    done = gatemark("fit", *SMALL, "--setup", "nat+shape:cake:4:wan", path)
    assert (done.code, done.out) == (1, "")
    assert f"could not measure shape:cake:4:wan: {lacks}; on another station" in done.err


def test_what_the_tester_limited_is_not_said_to_be_unmeasured(tmp_path: Path) -> None:
    path = packets.keep(tmp_path / "run")
    made = packets.shaped_trials(0)[0]
    features = ("shape:cake:4:wan",)
    idle = replace(
        made,
        definition=replace(made.definition, features=features),
        values=made.values | {"cpu_busy": 0.3},
        evidence=Evidence(),
        trial="idle",
        sequence=999,
    )
    with RunDirectory.open(path).trials_file.open("ab") as file:
        file.write(msgspec.json.encode(idle) + b"\n")
    done = gatemark("fit", *SMALL, "--setup", "nat+shape:cake:4:wan", path)
    assert (done.code, done.out) == (1, "")
    assert "measured shape:cake:4:wan, but limit " in done.err


def test_a_run_without_overload_has_no_model(tmp_path: Path) -> None:
    kept = [record for record in builder.trials() if record.definition.path == "direct"]
    builder.keep(tmp_path / "run", kept)
    done = gatemark("fit", *SMALL, *NAT, tmp_path / "run")
    assert done.code == 1
    assert "`gatemark run cost/model`" in done.err


def test_without_a_run_the_newest_model_is_taken(tmp_path: Path) -> None:
    done = gatemark("fit", *SMALL, *NAT, cwd=tmp_path)
    assert (done.code, "no run of a model here" in done.err) == (1, True)
    path = packets.keep(tmp_path / "gatemark-runs" / "20261122-model")
    directory = RunDirectory.open(path)
    made = directory.load()
    directory.save(replace(made, plans=(replace(made.plans[0], name="cost/model"),)))
    assert gatemark("fit", *SMALL, *NAT, cwd=tmp_path).code == 0


@pytest.fixture(scope="module")
def counted_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model in instructions."""
    made = counted.modelled()
    directory = RunDirectory.create(tmp_path_factory.mktemp("counted") / "run", made.run)
    kept = b"".join(msgspec.json.encode(one) + b"\n" for one in made.records)
    directory.trials_file.write_bytes(kept)
    return directory.path


def test_a_run_in_instructions_answers_in_instructions(counted_run: Path) -> None:
    done = gatemark("fit", "--setup", "nat+filter:50", "--frame", "64", "--json", counted_run)
    up, down = (json.loads(line) for line in done.out.splitlines())
    wanted = counted.executes("nat", ("filter:50",), "up", 64)
    assert up["instructions"] == pytest.approx(wanted, rel=0.001)
    assert (up["direction"], down["direction"]) == ("up", "down")
    assert not [key for key in up if "pps" in key or "bps" in key]


def test_instructions_tell_no_rate(counted_run: Path) -> None:
    for more in (("--line", "10/5"), ("--strict",)):
        done = gatemark("fit", *NAT, *more, counted_run)
        assert (done.code, done.out) == (2, ""), more
        assert "counted instructions, which tell no rate: leave out --line and" in done.err


def words(run: Path) -> tuple[str | Path, ...]:
    return ("fit", *SMALL, *NAT, run)
