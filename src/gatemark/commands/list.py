# SPDX-License-Identifier: Apache-2.0
"""`gatemark list`: the suites and their plans, a line each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.line import output

if TYPE_CHECKING:
    from gatemark.plan.model import Plan


def list_(
    suite: Annotated[str, typer.Argument(metavar="SUITE|PLAN", help="This alone.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each plan.")] = False,
) -> None:
    """List what can be run, and how long it takes."""
    from gatemark.plan.load import load, suites

    loaded = [load(name) for name in ([suite] if suite else suites())]
    if json_:
        output.lines(
            {"suite": suite.name, "plan": plan.name, "title": plan.title}
            | {"rows": plan.rows, "variants": plan.variants, "seconds": round(_takes_s([plan]))}
            for suite, plans in loaded
            for plan in plans
        )
        return
    rows = [("NAME", "TIME", "WHAT")]
    for this_suite, plans in loaded:
        if this_suite.name != plans[0].name:
            rows.append((this_suite.name, _time(plans), this_suite.title))
        rows += [
            (f"  {plan.name}", _time([plan]), f"{plan.title}{_variants(plan, suite)}")
            for plan in plans
        ]
    output.columns(rows)


def _takes_s(plans: "Sequence[Plan]") -> float:
    from gatemark.plan.order import order
    from gatemark.run.duration import estimate_s

    return estimate_s(order(plans, seed=0))


def _time(plans: "Sequence[Plan]") -> str:
    from gatemark.report.words import number

    return number.seconds(_takes_s(plans))


def _variants(plan: "Plan", asked: str) -> str:
    """Each with its own time: `  [--variant short: 4 min 29 s]`."""
    from gatemark.plan.load import load

    name = asked if asked.endswith(".toml") else plan.name
    texts = [f"{variant}: {_time(load(name, variant)[1])}" for variant in plan.variants]
    return f"  [--variant {', '.join(texts)}]" if texts else ""
