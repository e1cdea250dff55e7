# SPDX-License-Identifier: Apache-2.0
"""`gatemark doctor`: what this machine can and cannot do, and the mend."""

from typing import Annotated

import typer

from gatemark.commands import output


def doctor(
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say what this machine can and cannot do, and the mend; exit 1 if something is missing."""
    from dataclasses import asdict  # noqa: PLC0415

    from gatemark.station.doctor import examine  # noqa: PLC0415

    findings = examine()
    if json_:
        output.lines(asdict(finding) for finding in findings)
    else:
        output.columns(
            [
                ("ok" if finding.ok else "NO", finding.what, said)
                for finding in findings
                for said in [finding.said if finding.ok else f"{finding.said}: {finding.mend}"]
            ]
        )
    if any(finding.needed and not finding.ok for finding in findings):
        raise typer.Exit(1)
