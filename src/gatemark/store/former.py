# SPDX-License-Identifier: Apache-2.0
"""Runs that an older Gatemark wrote (schema 1): one table of what was renamed since."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from gatemark.plan.model import Plan, TrialSpec
from gatemark.store.record import RECORD_SCHEMA, Definition, Evidence, Record
from gatemark.store.run import RUN_SCHEMA, Run

RECORD: Final = "gatemark.record/1"
RUN: Final = "gatemark.run/1"

# Keys by the part of a document that they stand in: the former name, and today's.
KEYS: Final = {
    "definition": {"brake_pps": "slow_to_pps"},
    "evidence": {"fill": "fill_steps", "filling": "fill"},
    "gateway": {"brake_pps": "slow_to_pps"},
    "program": {"said": "last_words"},
    "side": {"said": "name"},
}
# Values by their key.
VALUES: Final = {
    "pass": {"probed": "instrumented"},
    "kind": {"flows": "fill"},
    "variants": {"unbraked": "full-speed", "braked": "slowed"},
}
# Words of the command that repeats the run.
WORDS: Final = VALUES["variants"] | {"--brake-pps": "--slow-to-pps"}
SETTING: Final = re.compile(r"^gateway\.brake_pps(?==)")
TRIAL: Final = re.compile(r"/probed$")

Document = dict[str, Any]


def record(document: Document) -> Record:
    """A record of schema 1. Raises ValueError with the key that is missing or not known."""
    with _shaped():
        return _record(document)


def run(document: Document) -> Run:
    """A `run.json` of schema 1. Raises ValueError as `record` does."""
    with _shaped():
        return _run(document)


@contextmanager
def _shaped() -> Iterator[None]:
    """What a document of another shape leads to is one error."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None


def _record(document: Document) -> Record:
    made = _renamed(document, {"pass"})
    made["trial"] = _trial(made["trial"])
    made["definition"] = _part(made["definition"], "definition", Definition)
    made["evidence"] = _part(made.get("evidence", {}), "evidence", Evidence)
    programs = made["evidence"].get("programs", ())
    made["evidence"]["programs"] = [_keys(program, "program") for program in programs]
    _known(made, Record)
    return msgspec.convert(made | {"schema": RECORD_SCHEMA}, Record)


def _run(document: Document) -> Run:
    made = dict(document)
    made["plans"] = [_planned(plan, Plan) for plan in made["plans"]]
    made["trials"] = [_planned(_renamed(trial, {"pass"}), TrialSpec) for trial in made["trials"]]
    made["command"] = [_word(word) for word in made["command"]]
    if made.get("ab"):
        sides = {arm: _keys(made["ab"][arm], "side") for arm in ("old", "new")}
        made["ab"] = made["ab"] | sides
    _known(made, Run)
    return msgspec.convert(made | {"schema": RUN_SCHEMA}, Run)


def _planned(document: Document, type_: type[Plan] | type[TrialSpec]) -> Document:
    """A plan or a trial of one."""
    made = dict(document)
    if "gateway" in made:
        made["gateway"] = _keys(made["gateway"], "gateway")
    if "workload" in made:
        made["workload"] = _renamed(made["workload"], {"kind"})
    for key in ("trial", "decides", "seeks"):
        if isinstance(made.get(key), str):
            made[key] = _trial(made[key])
    names = VALUES["variants"]
    if "variants" in made:
        made["variants"] = [names.get(name, name) for name in made["variants"]]
    if "variant" in made:
        made["variant"] = names.get(made["variant"], made["variant"])
    _known(made, type_)
    return made


def _part(document: Document, part: str, type_: type[msgspec.Struct]) -> Document:
    made = _keys(document, part)
    _known(made, type_)
    return made


def _keys(document: Document, part: str) -> Document:
    return {KEYS[part].get(key, key): value for key, value in document.items()}


def _renamed(document: Document, keys: Collection[str]) -> Document:
    """With the values of these keys in today's words."""
    here = [key for key in keys if key in document]
    return document | {key: VALUES[key].get(document[key], document[key]) for key in here}


def _word(word: str) -> str:
    return WORDS.get(word, SETTING.sub("gateway.slow_to_pps", word))


def _trial(name: str) -> str:
    return TRIAL.sub("/instrumented", name)


def _known(document: Mapping[str, Any], type_: Any) -> None:
    """Refuse a key that neither the table nor today's structure knows."""
    known = {field.encode_name for field in msgspec.structs.fields(type_)}
    if unknown := sorted(set(document) - known):
        raise ValueError(f"its key {unknown[0]!r} is of a version that is no longer read")
