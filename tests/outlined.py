# SPDX-License-Identifier: Apache-2.0
"""Made-up runs of two studies on disk: the plans of tests/studies.py under the names that ship."""

from functools import cache
from pathlib import Path

import builder
import studies
from msgspec.structs import replace

from gatemark.plan.model import Plan, TrialSpec
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record

NAMES = {
    "studies/paths": "wrt54/paths",
    "studies/blocks": "kofler/block-size",
    "studies/datagrams": "kofler/block-size",
    "studies/ceiling": "kofler/ceiling",
    "studies/lengths": "procbench/lengths",
}


def keep(path: Path) -> RunDirectory:
    """The run of tests/studies.py, whose plans are of `wrt54`, `kofler` and `procbench`."""
    run = studies.run()
    return builder.keep(
        path,
        _records(),
        suite="wrt54",
        title=run.title,
        plans=_plans(),
        trials=_specs(),
        command=run.command,
    )


@cache
def _records() -> tuple[Record, ...]:
    return tuple(replace(record, plan=NAMES[record.plan]) for record in studies.trials())


@cache
def _plans() -> tuple[Plan, ...]:
    plans = {NAMES[plan.name]: replace(plan, name=NAMES[plan.name]) for plan in studies.plans()}
    return tuple(plans.values())


@cache
def _specs() -> tuple[TrialSpec, ...]:
    return tuple(replace(spec, plan=NAMES[spec.plan]) for spec in studies.run().trials)
