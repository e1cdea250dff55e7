# SPDX-License-Identifier: Apache-2.0
"""Instructions of a packet at a rate: what rest costs is taken off, and kept beside."""

import pytest
from msgspec.structs import replace

from gatemark.probe.kind.instructions import outcome
from gatemark.probe.probe import Outcome, Seen, Sent
from gatemark.probe.rate import Rated, Span
from gatemark.probe.registry import outcomes
from gatemark.store.record import Accounting

IDLE = Span(1_000_000_000, 10_000, {"tick": (10_000, 100)})
LOAD = Span(2_000_000_000, 1_020_000, {"ip_forward": (1_000_000, 100), "tick": (20_000, 200)})
SEEN = Seen(own={"instructions": Rated(IDLE, LOAD, "counter-1")})


def account(unique: int) -> Accounting:
    kept = dict.fromkeys(Accounting.__struct_fields__, 0)
    return replace(
        Accounting(**{**kept, "interfaces": {}, "mismatch": {}}),  # type: ignore[arg-type]
        unique=unique,
    )


def counted(accounting: Accounting | None) -> Outcome:
    return outcome(SEEN, Sent(0, 1, 100.0, accounting=accounting))


def test_rest_is_taken_off_by_its_own_time() -> None:
    values = counted(account(100)).values
    assert values == {"instructions_at_rate": pytest.approx((1_020_000 - 20_000) / 100)}


def test_what_was_read_is_kept_as_it_was() -> None:
    kept = counted(account(100)).evidence["at_rate"]
    assert (kept.packets, kept.instructions, kept.lasts_s) == (100, 1_020_000, 2.0)
    assert (kept.idle_instructions, kept.idle_s) == (10_000, 1.0)
    assert kept.idle_functions == {"tick": (10_000, 100)}


@pytest.mark.parametrize("accounting", [None, account(0)])
def test_without_packets_there_is_no_value(accounting: Accounting | None) -> None:
    assert counted(accounting).values == {}


def test_a_trial_that_does_not_count_has_neither() -> None:
    neither = outcomes(Seen(), Sent(0, 1, 100.0, accounting=account(100)))
    assert not neither.values
    assert not neither.evidence
