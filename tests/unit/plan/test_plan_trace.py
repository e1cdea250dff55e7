# SPDX-License-Identifier: Apache-2.0
"""A capture is named from where its plan is, and looked for before anything is built."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.load import read_plan

PLAN = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
setup.path = "{path}"
[workload]
kind = "replay"
direction = "{direction}"
{more}
"""


def plan(tmp_path: Path, more: str = "", path: str = "nat", direction: str = "both") -> Path:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN.format(path=path, direction=direction, more=more))
    return file


def test_a_trace_is_found_beside_its_plan(tmp_path: Path) -> None:
    (tmp_path / "a.pcap").touch()
    found = read_plan(plan(tmp_path, 'trace = "a.pcap"'), "t")
    assert found.workload.trace == str(tmp_path / "a.pcap")
    swept = read_plan(plan(tmp_path, '[sweep]\ntrace = ["game", "a.pcap"]'), "t")
    assert swept.sweep["trace"] == ("game", str(tmp_path / "a.pcap"))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"more": 'trace = "none.pcap"'}, "there is no such file; write game, game-modern"),
        ({"more": "speed = 0.0"}, "`speed` = 0: above 0"),
        ({"more": "clones = 0"}, "`clones` = 0: 1 to 10000"),
        ({"more": "packet_most = 500"}, "`packet_most` = 500: 576 to 9000"),
        ({"more": "flows = 2"}, "`flows` means nothing for kind replay"),
        ({"path": "endpoint"}, "the gateway itself cannot be a side of it"),
        ({"direction": "down"}, "through nat a replay needs what goes up as well"),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    tmp_path: Path, keys: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        read_plan(plan(tmp_path, **keys), "t")
