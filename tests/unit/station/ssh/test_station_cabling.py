# SPDX-License-Identifier: Apache-2.0
"""NICs and cables that a station file describes: each fault is told with its line."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.station.load import load

GOOD = """schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@192.0.2.1"
lan = "eth0"
wan = "eth1"
[lan]
nic = "enp3s0"
[wan]
nic = "enp4s0"
[[nic]]
at = "lan"
model = "Intel I210"
speed_mbit = 1000
[[nic]]
at = "gateway wan"
speed_mbit = 2500
[[cable]]
from = "lan"
to = "gateway lan"
type = "Cat 6"
length_m = 1.5
[[cable]]
from = "gateway wan"
to = "switch 3"
length_m = 10
speed_mbit = 1000
"""
STATED = {
    "NIC of lan": "Intel I210, 1000 Mbit/s",
    "NIC of gateway wan": "2500 Mbit/s",
    "cable lan to gateway lan": "Cat 6, 1.5 m",
    "cable gateway wan to switch 3": "10 m, 1000 Mbit/s",
}


def bench(folder: Path, text: str) -> dict[str, str]:
    """What the file's station says of its bench."""
    path = folder / "bench.toml"
    path.write_text(text)
    return dict(load(str(path)).gateway.bench)


def test_it_is_stated_as_text(tmp_path: Path) -> None:
    assert bench(tmp_path, GOOD) == STATED


def test_it_may_be_left_out(tmp_path: Path) -> None:
    assert bench(tmp_path, GOOD.partition("[[nic]]")[0]) == {}


FAULTS = [
    ('at = "lan"', 'at = "lann"', 12, "at: no 'lann'; did you mean 'lan'?"),
    ('at = "lan"\n', "", 11, 'nic: give its `at`: at = "lan"'),
    ('at = "gateway wan"', 'at = "lan"', 15, "nic: NIC of lan is described twice"),
    ('model = "Intel I210"', "model = 210", 13, "model: a text of one line"),
    ('model = "Intel I210"', 'model = "a\\nb"', 13, "model: a text of one line"),
    ("speed_mbit = 2500", "speed_mbit = true", 17, "speed_mbit: a number of Mbit/s above 0"),
    ("speed_mbit = 2500\n", "", 15, "nic: nothing is said of it: give its `model`"),
    ('to = "gateway lan"', 'to = "lan"', 20, "to: 'lan' is where it comes from"),
    ('to = "switch 3"\n', "", 23, 'cable: give its `to`: to = "gateway lan"'),
    ("length_m = 10", "length_m = 0", 26, "length_m: a number of m above 0"),
    ("length_m = 10", "length_m = nan", 26, "length_m: a number of m above 0"),
    ('type = "Cat 6"', 'typ = "Cat 6"', 21, "unknown key 'typ' in [cable]; did you mean 'type'"),
    ("[[cable]]\nfrom", "[cable]\nfrom", 18, "not TOML"),
]


def test_a_fault_is_told_with_its_line(tmp_path: Path) -> None:
    def refusal(right: str, wrong: str) -> str:
        assert right in GOOD
        with pytest.raises(UsageError) as refused:
            bench(tmp_path, GOOD.replace(right, wrong, 1))
        return str(refused.value)

    texts = [
        (refusal(right, wrong), told, "" if told == "not TOML" else f"bench.toml:{line}: ")
        for right, wrong, line, told in FAULTS
    ]
    assert [row for row in texts if row[1] not in row[0] or row[2] not in row[0]] == []


def test_a_table_alone_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"bench.toml:11: nic: write \[\[nic\]\]"):
        bench(tmp_path, GOOD.partition("[[nic]]")[0] + '[nic]\nat = "lan"\n')


def test_the_lab_has_no_cables(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown key 'cable'"):
        bench(tmp_path, 'schema = "gatemark.station/1"\n[gateway]\nkind = "netns"\n[[cable]]\n')
