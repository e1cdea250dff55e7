# SPDX-License-Identifier: Apache-2.0
"""The command line: the closed list of verbs; each imports what it needs when it is called."""

from collections.abc import Callable
from pathlib import Path

import typer

import gatemark
from gatemark.commands import (
    ab,
    agent,
    capture,
    classifier,
    cmp,
    coverage,
    diff,
    doctor,
    explain,
    export,
    fit,
    lab,
    plan,
    rank,
    report,
    run,
    show,
    station,
)
from gatemark.commands import list as list_
from gatemark.commands.campaign import app as campaign
from gatemark.commands.console import choice
from gatemark.commands.console.example import epilog
from gatemark.commands.console.verb import Verb, Verbs
from gatemark.commands.parameter import SHELLS

MEASURE, READ, COMPARE, LAB, CLASSIFY = "Measure", "Read", "Compare", "Lab", "Classify"


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


def _add(name: str, verb: Callable[..., None], section: str) -> None:
    app.command(name, cls=Verb, rich_help_panel=section, epilog=epilog(name))(verb)


def _group(name: str, verbs: typer.Typer, section: str) -> None:
    app.add_typer(verbs, name=name, rich_help_panel=section, epilog=epilog(name))


_add("list", list_.list_, MEASURE)
_add("plan", plan.plan, MEASURE)
_add("run", run.run, MEASURE)
_add("show", show.show, READ)
_add("explain", explain.explain, READ)
_add("report", report.report, READ)
_add("export", export.export, READ)
_add("diff", diff.diff, COMPARE)
_add("ab", ab.ab, COMPARE)
_add("cmp", cmp.cmp, COMPARE)
_add("fit", fit.fit, COMPARE)
_group("campaign", campaign.app, COMPARE)
_add("rank", rank.rank, COMPARE)
_add("coverage", coverage.coverage, COMPARE)
_group("lab", lab.app, LAB)
_group("station", station.app, LAB)
_add("capture", capture.capture, LAB)
_add("doctor", doctor.doctor, LAB)
_group("agent", agent.app, LAB)
_group("classifier", classifier.app, CLASSIFY)
