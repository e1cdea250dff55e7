# SPDX-License-Identifier: Apache-2.0
"""Rules that are replaced in one boot: a ruleset that comes back takes what it took."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from gatemark.price.corpus import corpus, differing, fates
from gatemark.price.course import ready
from gatemark.price.gateway import ARRIVES, DROPPED, Counted
from gatemark.price.read import read
from gatemark.price.session import Session, session
from gatemark.price.survey import Survey, loaded, survey
from gatemark.price.traffic import Kind, kinds
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
BOOT = 10  # instructions by which boots may differ
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
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rules") / "rules.nft"
    file.write_text(RULES)
    return file


async def _counted(booting: Session, file: Path) -> dict[str, int]:
    await loaded(booting, read(file))
    return numbers(await booting.count(KINDS))


def test_a_ruleset_that_comes_back_takes_what_it_took(rules: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.nft"
    more.write_text(RULES.replace("ct state", "counter\n    ct state"))

    async def measured() -> list[dict[str, int]]:
        counts = []
        async with session(booted(), 443, {}) as one_boot:
            await ready(one_boot, PORTS, (), "")
            counts += [await _counted(one_boot, file) for file in (rules, more, rules)]
        async with session(booted(), 443, {}) as another:
            await ready(another, PORTS, (), "")
            counts.append(await _counted(another, rules))
        return counts

    first, planted, again, other_boot = asyncio.run(measured())
    assert first == again
    assert all(abs(other_boot[name] - number) <= BOOT for name, number in first.items())
    assert 0 < planted["up"] - first["up"] == planted["reply"] - first["reply"] < 100


def test_prices_come_to_the_whole_and_a_set_lets_the_same_through(rules: Path) -> None:
    async def measured() -> tuple[Survey, int]:
        async with session(booted(), 443, {}) as one_boot:
            await ready(one_boot, PORTS, (), "")
            made = await survey(one_boot, read(rules), KINDS, print)
            packets = corpus(RULES, one_boot.ends, 500, 1)
            walks = await one_boot.walker()
            await one_boot.load("")
            before = await asyncio.to_thread(fates, walks, packets)
            lines = [f"    ip saddr 192.0.2.{n} drop\n" for n in range(1, 5)]
            text = RULES.replace("".join(lines), f"    {SET}\n")
            await one_boot.load(text, whole=True)
            return made, differing(before, await asyncio.to_thread(fates, walks, packets))

    made, differ = asyncio.run(measured())
    assert {kind.name: row.fate for kind, row in made.whole.items()} == {
        **dict.fromkeys(("up-new", "up", "reply"), ARRIVES),
        "down-new": DROPPED,
        **{kind.name: made.whole[kind].fate for kind in KINDS if kind.name.startswith("own")},
    }
    (drops,) = [row for row in made.priced if len(row.unit.rules) == 4]
    for kind, price in drops.prices.items():
        assert price % 4 == 0, kind
        rest = made.rest(kind)
        assert rest is not None
        assert abs(rest[0]) <= 0.02 * rest[1], kind
    assert differ == 0
