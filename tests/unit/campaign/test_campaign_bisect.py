# SPDX-License-Identifier: Apache-2.0
"""A bisection on its way: boots are counted, builds that do not boot skipped, a step confirmed."""

import random
from pathlib import Path
from typing import cast

import pytest
from command import gatemark

from gatemark.campaign.file import Build, Model, Suite
from gatemark.commands.campaign.bisect import Bisection, SkippedError
from gatemark.commands.campaign.layout import Layout
from gatemark.error import GatemarkError


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


def test_what_is_not_in_the_file_is_told(tmp_path: Path) -> None:
    text = 'schema = "gatemark.campaign/1"\ntitle = "Two"\n[[model]]\nname = "lab"\n'
    text += 'stations = ["lab"]\n[[suite]]\nplan = "cost/ab"\n'
    text += '[[build]]\nname = "a"\nsetup = "nat"\n[[build]]\nname = "b"\nsetup = "nat"\n'
    (tmp_path / "two.toml").write_text(text)
    for words, printed in (
        ("--from a --to c", "--to c: no such build; known are: a, b"),
        ("--from b --to a", "--from b --to a: name an earlier build first"),
        ("--from a --to b --model x", "--model x: name one of lab"),
        ("--from a --to b --allow x", "--allow x: a share of 0 to 1, or per cent: 1%"),
    ):
        done = gatemark("campaign", "bisect", "two.toml", *words.split(), cwd=tmp_path)
        assert (done.code, done.err) == (2, f"gatemark: {printed}\n")
