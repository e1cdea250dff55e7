# SPDX-License-Identifier: Apache-2.0
"""A trial that nobody should believe is tried once more; both records are kept."""

import asyncio
from collections.abc import Sequence

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import TOO_SLOW, StationError
from gatemark.run.again import Attempts, attempts, impossible, require
from gatemark.store.record import FIRST, Definition, Evidence, Record, Starved


def record(received: float, cpu: float = 0.3, arm: str = "clean", size: int = 64) -> Record:
    """A trial of 10 000 packets/s for a second."""
    unique = round(received)
    return Record(
        trial=f"t/{arm}",
        plan="p",
        arm=arm,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="",
        definition=Definition(path="route", frame_bytes=size),
        values={"received_pps": received, "cpu_busy": cpu},
        accounting=builder.accounting(10_000, 10_000 - unique),
    )


def starved(foreign: bool) -> Record:
    """A trial in which another program had the gateway's CPU."""
    who = Starved(thread="napi/gw0", longest_ms=150, share=0.3, who="hog", foreign=foreign)
    made = record(5_000)
    return replace(made, status="invalid", reason="hog had the CPU", evidence=Evidence(starved=who))


def tried(results: Sequence[Record], so_far: Sequence[Record] = ()) -> tuple[Attempts, int]:
    """What comes of trials with these results, and how many there were."""
    left = list(results)

    async def run() -> tuple[Record, dict[str, tuple[list[int], list[float]]]]:
        return left.pop(0), {}

    made = asyncio.run(attempts(run, so_far))
    return made, len(results) - len(left)


BEFORE = [record(9_900), record(10_000), record(9_950)]


@pytest.mark.parametrize(
    ("trial", "is_impossible"),
    [
        (record(0, cpu=0.0), True),
        (record(90, cpu=0.04), True),
        (record(90, cpu=0.06), False),  # it worked at something
        (record(200, cpu=0.0), False),  # not so little
        (record(0, cpu=0.0, arm="other"), False),  # nothing is known of that arm
        (record(0, cpu=0.0, size=1518), False),  # nor of that size
        (replace(record(0, cpu=0.0), status="invalid"), False),
    ],
)
def test_next_to_nothing_by_an_idle_gateway_cannot_be(trial: Record, is_impossible: bool) -> None:
    assert bool(impossible(trial, BEFORE)) == is_impossible


def test_the_first_trial_of_an_arm_may_lose_everything() -> None:
    assert impossible(record(0, cpu=0.0), []) == ""


def test_what_is_believed_is_tried_once() -> None:
    made, times = tried([record(9_800)], BEFORE)
    assert (times, made.first, made.stop) == (1, None, "")


def test_what_cannot_be_is_tried_again_and_both_are_kept() -> None:
    made, times = tried([record(0, cpu=0.0), record(9_900)], BEFORE)
    assert times == 2
    assert made.first is not None
    assert (made.first.status, made.first.trial) == ("invalid", f"t/clean{FIRST}")
    assert made.first.reason in made.done[0].notes[0]
    assert made.done[0].status == "ok"


def test_the_same_twice_counts_and_says_so() -> None:
    made, _ = tried([record(0, cpu=0.0), record(0, cpu=0.0)], BEFORE)
    assert made.done[0].status == "ok"
    assert made.done[0].notes[-1] == "the second attempt was the same, so it counts"
    require(made)


def test_another_program_twice_stops_the_run() -> None:
    made, times = tried([starved(foreign=True), starved(foreign=True)])
    assert times == 2
    with pytest.raises(StationError, match="hog had the CPU, twice"):
        require(made)


def test_a_tester_that_was_too_slow_has_a_second_attempt_and_no_third() -> None:
    slow = replace(record(0), status="invalid", reason=f"{TOO_SLOW}: a timer came late")
    first, times = tried([slow, slow])
    assert (times, first.done[0].status, first.stop) == (2, "invalid", "")
    assert first.first is not None
    assert tried([slow], [first.first, first.done[0]])[1] == 1
    assert tried([slow, record(9_900)], [first.first])[0].done[0].status == "ok"


def test_the_arms_own_program_is_no_reason() -> None:
    assert tried([starved(foreign=False)])[1] == 1
