# SPDX-License-Identifier: Apache-2.0
"""`gatemark list`: the suites and their plans, a line each."""

from collections.abc import Iterable
from itertools import groupby
from typing import Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.console.offer import Offer, offered, offers


def list_(
    suite: Annotated[str, typer.Argument(metavar="SUITE|PLAN", help="This alone.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each plan.")] = False,
) -> None:
    """List what can be run, and how long it takes."""
    listed = _chosen(suite)
    if json_:
        output.lines(
            {"suite": offer.suite, "plan": offer.plan, "title": offer.title}
            | {"rows": offer.rows, "variants": list(offer.variants)}
            | {"seconds": round(offer.seconds)}
            for offer in listed
        )
        return
    rows = [("NAME", "TIME", "WHAT")]
    for name, plans in groupby(listed, key=lambda offer: offer.suite):
        kept = list(plans)
        if name != kept[0].plan:
            rows.append((name, _time(offer.seconds for offer in kept), kept[0].suite_title))
        rows += [
            (f"  {offer.plan}", _time([offer.seconds]), f"{offer.title}{_variants(offer)}")
            for offer in kept
        ]
    output.columns(rows)


def _chosen(name: str) -> list[Offer]:
    """All that ship, or those of a suite, else what the name means."""
    if name.endswith(".toml"):
        return offered(name)
    every = offers()
    return [offer for offer in every if name in ("", offer.suite)] or offered(name)


def _time(seconds: Iterable[float]) -> str:
    from gatemark import number

    return number.seconds(sum(seconds))


def _variants(offer: Offer) -> str:
    """Each with its own time: `  [--variant short: 4 min 29 s]`."""
    texts = [f"{variant}: {_time([seconds])}" for variant, seconds in offer.variants.items()]
    return f"  [--variant {', '.join(texts)}]" if texts else ""
