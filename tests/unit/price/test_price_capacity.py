# SPDX-License-Identifier: Apache-2.0
"""Counted packets as the load of a small router; sizes of kernels; advices that go together."""

import pytest

from gatemark.judge.capacity.line import Line
from gatemark.price import capacity, memory
from gatemark.price.advise import Advice
from gatemark.price.gateway import ARRIVES, DROPPED, Counted
from gatemark.price.traffic import Kind, kinds
from gatemark.price.weigh import Weighed, chosen

KINDS = {kind.name: kind for kind in kinds(("ipv4",), ("tcp",))}
LINE = Line(500e6, 50e6)
SLABINFO = """slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>
nf_conntrack          34     34    240   17    1 : tunables    0    0    0 : slabdata
skbuff_head_cache    128    128    256   16    1 : tunables    0    0    0 : slabdata
ffffffff81000000 T _text
ffffffff82000000 T _etext
module nft_ct 20480
module nf_tables 300000
max 65536
"""


def counts(up: int, reply: int, fate: str = ARRIVES) -> dict[Kind, Counted]:
    """Both ways of a known connection."""
    return {
        KINDS["up"]: Counted(KINDS["up"], fate, {up: 5}),
        KINDS["reply"]: Counted(KINDS["reply"], fate, {reply: 5}),
    }


def test_a_line_takes_its_packets_times_their_cycles() -> None:
    load = capacity.load(counts(6000, 6000), {KINDS["reply"]: 3000}, LINE, 560e6)
    assert load is not None
    rates = LINE.packets(1518)
    whole = (rates["down"] + rates["up"]) * 6000 / 560e6
    assert load.share == pytest.approx(tuple(whole * cycles for cycles in capacity.CYCLES))
    assert load.rules[1] == pytest.approx(rates["down"] * 3000 * capacity.CYCLES[1] / 560e6)
    assert load.limit[0] == pytest.approx(560e6 / 6000 / capacity.CYCLES[2])
    assert load.limit[0] < load.limit[1] < load.limit[2]


def test_the_sentence_names_interval_limit_and_validity() -> None:
    now = capacity.load(counts(6000, 6000), {KINDS["reply"]: 3000}, LINE, 560e6)
    then = capacity.load(counts(3000, 3000), {}, LINE, 560e6)
    assert now
    first, second, valid = capacity.sentences(now, then, LINE, 560e6)
    assert first.startswith("At 500/50 Mbit/s, both ways full of 1518-byte frames, a MIPS 24Kc at")
    assert "by the rules" in first
    assert second.startswith("A packet takes 28 (21")
    assert "could carry 36 (35" in second
    assert "with the changes above 72 (69" in second
    assert "estimate" in valid


def test_a_line_that_does_not_fit_is_said() -> None:
    now = capacity.load(counts(60_000, 60_000), {}, LINE, 200e6)
    assert now
    assert next(capacity.sentences(now, None, LINE, 200e6)).endswith("the line does not fit.")


def test_without_a_connection_nothing_is_said() -> None:
    assert capacity.load(counts(6000, 6000, DROPPED), {}, LINE, 560e6) is None


def test_sizes_are_those_of_slabs_code_and_table() -> None:
    assert memory.sizes(SLABINFO) == {
        memory.CODE: 16384,
        memory.MODULES: 312,
        memory.CONNECTION: 240,
        memory.PACKET: 256,
        memory.FIT: 65536,
    }
    assert [*memory.compared(memory.sizes(SLABINFO), {memory.PACKET: 232})] == [
        (memory.PACKET, 256, 232)
    ]


def test_advices_go_together_that_change_other_chains_and_let_the_same_through() -> None:
    def row(chain: str, saves: int, differ: int = 0) -> Weighed:
        advice = Advice(chain, f"flush chain ip t {chain}\n", "")
        return Weighed(advice, {KINDS["up"]: saves}, 100, differ)

    rows = [row("a", 900), row("b", 800, differ=3), row("a", 700), row("c", 600)]
    assert chosen(rows) == [rows[0], rows[3]]
