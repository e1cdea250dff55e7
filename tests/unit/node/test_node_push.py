# SPDX-License-Identifier: Apache-2.0
"""The agent's way to a host that has only a shell: what goes wrong there, and what is said."""

import asyncio
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import needs
import pytest

from gatemark.error import GatemarkError, NodeError
from gatemark.node.binary import AGENT, agent_path
from gatemark.node.bound import LONGEST_LINE_BYTES
from gatemark.node.remote import push


class Shell:
    """This machine's shell, with the output of one kind of command replaced."""

    def __init__(self, **instead: bytes | str) -> None:
        self.name = "gateway"
        self.lost = ""
        self.instead = {getattr(push, script): said for script, said in instead.items()}

    async def pipe(self, *command: str, stdin: bytes = b"") -> bytes:
        said = self.instead.get(command[2] if len(command) > 2 else "")
        if isinstance(said, bytes):
            return said
        if said:
            raise NodeError(f"gateway: 'sh' failed: {said}")
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=LONGEST_LINE_BYTES
        )
        out, err = await process.communicate(stdin)
        if process.returncode:
            raise NodeError(f"gateway: 'sh' failed: {err.decode().strip()}")
        return out


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "second").mkdir()
    monkeypatch.setattr(push, "FOLDERS", (str(tmp_path / "first"), str(tmp_path / "second")))


def pushed(host: Shell) -> str:
    async def agent() -> str:
        file = agent_path(await push.arch_of(host), "watcher")
        await push.clean(host)
        return await push.push(host, file, AGENT, runs=True)

    return asyncio.run(agent())


@needs.agent
def test_it_goes_where_there_is_room_and_is_the_same(tmp_path: Path) -> None:
    path = Path(pushed(Shell()))
    assert path.parents[1] == tmp_path / "second"
    assert path.read_bytes() == agent_path(part="watcher").read_bytes()
    assert {at.stat().st_mode & 0o777 for at in (path, path.parent)} == {0o700}


@needs.agent
def test_it_is_forgotten(tmp_path: Path) -> None:
    host = Shell()
    asyncio.run(push.forget(host, pushed(host)))
    assert list((tmp_path / "second").iterdir()) == []


@needs.agent
@pytest.mark.parametrize(
    "instead",
    [
        {"SUM": b"sha256sum\n0000  -\n"},
        {"SUM": b"cat\nhalf of"},
        {"START": "it does not run there"},
    ],
    ids=["sum", "read back", "start"],
)
def test_what_is_not_fit_is_told_and_removed(tmp_path: Path, instead: dict[str, Any]) -> None:
    with pytest.raises(NodeError) as error:
        pushed(Shell(**instead))
    said = str(error.value)
    why = instead.get("START", "it is not what was sent")
    assert said.startswith("gateway: no place for gm-agent (")
    assert f"{tmp_path}/second: {why}; make room" in said
    assert list((tmp_path / "second").iterdir()) == []


@needs.agent
def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    before, after = pushed(Shell()), pushed(Shell())
    assert list((tmp_path / "second").iterdir()) == [Path(after).parent]
    assert before != after


def test_a_foreign_processor_is_told_by_the_hosts_name() -> None:
    header = bytes.fromhex("7f454c46 020101 000000000000000000 0200 f300")
    with pytest.raises(GatemarkError, match=r"^gateway: its processor is RISC-V, 64 bit"):
        pushed(Shell(HEADER=header))


@needs.agent
def test_a_host_that_is_lost_is_not_tried_further() -> None:
    host = Shell(PUT="gone")
    host.lost = "gone"
    with pytest.raises(NodeError, match=r"^gateway: 'sh' failed: gone$"):
        pushed(host)
