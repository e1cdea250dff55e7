# SPDX-License-Identifier: Apache-2.0
"""The interview about a plain Linux box that dropbear lets in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import GATEMARK

from lab.station.played import CONTROL, Played
from lab.station.server import PORT, keys, listening
from lab.station.test_box import GATEWAY

pytestmark = pytest.mark.long
ADDRESS = f"root@{CONTROL['gw']}.2:{PORT}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("introduced")
    keys(path)
    return path


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Played]:
    with listening(folder) as host:
        host.on("gw", "sh", "-ec", GATEWAY)
        yield host


def introduced(host: Played, folder: Path, out: Path, *options: str, fails: bool = False) -> str:
    """What the interview prints that asks nothing."""
    way: tuple[str | Path, ...] = ("--key", folder / "key", "--known-hosts", folder / "known")
    words = ("station", "introduce", ADDRESS, "--yes", *way, "--out", out, *options)
    return host.run(*GATEMARK, *words, fails=fails)


@pytest.mark.parametrize("options", [(), ("--observe",)], ids=["set", "as it is"])
def test_a_plain_box_is_introduced_and_checked_sound(
    host: Played, folder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    host.run("ip", "link", "set", "enp4s0", "down")
    before = host.run("ip", "-br", "link"), host.on("gw", "ip", "-o", "addr")
    printed = introduced(host, folder, tmp_path / "bench.toml", *options)
    assert "| enp3s0  |-----------------| eth0     LAN |" in printed
    assert "| enp4s0  |-----------------| eth1     WAN |" in printed
    assert "| ctl-gw  |-----------------| ctl0     SSH |" in printed
    assert "NO  " not in printed
    assert before == (host.run("ip", "-br", "link"), host.on("gw", "ip", "-o", "addr"))
    written = (tmp_path / "bench.toml").read_text()
    assert f'set = "{"observe" if options else "apply"}"' in written


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--lan", "ctl0"), "SSH comes in by ctl0"),
        (("--wan", "ctl0"), "SSH comes in by ctl0, the WAN port"),
        (("--wan", "eth9"), "--wan: the box has no port 'eth9'"),
    ],
)
def test_a_port_that_cannot_be_one_is_refused_in_one_line(
    host: Played, folder: Path, tmp_path: Path, options: tuple[str, ...], line: str
) -> None:
    printed = introduced(host, folder, tmp_path / "bench.toml", *options, fails=True)
    assert line in printed.splitlines()[-1]
    assert not (tmp_path / "bench.toml").exists()


def test_without_a_terminal_it_asks_nothing(tmp_path: Path, host: Played) -> None:
    words = ("station", "introduce", ADDRESS, "--out", tmp_path / "bench.toml")
    printed = host.run("sh", "-c", '"$@" < /dev/null', "sh", *GATEMARK, *words, fails=True)
    assert "no terminal to ask questions on: add --yes" in printed
