# SPDX-License-Identifier: Apache-2.0
"""`gatemark doctor`: what this machine can and cannot do, and the fix."""

from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output

if TYPE_CHECKING:
    from gatemark.station.doctor import Finding


def doctor(
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say what this machine can measure, and what is missing.

    The features of gateways are tried in a lab that is made for it, which takes some seconds.
    Exit code 1 if the built-in lab cannot work here.
    """
    from dataclasses import asdict

    from gatemark.error import UnavailableError
    from gatemark.run.preflight import refusal
    from gatemark.run.preflight.reach import kinds, reach
    from gatemark.station import own
    from gatemark.station.doctor import examine

    refused = ""
    try:
        own.enter()
    except UnavailableError as error:
        refused = str(error)
    findings = [*examine(refused), *kinds()]
    is_able = all(finding.ok for finding in findings if finding.needed)
    features = refusal.features() if is_able else []
    last = reach(findings)
    if json_:
        output.lines(asdict(finding) for finding in (*findings, *features, *last))
    else:
        shown = (*findings, *features)
        output.columns([(_mark(finding), finding.what, _text(finding)) for finding in shown])
        output.say()
        output.columns([(finding.what, _text(finding)) for finding in last])
    if not is_able:
        raise typer.Exit(1)


def _text(finding: "Finding") -> str:
    return finding.text if finding.ok or not finding.fix else f"{finding.text}: {finding.fix}"


def _mark(finding: "Finding") -> str:
    """`no`: a run can do without it, and says so."""
    if finding.ok:
        return "ok"
    return "NO" if finding.needed else "no"
