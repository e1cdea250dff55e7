# SPDX-License-Identifier: Apache-2.0
"""Instructions of a packet at a rate: what rest costs is taken off, and kept beside."""

import pytest
from msgspec.structs import replace

from gatemark.probe.rate import Rated, Span
from gatemark.run.result import rated
from gatemark.store.record import Accounting

IDLE = Span(1_000_000_000, 10_000, {"tick": (10_000, 100)})
LOAD = Span(2_000_000_000, 1_020_000, {"ip_forward": (1_000_000, 100), "tick": (20_000, 200)})
FOUND = Rated(IDLE, LOAD, "counter-1")


def account(unique: int) -> Accounting:
    kept = dict.fromkeys(Accounting.__struct_fields__, 0)
    return replace(
        Accounting(**{**kept, "interfaces": {}, "mismatch": {}}),  # type: ignore[arg-type]
        unique=unique,
    )


def test_rest_is_taken_off_by_its_own_time() -> None:
    found = rated.values(FOUND, account(100))
    assert found == {"instructions_at_rate": pytest.approx((1_020_000 - 20_000) / 100)}


def test_what_was_read_is_kept_as_it_was() -> None:
    kept = rated.evidence(FOUND, account(100))["at_rate"]
    assert (kept.packets, kept.instructions, kept.lasts_s) == (100, 1_020_000, 2.0)
    assert (kept.idle_instructions, kept.idle_s) == (10_000, 1.0)
    assert kept.idle_functions == {"tick": (10_000, 100)}


@pytest.mark.parametrize("accounting", [None, account(0)])
def test_without_packets_there_is_no_value(accounting: Accounting | None) -> None:
    assert rated.values(FOUND, accounting) == {}


def test_a_trial_that_does_not_count_has_neither() -> None:
    assert not rated.values(None, account(100))
    assert not rated.evidence(None, account(100))
