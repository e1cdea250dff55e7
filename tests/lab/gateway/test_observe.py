# SPDX-License-Identifier: Apache-2.0
"""A run on a gateway that is taken as it is: its own path is measured, the others are skipped."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields

from gatemark.plan.model import Arm, Plan, Probe, Search, Workload
from gatemark.plan.order import order
from gatemark.station.mode import Mode
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell.live import Live
from lab.planted import a_run, plan

pytestmark = pytest.mark.long
ARMS = (Arm(path="route", name="route"), Arm(path="nat", name="nat"))
# Without an agent a shell loop reads once a second, on a busy machine less often.
LOAD = Workload(rate_pps=5_000, duration_s=3.5)


def kept(
    folder: Path, plans: list[Plan], lab: Lab, display: Live | None = None
) -> tuple[Run, list[Record]]:
    """Run plans on a lab through the engine, and read what it kept."""
    from gatemark.run.engine import execute  # with the searches' own package

    run = a_run(lab, tuple(plans), order(plans, 1))
    recover()
    directory = RunDirectory.create(folder / "run", run)
    execute(directory, lab, display or Live())
    return directory.load(), directory.records()


@pytest.fixture
def observed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab whose gateway is no more than looked at, and may have no agent."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    lab = Lab()
    lab.gateway = replace(
        lab.gateway, mode=Mode.OBSERVE, journal="root@box", agent=False, stated={"soc": "told"}
    )
    return lab


def test_what_it_is_not_set_to_is_skipped_with_the_reason(tmp_path: Path, observed: Lab) -> None:
    both = with_fields(plan("route", LOAD), arm=ARMS, probe=Probe(use=("cpu", "softirq")))
    searched = with_fields(
        plan("nat", Workload(duration_s=0.2), name="test/search"), search=Search(), probe=Probe()
    )
    run, records = kept(tmp_path, [both, searched], observed)
    assert {record.status for record in records if record.arm == "route"} == {"ok"}
    others = [record for record in records if record.arm != "route"]
    assert len(others) > 2
    assert {record.status for record in others} == {"skipped"}
    assert all("is taken as it is, on the path route" in record.reason for record in others)
    assert run.before["gateway"]["soc"] == "told"
    # Beside others it may have waited, and says so.
    assert [note for note in run.notes if not note.startswith("waited ")] == []
    (instrumented,) = [
        record for record in records if record.pass_ == "instrumented" and record.status == "ok"
    ]
    assert "cpu_busy_inside" not in instrumented.values  # those are all of this machine's CPUs
    assert instrumented.values["probe_cpu"] < 0.05
    assert list((tmp_path / "state").rglob("*.json")) == []


def test_a_load_whose_addresses_it_is_not_told_is_skipped_with_the_reason(
    tmp_path: Path, observed: Lab
) -> None:
    crowd = Workload(rate_pps=500, duration_s=0.1, flows=2, clients=2)
    beside = with_fields(
        plan("route", Workload(rate_pps=500, duration_s=0.1), name="test/beside"),
        beside={"crowd": crowd},
    )
    plans = [with_fields(asked, probe=Probe()) for asked in (plan("route", crowd), beside)]
    _, records = kept(tmp_path, plans, observed)
    assert {record.status for record in records} == {"skipped"}
    assert all("a load of kind udp uses addresses here" in record.reason for record in records)


class Meddler(Live):
    """Somebody changes the gateway while it is measured."""

    def __init__(self, netns: str) -> None:
        super().__init__()
        self.command = ("ip", "-n", netns, "link", "set", "gw2", "mtu", "1400")
        self.warned: list[str] = []

    def result(self, record: Record) -> None:
        subprocess.run(self.command, check=True)
        super().result(record)

    def warn(self, text: str) -> None:
        self.warned.append(text)


def test_what_is_not_as_it_was_is_told_and_kept(tmp_path: Path, observed: Lab) -> None:
    quick = with_fields(plan("route", Workload(rate_pps=500, duration_s=0.1)), probe=Probe())
    meddler = Meddler(observed.hosts["gw"].netns)
    run, _ = kept(tmp_path, [quick], observed, meddler)
    (line,) = run.notes
    assert line.startswith("the gateway is not as it was: interfaces: ")
    assert line in meddler.warned  # beside that another run was waited for
