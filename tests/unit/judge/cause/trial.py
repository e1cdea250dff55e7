# SPDX-License-Identifier: Apache-2.0
"""A trial of a calm gateway in which counters rose, called as the table of causes calls them."""

from typing import Any

import builder
from msgspec.structs import replace

from gatemark.store.drops import STAGES, Drop, Drops, Freed
from gatemark.store.record import CpuReading, Definition, Evidence, Record

SENT = 10_000
UDP = Definition(path="route", frame_bytes=64, duration_s=1.0)


def trial(
    rose: dict[str, int] | None = None,
    *,
    lost: int = 0,
    busy: float = 0.3,
    mtu: dict[str, int] | None = None,
    values: dict[str, float] | None = None,
    **fields: Any,
) -> Record:
    """A trial of so many packets. What the gateway's counters and its kernel say goes to evidence,
    `record.NAME` to where a record has it.
    """
    rises = dict(rose or {})
    record = Record(
        trial=f"test/route/{fields.get('repeat', 1)}/outside",
        plan="test",
        arm="route",
        point=fields.pop("point", {}),
        repeat=fields.pop("repeat", 1),
        pass_=fields.pop("pass_", "outside"),
        sequence=0,
        status="ok",
        started="",
        definition=fields.pop("definition", UDP),
        values=values or {},
        accounting=fields.pop("accounting", builder.accounting(SENT, lost)),
        evidence=Evidence(
            cpu=(CpuReading(thread="napi/gw0", cpu=1, busy=busy, waiting=0.0),),
            drops=Drops(causes=tuple(_drops(rises)), mtu=mtu or {}),
            freed=tuple(_freed(rises)),
        ),
        **fields,
    )
    for name, packets in rises.items():
        record = _risen(record, name, packets)
    return record


def _drops(rises: dict[str, int]) -> list[Drop]:
    return [
        Drop(stage=stage, cause=cause or "x", packets=packets, where="gw1")
        for name, packets in rises.items()
        for stage, _, cause in [name.rstrip("*").partition(".")]
        if stage in STAGES
    ]


def _freed(rises: dict[str, int]) -> list[Freed]:
    return [
        Freed(reason=name.removeprefix("freed.").rstrip("*") or "X", place="f", packets=packets)
        for name, packets in rises.items()
        if name.startswith("freed.")
    ]


def _risen(record: Record, name: str, packets: int) -> Record:
    """The record with a counter that has a field of its own."""
    owner, *path = name.split(".")
    if owner != "record":
        return record
    if len(path) == 2:
        return replace(record, evidence=replace(record.evidence, **{path[0]: _of(path, packets)}))
    (field,) = path
    if field in ("mark_changed", "retransmits"):
        return replace(record, values={**record.values, field: float(packets)})
    assert record.accounting
    if field in record.accounting.__struct_fields__:
        known: Any = {"x": packets} if field in ("interfaces", "mismatch") else packets
        return replace(record, accounting=replace(record.accounting, **{field: known}))
    assert field in record.evidence.__struct_fields__
    return record


def _of(path: list[str], packets: int) -> Any:
    field, name = path
    return {"gw1": {name: packets}} if field == "qdisc" else {name: packets}
