# SPDX-License-Identifier: Apache-2.0
"""Plan and suite files: found by name, read from TOML, refused with file, line and the mend."""

import difflib
import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gatemark.error import UsageError
from gatemark.plan.expand import FACTORS, check
from gatemark.plan.model import PLAN_SCHEMA, SUITE_SCHEMA, Arm, Plan, Suite, Workload

T = TypeVar("T")

# The tables of a plan file and the structure behind each.
TABLES: dict[str, type[msgspec.Struct]] = {"setup": Arm, "arm": Arm, "workload": Workload}


def plans_folder() -> Path:
    """The folder of the shipped suites."""
    return Path(str(resources.files("gatemark") / "plans"))


def suites() -> list[str]:
    """Names of the shipped suites."""
    return sorted(path.parent.name for path in plans_folder().glob("*/suite.toml"))


def load(name: str) -> tuple[Suite, list[Plan]]:
    """A suite with its plans, or a suite of the one plan that `name` means.

    `name` is a suite (`quick`), a plan (`quick/sweep`, or `sweep` where it is the only one) or a
    plan's file. Raises UsageError.
    """
    if name.endswith(".toml"):
        plan = read_plan(Path(name), Path(name).stem)
        return _alone(plan), [plan]
    if name in suites():
        suite = read_suite(name)
        return suite, [read_plan(_file(name, plan), f"{name}/{plan}") for plan in suite.plans]
    found = [plan for plan in _names() if plan == name or plan.split("/")[1] == name]
    if len(found) == 1:
        plan = read_plan(_file(*found[0].split("/")), found[0])
        return _alone(plan), [plan]
    if found:
        raise UsageError(f"'{name}' is the name of several plans: {', '.join(found)}; name one")
    raise UsageError(f"no suite or plan '{name}'{nearest(name, [*suites(), *_names()])}")


def read_suite(name: str) -> Suite:
    """A shipped suite's `suite.toml`."""
    path = plans_folder() / name / "suite.toml"
    suite = _convert(read_toml(path), Suite, path, SUITE_SCHEMA)
    return msgspec.structs.replace(suite, name=name)


def read_plan(path: Path, name: str) -> Plan:
    """A plan from its file, checked whole. Raises UsageError with file and line."""
    data = read_toml(path)
    if "setup" in data and "arm" in data:
        raise UsageError(f"{path}:{line_of(path, 'setup')}: [setup] and [[arm]] exclude each other")
    _refuse_unknown(data, path)
    plan = _convert(_reshape(data), Plan, path, PLAN_SCHEMA)
    plan = msgspec.structs.replace(plan, name=name, arm=_named(plan.arm))
    try:
        check(plan)
    except UsageError as error:
        raise UsageError(f"{path}:{line_of(path, *_words(str(error)))}: {error}") from None
    return plan


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; an unreadable one is the user's error, told with its line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{path}: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else f"{path}"
        raise UsageError(f"{where}: {error}") from None


def line_of(path: Path, *words: str) -> int:
    """Line of the first key or table among `words` in a TOML file, 1 if none is there."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for word in words:
        name = re.escape(word)
        key = re.compile(rf"""\s*(\[+\s*([\w.]+\.)?{name}\s*\]|["']?{name}["']?\s*=)""")
        for number, line in enumerate(lines, 1):
            if key.match(line):
                return number
    return 1


def refuse_unknown_keys(data: dict[str, Any], known: list[str], path: Path, table: str) -> None:
    """UsageError with file, line and the nearest known key for the first key not in `known`."""
    for key in data:
        if key not in known:
            where = f"{path}:{line_of(path, key)}"
            place = f" in [{table}]" if table else ""
            raise UsageError(f"{where}: unknown key '{key}'{place}{nearest(key, known)}")


def _names() -> list[str]:
    return [f"{suite}/{plan}" for suite in suites() for plan in read_suite(suite).plans]


def _file(suite: str, plan: str) -> Path:
    return plans_folder() / suite / f"{plan}.toml"


def _alone(plan: Plan) -> Suite:
    return Suite(
        schema=SUITE_SCHEMA, title=plan.title, why=plan.why, plans=(plan.name,), name=plan.name
    )


def nearest(word: str, known: list[str]) -> str:
    """`; did you mean 'x'?`, or what is known where nothing is near."""
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; known are: {', '.join(sorted(known))}"


def _fields(struct: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(struct)]


def _tables(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Each table of a plan file with the keys that it may have."""
    top = [key for key in _fields(Plan) if key not in ("name", "case")]
    yield "", data, [*top, "setup"]
    for name, value in data.items():
        rows = value if isinstance(value, list) else [value]
        for row in (row for row in rows if isinstance(row, dict)):
            match name:
                case "setup" | "arm" | "gateway" | "workload" | "repeat" | "probe":
                    struct = TABLES.get(name) or Plan.__annotations__[name]
                    yield name, row, _fields(struct)
                case "sweep":
                    yield name, row, [*FACTORS, "case"]
                    for case in row.get("case", []):
                        yield "sweep.case", case, list(FACTORS)


def _refuse_unknown(data: dict[str, Any], path: Path) -> None:
    for table, row, known in _tables(data):
        refuse_unknown_keys(row, known, path, table)


def _reshape(data: dict[str, Any]) -> dict[str, Any]:
    """The file's tables as the structure has them: `[setup]` is one arm, cases stand apart."""
    data = dict(data)
    if "setup" in data:
        data["arm"] = [data.pop("setup")]
    sweep = data.get("sweep", {})
    if isinstance(sweep, dict) and "case" in sweep:
        data["case"] = sweep["case"]
        data["sweep"] = {key: value for key, value in sweep.items() if key != "case"}
    return data


def _named(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return tuple(msgspec.structs.replace(arm, name=arm.name or arm.setup) for arm in arms)


def _convert(data: dict[str, Any], struct: type[T], path: Path, schema: str) -> T:
    if data.get("schema") != schema:
        was = data.get("schema", "none")
        raise UsageError(f'{path}:{line_of(path, "schema")}: schema is {was!r}; write "{schema}"')
    try:
        return msgspec.convert(data, struct)
    except msgspec.ValidationError as error:
        line = line_of(path, *_words(str(error)))
        raise UsageError(f"{path}:{line}: {_plain(str(error))}") from None


def _words(message: str) -> list[str]:
    """The keys that a message speaks of, innermost first."""
    return re.findall(r"[.`'](\w+)", message)[::-1]


def _plain(message: str) -> str:
    """msgspec's wording with the path in front: `workload.flows: Expected int, got str`."""
    found = re.fullmatch(r"(.*) - at `\$\.?(.*)`", message, re.S)
    return f"{found[2]}: {found[1]}" if found else message
