# SPDX-License-Identifier: Apache-2.0
"""A kind of workload as a plan has it: its keys, their bounds, and what its trials are like."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gatemark.plan.model import Arm, Plan, Workload


def sent_s(load: Workload) -> float:
    """The time that a plan asks for."""
    return load.settle_s + load.duration_s


def no_faults(load: Workload) -> Iterator[str]:
    """Nothing: every value will do."""
    del load
    yield from ()


def fits(arm: Arm, load: Workload) -> str:
    """Nothing: it fits each arm."""
    del arm, load
    return ""


def needs_nothing(plans: Iterable[Plan]) -> None:
    """Nothing: no program of others is needed."""
    del plans


def has_no_part() -> None:
    """Nothing: a machine that measures can send it."""


@dataclass(frozen=True, slots=True)
class Able:
    """The part of a kind that this machine can do; `fix`: the command that brings the rest."""

    what: str
    text: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The table of a kind that needs no answer.py of its own: a line for each point."""

    caption: str
    columns: Mapping[str, str]  # value -> its head; the unit is added


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The keys of a kind in a plan, and what they mean for the station."""

    keys: str  # of [workload] that mean something for it, in words; others are for all kinds
    yields: tuple[str, ...]  # values and evidence that tell what a plan covers
    headlines: Mapping[str, str]  # what a definition may be about -> the value that says it
    # Keys that have one value for it -> that value, and the words for any other.
    only: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    faults: Callable[[Workload], Iterator[str]] = no_faults  # keys out of their bounds
    misfit: Callable[[Arm, Workload], str] = fits  # why it does not fit an arm; "" if it does
    lasts_s: Callable[[Workload], float] = sent_s  # from its first packet to its last, at most
    mostly_s: Callable[[Workload], float] | None = None  # the same as it mostly is, if that differs
    alone: str = ""  # why nothing is sent beside it, and no line is before it; "": it may be
    hairpins: bool = False  # it may cross the path `hairpin`
    tags: bool = False  # its WAN side sends with the tag that the feature `vlan` asks for
    streams: bool = False  # its ends have the hosts' own TCP
    strange: bool = False  # it never uses the hosts' own addresses: the gateway is told of them
    silent: bool = False  # next to nothing is sent
    ages: bool = False  # the gateway keeps its connections from a trial to the next
    is_labelled: bool = False  # its flows are told from others' by their ports
    is_captured: bool = False  # all its packets may be kept, with a label a flow
    asks_besides: bool = False  # its programs ask by themselves for hosts that the bench has not
    require: Callable[[Iterable[Plan]], None] = needs_nothing  # programs; raises UnavailableError
    able: Callable[[], Able | None] = has_no_part  # what of it this machine can do
    # Of a kind without a point.py: its first headline is a share that is 1 where nothing held it
    # back. Words with `{share}` in them say how much it was.
    whole: str = ""
    compared: bool = False  # `diff` compares each value that has its name, beside the headline
    listed: Listed | None = None  # its table, without an answer.py
