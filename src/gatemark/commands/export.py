# SPDX-License-Identifier: Apache-2.0
"""`gatemark export`: runs as data for other programs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.runs import locate, reading, tied
from gatemark.error import UsageError
from gatemark.printable import printable

if TYPE_CHECKING:
    from gatemark.tell.export.form import Rows
    from gatemark.tell.group.source import Source

BINARY: Final = ("parquet", "flent")  # formats that no terminal shows
FORMAT_HELP = (
    "csv, json, parquet, markdown, prometheus, openmetrics, junit, flent, history (default: by "
    "--out's name, else csv); "
    "folded: a file for each path in the run's directory, for flame graphs."
)
OUT_HELP = "Write this file, whole or not at all (default: stdout)."
RAW_HELP = "Each trial as it was measured, not judged: csv, json, parquet."
WIDE_HELP = "A row for each point, a column for each quantity: csv, json, parquet."
REFERENCE_HELP = "This device as a file with its definitions (TOML), for `gatemark rank`."
CHECK_HELP = "With --reference: hold the files of devices that are named against this run."
SCHEMA_HELP = "Print the JSON Schema of a record, run or value."


def export(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN", help=locate.RUNS_HELP)] = None,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help=FORMAT_HELP)] = "",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help=OUT_HELP)] = None,
    raw: Annotated[bool, typer.Option("--raw", help=RAW_HELP)] = False,
    wide: Annotated[bool, typer.Option("--wide", help=WIDE_HELP)] = False,
    reference: Annotated[bool, typer.Option("--reference", help=REFERENCE_HELP)] = False,
    check: Annotated[Path | None, typer.Option(metavar="RUN", help=CHECK_HELP)] = None,
    schema: Annotated[str, typer.Option(metavar="KIND", help=SCHEMA_HELP)] = "",
) -> None:
    """Write the values of runs for other programs."""
    if schema:
        _write(_schema(schema), out)
        return
    if check:
        _check(runs or [], check)
        return
    if reference:
        _write(_device(locate.newest(runs)), out)
        return
    from gatemark.tell.export import form

    name = format_ or (form.of_name(out) if out else form.DEFAULT)
    choice.check("--format", name, (*form.FORMATS, form.FOLDED))
    rows = _rows(name, raw=raw, wide=wide)
    if name in BINARY and out is None and sys.stdout and sys.stdout.isatty():
        raise UsageError(f"{name} is no text: name a file with --out, or send it to a pipe")
    if name == form.FOLDED and out:
        raise UsageError("folded writes into the runs' own directories: leave out --out")
    paths = locate.newest(runs)
    if name == form.FOLDED:
        _fold(paths)
        return
    _write(form.export(name, _sources(paths), rows), out)


def _device(runs: Sequence[Path]) -> bytes:
    """One run as a device's file. Raises UsageError for several."""
    from gatemark.tell.export import device

    if len(runs) > 1:
        raise UsageError("--reference writes one device a file: name one run")
    return device.export(tied.made(runs[0]))


def _check(files: Sequence[Path], run: Path) -> None:
    """Say whether devices' files are what a run says. Raises UsageError, Exit."""
    from gatemark.store.study import device

    if not files:
        raise UsageError("--check RUN holds a device's file against it: name the file")
    faults = [
        f"{path}: {fault}"
        for path in files
        for fault in tied.differences(device.read(path), locate.located(run))
    ]
    for line in faults or [f"{', '.join(map(str, files))}: as {run} says"]:
        output.say(line)
    if faults:
        raise typer.Exit(1)


def _rows(name: str, *, raw: bool, wide: bool) -> "Rows":
    """Return the kind of row. Raises UsageError where the format has no such rows."""
    from gatemark.tell.export.form import TABLES

    if raw and name not in TABLES:
        raise UsageError(f"--raw with {name}: records are for {', '.join(TABLES)}")
    if wide and name not in TABLES:
        raise UsageError(f"--wide with {name}: points are for {', '.join(TABLES)}")
    return "records" if raw else "points" if wide else "values"


def _sources(runs: Sequence[Path]) -> "list[Source]":
    """The runs, each under its name, or under its path where two have one name."""
    from gatemark.tell.group.source import judged

    kept_contents = {path: reading.read(path) for path in runs}
    names = [contents.run.run for contents in kept_contents.values()]
    return [
        judged(
            contents,
            path,
            name if names.count(name) == 1 and name else str(path),
            drawn=False,
        )
        for (path, contents), name in zip(kept_contents.items(), names, strict=True)
    ]


def _fold(runs: Sequence[Path]) -> None:
    """Write collapsed stacks into each run's directory, and print which files."""
    from gatemark.store.directory import RunDirectory, telling
    from gatemark.tell.export import folded

    written = []
    for run, source in zip(runs, _sources(runs), strict=True):
        folder = RunDirectory(run).folded
        for name, data in folded.files(source):
            with telling(folder.path / name):
                folder.make()
                folder.write(name, data)
            written.append(folder.path / name)
    if not written:
        raise UsageError("no path of a packet in there: `gatemark run kernel-path` makes some")
    for path in written:
        output.say(path)


def _schema(kind: str) -> bytes:
    from gatemark.tell.export.schema import KINDS, schema

    choice.check("--schema", kind, KINDS)
    return schema(kind).encode()


def _write(data: bytes, out: Path | None) -> None:
    from gatemark.store import file
    from gatemark.store.directory import telling

    if out is None and sys.stdout is None:
        raise UsageError("stdout is closed: name a file with --out")
    if out is None:
        shown = printable(data.decode()).encode() if sys.stdout.isatty() else data
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
    else:
        with telling(out):
            file.write(out, data)
