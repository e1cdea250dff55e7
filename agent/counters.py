# SPDX-License-Identifier: Apache-2.0
"""Makes of counters.toml what C, Python and PROTOCOL.md need of it: `make counters`."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "agent/PROTOCOL.md"
BEGIN, END = "<!-- counters -->\n", "<!-- end -->"
# A report of the list -> the docstring of its TypedDict, and the type of a counter there.
REPORTS: Final = {
    "sink": ("The counters of a sink.", "int"),
    "flow": ("The counters of each flow, as columns.", "list[int]"),
    "corrupt_by": ("The packets that are wrong, by what shows it.", "int"),
    "replay": ("The counters of a side of a replay.", "int"),
}
MADE: Final = "made by agent/counters.py, not by hand"
TAG: Final = f"SPDX-License-{'Identifier'}:"  # in two parts: no licence of this file

Counters = Mapping[str, Mapping[str, Any]]


def made() -> dict[Path, str]:
    """The content of each file that is made of the list, by its path."""
    counters = tomllib.loads((ROOT / "agent/counters.toml").read_text())
    return {
        ROOT / "bpf/counters.h": "\n".join(header(counters)) + "\n",
        ROOT / "src/gatemark/counter.py": "\n".join(module(counters)) + "\n",
        PAGE: page(PAGE.read_text(), counters),
    }


def header(counters: Counters) -> Iterator[str]:
    """Lines of C: for each report a macro that applies COUNTED or READ to each counter's name."""
    yield f"// {TAG} (GPL-2.0-only OR BSD-2-Clause)"
    yield f"/* The counters of each report: {MADE}. */"
    yield "#ifndef GM_COUNTERS_BPF_H"
    yield "#define GM_COUNTERS_BPF_H"
    for report in REPORTS:
        *before, last = (f"\t{way.upper()}({name})" for name, way in _of(report, counters))
        yield ""
        for line in (f"#define {report.upper()}_COUNTERS(COUNTED, READ)", *before):
            yield line + " " * (99 - len(line.expandtabs(8))) + "\\"
        yield last
    yield from ("", "#endif")


def module(counters: Counters) -> Iterator[str]:
    """Lines of Python: a TypedDict for each report, and what a record says of a counter."""
    yield f"# {TAG} Apache-2.0"
    yield f'"""The counters that an agent reports: {MADE}."""'
    yield from ("", "from typing import Final, TypedDict")
    for report, (doc, kind) in REPORTS.items():
        name = report.title().replace("_", "")
        yield from ("", "", f"class {name}Counters(TypedDict):", f'    """{doc}"""', "")
        yield from (f"    {name}: {kind}" for name, _ in _of(report, counters))
    values = {
        name: f'("{counter["unit"]}", "{counter["value"]}")'
        for name, counter in counters.items()
        if "value" in counter
    }
    notes = {
        name: f'"{counter["note"]}"' for name, counter in counters.items() if "note" in counter
    }
    yield from ("", "", "# Those that are values of a record: unit, and what it is in a few words.")
    yield from _mapping("VALUES: Final", values)
    yield "# What a record notes of those that are above 0."
    yield from _mapping("NOTES: Final[dict[str, str]]", notes)


def page(text: str, counters: Counters) -> str:
    """The page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    rows = "".join(
        f"| `{name}` | {counter['unit']} | {', '.join(_reports(counter))} | {counter['means']} |\n"
        for name, counter in counters.items()
    )
    table = f"| key | unit | report | meaning |\n|---|---|---|---|\n{rows}"
    return f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}"


def _mapping(name: str, entries: Mapping[str, str]) -> Iterator[str]:
    """Lines of Python: a dict with an entry a line."""
    rows = [f'    "{key}": {entry},' for key, entry in entries.items()]
    yield from (f"{name} = {{", *rows, "}") if rows else (f"{name} = {{}}",)


def _of(report: str, counters: Counters) -> Iterator[tuple[str, str]]:
    """The counters of a report, in order, and how each gets there."""
    for name, counter in counters.items():
        for way in ("counted", "read"):
            if report in counter.get(way, ()):
                yield name, way


def _reports(counter: Mapping[str, Any]) -> list[str]:
    """The names of a counter's reports, as the page has them."""
    return [f"`{name}`" for way in ("counted", "read") for name in counter.get(way, ())]


if __name__ == "__main__":
    for path, content in made().items():
        path.write_text(content)
