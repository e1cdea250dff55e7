# SPDX-License-Identifier: Apache-2.0
"""The speed of a cable is read where the kernel has it, below a VLAN and a bridge of one port."""

import asyncio
from pathlib import Path

import pytest

from gatemark.node.shell import Local
from gatemark.station.ssh import link
from gatemark.station.ssh.link import link_bps


@pytest.fixture
def ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What /sys/class/net has: two ports of hardware, a VLAN, two bridges, a port without link."""
    folder = link.FOLDER.replace("/sys/class/net", str(tmp_path))
    monkeypatch.setattr(link, "FOLDER", folder)
    speeds = {"fast": "1000", "slow": "100", "down": "-1", "odd": "4294967295"}
    for name, mbit in speeds.items():
        (tmp_path / name / "device").mkdir(parents=True)
        (tmp_path / name / "speed").write_text(f"{mbit}\n")
    below = {"vlan": ["fast"], "alone": ["slow"], "bridge": ["fast", "slow"], "veth": []}
    for name, lower in below.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "speed").write_text("10000\n")  # as a veth says
        for port in lower:
            (tmp_path / name / f"lower_{port}").symlink_to(tmp_path / port)
    return tmp_path


@pytest.mark.usefixtures("ports")
def test_the_slower_end_counts_and_who_has_no_speed_does_not() -> None:
    links = {
        ("fast", "fast"): 1000,
        ("fast", "slow"): 100,
        ("vlan", "alone"): 100,
        ("fast", "bridge"): 1000,
        ("vlan", "down"): 1000,
        ("bridge", "veth"): None,
        ("down", "odd"): None,
        ("veth", "gone"): None,
    }

    async def read() -> dict[tuple[str, str], int | None]:
        return {ends: await link_bps((Local(), end) for end in ends) for ends in links}

    assert asyncio.run(read()) == {
        ends: mbit * 1_000_000 if mbit else None for ends, mbit in links.items()
    }
