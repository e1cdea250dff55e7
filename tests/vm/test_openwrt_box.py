# SPDX-License-Identifier: Apache-2.0
"""An OpenWrt box on a desk, over SSH: introduced, reported, refused, struck, and given back."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import GATEMARK

from gatemark.error import UnavailableError
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt.image import image
from gatemark.station.qemu.lab import OURS
from vm.box import OPENWRT, Box, box
from vm.cpu import placement

pytestmark = [pytest.mark.long, pytest.mark.box, pytest.mark.timeout(900)]
ALONE = ("timeout", "300", "taskset", "-c", str(placement().sink))
LEASE_S = 10
SECRETS = """
uci set network.wan.username=anna@isp.example; uci set network.wan.password=hunter-two
uci set network.wg0=interface; uci set network.wg0.proto=wireguard
uci set network.wg0.private_key=yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=
ip addr add 93.184.216.34/24 dev eth2
logger psk=correct-horse at 3c:37:12:ab:cd:ef
"""
FORGOTTEN = "uci revert network; ip addr del 93.184.216.34/24 dev eth2"
# One port of the box carries the session, as on a box fresh from its carton.
ALL_IN_ONE_BRIDGE = """
uci add_list network.@device[0].ports=eth0
uci -q delete network.control.ipaddr; uci -q delete network.control.device
uci add_list network.lan.ipaddr=192.0.2.2/24; /etc/init.d/network reload; sleep 5
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    if os.geteuid() != 0:
        pytest.skip("needs root: taps and NICs")
    try:
        image(ARCHES["x86_64"])
    except UnavailableError as error:
        pytest.skip(str(error))
    with box(tmp_path_factory.mktemp("box"), OPENWRT) as made:
        yield made


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def introduced(
    bench: Box, out: Path, *options: str, fails: bool = False, address: str = OURS.host
) -> str:
    """What the interview prints that asks nothing."""
    keys: tuple[str | Path, ...] = (
        "--key",
        bench.folder / "key",
        "--known-hosts",
        bench.folder / "known",
    )
    words = ("station", "introduce", f"root@{address}", "--yes", *keys, "--out", out, *options)
    return bench.host.run(*ALONE, *GATEMARK, *words, fails=fails)


def test_an_interview_writes_a_station_file_that_is_checked_sound(
    bench: Box, tmp_path: Path
) -> None:
    before, out = bench.said(bench.settings), tmp_path / "bench.toml"
    printed = introduced(bench, out)
    written = out.read_text()
    for line in ('lan = "br-lan"', 'wan = "eth2"', 'set = "openwrt"', 'nic = "nic0"'):
        assert line in written
    assert "| nic1 " in next(line for line in printed.splitlines() if "eth2" in line)
    assert "NO  " not in printed
    assert bench.said(bench.settings) == before


def test_a_report_has_the_box_and_none_of_its_secrets(bench: Box, tmp_path: Path) -> None:
    file, out = tmp_path / "bench.toml", tmp_path / "report.md"
    folder = f'"{bench.folder}/'
    file.write_text(
        bench.station.replace('"key"', f'{folder}key"').replace('"known"', f'{folder}known"')
    )
    bench.said(SECRETS)
    try:
        bench.host.run(*ALONE, *GATEMARK, "station", "report", file, "--out", out)
    finally:
        bench.said(FORGOTTEN)
    text = out.read_text()
    assert "network.wan.proto='dhcp'" in text
    assert "ok  wan cable" in text
    assert "## Log" in text
    assert "table inet fw4" in text
    secrets = ("anna", "hunter", "yAnz5", "93.184", "correct-horse", "ab:cd:ef", "02:00:00:00:01")
    assert [secret for secret in secrets if secret in text] == []
