# SPDX-License-Identifier: Apache-2.0
"""Made-up runs of two studies on disk: the plans of tests/studies.py under the names that ship."""

from pathlib import Path

import builder
import studies
from msgspec.structs import replace

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
    plans = {NAMES[plan.name]: replace(plan, name=NAMES[plan.name]) for plan in run.plans}
    return builder.keep(
        path,
        [_named(record) for record in studies.trials()],
        suite="wrt54",
        title=run.title,
        plans=tuple(plans.values()),
        trials=tuple(replace(spec, plan=NAMES[spec.plan]) for spec in run.trials),
        command=run.command,
    )


def _named(record: Record) -> Record:
    return replace(record, plan=NAMES[record.plan])
