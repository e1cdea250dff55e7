# SPDX-License-Identifier: Apache-2.0
"""A campaign file worked out: stations, blocks, gated rows, and a block as its task."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gatemark.commands.campaign import block as block_
from gatemark.commands.campaign import row
from gatemark.commands.campaign.image import hash_of_image
from gatemark.commands.measure import examine
from gatemark.error import UsageError
from gatemark.fleet.executor import Arm, Task
from gatemark.fleet.file import IMAGE, PREVIOUS, Build, Campaign, Gate, Model, Suite
from gatemark.fleet.ledger import Attempt, Block
from gatemark.plan.toml import line_of, read_toml, string

if TYPE_CHECKING:
    from gatemark.plan.model import Plan
    from gatemark.station.station import Station

BOOT_S: Final = {"netns": 2.0, "qemu": 15.0, "ssh": 90.0}  # what a boot takes, roughly
SWITCH_S: Final = 180.0  # and the command that flashes an image before it
TOML: Final = ".toml"
FILES: Final = ("initramfs", "disk", "key", "known_hosts")  # keys of a virtual station


@dataclass(frozen=True)
class Layout:
    """A campaign and the folder that its file's words are seen from."""

    campaign: Campaign
    path: Path  # of its file
    base: Path
    folder: Path | None = None  # of the campaign, where it has one

    @cached_property
    def places(self) -> dict[str, tuple[str, Model]]:
        """Station of the ledger -> its name or file, and the model.

        A virtual one may be named several times: each time it is another. Raises UsageError for a
        device that is.
        """
        named: dict[str, tuple[str, Model]] = {}
        seen: Counter[str] = Counter()
        for at, model in enumerate(self.campaign.model):
            for word in model.stations:
                path = self._seen(word)
                seen[path] += 1
                with self._placed(f"model[{at}]", "stations"):
                    if not self.is_virtual(path) and seen[path] > 1:
                        raise UsageError(f"station {word} stands there twice: a device is but one")
                name = word if seen[path] == 1 else f"{word}#{seen[path]}"
                named[name] = (path, model)
        return named

    def plan(self, model: Model, suite: Suite) -> "Plan":
        """Return the plan to measure, with the builds as arms. Raises UsageError."""
        return self._plans[model.name, suite.plan]

    @cached_property
    def _plans(self) -> "dict[tuple[str, str], Plan]":
        made = {}
        for model in self.campaign.model:
            path = next(path for path, of in self.places.values() if of is model)
            for at, suite in enumerate(self.campaign.suite):
                if suite not in self.campaign.suites_of(model):
                    continue
                task = self.task_of(model, suite, path)
                with self._placed(f"suite[{at}]", "plan"):
                    plan = block_.chosen(task, self._station(path))[1]
                    examine([plan])
                made[model.name, suite.plan] = plan
        return made

    def blocks(self) -> list[Block]:
        """Every block, repeat by repeat, so that all rows grow at the same pace."""
        from gatemark.plan.order import order
        from gatemark.run.duration import estimate_s

        rng = random.Random(self.campaign.seed)  # noqa: S311  not for secrets
        made: list[Block] = []
        for repeat in range(1, 1 + max(map(self.campaign.repeats_of, self.campaign.model))):
            for model in self.campaign.model:
                if repeat > self.campaign.repeats_of(model):
                    continue
                for suite in self.campaign.suites_of(model):
                    seed = rng.randrange(1 << 31)
                    trials = order([self.plan(model, suite)], seed)
                    lasts_s = estimate_s(trials) + self._boots_s(model)
                    number = len(made) + 1
                    made.append(
                        Block(number, model.name, suite.plan, repeat, seed, len(trials), lasts_s)
                    )
        return made

    def _boots_s(self, model: Model) -> float:
        """Return the seconds of a block's boots, one of each build, with the switching."""
        kind = self._station(self._seen(model.stations[0])).info.kind
        each_s = BOOT_S.get(kind, 60.0) + (SWITCH_S if model.switch else 0.0)
        return each_s * len(self.campaign.build)

    def task(self, attempt: Attempt, block: Block) -> Task:
        """Return the task for the station of an attempt."""
        path, model = self.places[attempt.station]
        suite = next(s for s in self.campaign.suite if s.plan == block.suite)
        return self.task_of(model, suite, path, (attempt, block))

    def hashes(self) -> Iterator[tuple[str, str, int, str]]:
        """Model, build, its place, and what its image is. Raises UsageError where it is missing."""
        for model in self.campaign.model:
            for place, build in enumerate(self.campaign.build):
                yield model.name, build.name, place, self.hash_of(model, build)

    def hash_of(self, model: Model, build: Build) -> str:
        """Return the hash of a build's image. Raises UsageError where it is missing."""
        place = self.campaign.build.index(build)
        with self._placed(f"build[{place}]", "image"):
            return self._hash(model, build)

    def gated(self) -> list[tuple[Gate, Model, Suite, int]]:
        """Each gate with where it holds, and so many rows there. Raises UsageError without one."""
        rows = []
        for at, gate in enumerate(self.campaign.gate):
            here = [
                (gate, model, suite, count)
                for model in self.campaign.model
                if not gate.models or model.name in gate.models
                for suite in self.campaign.suites_of(model)
                if not gate.suites or suite.plan in gate.suites
                if (count := _gated_rows(gate, self.plan(model, suite)))
            ]
            with self._placed(f"gate[{at}]", "point", "suites", "models", "build"):
                if not here:
                    raise UsageError(
                        f"the gate of {gate.build} against {gate.against} has no row: "
                        "no suite has a row of such a point (a swept rate has none, its knee has)"
                    )
            rows += here
        return rows

    def pairs(self, gate: Gate) -> list[tuple[str, str]]:
        """The builds that a gate compares: new, old."""
        names = [build.name for build in self.campaign.build]
        old = names[names.index(gate.build) - 1] if gate.against == PREVIOUS else gate.against
        return [(gate.build, old)]

    def task_of(
        self,
        model: Model,
        suite: Suite,
        path: str,
        of: tuple[Attempt, Block] | None = None,
    ) -> Task:
        """A block of a suite on a station; without an attempt only its plan is meant."""
        attempt, block = of or (None, None)
        return Task(
            attempt=attempt.id if attempt else 0,
            name=attempt.folder if attempt else "",
            title=f"{self.campaign.title}: {model.name}, {suite.plan}",
            base=str(self.base),
            place=attempt.station if attempt else "",
            station=path,
            lock="" if self.is_virtual(path) else key(path),
            plan=self._seen(suite.plan),
            variant=suite.variant,
            settings=(*model.set, *suite.set),
            exact=model.exact,
            console=on_station(model.console, path),
            arms=tuple(self._arms(model, path)),
            seed=block.seed if block else 0,
        )

    def _arms(self, model: Model, path: str) -> Iterator[Arm]:
        for at, build in enumerate(self.campaign.build):
            with self._placed(f"build[{at}]", "image"):
                yield self.arm(model, build, path)

    @contextmanager
    def _placed(self, table: str, *keys: str) -> Iterator[None]:
        """The error names the line of the first of these keys."""
        try:
            yield
        except UsageError as error:
            line = line_of(self.path, *keys, table=table)
            raise UsageError(f"{self.path}:{line}: {error}") from None

    def arm(self, model: Model, build: Build, station: str) -> Arm:
        """A build as an arm of a block on a station. Raises UsageError."""
        from gatemark.node.quoted import shell

        image = build.image.get(model.name, "")
        if not image:
            return Arm(name=build.name, setup=build.setup)
        if model.switch:
            name = shell("{image}", image=image)
            switch = model.switch.replace(IMAGE, name)
            return Arm(name=build.name, setup=build.setup, switch=switch)
        if not image.endswith(TOML):
            return Arm(
                name=build.name, setup=build.setup, station=self._made(model, build, station)
            )
        own = self._seen(image)
        self._station(own)
        return Arm(name=build.name, setup=build.setup, station=own)

    def _made(self, model: Model, build: Build, station: str) -> str:
        """A virtual model's station with a kernel of the build's, as a file of the campaign's.

        Checked whole, also where no campaign has begun. Raises UsageError.
        """
        from gatemark.station.load import STATION_SCHEMA
        from gatemark.station.qemu.guest import TABLE
        from gatemark.store.folder import Folder

        table = self._with_kernel(model, build, station)
        if self.folder is None:
            return station
        folder, name = Folder(self.folder, "stations"), f"{model.name}-{build.name}.toml"
        folder.make()
        lines = [f"schema = {string(STATION_SCHEMA)}", f"[{TABLE}]"]
        lines += [f"{k} = {string(v) if isinstance(v, str) else v}" for k, v in table.items()]
        folder.write(name, "".join(f"{line}\n" for line in lines).encode())
        return str(folder.path / name)

    def _with_kernel(self, model: Model, build: Build, station: str) -> dict[str, Any]:
        """Return a virtual station's [gateway] with a kernel of the build's. Raises UsageError."""
        from gatemark.station.load import stations_folder
        from gatemark.station.qemu.guest import TABLE
        from gatemark.station.qemu.guest import model as check

        image = build.image[model.name]
        if self._station(station).info.kind != "qemu":
            raise UsageError(
                f"{image}: no kernel can be changed on {station}: give {model.name} a `switch`, "
                "or the build a setup"
            )
        path = Path(station) if station.endswith(TOML) else stations_folder() / f"{station}.toml"
        kernel = self._file(model, image)
        table = dict(_absolute(read_toml(path)[TABLE], path.parent.resolve()))
        table["kernel"] = str(kernel) if kernel.is_file() else image
        check(table, path)
        return table

    def _hash(self, model: Model, build: Build) -> str:
        image = build.image.get(model.name, "")
        path = self._file(model, image)
        if image and (path.is_file() or model.switch):
            is_station = image.endswith(TOML) and not model.switch
            try:
                return hash_of_image(path, self._station(str(path)) if is_station else None)
            except OSError as error:
                text = f"{path}: {error.strerror}: build {build.name} of {model.name} has no image"
                raise UsageError(text) from None
        return f"{image} {build.setup}".strip()

    def _file(self, model: Model, image: str) -> Path:
        """Where an image is. A command gets the name as it is written; a station reads its `~`."""
        return self.base / (image if model.switch else Path(image).expanduser())

    def is_virtual(self, path: str) -> bool:
        """Return whether a station is no device: each block then has its own."""
        return self._station(path).info.virtual

    def _seen(self, word: str) -> str:
        """A file's path from anywhere; a name as it is."""
        return str(self.base / word) if word.endswith(TOML) else word

    def _station(self, path: str) -> "Station":
        from gatemark.station.load import load

        if path not in self._stations:
            self._stations[path] = load(path)
        return self._stations[path]

    @cached_property
    def _stations(self) -> "dict[str, Station]":
        return {}


def _gated_rows(gate: Gate, plan: "Plan") -> int:
    """Rows of a plan at which a gate holds."""
    return sum(gate.point.items() <= point.items() for point in row.points(plan))


def _absolute(table: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, Any]]:
    """A virtual station's keys; those that name a file, as seen from anywhere."""
    for key, value in table.items():
        names_file = key in FILES and isinstance(value, str) and value
        yield key, str(folder / Path(value).expanduser()) if names_file else value


def on_station(command: str, path: str) -> str:
    """A user's command with the file of a station, quoted, for `{station}`."""
    from gatemark.node.quoted import shell

    return command.replace("{station}", shell("{path}", path=path))


def key(path: str) -> str:
    """The name of a station's lock: the same for all who name that file."""
    import hashlib

    return hashlib.sha256(str(Path(path).resolve()).encode()).hexdigest()[:16]


def trials_of(blocks: Sequence[Block]) -> int:
    """In all of them."""
    return sum(block.trials for block in blocks)


def hours(blocks: Sequence[Block], places: Mapping[str, tuple[str, Model]]) -> dict[str, float]:
    """Model -> hours until its stations are through, side by side."""
    stations = Counter(model.name for _, model in places.values())
    lasting: Counter[str] = Counter()
    for block in blocks:
        lasting[block.model] += block.estimate_s  # type: ignore[assignment]
    return {model: lasts_s / stations[model] / 3600 for model, lasts_s in lasting.items()}
