# SPDX-License-Identifier: Apache-2.0
"""A login that fails before anybody is called: each is one line that names the file."""

import asyncio
from pathlib import Path

import asyncssh
import pytest

from gatemark.error import NodeError
from gatemark.node.remote.connect import connect
from gatemark.node.remote.login import Address, Caller, Login

BOX = Address("192.0.2.6", "root", 22)


def refused(login: Login) -> str:
    with pytest.raises(NodeError) as error:
        asyncio.run(connect(Caller("gateway", login), 5))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_key_that_is_not_there_is_told() -> None:
    said = refused(Login(BOX, key=Path("/nowhere/key")))
    assert said == "gateway: root@192.0.2.6:22: /nowhere/key: No such file or directory"


def test_a_key_with_a_passphrase_is_told_with_the_mend(tmp_path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(tmp_path / "key", "pkcs8-pem", passphrase="sesame")  # noqa: S106
    assert "if it needs a passphrase, `ssh-add` it and" in refused(Login(BOX, key=tmp_path / "key"))


def test_a_file_of_known_hosts_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "known").write_text("nonsense\n")
    said = refused(Login(BOX, known_hosts=tmp_path / "known"))
    assert said.startswith("gateway: root@192.0.2.6:22: ")


def test_a_wrong_ssh_config_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text("Port twenty\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "gateway: box: " in refused(Login(Address("box")))
