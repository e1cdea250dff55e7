# SPDX-License-Identifier: Apache-2.0
"""`python -m gatemark.commands.man DIR`: a man page for each verb, made of what `--help` says.

Only what help does not hold is written here: exit status, environment and files, which all verbs
share. click-man, which does the like, knows Click's commands; Typer carries classes of its own.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from typer.core import TyperGroup
from typer.main import get_command

import gatemark
from gatemark.commands.app import app
from gatemark.commands.console import output
from gatemark.commands.console import verb as verbs
from gatemark.commands.console.example import EXAMPLES

EXIT_STATUS: Final = {
    "0": "done",
    "1": "it failed, a run was stopped, or a campaign is undecided; the last line on stderr says "
    "how to fix it",
    "2": "the command line, a plan or a station file is wrong, or two runs have nothing alike",
    "3": "diff or ab found something slower, run or show an expectation that was missed, "
    "fit --strict a line that is too much, or campaign a gate that failed or a build that brought "
    "a step",
    "4": "it was measured, but no trial is valid, or the tester itself changed between the runs of "
    "diff",
    "130": "stopped by Ctrl-C, with nothing measured that could be kept",
    "141": "nobody reads its data any more, as in gatemark list | head -1",
}
ENVIRONMENT: Final = {
    "NO_COLOR": "no colour on a terminal either; a pipe never gets any",
    "COLUMNS": "how wide the terminal is taken to be",
    "GATEMARK_DEBUG": "on failure show the whole trace, as --debug does",
    "GATEMARK_PASSWORD_HOST": 'answers where a station file says password = "ask"; HOST is the '
    "address in capitals without its user, other signs as _: 192_0_2_1",
    "GATEMARK_PASSWORD": "the same for every host that has no variable of its own",
    "PATH": "where ip, tc, nft and ethtool are looked for, and after it /usr/sbin and /sbin",
    "SHELL": "what gatemark lab shell opens without a command",
}
FILES: Final = {
    "gatemark-runs/": "where run puts its directories unless --out names one",
    "RUN/run.json": "what was asked, where and in which order",
    "RUN/trials.jsonl": "one record a line, written as each trial ends",
    "RUN/series/": "time series of each trial, as gzipped JSON Lines",
    "RUN/report.html": "the page, which needs no network to be read",
    "RUN/answer.json": "what show prints; made anew where it is missing or another program's",
    "~/.cache/gatemark/": "kernels and file systems of virtual gateways, made once",
    "/run/lock/": "locked while a trial runs: one at a time on a machine",
    "/run/gatemark/": "locks of labs, one each",
}


def pages() -> dict[str, str]:
    """Every page by its file name, as roff."""
    root: Any = get_command(app)
    context = root.context_class(root, info_name="gatemark", **root.context_settings)
    made = {"gatemark.1": _page(root, context)}
    for name, verb in root.commands.items():
        inner = verb.context_class(verb, info_name=name, parent=context)
        made[f"gatemark-{name}.1"] = _page(verb, inner)
    return made


def _page(command: Any, context: Any) -> str:
    path = context.command_path
    name = path.replace(" ", "-")
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    head = f'.TH "{name.upper()}" 1 "{date}" "gatemark {gatemark.__version__}" "Gatemark"'
    text = _summary(command)
    lines = [head, ".SH NAME", f"{_safe(name)} \\-", *_lines(text[:1].lower() + text[1:])]
    lines += [".SH SYNOPSIS", *_synopsis(command, context)]
    lines += [".SH DESCRIPTION", *_text(command.help)]
    lines += _options(command, context, ".SH OPTIONS")
    lines += [".SH COMMANDS", *_commands(command, context)] if _group(command) else []
    for title, rows in (("EXIT STATUS", EXIT_STATUS), ("ENVIRONMENT", ENVIRONMENT)):
        lines += [f".SH {title}", *_rows(rows)]
    lines += [".SH FILES", *_rows(FILES), ".SH EXAMPLES", *_examples(context)]
    return "\n".join((*lines, ".SH SEE ALSO", *_see_also(command, context), ""))


def _group(command: Any) -> bool:
    return isinstance(command, TyperGroup)


def _synopsis(command: Any, context: Any) -> list[str]:
    words = " ".join(command.collect_usage_pieces(context))
    return [f".B {_safe(context.command_path)}", _safe(words)]


def _commands(command: Any, context: Any) -> Iterator[str]:
    """The verbs of a group: of gatemark itself by name, of another one whole."""
    shown = {name: verb for name, verb in command.commands.items() if not verb.hidden}
    for name, verb in shown.items():
        if context.parent is None:
            yield from (".TP", f".BR gatemark\\-{name} (1)", *_lines(_summary(verb)))
            continue
        inner = verb.context_class(verb, info_name=name, parent=context)
        yield from (f".SS {name}", *_synopsis(verb, inner), ".PP", *_text(verb.help))
        yield from _options(verb, inner)


def _options(command: Any, context: Any, title: str = "") -> list[str]:
    texts = verbs.records(command, context)
    rows = {name: re.sub(r" {2,}\[", " [", text) for name, text in texts.items()}
    return [*([title] if title else []), *_rows(rows)]


def _examples(context: Any) -> Iterator[str]:
    """Examples; of the root a first walk: one of each verb that a newcomer meets."""
    verbs = [context.info_name] if context.parent else ["list", "plan", "run", "show", "diff"]
    most = None if context.parent else 1
    for at, (text, command) in enumerate(row for verb in verbs for row in EXAMPLES[verb][:most]):
        yield from ([".PP"] if at else [])
        yield from (*_lines(f"{text[:1].upper()}{text[1:]}".rstrip("?") + ":"), ".RS 4", ".nf")
        yield from (_safe(command), ".fi", ".RE")


def _see_also(command: Any, context: Any) -> Iterator[str]:
    root = context.find_root().command
    near = [
        f"gatemark-{name}"
        for name, verb in root.commands.items()
        if verb is not command and (command is root or _section(verb) == _section(command))
    ]
    names = near if command is root else ["gatemark", *near]
    yield from (f".BR {_safe(name)} (1){',' if name != names[-1] else ''}" for name in names)


def _section(verb: Any) -> str:
    return verb.rich_help_panel or ""


def _summary(command: Any) -> str:
    return verbs.summary(command).rstrip(".")


def _rows(rows: Mapping[str, str]) -> list[str]:
    return [
        line for name, text in rows.items() for line in (".TP", f".B {_safe(name)}", *_lines(text))
    ]


def _text(text: str) -> list[str]:
    """Paragraphs of a docstring."""
    texts = [_lines(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip())]
    return [line for at, part in enumerate(texts) for line in ([".PP", *part] if at else part)]


def _lines(text: str) -> Sequence[str]:
    """Text as lines of roff: each sentence begins one, none is long."""
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z])", text)
    return [_safe(line) for sentence in sentences for line in wrap(sentence, 72)]


def _safe(text: str) -> str:
    """Text that roff shows as it is."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{shown}" if shown[:1] in (".", "'") else shown


def main(folder: str) -> None:
    """Write every page into a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (Path(folder) / name).write_text(page, encoding="utf-8")
    output.say(f"{folder}: {', '.join(pages())}")


if __name__ == "__main__":
    main(sys.argv[1])
