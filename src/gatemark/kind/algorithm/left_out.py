# SPDX-License-Identifier: Apache-2.0
"""Lines of a kernel's input that it left out: a rate is of the rest, and says so."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gatemark.store.record import Record

MOST: Final = 300  # characters of reasons


def sentences(records: Iterable[Record], command: str = "") -> list[str]:
    """Return a sentence for each input of which a part was left out; of one command, or of all."""
    reports = (
        report
        for record in records
        if record.status == "ok"
        for report in record.evidence.kernels
        if command in ("", report.get("command"))
    )
    return list(dict.fromkeys(text for report in reports for text in _of(report)))


def _of(report: Mapping[str, Any]) -> Iterator[str]:
    patterns, table = report.get("patterns", ""), report.get("table", "")
    if count := report.get("rejected"):
        yield (
            f"Of {patterns}, {_lines(count)} not searched, by line and place: "
            f"{_short(report.get('rejected_reasons', ''))}."
        )
    if count := report.get("plain"):
        yield (
            f"Of {patterns}, {_lines(count)} searched as regular expressions; to search texts as "
            'they stand: form = "literals".'
        )
    if count := report.get("ignored_options"):
        names = report.get("ignored_names", "")
        yield (
            f"Of {patterns}, contents and expressions alone are searched; {count} further options "
            f"are ignored: {names}."
        )
    if (packets := report.get("left_out")) and patterns:
        yield f"Of {report.get('payload', '')}, packets are not searched: {packets}."
    elif count := report.get("left_out"):
        yield (
            f"Of {table}, {_lines(count)} no part of the table: "
            f"{report.get('left_out_reasons', '')}."
        )


def _lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count} lines are"


def _short(text: str) -> str:
    return text if len(text) <= MOST else f"{text[:MOST].rpartition(';')[0]}; ..."
