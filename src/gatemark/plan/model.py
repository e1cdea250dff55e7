# SPDX-License-Identifier: Apache-2.0
"""A plan and a suite as data: pure structures, no I/O."""

from typing import Literal

import msgspec

PLAN_SCHEMA = "gatemark.plan/1"
SUITE_SCHEMA = "gatemark.suite/1"

Path = Literal["route", "nat", "direct"]
Direction = Literal["up", "down", "both"]
Family = Literal["ipv4", "ipv6"]
Factor = str | int | float | bool


class Arm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One setup of a plan: a path and an ordered list of features."""

    path: Path
    features: tuple[str, ...] = ()
    name: str = ""  # defaults to the setup in words

    @property
    def setup(self) -> str:
        """The setup in words: `nat + filter:100`."""
        return " + ".join((self.path, *self.features))


class Gateway(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Conditions of the lab's gateway that all arms share."""

    brake_pps: int = 0  # slow a namespace gateway to about so many packets/s; 0: not braked


class Workload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is sent. Every key may be a factor of the sweep."""

    kind: Literal["udp"] = "udp"
    direction: Direction = "up"
    family: Family = "ipv4"
    frame_bytes: int = 64  # L2 with FCS
    flows: int = 1
    rate_pps: float = 0.0  # for each direction; 0: as fast as the tester can
    duration_s: float = 1.0
    burst: int = 0  # packets a system call; 0: 1 below 500 000 packets/s
    cap_pps: float = 0.0  # hold the sender below its schedule; 0: do not


class Repeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often each point is measured."""

    times: int = 6  # in the outside pass; six give a 95 % interval of the median


class Probe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is read on the gateway, in a pass of its own at the same points."""

    use: tuple[str, ...] = ()  # cpu, softirq, memory, conntrack, interfaces
    times: int = 1


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question as data. `name` is `suite/file`, given by the loader."""

    schema: str
    title: str
    why: str
    reading: str
    name: str = ""
    cites: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    arm: tuple[Arm, ...] = ()  # `[setup]` is read as the only arm
    gateway: Gateway = Gateway()
    workload: Workload = Workload()
    sweep: dict[str, tuple[Factor, ...]] = {}  # factor -> levels, crossed
    case: tuple[dict[str, Factor], ...] = ()  # `[[sweep.case]]`: factors that vary together
    repeat: Repeat = Repeat()
    probe: Probe = Probe()
    deviations: tuple[str, ...] = ()  # from what it cites


class Suite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder of plans and the order in which they run (`suite.toml`)."""

    schema: str
    title: str
    why: str
    plans: tuple[str, ...]  # file names without `.toml`, in running order
    name: str = ""


class TrialSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One trial to run: a point of one arm, its repeat and pass, its place in the order."""

    trial: str
    plan: str
    arm: Arm
    gateway: Gateway
    workload: Workload
    point: dict[str, Factor]
    repeat: int
    pass_: Literal["outside", "probed"] = msgspec.field(name="pass")
    probes: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()  # of its plan, from what that cites
    sequence: int = 0
