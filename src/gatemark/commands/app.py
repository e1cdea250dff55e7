# SPDX-License-Identifier: Apache-2.0
"""The command line: the closed list of verbs; each imports what it needs when it is called."""

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

import gatemark
from gatemark.commands import (
    ab,
    agent,
    cmp,
    diff,
    doctor,
    export,
    fit,
    lab,
    plan,
    report,
    run,
    show,
    station,
)
from gatemark.commands import list as list_
from gatemark.commands.example import epilog
from gatemark.commands.parameter import SHELLS
from gatemark.error import UsageError

MEASURE, READ, COMPARE, LAB = "Measure", "Read", "Compare", "Lab"


class Verbs(TyperGroup):
    """The verbs, told by what they are for."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """One screen has no room for `-h`, which whoever reads this has found, nor for `--debug`,
        which a fault of ours names.
        """
        shown = [
            get_param
            for get_param in self.get_params(ctx)
            if get_param.name not in ("help", "debug")
        ]
        with formatter.section("Options"):
            formatter.write_dl(
                [row for parameter in shown if (row := parameter.get_help_record(ctx))]
            )
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """A section in front of its verbs: one screen holds them all."""
        room = formatter.width - 22
        rows, before = [], ""
        for name, verb in self.commands.items():
            section = getattr(verb, "rich_help_panel", None) or ""
            lead = "" if section == before else section
            rows.append((f"{lead:8} {name}", verb.get_short_help_str(room)))
            before = section
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = typer.Typer(
    name="gatemark",
    cls=Verbs,
    help="Measure a Linux gateway: how fast it routes and NATs, its limits, why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"gatemark {gatemark.__version__}")
        raise typer.Exit


def _completion(shell: str) -> None:
    if not shell:
        return
    script = Path(__file__).parent / "shell" / f"gatemark.{shell}"
    if shell not in SHELLS:
        raise UsageError(f"--completion {shell}: {', '.join(SHELLS)}")
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


app.command("list", rich_help_panel=MEASURE, epilog=epilog("list"))(list_.list_)
app.command("plan", rich_help_panel=MEASURE, epilog=epilog("plan"))(plan.plan)
app.command("run", rich_help_panel=MEASURE, epilog=epilog("run"))(run.run)
app.command("show", rich_help_panel=READ, epilog=epilog("show"))(show.show)
app.command("report", rich_help_panel=READ, epilog=epilog("report"))(report.report)
app.command("export", rich_help_panel=READ, epilog=epilog("export"))(export.export)
app.command("diff", rich_help_panel=COMPARE, epilog=epilog("diff"))(diff.diff)
app.command("ab", rich_help_panel=COMPARE, epilog=epilog("ab"))(ab.ab)
app.command("cmp", rich_help_panel=COMPARE, epilog=epilog("cmp"))(cmp.cmp)
app.command("fit", rich_help_panel=COMPARE, epilog=epilog("fit"))(fit.fit)
app.add_typer(lab.app, name="lab", rich_help_panel=LAB, epilog=epilog("lab"))
app.add_typer(station.app, name="station", rich_help_panel=LAB, epilog=epilog("station"))
app.command("doctor", rich_help_panel=LAB, epilog=epilog("doctor"))(doctor.doctor)
app.add_typer(agent.app, name="agent", rich_help_panel=LAB, epilog=epilog("agent"))
