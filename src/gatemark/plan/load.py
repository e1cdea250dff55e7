# SPDX-License-Identifier: Apache-2.0
"""Plan and suite files: found by name, read from TOML, refused with file, line and fix."""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from gatemark.error import UsageError
from gatemark.plan import device, expect, words, workloads
from gatemark.plan.expand import FACTORS, check, check_at, means_nothing, plain
from gatemark.plan.feature import NAME
from gatemark.plan.level import spread_out
from gatemark.plan.line import course
from gatemark.plan.line.keys import LINE, LINE_FACTORS, keys_of, varied, ways
from gatemark.plan.model import (
    PLAN_SCHEMA,
    SUITE_SCHEMA,
    Arm,
    Command,
    Factor,
    Plan,
    Search,
    Suite,
    Workload,
)
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_all, refuse_unknown_keys
from gatemark.plan.trace import located
from gatemark.plan.words import WORDS

WAITING = re.compile(r"^\s*(?:needs \S.*|over\s*)$", re.MULTILINE)  # words beside `at 2`
T = TypeVar("T")

# The tables of a plan file and the structure behind each.
TABLES: dict[str, type[msgspec.Struct]] = {
    "setup": Arm,
    "arm": Arm,
    "workload": Workload,
    "search": Search,
}


# The tables that a `[variant.NAME.TABLE]` may change.
VARIED = (
    *("gateway", LINE, "workload", "beside", "sweep", "repeat", "probe", "search"),
    "keep",
    expect.TABLE,
)


def plans_folder() -> Path:
    """The folder of the shipped suites."""
    return Path(str(resources.files("gatemark") / "plans"))


def suites() -> list[str]:
    """Names of the shipped suites."""
    return sorted(path.parent.name for path in plans_folder().glob("*/suite.toml"))


def load(name: str, variant: str = "") -> tuple[Suite, list[Plan]]:
    """A suite with its plans, or a suite of the one plan that `name` means.

    `name` is a suite (`quick`), a plan (`quick/sweep`, or `sweep` where it is the only one) or a
    plan's file. `variant` is put into every plan that has one of that name. Raises UsageError.
    """
    suite, plans = _find(name, variant)
    known = sorted({name for plan in plans for name in plan.variants})
    if variant and variant not in known:
        fix = nearest(variant, known) if known else "; it has none"
        raise UsageError(f"--variant {variant}: no plan of '{name}' has that variant{fix}")
    return suite, plans


def _find(name: str, variant: str) -> tuple[Suite, list[Plan]]:
    if name.endswith(".toml"):
        plan = read_plan(Path(name), Path(name).stem, variant)
        return _alone(plan), [plan]
    if name in suites():
        suite = read_suite(name)
        files = [(_file(name, plan), f"{name}/{plan}") for plan in suite.plans]
        return suite, [read_plan(file, plan, variant) for file, plan in files]
    matches = [plan for plan in _names() if plan == name or plan.split("/")[1] == name]
    if len(matches) == 1:
        plan = read_plan(_file(*matches[0].split("/")), matches[0], variant)
        return _alone(plan), [plan]
    if matches:
        raise UsageError(f"'{name}' is the name of several plans: {', '.join(matches)}; name one")
    raise UsageError(f"no suite or plan '{name}'{nearest(name, [*suites(), *_names()])}")


def read_suite(name: str) -> Suite:
    """A shipped suite's `suite.toml`."""
    path = plans_folder() / name / "suite.toml"
    suite = _convert(read_toml(path), Suite, path, SUITE_SCHEMA)
    others = sorted({plan.stem for plan in path.parent.glob("*.toml")} - {*suite.plans, path.stem})
    return msgspec.structs.replace(suite, name=name, plans=(*suite.plans, *others))


def read_plan(path: Path, name: str, variant: str = "") -> Plan:
    """A plan from its file, checked whole. Raises UsageError with each fault, its file and line."""

    def form(data: dict[str, Any]) -> tuple[Plan, dict[str, Any]]:
        return _formed(workloads.flat(data), path, name, variant)

    def whole(data: dict[str, Any]) -> Plan:
        plan, written = form(data)
        _refuse_strangers(workloads.flat(data), path)
        _refuse_senseless(plan, written, path)
        return plan

    try:
        return whole(read_toml(path))
    except UsageError:
        refuse_all(path, form)  # first: what keys mean together is known where each is right
        refuse_all(path, whole)
        raise


def _formed(
    data: dict[str, Any], path: Path, name: str, variant: str
) -> tuple[Plan, dict[str, Any]]:
    """The plan, and the data that it was made of, each key by itself checked."""
    if "setup" in data and "arm" in data:
        raise UsageError(f"{path}:{line_of(path, 'setup')}: [setup] and [[arm]] exclude each other")
    _refuse_unknown(data, path)
    known = tuple(data.get("variant", {}))
    data = _located(_varied(data, variant if variant in known else ""), path.parent)
    data = _described(data, path)
    written = {"case": "sweep.case"} | ({"arm[0]": "setup"} if "setup" in data else {})
    plan = _convert(_reshape(data), Plan, path, PLAN_SCHEMA, written)
    named = msgspec.structs.replace(
        plan,
        name=name,
        arm=_named(plan.arm),
        variants=known,
        variant=variant if variant in known else "",
    )
    return named, data


def _refuse_senseless(plan: Plan, data: dict[str, Any], path: Path) -> None:
    """Raise UsageError where the keys of a plan cannot stand together."""
    try:
        check(plan, _given(data))
        check_at(plan)
        expect.check(plan)
    except expect.ExpectError as error:
        raise _expected(error, path) from None
    except UsageError as error:
        table = re.search(r"\[(\w+)\]", str(error))
        line = line_of(path, *_words(str(error)), table=table[1] if table else "sweep")
        raise UsageError(f"{path}:{line}: {error}") from None


def _names() -> list[str]:
    return [f"{suite}/{plan}" for suite in suites() for plan in read_suite(suite).plans]


def _file(suite: str, plan: str) -> Path:
    return plans_folder() / suite / f"{plan}.toml"


def _alone(plan: Plan) -> Suite:
    return Suite(
        schema=SUITE_SCHEMA, title=plan.title, why=plan.why, plans=(plan.name,), name=plan.name
    )


def _fields(struct: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(struct)]


def _refuse_unknown(data: dict[str, Any], path: Path) -> None:
    top = [key for key in _fields(Plan) if key not in ("name", "case", "variants")]
    refuse_unknown_keys(data, [*top, "setup"], path, "")
    variants = data.get("variant", {})
    if not isinstance(variants, dict) or not all(isinstance(v, dict) for v in variants.values()):
        line = line_of(path, "variant", table="")
        raise UsageError(f"{path}:{line}: a variant is a table: [variant.short.repeat]")
    for name, variant in variants.items():
        for table in variant:
            if table in VARIED and not all(
                isinstance(t.get(table, {}), dict) for t in (variant, data)
            ):
                line = line_of(path, table, table=f"variant.{name}")
                raise UsageError(f"{path}:{line}: `{table}` is a table: [variant.{name}.{table}]")
    names = _refuse_beside(data, path)
    for table, place, row in _rows({key: data[key] for key in data if key != "variant"}):
        _refuse_in_table(table, row, path, place, names)
    _refuse_commands(data, path)
    _refuse_expectations(data, path)
    for name, variant in variants.items():
        refuse_unknown_keys(variant, list(VARIED), path, f"variant.{name}")
        _refuse_beside(variant, path, f"variant.{name}.")
        _refuse_expectations(variant, path, f"variant.{name}.")
        for table, place, row in _rows(variant):
            _refuse_in_table(table, row, path, f"variant.{name}.{place}", names)


def _refuse_beside(data: dict[str, Any], path: Path, above: str = "") -> list[str]:
    """Names of the workloads beside the first. Refuses what is no table, or no name.

    `above` is the place of the variant that has them.
    """
    loads = data.get("beside", {})
    table = f"{above}beside"
    is_table = isinstance(loads, dict)
    strays = [name for name in loads if not isinstance(loads[name], dict)] if is_table else []
    if not is_table or strays:
        line = line_of(path, *strays, "beside", table=table)
        raise UsageError(
            f'{path}:{line}: what is sent beside is a table: [{table}.NAME], kind = "tcp"'
        )
    for name in loads:
        if reason := workloads.name_fault(name):
            raise UsageError(f"{path}:{line_of(path, name, table=table)}: {reason}")
    return list(loads)


def _refuse_in_table(
    table: str, row: dict[str, Any], path: Path, place: str, names: Sequence[str]
) -> None:
    """Refuse the unknown keys of a table; `place` is where it stands, in a variant or not.

    `names` are those of the workloads beside the first, whose keys are factors too.
    """
    written = place.partition("[")[0]
    known = [*FACTORS, *LINE_FACTORS, *(f"{name}.{key}" for name in names for key in FACTORS)]
    if table.startswith("beside."):
        refuse_unknown_keys(row, _fields(Workload), path, written, place)
    if keys := keys_of(table):
        refuse_unknown_keys(row, keys, path, written, place)
    match table:
        case "setup" | "arm" | "gateway" | "workload" | "repeat" | "probe" | "keep" | "search":
            struct = TABLES.get(table) or Plan.__annotations__[table]
            refuse_unknown_keys(row, _fields(struct), path, written, place)
        case "sweep":
            keys = [key for key in row if not words.is_word(key)]
            refuse_unknown_keys(keys, [*known, "case"], path, written, place)
            _refuse_single_levels(row, path, place)
        case "sweep.case":
            keys = [key for key in row if not words.is_word(key)]
            refuse_unknown_keys(keys, known, path, written, place)


def _refuse_commands(data: dict[str, Any], path: Path) -> None:
    """`[command.NAME]` tables that cannot be run, and features that name none."""
    known = data.get("command", {})
    if not isinstance(known, dict) or not all(isinstance(item, dict) for item in known.values()):
        line = line_of(path, "command", table="")
        raise UsageError(f'{path}:{line}: a command is a table: [command.NAME] with run = "..."')
    for name, command in known.items():
        place = f"command.{name}"
        refuse_unknown_keys(command, _fields(Command), path, place)
        if fault := _command_fault(name, command):
            line = line_of(path, *fault[0].split(), name, table=place)
            raise UsageError(f"{path}:{line}: {fault[1]}")
    for _, place, row in _rows({key: data[key] for key in ("setup", "arm") if key in data}):
        for feature in _words_of(row.get("features")):
            name, colon, argument = feature.partition(":")
            if name == "command" and colon and argument not in known:
                line = line_of(path, "features", table=place)
                fix = nearest(argument, list(known)) if known else '; write one with run = "..."'
                raise UsageError(f"{path}:{line}: no [command.{argument}] in this plan{fix}")


def _refuse_expectations(data: dict[str, Any], path: Path, above: str = "") -> None:
    """Checks of a plan or a variant that cannot be made; `above` is the variant's place."""
    if expect.TABLE in data:
        try:
            expect.expectations(data[expect.TABLE], f"{above}{expect.TABLE}")
        except expect.ExpectError as error:
            raise _expected(error, path) from None


def _expected(error: expect.ExpectError, path: Path) -> UsageError:
    """The same error with file and line."""
    line = line_of(path, error.key, table=error.place)
    return UsageError(f"{path}:{line}: {error}")


def _command_fault(name: str, command: dict[str, Any]) -> tuple[str, str] | None:
    """The key that is wrong with a command, and why."""
    if not NAME.fullmatch(name):
        return "", f"[command.{name}]: a name is of small letters, digits and dashes"
    if not isinstance(command.get("run"), str) or not command["run"].strip():
        return "run", f"[command.{name}] needs `run`: what the gateway's shell is to run"
    word = WAITING.search(command["run"])
    if word and not Command(run=command["run"]).waits:
        return "run", (
            f"`run` of [command.{name}] has a line `{word[0].strip()}` and none `at 2`: write when "
            "it acts, in whole seconds of traffic"
        )
    try:
        groups = re.compile(str(command.get("counters", ""))).groupindex
    except (re.error, OverflowError, RecursionError) as error:
        return "counters", f"`counters` of [command.{name}] is no regular expression: {error}"
    if command.get("counters") and not groups:
        return "counters", f"`counters` of [command.{name}] names none: write (?P<captured>[0-9]+)"
    return None


def _words_of(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _varied(data: dict[str, Any], variant: str) -> dict[str, Any]:
    """The data with a variant's keys put over the plan's own; all variants are taken out."""
    plain = {key: value for key, value in data.items() if key != "variant"}
    for table, keys in data["variant"][variant].items() if variant else ():
        before = plain.get(table, {})
        over = {"beside": workloads.over, LINE: varied, "workload": words.merged}.get(table)
        plain[table] = before | (over(before, keys) if over else keys)
    return plain


def _located(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data with every path of a file as seen from the plan's folder."""

    def find(table: Any) -> Any:
        match table:
            case dict():
                return {key: _find(key, value) for key, value in table.items()}
            case list():
                return [find(row) for row in table]
        return table

    def _find(key: str, value: Any) -> Any:
        if key == WORDS and isinstance(value, dict):
            return {name: words.located(name, level, folder) for name, level in value.items()}
        if key != "case" and is_file(key):
            return located_at(key, value, folder)
        return find(value) if key == "case" or isinstance(value, dict) else value

    return data | {
        key: find(data[key]) for key in ("workload", "beside", "sweep", LINE) if key in data
    }


def is_file(key: str) -> bool:
    """Return whether a key or a factor may name a file: a trace, a course, a kernel's word."""
    return _is_course(key) or workloads.split(key)[1] == "trace" or words.is_word(key)


def _is_course(key: str) -> bool:
    """Return whether it is `course` of [line], or its factor."""
    return key.rpartition(".")[2] == "course"


def located_at(key: str, value: Any, folder: Path) -> Any:
    """Such a key's value, or each of its levels, as seen from a folder."""
    if isinstance(value, list):
        return [located_at(key, item, folder) for item in value]
    if _is_course(key):
        return course.located(value, folder)
    if words.is_word(key):
        return words.located(workloads.split(key)[1], value, folder)
    return located(value, folder)


def _described(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The data with the devices of [gateway] whole instead of their names."""
    gateway = data.get("gateway")
    if not isinstance(gateway, dict) or device.KEY not in gateway:
        return data
    try:
        devices = device.described(gateway[device.KEY], path.parent)
    except UsageError as error:
        if str(error).startswith("`"):
            line = line_of(path, device.KEY, table="gateway")
            raise UsageError(f"{path}:{line}: {error}") from None
        raise
    return data | {"gateway": gateway | {device.KEY: devices}}


def _refuse_strangers(data: dict[str, Any], path: Path) -> None:
    """Keys of a workload that mean nothing for any kind that it has, in the plan or a variant."""
    for variant, tables in [("", data), *data.get("variant", {}).items()]:
        whole = _varied(data, variant)
        above = f"variant.{variant}." if variant else ""
        for place, table in _workloads_of(tables).items():
            kind = _kind_of(whole, place)
            for key in table if kind else ():
                if means_nothing(key, [kind]):
                    where = f"{path}:{line_of(path, key, table=above + place)}"
                    raise UsageError(
                        f"{where}: `{key}` means nothing for kind {kind}; leave it out"
                    )


def _workloads_of(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables of a plan's or a variant's workloads, by their place."""
    beside = data.get("beside", {})
    tables = {"workload": data.get("workload", {})}
    tables |= {f"beside.{name}": table for name, table in beside.items()}
    return {place: table for place, table in tables.items() if isinstance(table, dict)}


def _given(data: dict[str, Any]) -> dict[str, list[str]]:
    """The keys that are written of each workload, by its name."""
    tables = _workloads_of(data).items()
    return {
        workloads.MAIN if place == "workload" else workloads.split(place)[1]: list(table)
        for place, table in tables
    }


def _kind_of(data: dict[str, Any], place: str) -> str:
    """The one kind of a workload; none where the sweep varies it, or what it says is no kind."""
    factor = "kind" if place == "workload" else f"{place.removeprefix('beside.')}.kind"
    kind = _workloads_of(data)[place].get("kind", "udp")
    return kind if isinstance(kind, str) and factor not in _swept(data) else ""


def _swept(data: dict[str, Any]) -> set[str]:
    """The factors of a plan's sweep and its cases."""
    sweep = data.get("sweep", {})
    cases = sweep.get("case", []) if isinstance(sweep, dict) else []
    tables = [sweep, *cases] if isinstance(cases, list) else [sweep]
    return {factor for table in tables if isinstance(table, dict) for factor in table}


def _rows(data: dict[str, Any], above: str = "") -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each table of a plan file: its name, its place as `line_of` has it, its keys."""
    for key, value in data.items():
        name = above + key
        if isinstance(value, list):
            rows = [(f"{name}[{at}]", row) for at, row in enumerate(value)]
        else:
            rows = [(name, value)]
        for place, row in rows:
            if isinstance(row, dict):
                yield name, place, row
                yield from _rows(row, f"{name}.")


def _refuse_single_levels(sweep: dict[str, Any], path: Path, place: str) -> None:
    for name, levels in sweep.items():
        if name == "case":
            continue
        line = line_of(path, name, table=place)
        if not isinstance(levels, list | dict) or not all(
            isinstance(item, Factor) for item in levels
        ):
            raise UsageError(f"{path}:{line}: `{name}` of [sweep] is not a list of levels: [1, 2]")
        try:
            spread_out(name, levels)
        except UsageError as error:
            raise UsageError(f"{path}:{line}: {error}") from None


def _reshape(data: dict[str, Any]) -> dict[str, Any]:
    """The file's tables as the structure has them: `[setup]` is one arm, cases are separate."""
    data = dict(data)
    if "setup" in data:
        data["arm"] = [data.pop("setup")]
    sweep = data.get("sweep", {})
    if isinstance(sweep, dict) and "case" in sweep:
        data["case"] = sweep["case"]
        sweep = {key: value for key, value in sweep.items() if key != "case"}
    if expect.TABLE in data:
        data[expect.TABLE] = expect.expectations(data[expect.TABLE])
    if LINE in data:
        data[LINE] = ways(data[LINE])
    if isinstance(sweep, dict):
        data["sweep"] = {name: spread_out(name, levels) for name, levels in sweep.items()}
    return data


def _named(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return tuple(msgspec.structs.replace(arm, name=arm.name or arm.setup) for arm in arms)


def _convert(
    data: dict[str, Any],
    struct: type[T],
    path: Path,
    schema: str,
    written: Mapping[str, str] = MappingProxyType({}),
) -> T:
    """The structure of a file's data; `written` tells what `_reshape` renamed: ours to theirs."""
    if data.get("schema") != schema:
        was = data.get("schema", "none")
        line = line_of(path, "schema", table="")
        raise UsageError(f'{path}:{line}: schema is {was!r}; write "{schema}"')
    try:
        return msgspec.convert(data, struct)
    except msgspec.ValidationError as error:
        message = plain(str(error), data)
        for ours, theirs in written.items():
            message = re.sub(rf"^{re.escape(ours)}", theirs, message)
        place = message.partition(": ")[0]
        table = place if message.endswith("is missing") else place.rpartition(".")[0]
        line = line_of(path, *_words(message), table=table)
        raise UsageError(f"{path}:{line}: {message}") from None


def _words(message: str) -> list[str]:
    """The keys that a message speaks of: of the path in front, innermost first, then others."""
    path, colon, rest = message.partition(": ")
    keys = re.findall(r"\w+", re.sub(r"\[.*?\]", "", path)) if colon else []
    return [*keys[::-1], *re.findall(r"[`'](\w+)[`']", rest if colon else message)]
