# SPDX-License-Identifier: Apache-2.0
"""`gatemark cmp`: different gateways, like definitions only."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.diff import ACROSS_HELP, QUANTITY_HELP, definition, known, side, value
from gatemark.commands.runs import locate
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.judge.change.cmp import Cell, Cmp
    from gatemark.judge.change.diff import Side
    from gatemark.judge.change.tool import ToolSide

RUNS_HELP = "Runs (folders, names), or files of iperf3 -J and flent.  [the newest two of one plan]"


def cmp(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN", help=RUNS_HELP)] = None,
    across: Annotated[list[str] | None, typer.Option(metavar="FIELD", help=ACROSS_HELP)] = None,
    quantity: Annotated[list[str] | None, typer.Option(metavar="NAME", help=QUANTITY_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each row.")] = False,
) -> None:
    """Compare gateways: each one's ratio to the first.

    Only values of like definition are put side by side, and only gateways of the same firmware and
    kernel, unless `--across firmware` is given. Another tool's file stands beside every
    setup that is like in what the file tells; the path and the gateway it does not tell.
    """
    from gatemark.judge.change.cmp import cmp as compare_gateways
    from gatemark.judge.change.diff import FIRMWARE
    from gatemark.tell.verb import cmp, diff

    paths = locate.pair(runs or (), same_station=False)
    if len(paths) < 2:
        raise UsageError("one run has nothing to be compared with: give two or more")
    fields = known(across or [], extra=[FIRMWARE])
    comparison = compare_gateways([_side(run, quantity or []) for run in paths], fields)
    if json_:
        output.lines(_rows(comparison, paths))
    else:
        diff.tell(cmp.cmp_lines(comparison, [run.name or str(run) for run in paths]))


def _side(path: Path, quantities: Sequence[str]) -> "Side | ToolSide":
    """A run, or another tool's file."""
    if path.is_dir() or not path.exists():
        return side(path, quantities)
    from gatemark.judge.change import tool
    from gatemark.store.tool import read

    return tool.side(read(path), quantities)


def _rows(comparison: "Cmp", runs: Sequence[Path]) -> Iterator[dict[str, object]]:
    from gatemark.judge.fact import Fact
    from gatemark.tell.fact import say

    gateways = [
        {
            each.field: say.words(each.new) if isinstance(each.new, Fact) else each.new
            for each in conditions
        }
        for conditions in comparison.conditions
    ]
    for row in comparison.rows:
        lead = next(cell.value for cell in row if cell)
        texts = (
            {"run": str(run), "gateway": gateway, **_cell(cell)}
            for run, gateway, cell in zip(runs, gateways, row, strict=True)
        )
        yield {**definition(lead), "runs": list(texts)}


def _cell(cell: "Cell | None") -> dict[str, object]:
    if cell is None:
        return {"value": None}
    texts = {
        **value(cell.value, "value"),
        "limit": cell.value.limit,
        "at_least": cell.value.at_least,
        "slow_to_pps": cell.value.definition.slow_to_pps,
        "across": {d.field: [d.old, d.new] for d in cell.differences},
    }
    if cell.ratio:
        texts |= {"ratio": cell.ratio.value, "ratio_lo": cell.ratio.lo, "ratio_hi": cell.ratio.hi}
        texts |= {"bound": cell.bound}
    if cell.clock:
        texts |= {"clock": cell.clock.of, "clock_ratio": cell.clock.ratio, "held": cell.clock.held}
    return texts
