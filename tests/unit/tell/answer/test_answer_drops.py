# SPDX-License-Identifier: Apache-2.0
"""Where the lost packets went, in a table: a setup's causes with their shares, and what is left."""

import builder
from builder import trials
from msgspec.structs import replace

from gatemark.store.drops import Drop, Drops, Freed
from gatemark.store.record import Evidence, Record
from gatemark.tell.answer.trials import drops as table

RULE = Drop(stage="netfilter", cause='nft rule "udp dport 5001 drop"', packets=3000)


def trial(*drops: Drop, freed: tuple[Freed, ...] = ()) -> Record:
    """A trial that lost 4 000 packets, of which the port refused 500."""
    accounting = builder.accounting(10_000, 4_000, refused=500)
    evidence = Evidence(drops=Drops(causes=drops), freed=freed)
    made = trials()[0]
    return replace(made, accounting=accounting, evidence=evidence)


def rows(*made: Record) -> list[tuple[str, ...]]:
    return [row[2:] for row in table(made).rows]


def test_causes_have_shares_and_what_is_left_a_row() -> None:
    assert rows(trial(RULE)) == [
        ("port in", "refused to the sender: the gateway's queue was full", "500", "12.5 %"),
        ("netfilter", RULE.cause, "3 000", "75.0 %"),
        ("none", "in no counter", "500", "12.5 %"),
    ]


def test_the_kernels_reasons_name_what_has_no_counter() -> None:
    freed = (Freed(reason="NETFILTER_DROP", place="nft_do_chain", packets=3500),)
    reasoned = trial(RULE, freed=freed)
    assert rows(trial(RULE), reasoned)[-1] == (
        "netfilter",
        "a rule or policy without a counter",
        "500",
        "12.5 %",
    )


def test_a_trial_without_loss_or_counters_has_no_row() -> None:
    whole = replace(trial(), accounting=None)
    assert rows(whole, replace(trial(), evidence=Evidence())) == []
