# SPDX-License-Identifier: Apache-2.0
"""The tester's loss beside the gateway's counters: each packet once, and what is in none."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.cause.reconcile import (
    UNCOUNTED,
    Reconciled,
    name,
    once,
    reconcile,
    reconciled,
    together,
)
from gatemark.probe.drop.netfilter import conntrack
from gatemark.store.drops import Drop, Drops, Freed
from gatemark.store.record import Accounting, Definition

RULE = Drop(
    stage="netfilter",
    cause='nft rule "udp dport 5001 drop"',
    where="inet filter forward handle 7",
    packets=3188,
)
TBF = Drop(stage="qdisc", cause="tbf", where="gw1", packets=300, counted_in="OutDiscards")


def accounting(lost: int, refused: int = 0, ring: int = 0, tx_dropped: int = 0) -> Accounting:
    interfaces = {"lan0.tx_dropped": tx_dropped}
    return builder.accounting(
        10_000, lost, refused=refused, ring_dropped=ring, interfaces=interfaces
    )


def result(lost: int, *drops: Drop, refused: int = 0, freed: tuple[Freed, ...] = ()) -> Reconciled:
    return reconcile(accounting(lost, refused), Drops(causes=drops), freed)


def test_a_rule_that_has_all_of_it_is_named() -> None:
    whole = result(3188, RULE)
    assert (whole.remains, whole.agrees) == (0, True)
    assert list(map(name, whole.by_cause)) == ['nft rule "udp dport 5001 drop"']


def test_what_is_in_no_counter_remains() -> None:
    assert result(3600, RULE).remains == 412


def test_a_counter_that_counts_twice_is_more_than_was_lost() -> None:
    twice = result(3188, RULE, TBF)
    assert (twice.remains, twice.agrees) == (-300, False)


def test_a_counter_that_is_known_to_count_again_does_not() -> None:
    again = Drop(stage="ip", cause="OutDiscards", packets=310)
    drops = {drop.cause: drop.packets for drop in result(310, TBF, again).by_cause}
    assert drops == {"tbf": 300, "OutDiscards": 10}


def test_a_table_counts_what_it_cannot_add_once() -> None:
    """The kernel has it in `drop` as well (nf_ct_resolve_clash)."""
    lines = ["entries insert_failed drop", "00000009 0000012c 00000136"]
    drops = once(list(conntrack(lines, ())))
    assert {drop.cause: drop.packets for drop in drops} == {
        "conntrack insert_failed": 300,
        "conntrack drop": 10,
    }


def test_a_sum_of_several_is_what_is_beyond_them() -> None:
    parts = [Drop(stage="a", cause=c, packets=5, counted_in="sum") for c in "xy"]
    assert once([*parts, Drop(stage="b", cause="sum", packets=10)]) == parts


@pytest.mark.parametrize(("refused", "tx_dropped"), [(40, 30), (30, 40)])
def test_what_the_port_refused_or_dropped_is_counted_once(refused: int, tx_dropped: int) -> None:
    whole = reconcile(accounting(50, refused, ring=10, tx_dropped=tx_dropped), Drops())
    assert (whole.refused, whole.own, whole.remains) == (40, 10, 0)


def test_messages_about_drops_are_no_drops() -> None:
    sent = Drop(stage="icmp", cause="Icmp.OutDestUnreachs", packets=9)
    assert result(0, sent).by_cause == ()


def test_the_sinks_ring_is_the_testers() -> None:
    full = Drop(stage="tester", cause="tx_dropped", where="gw1", packets=9)
    assert (result(9, full).own, result(9, full).by_cause) == (9, ())


def test_a_rule_without_a_counter_is_what_the_kernel_freed_beyond_the_others() -> None:
    freed = (Freed(reason="NETFILTER_DROP", place="nft_do_chain", packets=3600),)
    whole = result(3600, RULE, freed=freed)
    assert [(d.cause, d.packets) for d in whole.by_cause] == [(RULE.cause, 3188), (UNCOUNTED, 412)]
    assert whole.remains == 0


def test_a_kernel_without_a_reason_has_the_place() -> None:
    counter = Drop(stage="ip", cause="in_no_route", packets=498)
    freed = (
        Freed(reason="NOT_SPECIFIED", place="ip_error", packets=500),
        Freed(reason="NOT_SPECIFIED", place="unix_stream_connect", packets=4),
    )
    whole = result(500, counter, freed=freed)
    assert [(drop.cause, drop.packets) for drop in whole.by_cause] == [
        ("in_no_route", 498),
        ("the kernel's ip_error", 2),
    ]


def test_what_a_box_drops_at_rest_is_tolerated() -> None:
    busy = Drops(causes=(TBF,), background_pps=50.0, lasts_s=2.0)
    assert reconcile(accounting(400), busy).tolerance == 2 + 100 + 30
    assert reconcile(accounting(400), busy).agrees


def test_trials_of_one_arm_add_up() -> None:
    both = together([result(300, TBF), result(320, TBF)])
    assert both
    assert (both.lost, both.remains, both.tolerance) == (620, 20, 4)
    assert [drop.packets for drop in both.by_cause] == [600]


def test_what_the_sender_was_refused_is_counted_once() -> None:
    """The port of a namespace counts it as well; beyond that it is the port's own."""
    port = Drop(stage="port in", cause="rx_dropped", packets=500, counted_in="refused")
    assert (result(500, port, refused=500).by_cause, result(500, port, refused=500).remains) == (
        (),
        0,
    )
    (own,) = result(600, replace(port, packets=600), refused=500).by_cause
    assert own.packets == 100


def test_where_others_were_sent_beside_the_counters_are_of_all() -> None:
    """The drops of an upload's segments are no loss of a game's packets."""
    alone = builder.record("p", "a", {}, Definition(path="route", direction="up"), 1, {})
    evidence = replace(alone.evidence, drops=Drops(causes=(RULE,)))
    alone = replace(alone, accounting=accounting(5), evidence=evidence)
    mixed = replace(alone, definition=replace(alone.definition, beside=("uploads: tcp",)))
    assert reconciled(alone) is not None
    assert reconciled(mixed) is None
