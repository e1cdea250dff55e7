# SPDX-License-Identifier: Apache-2.0
"""Can the comparisons be trusted? Comparisons of a gateway with itself, and planted slow-downs.

There are twenty A/A comparisons, ten slowed and ten at full speed. At most two of them may find a
change. A planted slow-down of 5 % must be found. A planted slow-down of 0.5 % is less than the
noise of 1 % and must not be found. The arms are interleaved trial by trial, as in a plan.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.compare import progress
from gatemark.judge.change.compare import compare
from gatemark.judge.judgement import Change
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover

SLOW_TO_PPS = 30_000
SECONDS = 0.5
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
    parser.add_argument("--only", default="", help="only questions with this text: planted, A/A")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    recover()
    chosen = [question for question in QUESTIONS if options.only in question.what]
    answers = asyncio.run(_ask(chosen, options.repeats))
    progress("")
    for question, changes in answers:
        _show(question, changes, json_=options.json)


async def _ask(questions: Sequence[Question], repeats: int) -> list[tuple[Question, list[Change]]]:
    async with Bench(Lab()) as bench:
        return [(question, await _answers(bench, question, repeats)) for question in questions]


async def _answers(bench: Bench, question: Question, repeats: int) -> list[Change]:
    changes = []
    for number in range(1, question.rounds + 1):
        progress(f"{question.what}, round {number} of {question.rounds}")
        samples: dict[str, list[float]] = {"old": [], "new": []}
        for repeat in range(repeats):
            order = [("old", question.old_pps), ("new", question.new_pps)]
            for arm, slow_to_pps in order if repeat % 2 else order[::-1]:
                samples[arm].append(await _measure(bench, question.load, arm, slow_to_pps))
        changes.append(compare(samples["old"], samples["new"]))
    return changes


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
