# SPDX-License-Identifier: Apache-2.0
"""The command line: the closed list of verbs; each imports what it needs when it is called."""

import typer

import gatemark
from gatemark.commands import agent, cmp, diff, doctor, lab, plan, report, run, show
from gatemark.commands import list as list_

app = typer.Typer(
    name="gatemark",
    help="Measure a Linux gateway: how fast it routes and NATs, where it stops, and why.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"gatemark {gatemark.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(False, "--debug", help="On failure show the whole trace."),
) -> None:
    pass


app.command("run")(run.run)
app.command("list")(list_.list_)
app.command("plan")(plan.plan)
app.command("show")(show.show)
app.command("report")(report.report)
app.command("diff")(diff.diff)
app.command("cmp")(cmp.cmp)
app.command("doctor")(doctor.doctor)
app.add_typer(lab.app, name="lab")
app.add_typer(agent.app, name="agent")
