# SPDX-License-Identifier: Apache-2.0
"""Arms that were skipped stand in the judgement, each with its reason."""

import pytest
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Refusal
from gatemark.judge.refusal import cause
from gatemark.store.record import Record

from .conftest import Trial, run

UNKNOWN = "the gateway's kernel refuses this queue: Specified qdisc kind is unknown"


def trial(arm: str, repeat: int, feature: str = "", reason: str = "") -> Record:
    made = Trial(repeat=repeat).record()
    definition = replace(made.definition, features=(feature,) if feature else ())
    return replace(
        made,
        arm=arm,
        trial=f"{arm}/{repeat}",
        definition=definition,
        status="skipped" if reason else "ok",
        reason=reason,
    )


def refused(*records: Record) -> tuple[Refusal, ...]:
    return judge(run(records), records).refusals


def lacking(feature: str) -> str:
    return f"not available here: {feature}: {UNKNOWN}."


def test_a_skipped_arm_is_judged_with_its_reason() -> None:
    features = {"cake": "shape:cake:20", "fq": "shape:fq_codel:20"}
    unable = [trial(arm, 1, word, lacking(word)) for arm, word in features.items()]
    assert refused(trial("route", 1), *unable) == tuple(
        Refusal(plan="sweep", arm=arm, reason=UNKNOWN, trials=1, of=1) for arm in features
    )


def test_an_arm_that_was_measured_in_part_has_both_numbers() -> None:
    (refusal,) = refused(trial("nat", 1), trial("nat", 2, reason="no IPv6 here"), trial("nat", 3))
    assert (refusal.reason, refusal.trials, refusal.of) == ("no IPv6 here", 1, 3)


def test_what_follows_a_skipped_search_has_the_same_reason() -> None:
    word = "shape:cake:20"
    followed = f"no held was found: {lacking(word)}"
    (refusal,) = refused(trial("cake", 1, word, lacking(word)), trial("cake", 2, word, followed))
    assert (refusal.reason, refusal.trials, refusal.of) == (UNKNOWN, 2, 2)


def test_where_nothing_was_skipped_nothing_is_refused() -> None:
    assert refused(trial("nat", 1)) == ()


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("not available here: no nft on the gateway", "no nft on the gateway"),
        (
            "not available here: gateway: capture:tcpdump:68: sh: tcpdump: not found",
            "sh: tcpdump: not found",
        ),
        ("no ndr was found: it was not searched for", "no ndr was found: it was not searched for"),
        ("", "no reason given"),
    ],
)
def test_a_cause_is_without_the_words_that_the_arm_has(reason: str, told: str) -> None:
    assert cause(reason, ("conntrack", "capture:tcpdump:68")) == told
