# SPDX-License-Identifier: Apache-2.0
"""A run's `run.json`: everything needed to read, judge, repeat and resume it."""

from typing import Any

import msgspec

from gatemark.plan.model import NEW, Plan, TrialSpec

RUN_SCHEMA = "gatemark.run/2"

UNKNOWN = "unknown"  # a fact of an inventory that the host does not tell


class StationInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The bench that a run used."""

    name: str  # "lab"
    kind: str  # netns
    virtual: bool  # the gateway is no device: a namespace or a virtual machine
    placement: dict[str, str] = {}  # "gateway": "cpu 1, ...", "sender": "cpu 0, ..."
    missing: tuple[str, ...] = ()  # what it lacks, a sentence each: its own CPU, the slowdown
    sees_cpu: bool = True  # False: how busy the gateway is cannot be read at all
    # What its file says that makes it this one and no other: "lan": "enp3s0 192.0.2.10/24".
    made_of: dict[str, str] = {}
    by_path: bool = False  # a change of path takes it seconds: a block's trials go path by path


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the arms of an A/B test, or a build of a campaign."""

    name: str  # as the command line gave it: nat+filter:100, old.toml; a build's name
    station_file: str  # the name or file of its station
    station: StationInfo  # where it was measured
    inventory: dict[str, Any] = {}  # "gateway", "tester", "bench", in its first boot
    switch: str = ""  # of a build: the command that brings the gateway to it


class AB(msgspec.Struct, frozen=True, kw_only=True):
    """What `gatemark ab` compares: the arm `old` with the arm `new`, boot by boot."""

    old: Side  # what was there
    new: Side  # what it is compared with
    switch: str = ""  # the command that brings an arm about, `{arm}` in it; "": none
    allow: float = 0.01  # a change up to this ratio is accepted

    def side(self, arm: str) -> Side:
        """That of an arm; the tester alone is at home on the old one's station."""
        return self.new if arm == NEW else self.old


class Tune(msgspec.Struct, frozen=True, kw_only=True):
    """The search of `gatemark tune`: the best of all combinations of settings."""

    base: str  # the arm of the gateway as it is
    prefer: str = "rate"  # what is to gain: rate, delay, cpu
    least: float = 0.02  # a gain below this ratio is no reason to change anything
    allow: float = 0.05  # by which the other two may get worse
    whole: bool = False  # measure every combination as often as the last two
    by_shape: bool = False  # its processors share the tester's: rate, delay and load say nothing
    ports: dict[str, str] = {}  # the gateway's test ports: role -> device
    openwrt: bool = False  # it is set by uci


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a suite on a station."""

    schema: str = RUN_SCHEMA  # name and version of this format; a new number changes a meaning
    run: str  # its name: "20261121-161500-quick"
    suite: str  # "quick", or the plan's name where one plan alone was run
    title: str  # of the suite or plan, for people
    command: tuple[str, ...]  # what repeats it: ("gatemark", "run", "quick", "--seed", "7")
    started: str  # ISO 8601, UTC
    finished: str = ""  # empty: cut or still going
    seed: int  # of the order of the trials
    station: StationInfo  # where it was measured
    station_file: str = "lab"  # the name or file that `--station` gave
    plans: tuple[Plan, ...]  # as they were run, with what `--set` changed
    trials: tuple[TrialSpec, ...]  # in running order
    ab: AB | None = None  # of `gatemark ab` alone
    tune: Tune | None = None  # of `gatemark tune` alone
    sides: dict[str, Side] = {}  # of a campaign's block: build -> where and how it is had
    traces: dict[str, str] = {}  # file that is replayed -> its SHA-256
    line: tuple[float, float] | None = None  # bits/s down and up that it is asked to carry
    before: dict[str, Any] = {}  # inventory: "gateway", "tester", and "bench" where it is stated
    after: dict[str, Any] = {}  # the same when the run had ended
    versions: dict[str, str] = {}  # of gatemark, of python; of "agent mips": hash, compiler, flags
    notes: tuple[str, ...] = ()  # remarks on the run as a whole

    @property
    def gateway(self) -> tuple[str, object]:
        """Which gateway it is of: that of one station with one processor is one."""
        return self.station.name, (self.before.get("gateway") or {}).get("processor")
