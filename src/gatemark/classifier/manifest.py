# SPDX-License-Identifier: Apache-2.0
"""A manifest: which flow of which capture is of which application and class.

CSV with a header. A row is a flow; its source is the side of the LAN, whoever sent first. A column
`role` may say what the flow is for, whatever its class is. Other columns are not read.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from gatemark.error import UsageError

COLUMNS: Final = ("file", "proto", "src", "sport", "dst", "dport", "application", "class")
PROTOCOLS: Final = ("tcp", "udp")
REAL_TIME: Final = ("voip", "vconf", "game", "remote")  # classes of sound, picture, games, keys
ROLE: Final = "role"
MEDIA: Final = "media"  # sound, picture, a game's state, keystrokes
APART: Final = ("setup", "tunnel")  # keys, relays, signalling; a VPN, with who knows what inside
ROLES: Final = (MEDIA, *APART, "other")


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """A labelled flow; `line` is where its manifest names it. No role: its class says it."""

    capture: Path
    proto: str
    lan: str
    lan_port: int
    wan: str
    wan_port: int
    application: str
    label: str
    line: int
    role: str = ""

    @property
    def key(self) -> str:
        """Its name in the output of gm-classifier."""
        return f"{self.proto}-{self.lan}-{self.lan_port}-{self.wan}-{self.wan_port}"


def read(path: Path) -> list[Flow]:
    """The flows of a manifest, in its order.

    A capture's name is relative to the manifest's folder. Raises UsageError with the line.
    """
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: give the path of a manifest") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8: save it in that encoding") from None
    flows = list(_flows(text.splitlines(), path))
    if not flows:
        raise UsageError(f"{path}: no flow in it: give a row for each labelled flow")
    _require_distinct(flows, path)
    return flows


def _flows(lines: Sequence[str], path: Path) -> Iterator[Flow]:
    rows = csv.reader(lines, strict=True)
    header = _next(rows, path, 1)
    missing = [name for name in COLUMNS if name not in (header or ())]
    if header is None or missing:
        raise UsageError(f"{path}:1: no column {', '.join(missing)}: name them in the first line")
    while True:
        line = rows.line_num + 1
        row = _next(rows, path, line)
        if row is None:
            return
        if not row:  # an empty line
            continue
        if len(row) != len(header):
            raise UsageError(f"{path}:{line}: {len(row)} fields instead of {len(header)}")
        yield _flow(dict(zip(header, row, strict=True)), path, line)


def _next(rows: Iterator[list[str]], path: Path, line: int) -> list[str] | None:
    try:
        return next(rows, None)
    except csv.Error as error:
        raise UsageError(f"{path}:{line}: not CSV: {error}") from None


def _flow(row: Mapping[str, str], path: Path, line: int) -> Flow:
    place = f"{path}:{line}"
    proto = row["proto"].lower()
    if proto not in PROTOCOLS:
        raise UsageError(f"{place}: proto {row['proto']}: write {' or '.join(PROTOCOLS)}")
    capture = path.parent / row["file"]
    if not row["file"] or not capture.is_file():
        raise UsageError(f"{place}: file {row['file']}: no such capture: {capture}")
    return Flow(
        capture=capture,
        proto=proto,
        lan=_address(row["src"], f"{place}: src"),
        lan_port=_port(row["sport"], f"{place}: sport"),
        wan=_address(row["dst"], f"{place}: dst"),
        wan_port=_port(row["dport"], f"{place}: dport"),
        application=_word(row["application"], f"{place}: application"),
        label=_word(row["class"], f"{place}: class"),
        line=line,
        role=_role(row.get(ROLE, ""), f"{place}: {ROLE}"),
    )


def _role(text: str, place: str) -> str:
    if text and text not in ROLES:
        raise UsageError(f"{place} {text}: write {', '.join(ROLES)}, or nothing")
    return text


def _address(text: str, place: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise UsageError(f"{place} {text}: write an address of IPv4 or IPv6") from None


def _port(text: str, place: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > 0xFFFF:
        raise UsageError(f"{place} {text}: write a port, 0 to 65535")
    return int(text)


def _word(text: str, place: str) -> str:
    """A name as a model's text can hold it: blanks separate there."""
    if not text or not text.isprintable() or any(map(str.isspace, text)) or "#" in text:
        raise UsageError(f"{place} {text!r}: write a word without blanks and #")
    return text


def _require_distinct(flows: Iterable[Flow], path: Path) -> None:
    lines: dict[tuple[Path, str], int] = {}
    for flow in flows:
        first = lines.setdefault((flow.capture, flow.key), flow.line)
        if first != flow.line:
            raise UsageError(
                f"{path}:{flow.line}: the same flow as in line {first}: leave one of them out"
            )
