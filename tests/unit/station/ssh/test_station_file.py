# SPDX-License-Identifier: Apache-2.0
"""Station files of a box: each fault is told with its line; the examples of the docs are right."""

import re
from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.model import Arm
from gatemark.station.load import load
from gatemark.station.ssh.box import Box
from gatemark.station.ssh.side import Far, Local

DOCS = Path(__file__).resolve().parents[4] / "docs/stations.md"
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
"""


def station(folder: Path, text: str) -> Box:
    """The station of a file."""
    path = folder / "bench.toml"
    path.write_text(text)
    found = load(str(path))
    assert isinstance(found, Box)
    return found


FAULTS = [
    ('lan = "eth0"\n', "", 2, 'name its LAN port: lan = "br-lan"'),
    ('lan = "eth0"', 'lann = "eth0"', 5, "unknown key 'lann' in [gateway]; did you mean 'lan'"),
    ('lan = "eth0"', 'lan = "eth0"\nlease_s = 4', 6, "lease_s: whole seconds of 5 to 3600"),
    ('lan = "eth0"', 'lan = "eth0"\nlease_s = 9.5', 6, "lease_s: whole seconds of 5 to 3600"),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nlease_s = 9', 9, "unknown key 'lease_s' in [lan]"),
    ('nic = "enp3s0"', "nic = 3", 8, "nic: a text in quotes"),
    ('nic = "enp3s0"', "", 7, 'name its NIC: nic = "enp3s0"'),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nvlan = 4095', 9, "vlan: a number of 1 to 4094"),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nkind = "sshh"', 9, "no 'sshh'; did you mean 'ssh'?"),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nipv4 = "10.0.0.1"', 9, "is no ipv4 address/length"),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nipv6 = "10.0.0.1/8"', 9, "is no ipv6 address/length"),
    (
        'nic = "enp3s0"',
        'nic = "enp3s0"\nipv6 = "2001:db8::1%$(id)/64"',
        9,
        "is no ipv6 address",
    ),
    (
        'nic = "enp3s0"',
        'nic = "enp3s0"\nipv4 = "10.0.0.2/25"',
        9,
        "ipv4: 10.0.0.2/25 is too small",
    ),
    ('nic = "enp3s0"', 'nic = "enp3s0"\nipv6 = "2001:db8::2/121"', 9, ": /120 or larger"),
    ('lan = "eth0"', 'lan = "eth0"\nwan_ipv4 = "10.0.0.1/30"', 6, ": /24 or larger"),
    ('lan = "eth0"', 'lan = "eth0; touch X"', 5, "lan: 'eth0; touch X' is no device's name"),
    ('wan = "eth1"', 'wan = "../eth1"', 6, "wan: '../eth1' is no device's name"),
    ('nic = "enp3s0"', 'nic = "$(touch X)"', 8, "nic: '$(touch X)' is no device's name"),
    ('nic = "enp3s0"', 'nic = "a234567890123"\nvlan = 22', 9, "vlan: 'a234567890123.22' is no"),
    ('nic = "enp4s0"', 'nic = "enp3s0"', 10, "enp3s0 is the LAN side's already"),
    ('nic = "enp4s0"', 'nic = "enp3s0"\nvlan = 3', 11, "both sides share enp3s0"),
    ('[wan]\nnic = "enp4s0"\n', "", 6, "a station needs [wan]"),
    ('wan = "eth1"\n', "", 8, "[wan] leads to no port: `wan` in [gateway]"),
    ('address = "root@192.0.2.1"', 'address = "a b"', 4, "address: 'a b' is no address"),
    ('lan = "eth0"', 'lan = "eth0"\nset = "observ"', 6, "did you mean 'observe'?"),
    ('lan = "eth0"', 'lan = "eth0"\nset = "observe"', 8, "so give an address of its network"),
    (
        'nic = "enp4s0"',
        'nic = "enp4s0"\nkind = "ssh"\naddress = "root@192.0.2.3"',
        11,
        "both be `local`, or both `ssh`",
    ),
]


def test_a_fault_is_told_with_its_line(tmp_path: Path) -> None:
    def refusal(right: str, wrong: str) -> str:
        assert right in GOOD
        with pytest.raises(UsageError) as refused:
            station(tmp_path, GOOD.replace(right, wrong))
        return str(refused.value)

    texts = [
        (refusal(right, wrong), told, f"bench.toml:{line}: ") for right, wrong, line, told in FAULTS
    ]
    assert [row for row in texts if row[1] not in row[0] or row[2] not in row[0]] == []


def test_a_good_file_is_taken(tmp_path: Path) -> None:
    bench = station(tmp_path, GOOD)
    assert isinstance(bench.sides, Local)
    assert bench.lacks(Arm(path="nat")) == bench.lacks(Arm(path="direct")) == ""
    assert "second LAN port" in bench.lacks(Arm(path="switch"))


def test_a_network_is_large_enough_for_all_that_test_packets_bear(tmp_path: Path) -> None:
    own = 'ipv4 = "10.0.0.2/24"\nipv6 = "2001:db8::2/120"'
    bench = station(tmp_path, GOOD.replace("[lan]", f"[lan]\n{own}"))
    assert bench.asked.sides["lan"].own == {"ipv4": "10.0.0.2/24", "ipv6": "2001:db8::2/120"}


def test_a_gateway_that_is_taken_as_it_is_may_have_a_small_network(tmp_path: Path) -> None:
    text = GOOD.replace('lan = "eth0"', 'lan = "eth0"\nset = "observe"')
    for end in ("lan", "wan"):
        text = text.replace(f"[{end}]", f'[{end}]\nipv4 = "192.0.2.2/30"')
    assert station(tmp_path, text).asked.sides["wan"].own == {"ipv4": "192.0.2.2/30"}


def test_the_examples_of_the_docs_are_right(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(schema.*?)```", DOCS.read_text(), re.DOTALL)
    boxes = [block for block in blocks if re.search(r'kind += "ssh"', block)]
    kinds = [type(station(tmp_path, block).sides) for block in boxes]
    assert kinds == [Local, Far]


def test_a_gateway_that_is_on_one_path_has_no_other(tmp_path: Path) -> None:
    bench = station(tmp_path, GOOD.replace('lan = "eth0"', 'lan = "eth0"\npath = "nat"'))
    assert bench.lacks(Arm(path="nat")) == ""
    assert "says that it is on path nat" in bench.lacks(Arm(path="route"))


def test_two_machines_have_no_ceiling(tmp_path: Path) -> None:
    text = GOOD
    for end, host in (("lan", 2), ("wan", 3)):
        text = text.replace(f"[{end}]", f'[{end}]\nkind = "ssh"\naddress = "192.0.2.{host}"')
    bench = station(tmp_path, text)
    assert isinstance(bench.sides, Far)
    assert "two machines" in bench.lacks(Arm(path="direct"))
    assert bench.info.missing == (bench.lacks(Arm(path="direct")),)


def test_hosts_over_ssh_have_a_lease(tmp_path: Path) -> None:
    lan = 'kind = "ssh"\naddress = "root@192.0.2.2"\nnic = "enp3s0"\nlease_s = 60\n'
    wan = 'kind = "ssh"\naddress = "root@192.0.2.3"\n'
    far = GOOD.replace('nic = "enp3s0"\n', lan).replace("[wan]\n", f"[wan]\n{wan}")
    made = station(tmp_path, far).asked
    logins = [made.login, *(side.login for side in made.sides.values())]
    assert [login.lease_s for login in logins if login] == [120, 60, 120]
