# SPDX-License-Identifier: Apache-2.0
"""The laboratory's side of the agent's protocol, against processes that speak it, or do not."""

import asyncio
import base64
import json
import re
import sys
from dataclasses import dataclass
from typing import Any, cast

import needs
import pytest

from gatemark.error import NodeError
from gatemark.node import report
from gatemark.node.agent import Agent, unfiltered
from gatemark.node.shell import Clock, Local

SPEAK = """
import json, sys
def say(ev, **more): print(json.dumps({"ev": ev, **more}), flush=True)
def hear(): return sys.stdin.readline()
say("hello", version="9", protocol=PROTOCOL)
request = json.loads(hear() or "{}")
"""
GOOD = """
say("ready", port="raw", asked=request)
hear(); say("start")
say("tick", t_ns=1); say("tick", t_ns=2)
hear(); say("done", sum=3)
"""


@dataclass(frozen=True)
class Scripted(Local):
    """A host on which our agent is a script."""

    name: str = "WAN host"
    script: str = ""
    protocol: int = 1

    def argv(self, *_command: str) -> tuple[str, ...]:
        speak = SPEAK.replace("PROTOCOL", str(self.protocol))
        return (sys.executable, "-c", speak + self.script)


async def lived(
    host: Local, ticks: list[Any], verb: str = "slow"
) -> tuple[dict[str, Any], dict[str, Any]]:
    agent = await Agent.launch(host, verb, {"flows": 2})
    try:
        await agent.start()
        return agent.ready, await agent.close(ticks.append)
    finally:
        await agent.abort()


def failed(script: str, protocol: int = 1) -> str:
    with pytest.raises(NodeError) as error:
        asyncio.run(lived(Scripted(script=script, protocol=protocol), []))
    return str(error.value)


def test_agents_without_a_filter_are_noted() -> None:
    def agent(sandbox: dict[str, str]) -> Agent:
        made = Agent(Local("WAN host"), "sink", cast(Any, None), Clock())
        made.ready = {"ev": "ready"} | sandbox
        return made

    agents = [agent({}), agent({"sandbox": "seccomp"}), agent({"sandbox": "none: an old kernel"})]
    assert unfiltered(*agents) == (
        "WAN host: gm-agent sink had no filter of system calls: an old kernel",
    )


@needs.agent
def test_a_job_goes_from_hello_to_done_and_its_ticks_are_handed_on() -> None:
    ticks: list[Any] = []
    ready, done = asyncio.run(lived(Scripted(script=GOOD), ticks))
    assert (ready["asked"], done["sum"]) == ({"flows": 2}, 3)
    assert [tick["t_ns"] for tick in ticks] == [1, 2]


@needs.agent
def test_another_protocol_is_told_with_the_mend() -> None:
    assert failed(GOOD, protocol=2) == "WAN host: agent speaks protocol 2: rebuild it"


@needs.agent
def test_an_agents_error_is_told_with_host_key_and_mend() -> None:
    script = 'say("error", key="device", reason="no device lan7", fix="name another")'
    said = "WAN host: gm-agent slow: device: no device lan7; name another"
    assert failed(script) == said


@needs.agent
def test_an_agent_that_dies_is_told_by_its_last_word() -> None:
    assert failed('sys.exit("out of\\nmemory")') == "WAN host: gm-agent slow: memory"


@needs.agent
def test_an_agent_that_dies_silently_is_told() -> None:
    assert failed("") == "WAN host: gm-agent slow: it ended without a word"


@needs.agent
def test_an_agent_that_hangs_is_ended() -> None:
    async def hang() -> int:
        agent = await Agent.launch(
            Scripted(script='say("ready")\nimport time; time.sleep(60)'), "slow", {}
        )
        with pytest.raises(NodeError, match=r"gm-agent slow did not say 'done' in 0\.05 s"):
            await agent.done(0.05)
        return await agent.process.wait()

    assert asyncio.run(hang()) == -9


@needs.agent
def test_our_own_agent_says_what_is_wrong_with_a_request() -> None:
    with pytest.raises(NodeError, match=r"^this machine: gm-agent watch: .*nonsense"):
        asyncio.run(Agent.launch(Local(), "watch", {"nonsense": 1}))


@needs.agent
def test_our_own_agent_watches_this_machine() -> None:
    async def watch() -> dict[str, Any]:
        request = {"interval_ms": 50, "samples": 100, "what": ["memory"], "cpu": 0}
        agent = await Agent.launch(Local(), "watch", request)
        await agent.start()
        return await agent.close()

    done = asyncio.run(watch())
    assert len(done["memory"]["available_bytes"]) == len(done["t_ns"]) >= 1


ODD_LINES = (
    "nonsense",
    "",
    "{",
    "[1]",
    "7",
    "null",
    "{}",
    '{"ev": 3}',
    '{"ev": "tick"}',
    '{"ev": "tick", "t_ns": "soon"}',
    '{"ev": "done", "t0_ns": NaN}',
    '{"ev": "done", "n": 100000000000000000000}',
    '{"ev": "error"}',
    "[" * 100_000,
    "\x1b]0;x\x07",
)


def test_a_line_that_is_no_message_is_told_with_host_and_verb() -> None:
    def refusal(line: str) -> str:
        try:
            report.message("WAN host", "slow", line.encode() + b"\n")
        except NodeError as error:
            return str(error)
        return ""

    texts = {line[:40]: refusal(line) for line in ODD_LINES}
    told = "WAN host: what gm-agent slow printed ("
    assert not {k: v for k, v in texts.items() if not (v.startswith(told) and v.isprintable())}


def test_a_ledger_of_which_every_third_packet_was_lost_is_no_number() -> None:
    """In base64 its bits are a run of digits."""
    bits = base64.b64encode(bytes([0xDB, 0x6D, 0xB6]) * 20).decode()
    assert re.fullmatch(r"[0-9]{80}", bits)
    line = json.dumps({"ev": "tick", "t_ns": 1, "bits": [bits]}).encode()
    assert report.message("WAN host", "slow", line)["bits"] == [bits]


@needs.agent
def test_what_an_agent_prints_is_read_so() -> None:
    message = failed("say('ready'); hear(); print('nonsense', flush=True); hear()")
    assert message.startswith("WAN host: what gm-agent slow printed (")


def test_a_time_that_is_none_is_told_with_host_and_verb() -> None:
    agent = Agent(Local("WAN host"), "slow", cast(Any, None), Clock(ahead_ns=1))
    with pytest.raises(NodeError, match=r"^WAN host: a time in what gm-agent slow printed "):
        agent._read(b'{"ev": "done", "t0_ns": "soon"}')


@needs.agent
def test_a_report_without_what_is_needed_is_told() -> None:
    host = Scripted(script="say('ready'); hear(); say('start'); hear(); say('done', received=1)")
    with pytest.raises(NodeError) as error:
        asyncio.run(lived(host, [], "sink"))
    assert "gm-agent sink printed (Object missing required field `" in str(error.value)
