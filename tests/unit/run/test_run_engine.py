# SPDX-License-Identifier: Apache-2.0
"""A run goes on where it began: on the same stations, with the same traces."""

import re
from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.run.engine import (
    again,
    execute,
    require_same_stations,
    require_same_traces,
    traces,
    waited,
)
from gatemark.station.load import load
from gatemark.station.station import Station
from gatemark.store.directory import RunDirectory
from gatemark.store.run import AB, Run, Side, Tune
from gatemark.tell.live import Live

BENCH = """schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@192.0.2.1"
lan = "eth0"
wan = "eth1"
lan_ipv4 = "10.0.0.1/24"
[lan]
nic = "enp3s0"
[wan]
nic = "enp4s0"
"""
FAR = (
    BENCH.replace('address = "root@192.0.2.1"', 'address = "root@192.0.2.1"\njump = "a@192.0.2.7"')
    .replace('"enp3s0"', '"enp3s0"\nkind = "ssh"\naddress = "root@192.0.2.2"\njump = "lab:22"')
    .replace('"enp4s0"', '"enp4s0"\nkind = "ssh"\naddress = "root@192.0.2.3"\nknown_hosts = "k"')
)
GUEST = 'schema = "gatemark.station/1"\n[gateway]\nkind = "qemu"\narch = "mipsel"\n'


@pytest.fixture(autouse=True)
def _able(monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent is started for each station, only to see what works here."""
    monkeypatch.setattr("gatemark.station.ability.slows", lambda: False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A station file, under one name before and after."""
    return tmp_path / "bench.toml"


def station(file: Path, text: str = BENCH) -> Station:
    file.write_text(text)
    return load(str(file))


def run_of(bench: Station, load: Workload | None = None) -> Run:
    plan = replace(
        builder.plans()[-1],
        arm=(Arm(path="route", name="old"), Arm(path="nat", name="new")),
        workload=load or Workload(),
    )
    return Run(
        run="20261121-161500-quick",
        suite="quick",
        title="",
        command=(),
        started="",
        seed=3,
        station=bench.info,
        plans=(plan,),
        trials=order([plan], 3),
    )


@pytest.mark.parametrize("text", [BENCH, GUEST], ids=["ssh", "qemu"])
def test_the_same_station_goes_on(file: Path, text: str) -> None:
    run = run_of(station(file, text))
    require_same_stations(run, station(file, text), {})


@pytest.mark.parametrize(
    ("text", "was", "now", "told"),
    [
        (BENCH, "192.0.2.1", "192.0.2.9", "had root@192.0.2.1 as address and has root@192.0.2.9"),
        (BENCH, '"eth0"', '"eth2"', "had eth0 10.0.0.1/24 as gateway lan and has eth2 10.0.0.1/24"),
        (BENCH, "10.0.0.1/24", "10.0.0.1/16", "has eth0 10.0.0.1/16"),
        (
            BENCH,
            'wan = "eth1"',
            'wan = "eth1"\nset = "openwrt"',
            "apply as set and has openwrt",
        ),
        (BENCH, "enp4s0", "enp5s0", "had enp4s0 as wan and has enp5s0"),
        (BENCH, '"enp4s0"', '"enp4s0"\nvlan = 7', "had enp4s0 as wan and has enp4s0.7"),
        (FAR, "a@192.0.2.7", "b@192.0.2.7", "had a@192.0.2.7 as jump and has b@192.0.2.7"),
        (FAR, 'jump = "lab:22"', "", "had lab:22 as lan jump and has nothing"),
        (BENCH, "\nlan =", '\njump = "lab"\nlan =', "had nothing as jump and has lab"),
        (GUEST, '"mipsel"', '"mipsel"\nmemory_mib = 48', "as memory_mib and has 48"),
        (GUEST, GUEST, BENCH, "was of kind qemu and is of kind ssh"),
    ],
)
def test_another_station_is_refused_in_one_line(
    file: Path, text: str, was: str, now: str, told: str
) -> None:
    run = run_of(station(file, text))
    line = f"^20261121-161500-quick: .*{re.escape(told)}: put that"
    with pytest.raises(UsageError, match=line) as error:
        require_same_stations(run, station(file, text.replace(was, now)), {})
    assert "\n" not in str(error.value)


def test_a_host_is_not_let_in_by_other_known_hosts(file: Path) -> None:
    run, folder = run_of(station(file, FAR)), file.parent
    line = f"had {folder}/k as wan known_hosts and has {folder}/other"
    with pytest.raises(UsageError, match=re.escape(line)):
        require_same_stations(run, station(file, FAR.replace('"k"', '"other"')), {})


def test_another_key_opens_the_same_box(file: Path) -> None:
    run = run_of(station(file))
    for way in ('key = "id_new"', 'password = "new"', "lease_s = 60"):
        now = station(file, BENCH.replace("\nlan =", f"\n{way}\nlan ="))
        require_same_stations(run, now, {})
        assert now.info == run.station  # what opens it is kept nowhere


def test_a_run_that_was_stopped_names_its_own_verb_to_go_on(file: Path, tmp_path: Path) -> None:
    run = run_of(station(file))
    for verb, tune in (("run", None), ("tune", Tune(base="as it is"))):
        directory = RunDirectory.create(tmp_path / verb, replace(run, tune=tune))
        assert again(directory).startswith(f"`gatemark {verb} --resume {tmp_path}")


def test_nothing_is_touched_before(file: Path, tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", run_of(station(file)))
    other = station(file, BENCH.replace("enp4s0", "enp5s0"))
    with pytest.raises(UsageError, match="had enp4s0 as wan"):
        execute(directory, other, Live())


def test_a_run_that_did_not_keep_its_station_goes_on(file: Path) -> None:
    run = run_of(station(file))
    older = replace(run, station=replace(run.station, made_of={}))
    require_same_stations(older, station(file, BENCH.replace("enp4s0", "enp5s0")), {})


def test_each_arm_of_a_test_has_its_own_station(file: Path, tmp_path: Path) -> None:
    old, new = station(file), station(tmp_path / "new.toml", BENCH.replace("enp4s0", "enp5s0"))
    sides = (Side(name=bench.name, station_file="", station=bench.info) for bench in (old, new))
    run = replace(run_of(old), ab=AB(old=next(sides), new=next(sides)))
    require_same_stations(run, old, {"new": new})
    with pytest.raises(UsageError, match="the station bench had enp5s0 as wan"):
        require_same_stations(run, old, {"new": old})


def test_a_trace_that_was_replaced_is_refused(file: Path, tmp_path: Path) -> None:
    trace = tmp_path / "call.pcap"
    trace.write_bytes(b"one")
    bench = station(file)
    run = run_of(bench, Workload(kind="replay", trace=str(trace), direction="both"))
    run = replace(run, traces=traces(run))
    assert list(run.traces) == [str(trace)]
    require_same_traces(run)
    trace.write_bytes(b"two")
    with pytest.raises(UsageError, match=r"call\.pcap is another file now: put that back"):
        require_same_traces(run)
    trace.unlink()
    with pytest.raises(UsageError, match=r"call\.pcap: No such file or directory: put that back"):
        require_same_traces(run)


def test_a_run_that_did_not_keep_its_traces_goes_on(file: Path, tmp_path: Path) -> None:
    bench = station(file)
    run = run_of(bench, Workload(kind="replay", trace=str(tmp_path / "gone.pcap")))
    require_same_traces(run)


@pytest.mark.parametrize(
    ("seconds", "lines"), [(1.2, []), (75.4, ["waited 75 s in all for other runs on this machine"])]
)
def test_a_run_tells_how_long_it_waited_for_others(seconds: float, lines: list[str]) -> None:
    live = Live()
    live.go_on(seconds)
    assert [*waited(live)] == lines


def test_what_is_made_here_is_no_file(file: Path) -> None:
    assert traces(run_of(station(file), Workload(kind="replay", trace="voip"))) == {}
