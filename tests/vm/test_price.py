# SPDX-License-Identifier: Apache-2.0
"""Rules that are replaced in one boot: a ruleset that comes back takes what it took."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.price import queue
from gatemark.price.ablate import CLOSE
from gatemark.price.corpus import Where, corpus, differing, fates, through
from gatemark.price.course import ready
from gatemark.price.gateway import ARRIVES, DROPPED, Counted
from gatemark.price.read import read
from gatemark.price.session import Session, session
from gatemark.price.survey import loaded, survey
from gatemark.price.text import Rules
from gatemark.price.traffic import Kind, kinds
from gatemark.price.verdict import paired, verdict
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from vm.cpu import placement

pytestmark = pytest.mark.long
KINDS = kinds(("ipv4",), ("tcp",))
RULES = """table inet f {
  chain forward {
    type filter hook forward priority filter; policy drop;
    ip saddr 192.0.2.1 drop
    ip saddr 192.0.2.2 drop
    ip saddr 192.0.2.3 drop
    ip saddr 192.0.2.4 drop
    ct state established,related accept
    iifname "home" oifname "ppp0" accept
  }
}
"""
SET = "ip saddr { 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4 } drop"
PORTS = {"gw0": "home", "gw1": "ppp0"}


def booted() -> VirtualLab:
    """A gateway of its own."""
    lab = load("qemu-x86")
    assert isinstance(lab, VirtualLab)
    lab.cpus = placement()
    lab.cable.cpu = lab.cpus.gateway
    return lab


def numbers(counted: Mapping[Kind, Counted]) -> dict[str, int]:
    """Instructions of known connections, in which nothing is chance."""
    return {kind.name: row.instructions for kind, row in counted.items() if kind.state == "known"}


@pytest.fixture(scope="module")
def up() -> Iterator[tuple[Session, asyncio.Runner]]:
    """A boot for all of it, and the loop that it lives in."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        async def begun() -> Session:
            boot = await stack.enter_async_context(session(booted(), 443, {}))
            await ready(boot, PORTS, (), "")
            return boot

        try:
            yield runner.run(begun()), runner
        finally:
            runner.run(stack.aclose())


def written(folder: Path, text: str) -> Rules:
    """These rules, as read from a file."""
    file = folder / "rules.nft"
    file.write_text(text)
    return read(file)


def test_a_ruleset_that_comes_back_takes_what_it_took(
    up: tuple[Session, asyncio.Runner], tmp_path: Path
) -> None:
    boot, runner = up

    async def counted(text: str) -> dict[str, int]:
        await loaded(boot, written(tmp_path, text))
        return numbers(await boot.count(KINDS))

    more = RULES.replace("ct state", "counter\n    ct state")
    first, planted, again = (runner.run(counted(text)) for text in (RULES, more, RULES))
    assert first == again
    assert 0 < planted["up"] - first["up"] == planted["reply"] - first["reply"] < 100


def test_four_busy_loops_beside_it_change_no_number(
    up: tuple[Session, asyncio.Runner], tmp_path: Path
) -> None:
    boot, runner = up
    runner.run(loaded(boot, written(tmp_path, RULES)))
    alone = runner.run(boot.count(KINDS))
    with ExitStack() as stack:
        for _ in range(4):
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loop.kill)
        beside = runner.run(boot.count(KINDS))
    assert {kind: row.fate for kind, row in beside.items()} == {
        kind: row.fate for kind, row in alone.items()
    }
    assert numbers(beside) == numbers(alone)


@pytest.mark.timeout(600)
def test_prices_come_to_the_whole(up: tuple[Session, asyncio.Runner], tmp_path: Path) -> None:
    boot, runner = up
    made = runner.run(survey(boot, written(tmp_path, RULES), KINDS, print))
    fates = {kind.name: row.fate for kind, row in made.whole.items()}
    assert [fates[name] for name in ("up-new", "up", "reply", "down-new")] == [
        *[ARRIVES] * 3,
        DROPPED,
    ]
    (drops,) = [row for row in made.priced if len(row.unit.rules) == 4]
    for kind, price in drops.prices.items():
        rest = made.rest(kind)
        assert rest is not None
        if kind.state == "known":
            assert price % 4 == 0, kind
            assert abs(rest[0]) <= CLOSE * rest[1], kind


def test_a_set_lets_the_same_through_and_a_missing_rule_does_not(
    up: tuple[Session, asyncio.Runner], tmp_path: Path
) -> None:
    boot, runner = up
    packets = corpus(RULES, boot.ends, 400, 1)
    lines = [f"    ip saddr 192.0.2.{n} drop\n" for n in range(1, 5)]

    async def came(text: str) -> list[frozenset[Where]]:
        await loaded(boot, written(tmp_path, text))
        await boot.forget()
        return await asyncio.to_thread(fates, await boot.walker(), packets)

    as_set = RULES.replace("".join(lines), f"    {SET}\n")
    closed = RULES.replace('    iifname "home" oifname "ppp0" accept\n', "")
    before, same, other = (runner.run(came(text)) for text in (RULES, as_set, closed))
    assert through(before)
    assert differing(before, same) == 0
    assert differing(before, other) > 0


def test_a_planted_rule_is_found_in_the_kinds_that_meet_it_and_layout_is_silent(
    up: tuple[Session, asyncio.Runner], tmp_path: Path
) -> None:
    """A second `counter` is some twenty instructions; names, comments, order of chains are none."""
    boot, runner = up
    chain = "  chain input {\n    type filter hook input priority filter; policy accept;\n"
    old = f"{RULES.rstrip().removesuffix('}')}{chain}    counter\n  }}\n}}\n"
    planted = f"{RULES.rstrip().removesuffix('}')}{chain}    counter counter\n  }}\n}}\n"
    head, _, rest = RULES.partition("{\n")
    moved = f"{head}{{\n{chain}    counter\n  }}\n{rest}".replace("inet f", "inet other_name")
    moved = moved.replace("related accept", 'related accept comment "known"')
    known = tuple(kind for kind in KINDS if kind.state == "known" or kind.name == "own-lan")

    async def counted(text: str) -> Mapping[Kind, Counted]:
        await loaded(boot, written(tmp_path, text))
        return await boot.count(known)

    before, more, layout = (runner.run(counted(text)) for text in (old, planted, moved))
    rows = {row.kind.name: row for row in paired(before, more)}
    assert 5 <= rows["own-lan"].difference <= 60
    assert rows["up"].difference == rows["reply"].difference == 0
    is_worse, sentence = verdict([*rows.values()], 0.0, same_boot=True)
    assert is_worse
    assert "LAN to the gateway itself" in sentence
    assert numbers(before) == numbers(layout)


def test_queues_are_priced_and_what_tc_refuses_is_named(
    up: tuple[Session, asyncio.Runner],
) -> None:
    boot, runner = up
    text = (
        "qdisc fq_codel 1: dev ppp0 root refcnt 2 limit 10240p ecn\n"
        "qdisc pfifo 2: dev ppp0 root refcnt 2 limit nonsense\n"
    )
    queues = queue.read("file", text)
    kinds_known = [kind for kind in KINDS if kind.state == "known"]
    _, rows = runner.run(queue.priced(boot, queues, kinds_known, print))
    prices = {kind.name: price for kind, price in rows[0].prices.items()}
    assert prices["up"] > 0
    assert prices["reply"] == 0
    assert "limit" in rows[1].why


@pytest.mark.parametrize(
    "text",
    [
        "table ip t { chain a { jump b; }; chain b { jump a; }; chain f { type filter hook forward"
        " priority 0; jump a; }; }\n",
        "table ip t { chain f { type filter hook forward priority 0; nonsense; }; }\n",
        "table ip t { chain f { type filter hook forward priority 0; ip saddr $no drop; }; }\n",
    ],
    ids=["a circle of jumps", "no rule", "no definition"],
)
def test_what_nft_refuses_ends_in_a_line_of_its_own(
    up: tuple[Session, asyncio.Runner], tmp_path: Path, text: str
) -> None:
    boot, runner = up
    with pytest.raises(UsageError, match="the guest's nft refuses the rules") as refused:
        runner.run(loaded(boot, written(tmp_path, text)))
    assert "\n" not in str(refused.value)
