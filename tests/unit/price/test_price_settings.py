# SPDX-License-Identifier: Apache-2.0
"""Settings of OpenWrt become rules: from a folder, a backup, an export; by its own fw4."""

import io
import platform
import tarfile
from pathlib import Path

import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.price import backup
from gatemark.price.read import read
from gatemark.price.settings import made
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt.image import image

SECRET = "package wireless\nconfig wifi-iface\n\toption key 'hunter2'\n"
FIREWALL = """
config zone
	option name 'lan'
	list network 'lan'
	option forward 'ACCEPT'

config zone
	option name 'wan'
	list network 'wan'
	list network 'wan6'
	option masq '1'

config forwarding
	option src 'lan'
	option dest 'wan'

config include
	option path '/etc/firewall.user'
"""
PRINTED = """[!] Section @rule[0] (x) skipped
note a file is not here
table inet fw4
flush table inet fw4

table inet fw4 {
	include "/etc/nftables.d/*.nft"
	chain forward {
		iifname "br-lan" accept
	}
}
"""


def archive(**files: str) -> bytes:
    """A backup with these files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name.replace("__", "/"))
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


def test_only_the_firewall_is_taken_out_of_an_export() -> None:
    text = f"{SECRET}package firewall\n{FIREWALL}package zerotier\nconfig x\n"
    taken = backup.in_export(Path("f"), text)
    assert taken.split() == f"package firewall\n{FIREWALL}".split()


def test_only_the_firewall_is_taken_out_of_a_backup() -> None:
    data = archive(etc__config__wireless=SECRET, etc__config__firewall=FIREWALL)
    assert backup.in_backup(Path("f"), data, 1000) == FIREWALL.encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (archive(etc__config__firewall=FIREWALL)[:60], "or a part of one"),
        (archive(etc__config__wireless=SECRET), "no etc/config/firewall"),
        (archive(etc__config__firewall="x" * 2000), "1000 at most"),
        (backup.GZIP + b"nothing", "or a part of one"),
    ],
    ids=["cut", "other settings", "too long", "no archive"],  # not its bytes: they hold the time
)
def test_what_is_no_backup_is_refused_with_a_line(data: bytes, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        backup.in_backup(Path("f"), data, 1000)


def test_a_backup_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "MOST_UNPACKED", 1000)
    with pytest.raises(UsageError, match="more than 1000 bytes"):
        backup.in_backup(Path("f"), archive(a="x" * 100_000), 1000)


def test_a_folder_without_a_firewall_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="without the file firewall"):
        read(tmp_path)


def test_settings_of_others_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "wireless"
    file.write_text("config wifi-iface\n\toption key 'hunter2'\n")
    with pytest.raises(UsageError, match="none of its firewall") as refused:
        read(file)
    assert "hunter2" not in str(refused.value)


def test_what_fw4_prints_is_rules_and_notes() -> None:
    rules = made(Path("f"), PRINTED)
    assert rules.names == ("br-lan",)
    assert "include" not in rules.text
    assert rules.notes[:2] == ("a file is not here", "fw4: Section @rule[0] (x) skipped")


def test_settings_that_make_no_rule_are_refused() -> None:
    with pytest.raises(UsageError, match="makes no rule"):
        made(Path("f"), "Unable to connect to ubus\n")


def is_built() -> bool:
    """Return whether OpenWrt's userland is here."""
    try:
        return bool(image(ARCHES[platform.machine()]))
    except (UnavailableError, KeyError):
        return False


@pytest.mark.skipif(not is_built(), reason="gatemark station image openwrt")
def test_its_own_fw4_makes_the_rules(tmp_path: Path) -> None:
    (tmp_path / "firewall").write_text(FIREWALL)
    rules = read(tmp_path)
    assert rules.ports() == {"gw0": "br-lan", "gw1": "wan"}
    assert 'oifname "wan" jump srcnat_wan' in rules.text
    assert "a file that the settings include is not here: /etc/firewall.user" in rules.notes


@pytest.mark.skipif(not is_built(), reason="gatemark station image openwrt")
def test_settings_that_uci_cannot_read_are_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "firewall").write_text("config zone\n\toption name 'lan\n")
    with pytest.raises(UsageError, match="OpenWrt refuses these settings") as refused:
        read(tmp_path)
    assert "\n" not in str(refused.value)
