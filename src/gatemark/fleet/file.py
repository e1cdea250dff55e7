# SPDX-License-Identifier: Apache-2.0
"""The campaign file: models, builds, suites and gates; refused with its line and how to mend it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import fields, replace

from gatemark.error import UsageError
from gatemark.plan.ab import setup
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_unknown_keys

SCHEMA: Final = "gatemark.campaign/1"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}")
IMAGE: Final = "{image}"  # in the command of a model's `switch`
PREVIOUS: Final = "previous"  # a gate's `against`: the build before
MOST_REPEATS: Final = 1000
BARE: Final = 0.2  # a share without its `%` is below this
SHARE: Final = f'write "1%", which is below 100 %; a bare number is a share below {BARE:g}'
Level = str | int | float | bool


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Gateways of one kind, each on a station of its own."""

    name: str
    stations: tuple[str, ...]  # names or files; a virtual one may stand there several times
    switch: str = ""  # command that brings the gateway to {image}; "": virtual, or set up alone
    power: str = ""  # command that cycles the power of {station} once it hangs or fails
    console: str = ""  # command that prints what the serial console of {station} says
    exact: bool = False  # counted in instructions: one repeat, no times
    set: tuple[str, ...] = ()  # `--set` of every suite here


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """A side to compare: an image of each model, a setup, or both. The first is the reference."""

    name: str
    image: dict[str, str] = {}  # model -> file, kernel package or station file
    setup: str = ""  # as `gatemark ab` has one: nat+filter:100; "": the plan's first


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that every build is measured by."""

    plan: str
    variant: str = ""
    models: tuple[str, ...] = ()  # (): all
    set: tuple[str, ...] = ()  # as `--set`


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """A value that must not become slower."""

    build: str
    against: str  # a build, or `previous`
    allow: float | str = "1%"
    exact_allow: float | str = "0.5%"
    undecided: Literal["fail", "pass"] = "fail"
    models: tuple[str, ...] = ()  # (): all
    suites: tuple[str, ...] = ()  # their plans; (): all
    point: dict[str, Level] = {}  # levels that a gated point has; {}: every point


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Which control of a station is watched."""

    control: tuple[Literal["direct", "reference"], ...] = ("direct",)


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """A campaign file."""

    schema: str
    title: str
    repeats: int = 10  # blocks of each timed model and suite
    seed: int = 1  # of every order
    model: tuple[Model, ...]
    build: tuple[Build, ...]
    suite: tuple[Suite, ...]
    gate: tuple[Gate, ...] = ()
    health: Health = Health()

    def suites_of(self, model: Model) -> list[Suite]:
        """The suites that a model is measured by."""
        return [suite for suite in self.suite if not suite.models or model.name in suite.models]

    def repeats_of(self, model: Model) -> int:
        """Blocks of each of its suites: a counted model needs but one."""
        return 1 if model.exact else self.repeats


TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "model": Model,
    "build": Build,
    "suite": Suite,
    "gate": Gate,
}


def read(path: Path) -> Campaign:
    """A campaign file, checked whole. Raises UsageError with file and line."""
    data = read_toml(path)
    _refuse_unknown(data, path)
    if data.get("schema") != SCHEMA:
        raise UsageError(f'{path}:{line_of(path, "schema", table="")}: write schema = "{SCHEMA}"')
    try:
        made = msgspec.convert(data, Campaign)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}:{_line(path, str(error))}: {error}") from None
    made = replace(made, gate=tuple(_gate(gate, path, at) for at, gate in enumerate(made.gate)))
    for line, text in _faults(made, path):
        raise UsageError(f"{path}:{line}: {text}")
    return made


def share(word: float | str) -> float:
    """`3%` and 0.03 are the same. Raises ValueError with what to write.

    1 and 0.5 could be per cent as well, and a gate that allows 100 % never fails.
    """
    is_percent = isinstance(word, str) and word.endswith("%")
    try:
        number = float(str(word).removesuffix("%")) / (100 if is_percent else 1)
    except ValueError:
        raise ValueError(SHARE) from None
    if not 0 <= number < (1 if is_percent else BARE):
        raise ValueError(SHARE)
    return number


def _gate(gate: Gate, path: Path, at: int) -> Gate:
    """With its shares as numbers."""
    shares = {}
    for key in ("allow", "exact_allow"):
        word = getattr(gate, key)
        try:
            shares[key] = share(word)
        except ValueError as error:
            line = line_of(path, key, table=f"gate[{at}]")
            written = repr(word) if isinstance(word, str) else f"{word:g}"
            raise UsageError(f"{path}:{line}: {key} = {written}: {error}") from None
    return replace(gate, **shares)


def _refuse_unknown(data: Mapping[str, Any], path: Path) -> None:
    refuse_unknown_keys(data, [field.name for field in fields(Campaign)], path, "")
    for table, struct in TABLES.items():
        rows = data.get(table, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            line = line_of(path, table)
            raise UsageError(f"{path}:{line}: write [[{table}]], one for each {table}")
        for at, row in enumerate(rows):
            names = [field.name for field in fields(struct)]
            refuse_unknown_keys(row, names, path, table, f"{table}[{at}]")
    health = data.get("health", {})
    if isinstance(health, dict):
        refuse_unknown_keys(health, [field.name for field in fields(Health)], path, "health")


def _line(path: Path, text: str) -> int:
    """Where msgspec's `$.model[0].stations` stands."""
    match = re.search(r"`\$\.(?P<table>\w+)(\[(?P<at>\d+)\])?(\.(?P<key>\w+))?", text)
    key = re.search(r"field `(\w+)`", text)
    if not match:
        return line_of(path, key[1] if key else "schema")
    table = match["table"] + (f"[{match['at']}]" if match["at"] else "")
    return line_of(path, *filter(None, (match["key"], match["table"])), table=table)


def _faults(made: Campaign, path: Path) -> Iterator[tuple[int, str]]:
    """Yield what does not go together, with its line."""
    if not 1 <= made.repeats <= MOST_REPEATS:
        yield line_of(path, "repeats"), f"repeats = {made.repeats}: 1 to {MOST_REPEATS}"
    if len(made.build) < 2:
        yield line_of(path, "build"), "name two builds or more: the first is the reference"
    for table in ("model", "suite"):
        if not getattr(made, table):
            yield 1, f"name a [[{table}]]"
    yield from _names("model", [model.name for model in made.model], path)
    yield from _names("build", [build.name for build in made.build], path)
    yield from _of_models(made, path)
    yield from _of_builds(made, path)
    yield from _of_suites(made, path)
    yield from _of_gates(made, path)


def _names(table: str, names: Sequence[str], path: Path) -> Iterator[tuple[int, str]]:
    for at, name in enumerate(names):
        line = line_of(path, "name", table=f"{table}[{at}]")
        if not NAME.fullmatch(name):
            yield line, f"name = {name!r}: up to 60 letters, digits and . _ + -"
        if name in names[:at]:
            yield line, f"two {table}s are called {name}: name each once"


def _of_models(made: Campaign, path: Path) -> Iterator[tuple[int, str]]:
    for at, model in enumerate(made.model):
        place = f"model[{at}]"
        if not model.stations:
            yield line_of(path, "stations", "model", table=place), f"{model.name} has no station"
        if model.switch and IMAGE not in model.switch:
            line = line_of(path, "switch", table=place)
            yield line, f"switch = '{model.switch}': say where the image's file goes: {IMAGE}"
        if model.switch and model.exact:
            yield (
                line_of(path, "exact", table=place),
                f"{model.name}: only a virtual gateway is counted; leave out `switch` or `exact`",
            )
        if not made.suites_of(model):
            yield line_of(path, "name", table=place), f"no suite is for model {model.name}"


def _of_builds(made: Campaign, path: Path) -> Iterator[tuple[int, str]]:
    models = {model.name: model for model in made.model}
    for at, build in enumerate(made.build):
        place = f"build[{at}]"
        if build.name == PREVIOUS:
            text = f"name = '{PREVIOUS}': in a gate that is the build before; name it otherwise"
            yield line_of(path, "name", table=place), text
        for name in build.image:
            if name not in models:
                line = line_of(path, name, "image", table=place)
                yield line, f"build {build.name}: no model '{name}'{nearest(name, [*models])}"
        for model in models.values():
            if text := _image_fault(model, build):
                yield line_of(path, "image", "name", table=place), text
        if text := _setup_fault(build):
            yield line_of(path, "setup", table=place), text


def _image_fault(model: Model, build: Build) -> str:
    if "\0" in build.image.get(model.name, ""):
        return f"build {build.name}: its image for {model.name} has a NUL, as no file's name has"
    if model.name in build.image:
        return ""
    if model.switch:
        return f"build {build.name} has no image for {model.name}"
    # Without either it would be the station as it is, and two such builds the same.
    return (
        "" if build.setup else f"build {build.name}: give it an image for {model.name}, or a setup"
    )


def _setup_fault(build: Build) -> str:
    try:
        if build.setup:
            setup(build.setup)
    except UsageError as error:
        return str(error)
    return ""


def _of_suites(made: Campaign, path: Path) -> Iterator[tuple[int, str]]:
    known, seen = [model.name for model in made.model], list[str]()
    for at, suite in enumerate(made.suite):
        line = line_of(path, "plan", table=f"suite[{at}]")
        if suite.plan in seen:
            yield line, f"suite {suite.plan} stands there twice: name each plan once"
        seen.append(suite.plan)
        yield from _known(path, f"suite[{at}]", "models", (suite.models, known))


def _of_gates(made: Campaign, path: Path) -> Iterator[tuple[int, str]]:
    builds = [build.name for build in made.build]
    for at, gate in enumerate(made.gate):
        place = f"gate[{at}]"
        yield from _known(path, place, "build", ((gate.build,), builds))
        yield from _known(path, place, "against", ((gate.against,), [*builds, PREVIOUS]))
        yield from _known(path, place, "models", (gate.models, [m.name for m in made.model]))
        yield from _known(path, place, "suites", (gate.suites, [s.plan for s in made.suite]))
        if gate.against in (gate.build, PREVIOUS) and gate.build in (gate.against, builds[0]):
            text = f"{gate.build} against {gate.against}: name a build before it"
            yield line_of(path, "against", table=place), text


def _known(
    path: Path, place: str, key: str, words: tuple[Sequence[str], Sequence[str]]
) -> Iterator[tuple[int, str]]:
    for word in words[0]:
        if word not in words[1]:
            line = line_of(path, key, table=place)
            yield line, f"{key}: no '{word}'{nearest(word, [*words[1]])}"
