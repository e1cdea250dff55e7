# SPDX-License-Identifier: Apache-2.0
"""A campaign's gates for continuous integration: JUnit, and Markdown for a pull request.

A gate that failed is a failure. One that is undecided is an error, or skipped where its file has
`undecided = "pass"`: infrastructure never fails a build.
"""

from collections.abc import Iterator

from gatemark.judge.change.gate import Decided
from gatemark.tell.export import xunit
from gatemark.tell.matrix import Campaigned, change, gates, matrix
from gatemark.tell.words.markdown import table as marked
from gatemark.tell.words.markdown import text


def junit(made: Campaigned) -> bytes:
    """A suite for each model and suite, a case for each gated row."""
    suites: dict[tuple[str, str], list[xunit.Case]] = {}
    for each in made.decided:
        row = each.claim.row
        suites.setdefault((row.model, row.suite), []).append(_case(each, made.command))
    return xunit.document(
        [
            xunit.Suite(name=f"{model} {suite}", cases=cases, facts={"hostname": model})
            for (model, suite), cases in suites.items()
        ]
    )


def markdown(made: Campaigned) -> bytes:
    """The answer and its tables."""
    return "\n".join([*_lines(made), ""]).encode()


def _lines(made: Campaigned) -> Iterator[str]:
    yield from (f"## {text(made.title)}", "", f"**{text(made.sentence)}**", "")
    for table in (gates(made), matrix(made)):
        yield from marked(table) if table.rows else ()
    yield from (f"- {text(line)}" for line in made.causes)
    if made.missing:
        yield from ("Not measured:", "", *(f"- {text(line)}" for line in made.missing))


def _case(each: Decided, command: str) -> xunit.Case:
    claim = each.claim
    message = f"{each.verdict}: {change(each)}, {100 * claim.allow:g} % is allowed"
    outcome: xunit.Outcome | None = None
    if each.passing == "failed":
        outcome = "failure"
    elif each.passing == "undecided":
        outcome = "skipped" if claim.undecided == "pass" else "error"
    return xunit.Case(
        place=xunit.place(claim.row.suite, claim.row.model),
        name=f"{claim.build} against {claim.against}: {claim.row.what}",
        outcome=outcome,
        type_="" if outcome in (None, "skipped") else each.verdict,
        message=message if outcome else "",
        output=(message, command),
    )
