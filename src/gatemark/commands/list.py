# SPDX-License-Identifier: Apache-2.0
"""`gatemark list`: the suites and their plans, a line each."""

from typing import TYPE_CHECKING

import typer

from gatemark.commands import output

if TYPE_CHECKING:
    from gatemark.plan.model import Plan


def list_(json_: bool = typer.Option(False, "--json", help="One JSON object a line.")) -> None:
    """List the suites and plans that can be run."""
    from gatemark.plan.load import load, suites  # noqa: PLC0415

    found = [load(name) for name in suites()]
    if json_:
        output.lines(
            {"suite": suite.name, "plan": plan.name, "title": plan.title}
            | {"rows": plan.rows, "variants": plan.variants}
            for suite, plans in found
            for plan in plans
        )
        return
    rows = []
    for suite, plans in found:
        rows.append((suite.name, suite.title))
        rows += [(f"  {plan.name}", f"{plan.title}{_variants(plan)}") for plan in plans]
    output.columns(rows)


def _variants(plan: "Plan") -> str:
    return f"  [--variant {', '.join(plan.variants)}]" if plan.variants else ""
