# SPDX-License-Identifier: Apache-2.0
"""`gatemark plan`: what a suite or plan would run, and how long it would take."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.option.asked import Asked, within
from gatemark.commands.option.setting import SET_HELP, VARIANT_HELP

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, TrialSpec

MANY = 5  # arms that take more than a second or two
STATION_HELP = "Where it would be measured: a name or file.  [lab]"
UNTRIED = "Which arms {} would skip is told as a run on it begins: nothing is set now."
NAME_HELP = "A name of `gatemark list`, or a plan's file.  [quick]"


def plan(
    name: Annotated[str, typer.Argument(metavar="SUITE|PLAN", help=NAME_HELP)] = "quick",
    station: Annotated[str, typer.Option(metavar="STATION", help=STATION_HELP)] = "",
    variant: Annotated[str, typer.Option(metavar="NAME", help=VARIANT_HELP)] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=SET_HELP)
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each trial.")] = False,
) -> None:
    """Show what would run, and for how long; measure nothing.

    As root it tries the features in a lab that is made for it, and names arms that it would skip.
    Another station is not started.
    """
    import msgspec

    from gatemark.plan.expand import arms as measured
    from gatemark.plan.expand import points
    from gatemark.plan.order import order
    from gatemark.run.duration import estimate_s
    from gatemark.tell.words import number

    asked = Asked(name, station or None, variant, tuple(set_ or ()))
    asked, notes = _within(asked) if station else (asked, ())
    suite, plans = asked.chosen()
    trials = order(plans, seed=0)
    if json_:
        output.lines(msgspec.to_builtins(trial) for trial in trials)
        return
    output.prose(f"{suite.name}: {suite.title}", suite.why, *notes, "")
    rows: list[tuple[str, ...]] = [("PLAN", "POINTS", "REPEATS", "TRIALS", "TIME", "WHAT AND ARMS")]
    for plan in plans:
        specs = [trial for trial in trials if trial.plan == plan.name]
        arms = ", ".join(arm.name for arm in measured(plan))
        repeats = (
            f"{plan.repeat.times}-{plan.repeat.most}" if plan.repeat.spread else plan.repeat.times
        )
        repeats = f"{plan.repeat.warmup} warm-up + {repeats}" if plan.repeat.warmup else repeats
        repeats = f"{repeats} x {plan.repeat.boots} boots" if plan.repeat.boots else repeats
        counts = [str(len(points(plan))), str(repeats), str(len(specs))]
        rows.append(
            (plan.name, *counts, number.seconds(estimate_s(specs)), f"{plan.title}  [{arms}]")
        )
    output.columns(rows)
    output.say(f"\n{len(trials)} trials, about {number.seconds(estimate_s(trials))}")
    output.prose(*([UNTRIED.format(station)] if station else _skipped(trials, plans)))


def _within(asked: Asked) -> tuple[Asked, tuple[str, ...]]:
    """Return what the station can measure of it, and lines about that. Raises UsageError."""
    from gatemark.station.load import load

    bench = load(asked.station_file)
    return within(asked, bench.able, bench.info.kind)


def _skipped(trials: "Sequence[TrialSpec]", plans: "Sequence[Plan]") -> list[str]:
    """The arms that the built-in lab would skip, a line a reason; nothing without features."""
    from gatemark.run.preflight import refusal
    from gatemark.tell.words.refusal import by_reason

    if not (arms := refusal.tried(trials)):
        return []
    if len(arms) >= MANY:
        output.say(f"Trying {len(arms)} arms on the built-in lab ...", err=True)
    try:
        reasons = refusal.in_lab(arms)
    except refusal.UNKNOWN as error:
        return [f"Which arms the built-in lab would skip is not known: {error}"]
    lines = by_reason(refusal.of_trials(trials, plans, reasons), len(plans))
    return [f"The built-in lab would skip: {line}" for line in lines] or [
        "The built-in lab would skip none of them."
    ]
