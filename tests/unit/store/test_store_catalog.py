# SPDX-License-Identifier: Apache-2.0
"""The values of a run's trials, read without all else that their records hold."""

from pathlib import Path

import builder
import pytest

from gatemark.store.catalog import Outcome, outcomes
from gatemark.store.folder import ForeignError
from gatemark.store.record import Record


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return builder.keep(tmp_path / "run").path


def seen(trial: Outcome | Record) -> tuple[object, ...]:
    return trial.trial, trial.plan, trial.arm, trial.status, trial.pass_, trial.point, trial.values


def test_a_trial_has_what_its_record_has(run: Path) -> None:
    assert list(map(seen, outcomes(run))) == list(map(seen, builder.trials()))


def test_a_line_that_cannot_be_read_is_left_out(run: Path) -> None:
    trials = run / "trials.jsonl"
    first, second, *others = trials.read_bytes().splitlines(keepends=True)
    trials.write_bytes(b"".join([first, second.replace(b"{", b"[", 1), *others])[:-40])
    records = builder.trials()
    left = [record.trial for record in (records[0], *records[2:-1])]
    assert [outcome.trial for outcome in outcomes(run)] == left


def test_a_link_of_a_stranger_is_not_followed(run: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.jsonl"
    (run / "trials.jsonl").rename(elsewhere)
    (run / "trials.jsonl").symlink_to(elsewhere)
    with pytest.raises((OSError, ForeignError)):
        list(outcomes(run))
