# SPDX-License-Identifier: Apache-2.0
"""A tester by OTG sends through the lab's gateway: snappi's own service, and packets that are real.

It answers by gRPC, by the service that OTG's model makes. That it is asked for what OTG's OpenAPI
file allows, by HTTP, was tried by hand (docs/stations.md).
"""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import needs
import pytest
from msgspec.structs import replace

from gatemark.kind.tool.otg import VARIABLE
from gatemark.plan.model import Probe, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station.netns import Lab
from gatemark.store.record import Record
from lab.planted import plan

pytestmark = pytest.mark.long
LOAD = Workload(driver="otg", rate_pps=1000.0, duration_s=0.5, flows=4)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has snappi."""
    return needs.installed(tmp_path_factory.mktemp("otg"), "otg") / "python"


@contextmanager
def speaking(python: Path, fault: str) -> Iterator[str]:
    """The address of a tester that runs meanwhile."""
    program = (python, Path(__file__).with_name("otg_tester.py"), fault)
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.communicate("")


async def _measure(address: str, python: Path, patch: pytest.MonkeyPatch) -> Record:
    lab = Lab()
    async with Bench(lab) as bench:
        places = {role: f"{lab.ports[role].node.netns}/{role}" for role in ("lan0", "wan0")}  # type: ignore[attr-defined]
        words = (f"lan={places['lan0']}", f"wan={places['wan0']}", f"python={python}")
        patch.setenv(VARIABLE, " ".join((address, *words)))
        (spec,) = order((replace(plan("nat", LOAD), probe=Probe()),), 1)
        record, _ = await trial.run(bench, spec, lambda *_: None)
    return record


def measured(python: Path, patch: pytest.MonkeyPatch, fault: str = "") -> Record:
    with speaking(python, fault) as address:
        return asyncio.run(_measure(address, python, patch))


def test_its_packets_are_the_ports(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = measured(python, monkeypatch)
    assert (record.status, record.reason) == ("ok", "")
    assert (record.definition.driver, record.ports["sender"]) == ("otg", "otg 0.1")
    count = record.accounting
    assert count is not None
    assert count.tried == count.interfaces["lan0.tx_packets"] > 0
    assert count.unique + count.lost == count.tried
    assert 0 < record.values["delay_min_ns"] < record.values["delay_mean_ns"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [("refuses", "failed: port lan: no link"), ("endless", "did not end within")],
)
def test_a_tester_at_fault_is_no_trial(
    python: Path, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setattr("gatemark.kind.tool.otg.LATE_S", 1.0)
    record = measured(python, monkeypatch, fault)
    assert record.status == "invalid"
    assert words in record.reason
