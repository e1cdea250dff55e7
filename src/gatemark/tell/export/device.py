# SPDX-License-Identifier: Apache-2.0
"""A run as a device's file: its values with their definitions, for `reference/devices/`."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gatemark.judge.judgement import Value
from gatemark.judge.values import values
from gatemark.plan.model import is_twin
from gatemark.store.record import Definition
from gatemark.store.run import UNKNOWN, Run
from gatemark.store.study.device import DEVICE_VALUES, Box, DeviceFile, DeviceValue, Origin
from gatemark.tell.group.source import Source
from gatemark.tell.words.run import repeat_command

# What a table of devices is made of, besides what each definition is about.
KEPT: Final = {
    *("knee_pps", "cpu_busy", "delay_p50_ns", "delay_p99_ns", "loss_ratio", "captured_share"),
    *("throughput_l4_bps", "received_l4_bps", "clock_hz", "copy_bytes_per_s", "flow_bytes"),
}
FACTS: Final = (
    *("model", "soc", "processor", "processors", "cpu_mhz", "caches", "memory"),
    *("switch", "nics", "firmware", "kernel", "kernel_config_sha256"),
)
DIRECT: Final = "direct"
# A sweep in packets/s is told by its knee, a share of what a search found by what it found.
PACED: Final = frozenset({"rate_pps", "share"})


def of(source: Source, records: str = "") -> DeviceFile:
    """A run as the file of its gateway; `records`: the hash of what it measured."""
    run = source.run
    return DeviceFile(
        schema=DEVICE_VALUES,
        device=_box(run),
        run=Origin(
            run=run.run,
            started=run.started,
            command=repeat_command(run),
            gatemark=run.versions.get("gatemark", ""),
            records=records,
        ),
        value=tuple(_value(value) for value in values(source.judgement) if _is_kept(value)),
    )


def _box(run: Run) -> Box:
    facts = {
        name: str(text)
        for name in FACTS
        if (text := (run.before.get("gateway") or {}).get(name, UNKNOWN)) not in ("", UNKNOWN)
    }
    virtual = run.station.virtual
    name = facts.get("model", "") if not virtual else f"virtual ({run.station.name})"
    return Box(name=name or run.station.name, virtual=virtual, facts=facts)


def _is_kept(value: Value) -> bool:
    if value.definition.path == DIRECT or is_twin(value.arm) or PACED & value.point.keys():
        return False
    return not value.against and value.quantity in KEPT | {value.definition.headline}


def _value(value: Value) -> DeviceValue:
    return DeviceValue(
        quantity=value.quantity,
        value=value.value,
        lo=value.lo,
        hi=value.hi,
        n=value.n,
        level=value.level,
        unit=value.unit,
        limit=value.limit,
        at_least=value.at_least,
        plan=value.plan,
        arm=value.arm,
        point=value.point,
        definition=dict(_defined(value.definition)),
    )


def _defined(definition: Definition) -> Iterator[tuple[str, Any]]:
    """The fields that are not the default."""
    plain = Definition(path="")
    for name in definition.__struct_fields__:
        if (value := getattr(definition, name)) != getattr(plain, name):
            yield name, value


def export(kept: DeviceFile) -> bytes:
    """The file's text."""
    lines = [f"schema = {_text(kept.schema)}", "", "[device]"]
    lines += _keys({"name": kept.device.name, "virtual": kept.device.virtual})
    lines += [f"facts = {_inline(kept.device.facts)}", "", "[run]"]
    lines += _keys({name: getattr(kept.run, name) for name in kept.run.__struct_fields__})
    for value in kept.value:
        lines += ["", "[[value]]"]
        lines += _keys({name: getattr(value, name) for name in value.__struct_fields__})
    return "\n".join((*lines, "")).encode()


def _keys(fields: Mapping[str, Any]) -> Iterable[str]:
    return [f"{name} = {_text(value)}" for name, value in fields.items()]


def _text(value: Any) -> str:
    """A value as TOML 1.0 writes it."""
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return _inline(value)
        case list() | tuple():
            return f"[{', '.join(map(_text, value))}]"
        case float() if value.is_integer() and abs(value) < 1e15:
            return f"{value:.1f}"
        case int() | float():
            return repr(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(table: Mapping[str, Any]) -> str:
    pairs = (f"{_key(name)} = {_text(value)}" for name, value in table.items())
    return f"{{ {', '.join(pairs)} }}" if table else "{}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _text(name)
