# SPDX-License-Identifier: Apache-2.0
"""A box over SSH whose agent lies: a script that is put there in the agent's place.

    tester --SSH--> dropbear --> stay: frames of jobs       (any job)
                             --> capture: events, pcapng    (a live capture)

Each lie ends in one line and in time, and the box does what it is asked next.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import GatemarkError
from gatemark.node import agent as node_agent
from gatemark.node.agent import Agent
from gatemark.node.inside import staying
from gatemark.node.remote import channel, ssh
from gatemark.node.remote.ssh import Ssh
from gatemark.run.live import capture as live
from gatemark.run.live.engine import Engine
from gatemark.run.live.place import Place
from lab.station.device import Desk, desk

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]
TRIED = "case $1 in stay | capture) ;; *) exit 0 ;; esac"  # whether it runs there at all
HELLO = '{"ev":"hello","protocol":1}'
READY = '{"ev":"ready","by":"bpf","memory_bytes":1}'
SECTION = r"\n\r\r\n\034\0\0\0M<+\032\001\0\0\0\377\377\377\377\377\377\377\377\034\0\0\0"


def frames(*lines: str, then: str = "exec cat > /dev/null") -> str:
    """What passes on lines of job 1, once it is begun."""
    text = "".join(f"printf 'out 1 {len(line) + 1}\\n%s\\n' '{line}' >&2; " for line in lines)
    return f"read -r _; {text}{then}"


FLOOD = 'while :; do printf \'out 1 13\\n{"ev":"tick"}\' >&2; done'
JOBS = {
    "nothing": ("exec cat > /dev/null", "did not say 'hello'"),
    "nothing, and heeds no end": ("trap '' TERM HUP PIPE; sleep 4321", "did not say 'hello'"),
    "another protocol": (frames(HELLO.replace("1}", "99}")), "speaks protocol 99"),
    "no number": (frames(HELLO.replace("1}", '"1"}')), "Expected `int`"),
    "brackets": (frames("[" * 5000), "what gm-agent watch printed"),
    "an escape": (frames(HELLO, r'{"ev":"error","reason":"\u001b[2J"}'), r"gm-agent watch: "),
    "hello for ever": (frames(then=FLOOD.replace("tick", "none")), "gateway: "),
    "no frame": ("read -r _; exec yes >&2", "what its agent passed on cannot be read"),
    "a frame of gigabytes": ("read -r _; printf 'out 1 4294967296\\n' >&2; cat", "passed on"),
    "another's job": ("read -r _; yes 'gone 7 0' >&2", "did not say 'hello'"),
    "its end, twice": ("read -r _; printf 'gone 1 0\\ngone 1 0\\n' >&2; cat", "without a word"),
    "its death": ("exit 3", "ended"),
}
EVENTS = f"echo '{HELLO}'; read -r _; echo '{READY}'; read -r _; echo '{{\"ev\":\"start\"}}'"
STREAMS = {
    "no pcapng": ("exec yes >&3", "what its capture sent is no pcapng"),
    "a block of gigabytes": (
        f"printf '{SECTION}' >&3; printf '\\006\\0\\0\\0\\374\\377\\377\\377\\0\\0\\0\\0' >&3; cat",
        "what its capture sent is no pcapng",
    ),
    "a report of nonsense": ('echo \'{"ev":"done","t_ns":"x"}\'; cat', "gm-agent capture printed"),
    "done, and stays": ('exec 3>&-; echo \'{"ev":"done"}\'; exec sleep 4321', "gm-agent capture"),
    "an end without a report": ("exit 0", "it ended without a word"),
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        yield made


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "ENDING_S", 0.3)
    monkeypatch.setattr(staying, "ENDING_S", 0.3)
    monkeypatch.setattr(staying, "KILLING_S", 0.3, raising=False)
    monkeypatch.setattr(node_agent, "ABORT_S", 0.1)
    monkeypatch.setattr(node_agent, "ANSWER_S", 3.0)


def asked(bench: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch, says: str, do: Any) -> str:
    """The error of something that is asked of such an agent; the box answers behind it."""
    script = folder / "agent"
    script.write_text(f"#!/bin/sh\n{TRIED}\n{says}\n")
    monkeypatch.setattr(ssh, "agent_path", lambda *_: script)

    async def whole() -> str:
        host = Ssh("gateway", bench.login(), namespace=bench.tester)
        await host.connect()
        try:
            with pytest.raises(GatemarkError) as error:
                await asyncio.wait_for(do(host), 60)
            assert await host.run("echo", "in") == "in\n"
            return str(error.value)
        finally:
            await asyncio.wait_for(host.close(), 60)

    return asyncio.run(whole())


@pytest.mark.parametrize("lie", JOBS)
def test_an_agent_that_lies_ends_in_an_error(
    bench: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    says, why = JOBS[lie]

    async def job(host: Ssh) -> None:
        await Agent.launch(host, "watch", {}, within_s=2)

    assert why in asked(bench, tmp_path, monkeypatch, says, job)


@pytest.mark.parametrize("lie", STREAMS)
def test_a_capture_that_lies_ends_in_an_error(
    bench: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    says, why = STREAMS[lie]

    async def job(host: Ssh) -> None:
        place = Place(host, {}, "", lambda: None)
        engine = await Engine.launch(host, "capture", {})
        with (tmp_path / "out").open("wb") as out:
            wanted = live.Wanted([], "", 100, 0, 0)
            try:
                capture = live._Capture(place, engine, wanted, lambda _: None)
                await capture.run(out.fileno(), "out")
            finally:
                await engine.abort()

    assert why in asked(bench, tmp_path, monkeypatch, f"{EVENTS}; {says}", job)
