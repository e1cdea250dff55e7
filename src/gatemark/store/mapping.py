# SPDX-License-Identifier: Apache-2.0
"""`reference/map.toml`: what the published values are values of, checked whole as it is read."""

import tomllib
from collections.abc import Iterable
from itertools import product
from typing import Any, Final, NamedTuple, TypeGuard, get_args, get_type_hints

import msgspec

from gatemark.error import GatemarkError
from gatemark.kind.kinds import KINDS
from gatemark.plan.model import Direction, Family, Path
from gatemark.store.published import REFERENCE_UNITS
from gatemark.store.record import Definition

MAP: Final = "map.toml"
MAP_SCHEMA: Final = "gatemark.reference/1"

RANGE: Final = {"min", "max", "in"}
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "path": get_args(Path),
    "direction": get_args(Direction),
    "family": get_args(Family),
    "l4": tuple(kind for kind in KINDS if kind != "connections"),  # those are of TCP
}
TYPES: Final = get_type_hints(Definition)
# A layer is in the quantity's name; a slowdown says which gateway it is, not how it was measured.
FIELDS: Final = [name for name in TYPES if name not in ("quantity", "rate_layer", "slow_to_pps")]
# Each of these is stated or unstated, so that no one forgets to ask the source.
ASKED: Final[dict[str, tuple[str, ...]]] = {
    "tcp": ("write_bytes", "streams", "socket_buffer_bytes", "congestion"),
    "udp": ("frame_bytes", "flows"),
}
UNWRITTEN: Final = "connections"  # held at once, whatever is written to them
ASKED_ALWAYS: Final = ("features", "direction", "family", "duration_s")


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A work whose values are shipped."""

    name: str  # as its suite is named
    work: str


class Measured(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The meaning of one parameter of one experiment; the fields as in `Published`."""

    study: str
    experiment: str
    parameter: str
    quantity: str
    stated: dict[str, Any]
    implied: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    assumed: dict[str, Any] = {}
    remark: str = ""
    at: float | str = 0.0  # payload offered, bit/s; or the parameter of the same device that says
    at_pps: float = 0.0  # packets that were offered a second
    worded: tuple[str, ...] = ()  # devices whose value is a word, and no number to show


class Unmapped(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rows that no value of ours can stand beside, and why."""

    study: tuple[str, ...]
    experiment: str
    parameters: tuple[str, ...] = ("",)  # "": all of the experiment
    why: str
    describes: bool = False  # a device, a method or a tester: nothing that a run could yield
    # Of the size of a workload: the kernel whose report has it too, "lpm table=generated:1009:1",
    # and parameter -> its key there.
    report: str = ""
    counts: dict[str, str] = {}


class Counted(NamedTuple):
    """Where a kernel's report has the size of its workload."""

    report: str  # the kernel and words of it: lpm table=generated:1009:1
    key: str


class Claimed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value in words that a claim of `stats.change.claim` tests on our own trials."""

    study: str
    experiment: str
    parameter: str
    claim: str  # its name there


class Ratio(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value of one device over that of another: two runs of ours have the same."""

    study: str
    experiment: str
    parameter: str
    of: str = ""  # the parameter of the experiment whose values are divided
    kernels: tuple[str, ...] = ()  # instead: operations a second of all points of these


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`map.toml` as it is written."""

    schema: str
    study: dict[str, Study]
    measured: tuple[Measured, ...] = ()
    claimed: tuple[Claimed, ...] = ()
    ratio: tuple[Ratio, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()


class Key(NamedTuple):
    """The parameter that a row of the CSV is a value of."""

    study: str
    experiment: str
    parameter: str = ""  # "": every one of the experiment

    @property
    def whole(self) -> "Key":
        """The experiment that it is of."""
        return Key(self.study, self.experiment)

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class Mapping(NamedTuple):
    """The map: a row is measured, or there is a reason why it stands beside nothing of ours."""

    studies: dict[str, Study]
    measured: dict[Key, Measured]
    reasons: dict[Key, str]
    describing: frozenset[Key]  # of `reasons`, those that describe and measure nothing
    claims: dict[Key, str]  # in words, and tested: by the claim's name
    ratios: dict[Key, Ratio]  # of two devices
    counted: dict[Key, Counted]  # of `reasons`: sizes that the kernels' reports have too

    def is_shown(self, key: Key) -> bool:
        """Return whether a row without a definition can stand beside ours all the same."""
        return key in self.claims or key in self.ratios

    def reason(self, key: Key) -> str | None:
        """Why a row stands beside nothing of ours, for itself or with all of its experiment."""
        if self.is_shown(key):
            return None
        return self.reasons.get(key) or self.reasons.get(key.whole)


def read_map(text: str) -> Mapping:
    """The map out of its text. Raises GatemarkError with file and entry."""
    try:
        file = msgspec.convert(tomllib.loads(text), File)
    except (ValueError, msgspec.ValidationError) as error:
        raise GatemarkError(f"{MAP}: {error}") from None
    if file.schema != MAP_SCHEMA:
        raise GatemarkError(f'{MAP}: schema is {file.schema!r}; write "{MAP_SCHEMA}"')
    reasons = {
        Key(study, entry.experiment, parameter): entry.why
        for entry in file.unmapped
        for study, parameter in product(entry.study, entry.parameters)
    }
    describing = frozenset(
        Key(study, entry.experiment, parameter)
        for entry in file.unmapped
        if entry.describes
        for study, parameter in product(entry.study, entry.parameters)
    )
    claimed = {Key(entry.study, entry.experiment, entry.parameter): entry for entry in file.claimed}
    claims = {key: entry.claim for key, entry in claimed.items()}
    divided = {Key(entry.study, entry.experiment, entry.parameter): entry for entry in file.ratio}
    counted = {
        Key(study, entry.experiment, parameter): Counted(entry.report, key)
        for entry in file.unmapped
        for study, (parameter, key) in product(entry.study, entry.counts.items())
    }
    mapping = Mapping(file.study, {}, reasons, describing, claims, divided, counted)
    for place, entry in enumerate(file.measured):
        key = Key(entry.study, entry.experiment, entry.parameter)
        if fault := _fault(mapping, key, entry):
            raise GatemarkError(f"{MAP}: measured[{place}] ({key}): {fault}")
        mapping.measured[key] = _frozen(entry)
    return mapping


def _fault(sofar: Mapping, key: Key, entry: Measured) -> str:
    """Return the fault of an entry; empty: nothing."""
    if entry.study not in sofar.studies:
        return f"no [study.{entry.study}]"
    if key in sofar.measured:
        return "it is there twice"
    if sofar.reason(key) or sofar.is_shown(key):
        return "it is [[unmapped]], [[claimed]] or [[ratio]] too"
    if entry.quantity not in REFERENCE_UNITS:
        return f"unknown quantity '{entry.quantity}'; known are: {', '.join(REFERENCE_UNITS)}"
    return _of_fields(entry) or _of_values(entry)


def _of_fields(entry: Measured) -> str:
    texts, unstated = set(entry.stated), set(entry.unstated)
    for name in (*entry.stated, *entry.unstated, *entry.implied, *entry.assumed):
        if name not in FIELDS:
            return f"unknown field '{name}'; known are: {', '.join(FIELDS)}"
    for name in ("path", "l4"):
        if not any(isinstance(value, str) for value in _each(entry.stated.get(name))):
            return f"`stated` needs `{name}`"
    if both := texts & unstated:
        return f"'{min(both)}' is stated and unstated"
    if stray := set(entry.implied) - texts:
        return f"'{min(stray)}' is implied and not in `stated`"
    written = _each(entry.stated["l4"]) if entry.quantity != UNWRITTEN else ()
    kinds = (ASKED.get(str(kind), ()) for kind in written)
    asked = (*ASKED_ALWAYS, *(name for names in kinds for name in names))
    silent = [name for name in asked if name not in texts | unstated]
    return f"'{silent[0]}' is neither stated nor unstated" if silent else ""


def _of_values(entry: Measured) -> str:
    for name, value in entry.assumed.items():
        if is_range(value):
            return f"assumed '{name}' is a range; name one value"
    for name, value in (*entry.stated.items(), *entry.assumed.items()):
        for item in _each(value):
            if name in WORDS and item not in WORDS[name]:
                return f"'{name}' is {item!r}; known are: {', '.join(WORDS[name])}"
            try:
                msgspec.convert(item, TYPES[name])
            except msgspec.ValidationError as error:
                return f"'{name}' is {item!r}: {error}"
    return ""


def is_range(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether what is stated is a range and not one value."""
    return isinstance(value, dict) and bool(value) and set(value) <= RANGE


def _each(value: object) -> Iterable[object]:
    if not is_range(value):
        return [value]
    return [*value.get("in", ()), *(value[end] for end in ("min", "max") if end in value)]


def _frozen(entry: Measured) -> Measured:
    """TOML's lists as tuples, as a definition has them."""
    text, assumed = (
        {name: _tuple(value) for name, value in part.items()}
        for part in (entry.stated, entry.assumed)
    )
    return msgspec.structs.replace(entry, stated=text, assumed=assumed)


def _tuple(value: object) -> object:
    if is_range(value):
        return {end: _tuple(item) for end, item in value.items()}
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
