# SPDX-License-Identifier: Apache-2.0
"""The arms that a gateway would refuse, found by setting one to each of them.

What a feature needs stands nowhere but in its file, so it is tried and no list is asked. A lab of
our own is made for that and taken down. One that is killed meanwhile is removed by the next run,
like any lab (station/recover.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec.structs import replace

from gatemark.error import GatemarkError, NodeError, StationError, UnavailableError
from gatemark.gateway.supervisor import Supervised
from gatemark.judge.judgement import Refusal
from gatemark.judge.refusal import Skipped, cause, refusals
from gatemark.node.shell import Here
from gatemark.plan.feature import DIRECT, FEATURES, Feature, parts, samples, unnumbered
from gatemark.plan.model import Arm, Path, Plan, TrialSpec
from gatemark.run import stop
from gatemark.run.bench import Bench
from gatemark.run.program import placed, wanted
from gatemark.station import own
from gatemark.station.doctor import Finding
from gatemark.station.netns import Lab

UNKNOWN: Final = (UnavailableError, StationError, NodeError)  # no lab, so nothing can be told
COMMAND: Final = "command"  # a user's own: it is run by a trial alone
ELSEWHERE: Final = "arms with it are skipped here"

Reasons = Mapping[Arm, str]  # why an arm would be skipped; "": it would not


def tried(specs: Iterable[TrialSpec]) -> tuple[Arm, ...]:
    """The arms of these trials that ask more of a gateway than to forward."""
    arms = {spec.arm: None for spec in specs if spec.arm.path != DIRECT and spec.arm.features}
    return tuple(arms)


def of_trials(
    specs: Iterable[TrialSpec], plans: Iterable[Plan], reasons: Reasons
) -> tuple[Refusal, ...]:
    """The arms of these trials that would be skipped."""
    return refusals(
        (
            Skipped(spec.plan, spec.arm.name or spec.arm.setup, reasons.get(spec.arm, ""))
            for spec in specs
        ),
        plans,
    )


async def on_bench(bench: Bench, arms: Iterable[Arm]) -> Reasons:
    """Set a bench that stands to each arm; the next one undoes it, as of trials.

    Arms that differ in numbers alone need the same, so one of them is tried.
    """
    asked = {arm: (arm.path, *map(unnumbered, arm.features)) for arm in arms}
    reasons: dict[tuple[str, ...], str] = {}
    for arm, kind in asked.items():
        if kind not in reasons:
            why = await _reason(bench, arm)
            reasons[kind] = cause(why, arm.features) if why else ""
    return {arm: reasons[kind] for arm, kind in asked.items()}


def is_quick(bench: Bench) -> bool:
    """Return True if a gateway is set in a moment: a namespace of this machine."""
    return isinstance(bench.station.gateway.node, Here)


@cache
def in_lab(arms: tuple[Arm, ...]) -> Reasons:
    """The same in a lab that is made for it. Raises one of UNKNOWN, StoppedError."""
    if own.needed():
        raise UnavailableError("not root; `gatemark doctor` lists the features that work here")
    return stop.run(_in_lab(arms), lambda _: None)


async def _in_lab(arms: tuple[Arm, ...]) -> Reasons:
    async with Bench(Lab()) as bench:
        return await on_bench(bench, arms)


async def _reason(bench: Bench, arm: Arm) -> str:
    """Set the gateway to an arm and start its programs; returns why that is not to be had."""
    if why := bench.lacks(arm):
        return why
    node = bench.station.gateway.node
    shipped = [feature for feature in arm.features if parts(feature)[0] != COMMAND]
    try:
        await bench.setup.change(arm)
        for program in wanted(bench.station.gateway, replace(arm, features=tuple(shipped)), {}):
            running = await Supervised.start(node, await placed(node, program))
            await running.abort()
    except UnavailableError as error:
        return str(error)
    except GatemarkError:  # a fault, and nothing that is lacking: its trials will say so
        return ""
    return ""


def features() -> list[Finding]:
    """Each feature in each of its kinds, and whether the built-in lab has it."""
    kinds = [
        (name, word, Arm(path=_path(feature), features=(sample,)))
        for name, feature in FEATURES.items()
        for word, sample in samples(name).items()
    ]
    try:
        reasons = in_lab(tuple(arm for _, _, arm in kinds))
    except UNKNOWN as error:
        text = f"not tried: {error}"
        return [Finding("features", ok=False, text=text, fix="run it as root", needed=False)]
    rows: dict[tuple[str, str], list[str]] = {}
    for name, word, arm in kinds:
        rows.setdefault((name, reasons[arm]), []).append(word)
    return [_finding(name, reason, words) for (name, reason), words in rows.items()]


def _path(feature: Feature) -> Path:
    """A path that it has an effect on."""
    return "route" if "route" in feature.paths else "switch"


def _finding(name: str, reason: str, words: Sequence[str]) -> Finding:
    kinds = ", ".join(filter(None, words))
    text = ": ".join(filter(None, (kinds, reason))) or "works"
    fix = ELSEWHERE if reason else ""
    return Finding(f"feature {name}", ok=not reason, text=text, fix=fix, needed=False)
