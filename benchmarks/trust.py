# SPDX-License-Identifier: Apache-2.0
"""Can the comparisons be trusted? Comparisons of a gateway with itself, and planted slow-downs.

There are twenty A/A comparisons, ten slowed and ten at full speed. At most two of them may find a
change. A planted slow-down of 5 % must be found. A planted slow-down of 0.5 % is less than the
noise of 1 % and must not be found. The arms are interleaved trial by trial, as in a plan.

With `--spread` repeats end by a plan's own rule: from `--repeats` on, while an arm's interval is
wider, to `--most`. Each comparison is then made twice: of these trials, and of all `--most`.
With `--simulated` so many comparisons are drawn in place of measured, at each of several noises.
"""

import argparse
import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from benchmarks.compare import progress
from gatemark.judge.change.compare import compare
from gatemark.judge.change.spread import Width
from gatemark.judge.judgement import Change
from gatemark.judge.math.interval import median_interval
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover

SLOW_TO_PPS = 30_000
SECONDS = 0.5
SEED, NOISES, PLANTED = 49, (0.005, 0.01, 0.02, 0.04), 0.05  # of a simulation
FOUND = ("faster", "slower")
AT_OVERLOAD = Workload(rate_pps=45_000, flows=16, duration_s=SECONDS)
TCP = Workload(kind="tcp", duration_s=SECONDS)


@dataclass(frozen=True, slots=True)
class Question:
    """Two gateways, or one gateway twice, under the same load."""

    what: str
    load: Workload
    old_pps: int  # slowed to this; 0: full speed
    new_pps: int
    rounds: int


Samples = tuple[Sequence[float], Sequence[float]]  # of the old arm, of the new one


@dataclass(frozen=True, slots=True)
class Rule:
    """A plan's rule: `times` repeats, then more while an interval is wide."""

    times: int
    spread: float  # 0: no more
    most: int

    def until_narrow(self, old: Sequence[float], new: Sequence[float]) -> Samples:
        """Return the repeats that the rule asks for, of `most` that were measured."""
        count = min(self.times, self.most)
        while count < self.most and any(map(self._is_wide, (old[:count], new[:count]))):
            count += 1
        return old[:count], new[:count]

    def _is_wide(self, samples: Sequence[float]) -> bool:
        interval = median_interval(samples)
        return Width(interval, self.spread * abs(interval.value)).wants(self.most)


QUESTIONS = (
    Question("A/A, slowed, UDP at overload", AT_OVERLOAD, SLOW_TO_PPS, SLOW_TO_PPS, 5),
    Question("A/A, slowed, TCP", TCP, SLOW_TO_PPS, SLOW_TO_PPS, 5),
    Question("A/A, plain, UDP at 45 k", AT_OVERLOAD, 0, 0, 5),
    Question("A/A, plain, TCP", TCP, 0, 0, 5),
    Question("planted, 5 % slower", AT_OVERLOAD, SLOW_TO_PPS, round(SLOW_TO_PPS * 0.95), 5),
    Question("planted, 0.5 % slower", AT_OVERLOAD, SLOW_TO_PPS, round(SLOW_TO_PPS * 0.995), 5),
)


def main() -> None:
    """Ask every question `rounds` times; print each verdict, and how often it came."""
    parser = argparse.ArgumentParser(prog="benchmarks.trust", description=__doc__)
    parser.add_argument(
        "--repeats", type=int, default=10, help="trials of either arm (default: 10)"
    )
    parser.add_argument("--spread", type=float, default=0.0, help="end at this width: 0.02")
    parser.add_argument("--most", type=int, default=12, help="with --spread (default: 12)")
    parser.add_argument("--rounds", type=int, default=0, help="of each question (default: 5)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="that a trial sends")
    parser.add_argument("--only", default="", help="only questions with this text: planted, A/A")
    parser.add_argument("--simulated", type=int, default=0, help="comparisons that are drawn")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if options.simulated:
        _simulate(options.simulated, Rule(options.repeats, options.spread, options.most))
        return
    recover()
    chosen = [
        replace(
            question,
            load=msgspec.structs.replace(question.load, duration_s=options.seconds),
            rounds=options.rounds or question.rounds,
        )
        for question in QUESTIONS
        if options.only in question.what
    ]
    most = options.most if options.spread else options.repeats
    answers = asyncio.run(_ask(chosen, Rule(options.repeats, options.spread, most)))
    progress("")
    for question, changes in answers:
        _show(question, changes, json_=options.json)


def _simulate(count: int, rule: Rule) -> None:
    """Print how often a change is found in drawn trials, by the rule and by all of them."""
    chance = random.Random(SEED)  # noqa: S311
    for noise in NOISES:
        for planted in (0.0, PLANTED):
            alarms, repeats = [0, 0], 0
            for _ in range(count):
                old, new = (
                    [chance.gauss(level, noise) for _ in range(rule.most)]
                    for level in (1.0, 1.0 - planted)
                )
                few = rule.until_narrow(old, new)
                repeats += len(few[0])
                for at, samples in enumerate((few, (old, new))):
                    alarms[at] += compare(*samples).verdict in FOUND
            print(
                f"noise {noise:.1%}, {planted:.0%} planted: found by the rule {alarms[0]} of "
                f"{count}, {repeats / count:.1f} repeats in the mean; by all {alarms[1]}"
            )


async def _ask(questions: Sequence[Question], rule: Rule) -> list[tuple[Question, list[Change]]]:
    answers: list[tuple[Question, list[Change]]] = []
    async with Bench(Lab()) as bench:
        for question in questions:
            rounds = [await _round(bench, question, rule, n + 1) for n in range(question.rounds)]
            answers.append((question, [compare(*samples) for samples in rounds]))
            if rule.spread:
                few = [rule.until_narrow(*samples) for samples in rounds]
                trials = sum(len(old) for old, _ in few) / len(few)
                what = f"{question.what}, stopped in time, {trials:.1f} repeats in the mean"
                answers.append((replace(question, what=what), [compare(*each) for each in few]))
    return answers


async def _round(bench: Bench, question: Question, rule: Rule, number: int) -> Samples:
    progress(f"{question.what}, round {number} of {question.rounds}")
    samples: dict[str, list[float]] = {"old": [], "new": []}
    for repeat in range(rule.most):
        order = [("old", question.old_pps), ("new", question.new_pps)]
        for arm, slow_to_pps in order if repeat % 2 else order[::-1]:
            samples[arm].append(await _measure(bench, question.load, arm, slow_to_pps))
    return samples["old"], samples["new"]


async def _measure(bench: Bench, load: Workload, arm: str, slow_to_pps: int) -> float:
    spec = TrialSpec(
        trial=arm,
        plan="benchmark",
        arm=Arm(path="route", name=arm),
        gateway=Gateway(slow_to_pps=slow_to_pps),
        workload=load,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
    )
    with lock.machine(progress):
        record, _ = await trial.run(bench, spec, lambda *_: None)
    if record.status != "ok":
        raise SystemExit(f"{arm}: {record.reason}")
    return record.values[record.definition.headline]


def _show(question: Question, changes: Sequence[Change], *, json_: bool) -> None:
    if json_:
        for change in changes:
            row = {"what": question.what, "verdict": change.verdict, "p": change.p}
            print(json.dumps(row | {"change": change.change.value, "mde": change.mde}))
        return
    counts = Counter(change.verdict for change in changes)
    print(f"{question.what}: {', '.join(f'{n} {verdict}' for verdict, n in counts.items())}")
    for line in _lines(changes):
        print(f"  {line}")


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        i = change.change
        yield (
            f"{i.value:+7.2%} ({i.lo:+.2%} to {i.hi:+.2%}), p {change.p:.3f}, "
            f"mde {change.mde:.2%}: {change.verdict}"
        )


if __name__ == "__main__":
    main()
