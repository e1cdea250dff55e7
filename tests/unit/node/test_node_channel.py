# SPDX-License-Identifier: Apache-2.0
"""A host whose shell hangs, or answers with nonsense: one line, and in time."""

import asyncio
from pathlib import Path

import pytest
import sshd

from gatemark.error import NodeError
from gatemark.node.remote import channel, ssh
from gatemark.node.remote.ssh import Ssh


def failed(folder: Path, answer: bytes, *, start: bool) -> str:
    """What is said of a command on such a host."""

    async def run() -> str:
        async with sshd.serving(folder, answer) as server:
            node = Ssh("gateway", server.login())
            await node.connect()
            try:
                with pytest.raises(NodeError) as error:
                    await (node.start("sh") if start else node.run("true"))
                return str(error.value)
            finally:
                await node.close()

    return asyncio.run(run())


def test_a_shell_that_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "START_S", 0.2)
    assert failed(tmp_path, b"", start=True) == "gateway: 'sh' did not start in 0.2 s"


def test_a_command_that_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, "LONGEST_S", 0.2)
    assert failed(tmp_path, b"half", start=False) == "gateway: 'true' did not end in 0.2 s"


def test_a_process_number_that_is_none_is_told(tmp_path: Path) -> None:
    message = failed(tmp_path, b"1; reboot \xff\x1b[2J\n", start=True)
    shown = r"'1; reboot �\x1b[2J'"
    assert message == f"gateway: the number of a process cannot be read: {shown}"
