# SPDX-License-Identifier: Apache-2.0
"""`gatemark diff` and `gatemark cmp` as their user has them."""

import json
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import builder
import msgspec
import pytest
from command import Done
from inside import accepted, gatemark, on_terminal
from msgspec.structs import replace

from gatemark.number import MINUS
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run

ESCAPE = "\x1b"
Home = dict[str, Path]


def kept(path: Path, record: Callable[[Record], Record], run: Run | None = None) -> Path:
    directory = RunDirectory.create(path, run or builder.run())
    encoded = [msgspec.json.encode(record(one)) + b"\n" for one in builder.trials()]
    directory.trials_file.write_bytes(b"".join(encoded))
    return path


def same(record: Record) -> Record:
    """Measured again: what differs is chance alone."""
    factor = random.Random(record.trial).gauss(1, 0.0005)
    return replace(record, values={n: v * factor for n, v in record.values.items()})


def slower(record: Record) -> Record:
    """NAT lost a tenth of what it could."""
    again = same(record)
    if record.definition.path != "nat" or record.values["received_pps"] > 1e5:
        return again
    least = min(again.values["received_pps"], 0.9 * builder.KNEES["nat", "up"])
    return replace(again, values=again.values | {"received_pps": least})


def larger(record: Record) -> Record:
    return replace(record, definition=replace(record.definition, frame_bytes=512))


def limited(record: Record) -> Record:
    """The tester was as fast as the gateway: both lost nothing at all it could send."""
    if record.plan != "quick/plain":
        return record
    fast = builder.rates(411_000, 411_000, 64) | {"cpu_busy": 0.5}
    return replace(record, values=record.values | fast)


def disturbed(record: Record) -> Record:
    """The machine was slower: the tester has a third of its rate, a gateway at full speed half."""
    if record.plan == "quick/sweep":
        return same(record)
    times = 0.36 if record.definition.path == "direct" else 0.55
    return replace(record, values={name: value * times for name, value in record.values.items()})


def partial(path: Path) -> Path:
    """Its second half was not measured."""
    return builder.keep(path, builder.trials()[:-12]).path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = tmp_path_factory.mktemp("runs")
    made = builder.run()
    attic = replace(made, station=replace(made.station, name="attic"))
    return {
        "old": kept(home / "old", lambda record: record),
        "same": kept(home / "same", same),
        "slower": kept(home / "slower", slower),
        "larger": kept(home / "larger", larger),
        "limited": kept(home / "limited", limited),
        "disturbed": kept(home / "disturbed", disturbed),
        "partial": partial(home / "partial"),
        "attic": kept(home / "attic", same, attic),
    }


@pytest.fixture(scope="module")
def compared(runs: Home) -> Callable[..., Done]:
    """An answer about runs by their names: each is asked for once."""

    @cache
    def answer(verb: str, *words: str) -> Done:
        return gatemark(verb, *(runs.get(word, word) for word in words))

    return answer


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


# --- diff


def test_a_gateway_that_did_not_change_is_no_regression(compared: Callable[..., Done]) -> None:
    done = compared("diff", "old", "same")
    assert (done.code, done.err) == (0, "")
    assert "slower" not in done.out
    first = done.out.splitlines()[0]
    assert re.match(r"no difference seen; a change of [\d.]+ % would have been: same aga", first)


def test_a_regression_has_an_exit_code_of_its_own(compared: Callable[..., Done]) -> None:
    done = compared("diff", "old", "slower")
    assert (done.code, done.err) == (3, "")
    knee = next(line for line in done.out.splitlines() if line.startswith("  nat, ↑ up"))
    assert knee.endswith("slower")
    assert ESCAPE not in done.out


def test_a_tester_that_changed_has_an_exit_code_of_its_own(compared: Callable[..., Done]) -> None:
    done = compared("diff", "old", "disturbed")
    assert (done.code, done.err) == (4, "")
    first, *others = done.out.splitlines()
    assert first.startswith(f"not comparable: the tester itself changed by {MINUS}6")
    assert sum(line.endswith("slower") for line in others) == len(builder.PLAIN) + 4


def test_diff_as_json_tells_a_tester_that_changed(runs: Home) -> None:
    found = rows(gatemark("diff", runs["old"], runs["disturbed"], "--json").out)
    assert found[0]["row"] == "tester_changed"
    assert found[0]["change"] == pytest.approx(-0.64, abs=0.05)


def test_diff_as_json_has_a_line_for_each_row(runs: Home) -> None:
    done = gatemark("diff", runs["old"], runs["slower"], "--json")
    found = rows(done.out)
    verdicts = {(r["quantity"], r["setup"]): r["verdict"] for r in found if r["row"] == "change"}
    assert verdicts["knee_pps", "nat"] == "slower"
    assert len([row for row in found if row["row"] == "ceiling"]) == 4


def test_diff_lists_single_rates_if_asked(runs: Home) -> None:
    words = ("diff", runs["old"], runs["same"], "--json")
    more = len(rows(gatemark(*words, "--all").out)) - len(rows(gatemark(*words).out))
    assert more == len(builder.KNEES) * len(builder.RATES)


def test_diff_compares_another_quantity_if_asked(runs: Home) -> None:
    done = gatemark("diff", runs["old"], runs["same"], "--quantity", "delay_p50_ns", "--json")
    assert {row["quantity"] for row in rows(done.out)} == {"delay_p50_ns"}


REFUSALS = (
    ("diff old larger", "no definition is alike; the nearest differ in frame_bytes 64 against"),
    ("diff old attic", "not the same gateway (station lab against attic): `gatemark cmp` comp"),
    ("diff old none", "none: no run there"),
    ("diff old same --across frame", "--across frame: no such name; did you mean"),
    ("diff old same --quantity speed", "--quantity speed: no such name; known are"),
    ("diff old same --junit none/x.xml", "none/x.xml: there is no folder none: make it, or name"),
    ("cmp old", "one run has nothing to be compared with: give two or more"),
    ("cmp old larger", "no definition is alike; the nearest differ in frame_bytes 64 against"),
    ("cmp old none", "none: no run there"),
    ("cmp old x.json", "x.json: of no tool that is known"),
)


def test_what_cannot_be_compared_is_told_in_a_line(runs: Home) -> None:
    home = runs["old"].parent
    (home / "x.json").write_text("{}")
    assert accepted(REFUSALS, cwd=home) == {}


def test_across_a_field_tells_it_beside_the_numbers(runs: Home) -> None:
    done = gatemark("diff", runs["old"], runs["larger"], "--across", "frame_bytes")
    assert done.code == 0
    assert "frame_bytes 64 against 512" in done.out


def test_across_gateway_compares_another_station(runs: Home) -> None:
    done = gatemark("diff", runs["old"], runs["attic"], "--across", "gateway")
    assert done.code == 0
    assert "differs: station: lab → attic" in done.out


@pytest.mark.parametrize("verb", ["diff", "cmp"])
def test_a_table_is_no_wider_than_the_terminal(verb: str, runs: Home) -> None:
    text = on_terminal(verb, runs["old"], runs["slower"], env={"COLUMNS": "70"})
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert max(map(len, lines)) <= 70


# --- cmp


def test_cmp_has_a_column_for_each_gateway(runs: Home) -> None:
    done = gatemark("cmp", runs["old"], runs["attic"], runs["slower"])
    assert (done.code, done.err) == (0, "")
    assert "A: old" in done.out
    assert "C/A" in done.out
    assert ESCAPE not in done.out


def test_cmp_as_json_has_a_place_for_each_run(runs: Home) -> None:
    found = rows(gatemark("cmp", runs["old"], runs["slower"], "--json").out)
    knee = next(r for r in found if (r["quantity"], r["setup"]) == ("knee_pps", "nat"))
    assert [run["run"] for run in knee["runs"]] == [str(runs["old"]), str(runs["slower"])]
    assert knee["runs"][1]["ratio"] == pytest.approx(0.86, abs=0.05)


# --- diff --junit


def cases(runs: Home, new: str, *options: str) -> dict[str, ET.Element]:
    """Case -> its outcome, of a file that `diff --junit` wrote."""
    path = runs["old"].parent / f"{new}.xml"
    gatemark("diff", runs["old"], runs[new], "--junit", path, *options)
    suite = ET.parse(path).getroot()[0]  # noqa: S314  it is our own
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(len(list(suite.iter(tag))))
    made = list(suite.iter("testcase"))
    assert suite.get("tests") == str(len(made))
    assert all(case.get("time") == "0.000" for case in made)
    return {f"{case.get('classname')} {case.get('name')}": case for case in made}


def skipped(runs: Home, new: str) -> set[str | None]:
    """Why cases were skipped."""
    outcomes = [case.find("skipped") for case in cases(runs, new).values()]
    return {outcome.get("message") for outcome in outcomes if outcome is not None}


def test_what_got_slower_fails_its_case(runs: Home) -> None:
    by_name = cases(runs, "slower")
    failed = {name for name, case in by_name.items() if case.find("failure") is not None}
    assert "quick.sweep.nat knee: ↑ up, 64 B" in failed
    failure = by_name["quick.sweep.nat knee: ↑ up, 64 B"].find("failure")
    assert failure is not None
    assert re.match(rf"slower: {MINUS}\d.* %, p = 0\.\d+", failure.get("message") or "")
    assert not any("route" in name for name in failed)


def test_what_did_not_change_passes_with_its_numbers(runs: Home) -> None:
    case = cases(runs, "same")["quick.sweep.route knee: ↑ up, 64 B"]
    assert [child.tag for child in case] == ["system-out"]
    assert re.search(r"^old 30\.1.* k packets/s, n = 6$", case[0].text or "", re.MULTILINE)


def test_what_the_tester_limited_is_skipped_with_the_reason(runs: Home) -> None:
    whys = [case.find("skipped") for case in cases(runs, "limited").values()]
    assert "inconclusive (tester-limited)" in {
        why.get("message") for why in whys if why is not None
    }


def test_a_tester_that_changed_is_an_error_and_nothing_passes(runs: Home) -> None:
    by_name = cases(runs, "disturbed")
    tester = by_name.pop("diff old disturbed tester").find("error")
    assert tester is not None
    assert tester.get("type") == "not comparable"
    assert [name for name, case in by_name.items() if case.find("skipped") is None] == []


def test_what_one_run_lacks_is_skipped(runs: Home) -> None:
    assert "only in OLD" in skipped(runs, "partial")


# --- cmp with a file of another tool


def test_a_tools_file_stands_beside_a_run(runs: Home, tmp_path: Path) -> None:
    report = {
        "start": {
            "version": "iperf 3.12",
            "connected": [{"remote_host": "192.0.2.1"}],
            "test_start": {
                "protocol": "UDP",
                "num_streams": 1,
                "blksize": 18,
                "duration": 10,
                "target_bitrate": 0,
            },
        },
        "end": {"sum": {"packets": 2_000_000, "lost_packets": 0, "seconds": 10.0}},
    }
    path = tmp_path / "iperf3.json"
    path.write_text(json.dumps(report))
    done = gatemark("cmp", runs["old"], path)
    assert (done.code, done.err) == (0, "")
    assert "unknown, by iperf3 3.12" in done.out
    assert "path route against unknown" in done.out
