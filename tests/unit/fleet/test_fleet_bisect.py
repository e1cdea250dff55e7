# SPDX-License-Identifier: Apache-2.0
"""A bisection on its way: boots are counted, builds that do not boot skipped, a step confirmed."""

import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from inside import gatemark
from msgspec.structs import replace

from gatemark.commands.campaign import bisect
from gatemark.commands.campaign.bisect import Bisection, Identity, SkippedError, hold
from gatemark.commands.campaign.layout import Layout
from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.executor import End, Task
from gatemark.fleet.file import SHARE, Build, Model, Suite
from gatemark.fleet.local import Local

IDENTITY = Identity(model="m", suite="cost/ab", builds=("a", "b"), images=("x", "y"), file="f")
# A block that fails the first time that it is done; one that has ended is not done again.
FAILS_ONCE = """
import pathlib, sys
place = pathlib.Path(sys.argv[1])
seen = place.parents[1] / "seen"
if (place / "end.json").exists():
    sys.exit()
(place / "end.json").write_text('{"code": %d, "why": "no boot"}' % (not seen.exists()))
(place / "run").mkdir()
for name in ("run.json", "trials.jsonl"):
    (place / "run" / name).touch()
seen.touch()
"""
LASTS = "import signal; signal.pause()"


class Rows(Bisection):
    """Builds of which `step` is the first slower one; noise of a boot is 1 %."""

    step = 21
    effect = 0.05
    broken: frozenset[int] = frozenset()
    rng = random.Random(4)

    def _measured(self, pair: object, name: str) -> float:
        old, new = cast("tuple[Build | None, Build]", pair)
        at = int(new.name)
        if at in self.broken:
            raise SkippedError(f"{name}: it does not boot")
        self.boots += 1
        if old is None:
            return 1010.0 if at >= self.step else 1000.0
        levels = [self.effect * (int(build.name) >= self.step) for build in (old, new)]
        return levels[1] - levels[0] + self.rng.gauss(0.0, 0.01)


def rows(tmp_path: Path, kind: type[Rows] = Rows, *, exact: bool = False) -> Rows:
    builds = [Build(name=str(at), setup="nat") for at in range(64)]
    model = Model(name="m", stations=("lab",), exact=exact)
    layout = cast("Layout", None)
    return kind(layout, model, Suite(plan="cost/ab"), builds, "", 0.005, tmp_path, 200)


def test_counted_64_builds_are_eight_boots(tmp_path: Path) -> None:
    search = rows(tmp_path, exact=True)
    (step,) = search.counted()
    assert (step.before, step.after, search.boots) == (20, 21, 8)


def test_timed_a_build_is_named_once_it_is_confirmed(tmp_path: Path) -> None:
    search = rows(tmp_path)
    step = search.timed()
    assert step
    assert (step.before, step.after) == (20, 21)
    assert search.boots <= 40


def test_timed_at_twice_the_noise_19_of_20_are_right_within_40_boots(tmp_path: Path) -> None:
    class Faint(Rows):
        effect = 0.02

    named, boots = list[bool](), list[int]()
    for seed in range(60):
        search = rows(tmp_path, Faint)
        search.rng = random.Random(seed)
        step = search.timed()
        named.append(step is not None and step.after == search.step)
        boots.append(search.boots)
    assert sum(named) >= 57
    assert sorted(boots)[30] <= 40


def test_alike_ends_have_no_step(tmp_path: Path) -> None:
    class Alike(Rows):
        effect = 0.0

    search = rows(tmp_path, Alike)
    assert search.timed() is None
    assert search.boots <= 24


def test_a_build_that_does_not_boot_is_skipped(tmp_path: Path) -> None:
    class Broken(Rows):
        broken = frozenset({19, 20, 31, 32})

    (step,) = rows(tmp_path, Broken, exact=True).counted()
    assert (step.before, step.after) == (18, 21)
    timed = rows(tmp_path, Broken).timed()
    assert timed
    assert (timed.before, timed.after) == (18, 21)


def test_an_end_that_does_not_boot_ends_it(tmp_path: Path) -> None:
    class Broken(Rows):
        broken = frozenset({63})

    with pytest.raises(GatemarkError, match="an end cannot be measured"):
        rows(tmp_path, Broken, exact=True).counted()


class Blocks(Bisection):
    """Builds whose blocks are processes of the test's own."""

    def _task(self, pair: object, name: str) -> Task:
        return Task(
            attempt=1, name=name, title=str(pair), base="/", station="lab", lock="", plan="p"
        )


def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Blocks:
    monkeypatch.setattr(bisect, "Local", partial(Local, command=(sys.executable, "-c", text)))
    made = rows(tmp_path)
    return Blocks(made.layout, made.model, made.suite, made.builds, "", 0.005, tmp_path)


def test_a_block_that_failed_is_begun_again_by_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = blocks(tmp_path, monkeypatch, FAILS_ONCE)
    pair = search.builds[0], search.builds[1]
    with pytest.raises(SkippedError, match="no boot"):
        search._boot(pair, "001-1")
    search._boot(pair, "001-1")
    assert (tmp_path / "runs" / "001-1" / "run.json").exists()


def test_a_block_ends_with_who_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[subprocess.Popen[bytes]] = []

    def interrupted(executor: Local, _: float) -> list[End]:
        children.extend(child for child, *_ in executor._children.values())
        raise KeyboardInterrupt

    search = blocks(tmp_path, monkeypatch, LASTS)
    monkeypatch.setattr(Local, "poll", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search._boot((search.builds[0], search.builds[1]), "001-1")
    (child,) = children
    try:
        assert child.wait(timeout=30) == -signal.SIGTERM
    finally:
        child.kill()


def test_the_same_bisection_goes_on(tmp_path: Path) -> None:
    hold(IDENTITY, tmp_path)
    (tmp_path / "runs").mkdir()
    hold(IDENTITY, tmp_path)


def test_what_was_measured_for_another_bisection_is_not_taken(tmp_path: Path) -> None:
    hold(IDENTITY, tmp_path)
    other = Identity(model="n", suite="p", builds=("b", "c"), images=("x", "z"), file="g")
    for name in IDENTITY.__struct_fields__:
        changed = replace(IDENTITY, **{name: getattr(other, name)})
        with pytest.raises(UsageError, match=f"another bisection .{name}.: name anoth"):
            hold(changed, tmp_path)


def test_what_was_measured_for_nobody_knows_what_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(UsageError, match="holds no bisection: name another --out"):
        hold(IDENTITY, tmp_path)


def two(tmp_path: Path, model: str = "") -> None:
    """A campaign file of two builds in `two.toml`."""
    text = f'schema = "gatemark.campaign/1"\ntitle = "Two"\n[[model]]\nname = "lab"\n{model}'
    text += 'stations = ["lab"]\n[[suite]]\nplan = "cost/ab"\n'
    text += '[[build]]\nname = "a"\nsetup = "nat"\n[[build]]\nname = "b"\nsetup = "nat"\n'
    (tmp_path / "two.toml").write_text(text)


def test_another_row_of_builds_does_not_go_on_in_the_same_folder(tmp_path: Path) -> None:
    two(tmp_path)
    (tmp_path / "gatemark-bisect").mkdir()
    hold(IDENTITY, tmp_path / "gatemark-bisect")
    done = gatemark("campaign", "bisect", "two.toml", "--from=a", "--to=b", cwd=tmp_path)
    printed = "gatemark: gatemark-bisect is of another bisection (model): name another --out\n"
    assert (done.code, done.err) == (2, printed)


def test_boots_of_a_counted_model_have_no_bound(tmp_path: Path) -> None:
    two(tmp_path, "exact = true\n")
    words = ("--from=a", "--to=b", "--most=9")
    done = gatemark("campaign", "bisect", "two.toml", *words, cwd=tmp_path)
    printed = "gatemark: --most is of timed boots, and lab is counted: leave it out\n"
    assert (done.code, done.err) == (2, printed)


def test_what_is_not_in_the_file_is_told(tmp_path: Path) -> None:
    two(tmp_path)
    for words, printed in (
        ("--from a --to c", "--to c: no such build; known are: a, b"),
        ("--from b --to a", "--from b --to a: name an earlier build first"),
        ("--from a --to b --model x", "--model x: name one of lab"),
        ("--from a --to b --allow x", f"--allow x: {SHARE}"),
    ):
        done = gatemark("campaign", "bisect", "two.toml", *words.split(), cwd=tmp_path)
        assert (done.code, done.err) == (2, f"gatemark: {printed}\n")
