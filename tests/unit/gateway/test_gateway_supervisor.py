# SPDX-License-Identifier: Apache-2.0
"""A program under its supervisor, on this machine: started, asked, ended, and nothing left."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import pytest

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import supervisor
from gatemark.gateway.program import Program, counting
from gatemark.gateway.supervisor import ANSWER_S, Supervised, receiving
from gatemark.node import leftover
from gatemark.node.shell import Local, LocalProcess

ETH_P_ALL = 3  # linux/if_ether.h; Python has it from 3.12 on
OWN = str(10**6 + os.getpid())  # seconds that nothing else on this machine sleeps
READY = "sh", "-c", "echo at work; pwd; exec sleep 987"


def running(program: Program, do: Callable[[Supervised], Awaitable[None]]) -> None:
    async def run() -> None:
        one = await Supervised.start(Local(), program)
        try:
            await do(one)
        finally:
            await one.abort()

    asyncio.run(run())


def program(*command: str, **keys: str) -> Program:
    return Program("command:test", command, **keys)  # type: ignore[arg-type]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has packet sockets")
def test_a_socket_that_has_no_protocol_receives_nothing_yet() -> None:
    index = socket.if_nametoindex("lo")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as listener:
        inode = str(os.fstat(listener.fileno()).st_ino)
        for protocol in (0, ETH_P_ALL):
            listener.bind(("lo", protocol))
            sockets = Path("/proc/net/packet").read_text()
            assert (inode in receiving(f"{index}\n{sockets}")) == bool(protocol)


def test_it_is_looked_at_asked_ended_by_the_first_signal_and_its_folder_is_gone() -> None:
    of = []  # others' programs have folders of their own

    async def end(one: Supervised) -> None:
        assert isinstance(one.process, LocalProcess)
        of.append(f"gatemark-program-{one.process.pid}")
        assert of[0] in {path.stem for path in leftover.folders()}
        used = await one.look()
        assert used.processes == 1
        assert used.most_bytes > 0
        await one.question()
        ended = await one.end()
        assert (ended.by, ended.code, ended.left) == ("term", 143, 0)
        assert ended.last_words.startswith("at work\n/")
        assert counting(r"^seen (?P<seen>\d+)")(ended.last_words) == {"seen": 12}

    running(program(*READY, ready="at work", question="echo seen 12"), end)
    assert of[0] not in {path.stem for path in leftover.folders()}


@pytest.fixture
def patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Gives programs so many seconds to end, from now on."""
    text = (resources.files("gatemark.gateway") / "supervisor.sh").read_text()

    def give(patience_s: int) -> None:
        assert text.count("\npatience=6 ") == 1
        told = text.replace("\npatience=6 ", f"\npatience={patience_s} ")
        (tmp_path / "supervisor.sh").write_text(told)

    monkeypatch.setattr(supervisor, "resources", SimpleNamespace(files=lambda _: tmp_path))
    return give


def test_its_end_does_not_wait_for_the_time_that_it_had(patience: Callable[[int], None]) -> None:
    async def end(supervised: Supervised) -> None:
        assert (await supervised.end()).by == "term"

    patience(int(10 * ANSWER_S))  # who waits for it has no answer
    running(program("sh", "-c", "echo at work; sleep 984; true", ready="at work"), end)


def test_what_it_made_may_take_as_long_to_end(patience: Callable[[int], None]) -> None:
    """The program ends at the first signal, what it made says a last word before it does."""
    patience(20)
    child = "trap 'sleep 0.5; echo written; exit' TERM; echo at work; while :; do sleep 0.1; done"

    async def end(supervised: Supervised) -> None:
        ended = await supervised.end()
        assert (ended.by, ended.code, ended.left) == ("term", 143, 0)
        assert ended.last_words.endswith("\nwritten")

    running(program("sh", "-c", f"({child}) & exec sleep 986", ready="at work"), end)


@pytest.mark.long  # it takes the six seconds
def test_what_it_made_that_does_not_end_is_killed_and_told() -> None:
    child = "trap '' TERM; echo at work; while :; do sleep 0.1; done"

    async def end(supervised: Supervised) -> None:
        ended = await supervised.end()
        assert (ended.by, ended.code, ended.left) == ("kill", 143, 0)

    running(program("sh", "-c", f"({child}) & exec sleep 986", ready="at work"), end)


def test_one_that_ended_by_itself_is_told(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def end(supervised: Supervised) -> None:
        await asyncio.to_thread(gate.write_text, "\n")  # it goes on
        until = asyncio.get_running_loop().time() + 20
        while (await supervised._ask("running"))[0] != "no":
            assert asyncio.get_running_loop().time() < until
            await asyncio.sleep(0.01)
        ended = await supervised.end()
        assert (ended.by, ended.code) == ("itself", 4)

    words = 'echo at work; read -r _ < "$0"; exit 4'
    running(program("sh", "-c", words, str(gate), ready="at work"), end)


def test_without_us_it_is_ended_with_all_that_it_made() -> None:
    async def leave(one: Supervised) -> None:
        assert (await one.look()).processes == 3
        assert processes("sleep", OWN)
        await one.abort()

    words = f"sleep {OWN} & sleep 985 & echo at work; wait"
    running(program("sh", "-c", words, ready="at work"), leave)
    assert processes("sleep", OWN) == []


def processes(*words: str) -> list[str]:
    found, command = [], b"".join(word.encode() + b"\0" for word in words)
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found += [path.name] if (path / "cmdline").read_bytes() == command else []
    return found


@pytest.mark.parametrize("name", ["nosuchprogram", "/etc/passwd"])
def test_a_program_that_cannot_be_started_is_not_available(name: str) -> None:
    with pytest.raises(UnavailableError, match=f"{name}: (not found|Permission denied)"):
        running(program(name, ready="x"), lambda _: asyncio.sleep(0))


def test_one_that_ends_at_once_is_told_with_its_last_word() -> None:
    assert supervisor._last(["no such port"]) == "no such port"
    words = "printf '7: Error: no rule\\n} }\\n  ^'; exit 2"
    with pytest.raises(NodeError, match=r"ended at once \(exit code 2\): 7: Error: no rule$"):
        running(program("sh", "-c", words, ready="x"), lambda _: asyncio.sleep(0))
