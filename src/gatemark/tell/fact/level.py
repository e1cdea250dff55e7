# SPDX-License-Identifier: Apache-2.0
"""Levels of a factor in words, and what is worse at one of them."""

from typing import Final

from gatemark.judge.fact import Fact
from gatemark.tell.fact import say
from gatemark.tell.fact.say import Entries, Said

NAMES: Final = {"ipv4": "IPv4", "ipv6": "IPv6"}
LEVELS: Final = {  # as people call them, where that is not the factor's name and the level
    "direction": "the direction {level}",
    "path": "the path {level}",
    "dscp": "DSCP {level}",
    "frame_bytes": "frames of {level} bytes",
    "payload_bytes": "payloads of {level} bytes",
    "mix": "the mix {level}",
    "flows": "{level} flows",
    "clients": "{level} clients",
}


def _level(fact: Fact) -> Said:
    """Return a level: `IPv6`, `DSCP 46`, `the direction up`, `16 clients`."""
    factor, level = str(fact.values["factor"]), fact.values["level"]
    if factor == "family":
        return NAMES.get(str(level), str(level)), ""
    text = LEVELS.get(factor, f"{factor.replace('_', ' ')} {{level}}")
    text = text.removesuffix("s") if level == 1 and factor in LEVELS else text
    return text.replace("{level}", str(level)), ""


def _at_levels(fact: Fact) -> Said:
    """Return a finding with the levels that alone have it, where its clause does not name them."""
    finding, levels = fact.values["finding"], fact.values["levels"]
    assert isinstance(finding, Fact)
    assert isinstance(levels, Fact)
    whole, short = say.words(finding), say.clause(finding)
    named = [say.words(level) for level in levels.values.values() if isinstance(level, Fact)]
    if not (named := [level for level in named if level not in short]):
        return whole, short
    text = f"with {' and '.join(named)} alone"
    return f"{whole} This is so {text}.", f"{short} {text}"


ENTRIES: Final[Entries] = {
    "level": _level,
    "at-levels": _at_levels,
    "at-path": ("{finding} No other path shows it.", "{finding:clause}"),
    "level.loses": (
        "Loses {share:percent} of {level}, and {rest}.",
        "loses {share:percent} of {level} alone",
    ),
    "level.other-whole": "the other {name} is whole",
    "level.not-all": "not all others do",
    "level.carries": (
        "Carries {rate:pps} of {level} at most, and {other:pps} of {usual}: look for rules, a "
        "limit or a slower way that it alone meets.",
        "carries {share:percent} as much of {level} as of {usual}",
    ),
    "level.delays": (
        "Delays {level} by {own:ns}, and {usual} by {other:ns}: look for rules or a queue that it "
        "alone meets.",
        "delays {level} by {more:ns} more than {usual}",
    ),
}
