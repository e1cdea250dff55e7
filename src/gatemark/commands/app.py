# SPDX-License-Identifier: Apache-2.0
"""The command line: the closed list of verbs; each imports what it needs when it is called."""

from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

import typer
from typer.main import get_command, get_group

import gatemark
from gatemark.commands.console import choice
from gatemark.commands.console.example import epilog
from gatemark.commands.console.verb import Verb, Verbs

MEASURE, READ, COMPARE, LAB, CLASSIFY = "Measure", "Read", "Compare", "Lab", "Classify"
SHELLS: Final = ("bash", "zsh", "fish")  # those with a script in `shell/`

# In the order of the help: the section of each verb, and the module that has it.
VERBS: Final = {
    "list": (MEASURE, "list"),
    "plan": (MEASURE, "plan"),
    "run": (MEASURE, "run"),
    "show": (READ, "show"),
    "explain": (READ, "explain"),
    "report": (READ, "report"),
    "export": (READ, "export"),
    "diff": (COMPARE, "diff"),
    "ab": (COMPARE, "ab"),
    "price": (COMPARE, "price"),
    "verdict": (COMPARE, "verdict"),
    "tune": (COMPARE, "tuning.tune"),
    "cmp": (COMPARE, "cmp"),
    "fit": (COMPARE, "fit"),
    "campaign": (COMPARE, "campaign.app"),
    "rank": (COMPARE, "rank"),
    "coverage": (COMPARE, "coverage"),
    "lab": (LAB, "lab"),
    "station": (LAB, "station"),
    "capture": (LAB, "capture"),
    "doctor": (LAB, "doctor"),
    "agent": (LAB, "agent"),
    "classifier": (CLASSIFY, "classifier"),
}


class _Imported(Mapping[str, Any]):
    """The verbs, each imported when it is taken: all of them cost as much as what one does."""

    def __iter__(self) -> Iterator[str]:
        """Without what is of a checkout alone: a wheel has not what it reads."""
        here = (Path(gatemark.__file__).parent / "reference/rows.toml").exists()
        return iter(name for name in VERBS if here or name != "coverage")

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> Any:
        return _verb(name)


class _Root(Verbs):
    """Gatemark itself."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = cast("MutableMapping[str, Any]", _Imported())


app = typer.Typer(
    name="gatemark",
    cls=_Root,
    help="Measure a Linux gateway: how fast it routes and NATs, its limits, why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@cache
def _verb(name: str) -> Any:
    """The verb as Typer makes it: a function of the verb's name, or the group `app`."""
    section, module = VERBS[name]
    imported = import_module(f"{__package__}.{module}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    described: dict[str, Any] = {"rich_help_panel": section, "epilog": epilog(name)}
    if group := getattr(imported, "app", None):
        alone.add_typer(group, name=name, **described)
        return get_group(alone).commands[name]
    function = vars(imported).get(name) or vars(imported)[f"{name}_"]  # `list` is Python's own
    alone.command(name, cls=Verb, **described)(function)
    return get_command(alone)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"gatemark {gatemark.__version__}")
        raise typer.Exit


def _completion(shell: str) -> None:
    if not shell:
        return
    script = Path(__file__).parent / "shell" / f"gatemark.{shell}"
    choice.check("--completion", shell, SHELLS)
    typer.echo(script.read_text(encoding="utf-8"), nl=False)
    raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(False, "--debug", help="On failure show the whole trace."),
    completion: str = typer.Option(
        "",
        metavar="SHELL",
        callback=_completion,
        is_eager=True,
        help=f"Print what makes Tab work in {', '.join(SHELLS)}.",
    ),
) -> None:
    pass
