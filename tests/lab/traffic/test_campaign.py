# SPDX-License-Identifier: Apache-2.0
"""The campaign of docs/campaign.md on the lab: killed in the middle, resumed, each block once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Done, environment

from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import BEGUN, doing

# What is measured elsewhere on this machine is waited for.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "campaign.md"
REPEATS = 6


@dataclass(frozen=True)
class Ended:
    """A campaign that was killed after its first block, and resumed to its end."""

    folder: Path
    before: frozenset[str]  # folders that counted when it was killed
    resumed: Done

    @property
    def rows(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.resumed.out.splitlines()]


def campaign(*words: str | Path) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "gatemark", "campaign", *map(str, words)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def counted(folder: Path) -> list[str]:
    return [a.folder for a in Ledger(folder / "campaign.db", time.time).attempts("state = 'done'")]


def killed(process: "subprocess.Popen[bytes]", folder: Path) -> frozenset[str]:
    """After its first block and in the midst of the second: the coordinator and the block's own."""
    while not (folder / "campaign.db").exists() or not (before := counted(folder)):
        assert process.poll() is None
        time.sleep(0.1)
    time.sleep(0.5)
    process.kill()
    process.wait()
    for place in (folder / BEGUN).glob("*"):
        for pid in doing(place):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return frozenset(before)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    place = tmp_path_factory.mktemp("campaign")
    text = re.search(r"^```toml\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert text
    (place / "rules.toml").write_text(text[1])
    folder = place / "rules"
    words = ("gatemark", "campaign", "run", place / "rules.toml", "--out", folder)
    process = subprocess.Popen([sys.executable, "-m", *map(str, words)], env=environment())
    try:
        before = killed(process, folder)
    finally:
        process.kill()
    return Ended(folder, before, campaign("resume", folder, "--json"))


def test_each_block_counts_once_and_what_was_measured_stays(ended: Ended) -> None:
    ledger = Ledger(ended.folder / "campaign.db", time.time)
    done = ledger.attempts("state = 'done'")
    assert sorted(attempt.block for attempt in done) == list(range(1, REPEATS + 1))
    assert ended.before <= {attempt.folder for attempt in done}


def test_ledger_and_folders_agree(ended: Ended) -> None:
    done = campaign("check", ended.folder)
    assert (done.code, done.out) == (0, "sound: ledger and folders agree\n")


def test_a_block_has_every_build_once_in_an_order_of_its_own(ended: Ended) -> None:
    orders = set()
    for path in (ended.folder / "runs").glob("*/trials.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        builds = [r["arm"] for r in records if r["boot"] and not r["trial"].endswith("/first")]
        assert sorted(builds) == ["field", "next"]
        orders.add(tuple(builds))
    assert len(orders) == 2


def test_a_thousand_rules_fail_the_gate(ended: Ended) -> None:
    gates = [row for row in ended.rows if row["row"] == "gate"]
    assert len(gates) == 1
    if gates[0]["verdict"] == "inconclusive":
        pytest.skip("other work left the tester too little of a CPU")
    assert (gates[0]["verdict"], gates[0]["gate"]) == ("slower", "failed")
    assert ended.resumed.code == 3


def test_the_report_has_the_gate_and_a_link_to_each_block(ended: Ended) -> None:
    done = campaign("report", ended.folder, "--junit", ended.folder / "gates.xml")
    assert done.code == ended.resumed.code
    cases = re.findall(r'<testcase [^>]*name="([^"]+)"', (ended.folder / "gates.xml").read_text())
    assert [name.startswith("next against field") for name in cases] == [True]
    page = (ended.folder / "report.html").read_text()
    links = re.findall(r'href="(runs/[^"]+)"', page)
    assert len(links) == REPEATS
    assert all((ended.folder / link).is_file() for link in links)


def test_a_copy_is_sound_and_runs_only_when_it_is_taken_over(ended: Ended, tmp_path: Path) -> None:
    assert campaign("copy", ended.folder, tmp_path / "copy").code == 0
    assert campaign("check", tmp_path / "copy").code == 0
    refused = campaign("resume", tmp_path / "copy")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--take-over" in refused.err
