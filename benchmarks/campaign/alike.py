# SPDX-License-Identifier: Apache-2.0
"""Campaigns of two builds that are alike, on the built-in lab: how many alarm at the 5 % level?

One model, one suite, six blocks; nothing is allowed. Of 20 at most 3 may alarm: with 5 %
each, more come to pass in 1.6 of 100.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.campaign.running import placed, run

CAMPAIGNS, MOST = 20, 3
TEXT = """schema = "gatemark.campaign/1"
title = "Two builds that are alike"
repeats = 6
seed = {seed}
[[model]]
name = "lab"
stations = ["lab"]
set = ["workload.duration_s=0.2", "repeat.times=1"]
[[build]]
name = "field"
setup = "route"
[[build]]
name = "next"
setup = "route"
[[suite]]
plan = "cost/ab"
[[gate]]
build = "next"
against = "field"
allow = "0%"
"""


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """Campaigns by their verdict; an alarm is any that calls one of them other than the other."""
    verdicts = Counter[str]()
    with placed(out) as folder:
        for seed in range(1, 1 + (count or CAMPAIGNS)):
            file = folder / f"{seed}.toml"
            file.write_text(TEXT.format(seed=seed))
            rows = run(file, folder / str(seed))[1]
            verdicts.update(str(row["verdict"]) for row in rows if row["row"] == "gate")
    for verdict, number in sorted(verdicts.items()):
        yield f"campaigns: {verdict}", number, None
    yield "alarms", verdicts["slower"] + verdicts["faster"], MOST
