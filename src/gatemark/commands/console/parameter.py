# SPDX-License-Identifier: Apache-2.0
"""The values that a parameter may have, by its name: one name means the same in every verb."""

from collections.abc import Callable, Iterator, Mapping
from glob import escape, glob
from typing import TYPE_CHECKING, Final

from gatemark.commands import classifier, fit, lab
from gatemark.commands.app import SHELLS
from gatemark.commands.option import wire
from gatemark.node.elf import TARGETS

if TYPE_CHECKING:
    from gatemark.plan.model import Plan

Candidate = tuple[str, str]  # a word, and what it is
Given = Mapping[str, str]  # by parameter: what the command line says already


def _plans(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.commands.console.offer import offers

    listed = offers()
    yield from {offer.suite: offer.suite_title for offer in listed}.items()
    yield from ((offer.plan, offer.title) for offer in listed)


def _variants(given: Given, word: str) -> Iterator[Candidate]:
    named = {name: plan.title for plan in _named(given) for name in plan.variants}
    yield from named.items()


def _models(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.classifier import shipped

    yield from ((name, "") for name in shipped.names())


def _stations(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.station.load import stations

    yield from ((name, "") for name in stations())


def _setups(given: Given, word: str) -> Iterator[Candidate]:
    """Paths; behind a `+` features as far as they are words."""
    from gatemark.plan.ab import PATHS
    from gatemark.plan.feature import FEATURES, form

    before = word[: word.rfind("+") + 1]
    if not before:
        yield from ((path, "") for path in PATHS)
        return
    for name, feature in FEATURES.items():
        yield f"{before}{name}{':' if feature.arguments else ''}", form(name)


def _sides(given: Given, word: str) -> Iterator[Candidate]:
    yield from _setups(given, word)
    yield from _stations(given, word)


def _settings(given: Given, word: str) -> Iterator[Candidate]:
    """Keys with the value that they have now; after the `=` that value."""
    from json import dumps

    from gatemark.plan.expand import SETTABLE

    for plan in _named(given):
        tables = [(table, getattr(plan, table)) for table in SETTABLE if getattr(plan, table)]
        keys = {
            f"{table}.{name}": getattr(values, name)
            for table, values in tables
            for name in values.__struct_fields__
            if table != "workload" or name not in plan.sweep
        } | {f"sweep.{name}": levels for name, levels in plan.sweep.items()}
        for key, value in keys.items():
            text = dumps(value, separators=(",", ":"))
            yield (f"{key}={text}", plan.name) if "=" in word else (f"{key}=", f"now {text}")


def _runs(given: Given, word: str) -> Iterator[Candidate]:
    """Runs as they are typed: `latest`, bare names, and paths below what is typed already."""
    from gatemark.commands.measure import RUNS
    from gatemark.commands.runs.locate import LATEST, known

    folder = word[: word.rfind("/") + 1]
    for above in dict.fromkeys((folder, f"{RUNS}/")):
        runs = glob(f"{escape(above)}*/run.json")  # noqa: PTH207  a path stays as it was typed
        yield from ((run.removesuffix("/run.json"), "") for run in sorted(runs, reverse=True))
    if word and not folder:
        yield from ((entry.path.name, str(entry.path)) for entry in known())
        yield LATEST, "the newest run"


def _across(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.judge.change.comparable import FIELDS
    from gatemark.judge.change.diff import GATEWAY

    yield from ((field, "") for field in (*FIELDS, GATEWAY))


def _quantities(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.judge.change.sampled import KNEE
    from gatemark.quantity import UNITS

    yield from ((quantity, unit) for quantity, unit in UNITS.items())
    yield KNEE, "packets/s"


def _explained(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.tell.explain.entry import entries, guides

    yield from ((entry.word, entry.kind) for entry in entries())
    yield from ((name, "page") for name in guides())
    for entry in entries() if word else ():
        names = (*entry.listed("keys"), *entry.listed("also"))
        yield from ((name, entry.word) for name in names if " " not in name)


def _formats(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.tell.export.form import FOLDED, FORMATS

    yield from ((name, "") for name in (*FORMATS, FOLDED))


def _studies(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.store.study.outline import NAMES

    yield from ((name, "") for name in NAMES)


def _schemas(given: Given, word: str) -> Iterator[Candidate]:
    from gatemark.tell.export.schema import KINDS

    yield from ((kind, title) for kind, (_, title) in KINDS.items())


def _ports(given: Given, word: str) -> Iterator[Candidate]:
    before = word[: word.rfind(",") + 1]
    yield from ((f"{before}{port}", f"{end}: {text}") for port, (end, text) in wire.PORTS.items())


def _words(*words: str) -> "Values":
    return lambda *_: ((word, "") for word in words)


def _named(given: Given) -> "list[Plan]":
    from gatemark.plan.load import load

    return load(given.get("name") or given.get("plan") or "quick", given.get("variant", ""))[1]


Values = Callable[[Given, str], Iterator[Candidate]]

WORDS: Final[Mapping[str, Values]] = {
    "name": _plans,
    "suite": _plans,
    "variant": _variants,
    "set_": _settings,
    "station": _stations,
    "setup": _setups,
    "side": _sides,
    "against": _sides,
    "plan": _plans,
    **dict.fromkeys(("run", "runs", "old", "new", "resume", "check"), _runs),
    "driver": _words(*wire.DRIVERS),
    "port": _ports,
    "across": _across,
    "quantity": _quantities,
    "format_": _formats,
    "word": _explained,
    "schema": _schemas,
    "study": _studies,
    "target": _words(*TARGETS, "all"),
    "userland": _words("openwrt"),
    "path": _words(*lab.PATHS),
    "host": _words(*lab.HOSTS),
    "on": _words("lan", "wan"),
    "frame": _words(*fit.FRAMES),
    "family": _words("both", "ipv4", "ipv6"),
    "executor": _words("local"),
    "prefer": _words("rate", "delay", "cpu"),
    "completion": _words(*SHELLS),
    "model": _models,
    "split": _words(*classifier.SPLITS),
    "protocol": _words(*classifier.PROTOCOLS),
}
