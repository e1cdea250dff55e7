# SPDX-License-Identifier: Apache-2.0
"""`gatemark coverage`: rows of the studies, by plans and by runs; what README says of them."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import sample
from inside import gatemark

from benchmarks.coverage import PAGE, wanted
from gatemark.commands.coverage import shipped
from gatemark.judge.coverage.coverage import Covered, counts, coverage
from gatemark.store.contents import Contents
from gatemark.store.study.requirement import requirements
from gatemark.tell.group import source
from gatemark.tell.group.source import Source

ROOT = Path(__file__).parents[3]
RUN = "20261129-000645-quick"  # of the sample
ROW = re.compile(r"\| [KPBDR]\d\d \|")
PUBLISHED = "\n## Published values\n"


def flat(text: str) -> str:
    return " ".join(text.split())


def unfinished(rows: Sequence[Covered]) -> str:
    """README's sentences of what is not done, of rows judged without a run."""
    known = counts(rows)
    missing = [row.requirement.name for row in rows if row.state == "missing"]
    verb = "is" if len(missing) == 1 else "are"
    last = f"{len(missing)} {verb} missing: {', '.join(missing)}" if missing else "None is missing"
    return (
        f"Of the {len(rows)} rows that five studies asked, {known['planned']} are answered by a "
        f"plan or by every run, and {known['in part']} in part. {known['not here']} need what is "
        f"not here. {last}."
    )


def test_the_readme_says_what_is_not_done() -> None:
    rows = coverage(requirements(), shipped())
    assert unfinished(rows) in flat((ROOT / "README.md").read_text())


def test_the_list_in_the_documents_asks_what_the_plans_do(tmp_path: Path) -> None:
    """Its states and runs are of the runs that it was made by (benchmarks/coverage.py)."""
    done = gatemark("coverage", "--out", "coverage.md", cwd=tmp_path)
    assert (done.code, done.out) == (0, "coverage.md\n")
    made, kept = ((at / "coverage.md").read_text() for at in (tmp_path, ROOT / "docs"))
    assert made.partition(PUBLISHED)[2] == kept.partition(PUBLISHED)[2]
    asked = {
        row.requirement.name: ", ".join(row.plans) for row in coverage(requirements(), shipped())
    }
    rows = {name: (what, answer) for name, what, answer in listed(made)}
    assert rows.keys() == asked.keys()
    kept_rows = {name: (what, answer) for name, what, answer in listed(kept)}
    for name, (what, answer) in (*rows.items(), *kept_rows.items()):
        assert (what, answer[: len(asked[name])]) == (rows[name][0], asked[name])
    assert kept_rows.keys() | shown(kept) == asked.keys()


def shown(page: str) -> set[str]:
    """The rows that the runs of a page show: two with a dash stand for all between."""
    runs = page.partition("\n## Runs\n")[2].partition("\n## ")[0]
    return {
        f"{first[0]}{number:02}"
        for first, last in re.findall(r"\b([KPBDR]\d\d)(?:\N{EN DASH}([KPBDR]\d\d))?", runs)
        for number in range(int(first[1:]), int((last or first)[1:]) + 1)
    }


def listed(page: str) -> list[tuple[str, str, str]]:
    """Of each row its name, what was asked, and what answers it."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if ROW.match(line)]
    return [(line[0], line[2], line[3]) for line in lines]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the run that README shows, which is judged once."""
    path = tmp_path_factory.mktemp("coverage")
    sample.unpack(path)
    kept: list[Source] = []
    judged = source.judged

    def once(contents: Contents, run: Path) -> Source:
        kept.extend([] if kept else [judged(contents, run)])
        return kept[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "judged", once)
        yield path


def test_a_run_shows_rows_with_a_link_to_the_figure(home: Path) -> None:
    done = gatemark("coverage", RUN, "--json", cwd=home)
    rows = {row["row"]: row for row in map(json.loads, done.out.splitlines())}
    assert len(rows) == 145
    assert rows["K27"]["state"] == "shown"
    link = f"{RUN}/report.html#knee-quick-sweep-64-64-flows"
    assert rows["K27"]["shown"] == [{"run": RUN, "link": link}]


def test_the_page_has_every_row_and_the_links(home: Path) -> None:
    assert gatemark("coverage", RUN, "--out", "coverage.html", cwd=home).code == 0
    page = (home / "coverage.html").read_text()
    assert page.count("<tr id=") == 145
    assert f'href="{RUN}/report.html#knee-quick-sweep-64-64-flows"' in page


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    for words, text in (
        ("--out rows.csv", "end its name with .html or .md"),
        ("--out rows.md --json", "--json is for stdout"),
        ("nowhere", "nowhere: no run there"),
    ):
        done = gatemark("coverage", *words.split(), cwd=tmp_path)
        assert (done.code, text in done.err) == (2, True), words


def test_a_page_names_its_runs_and_links_to_those_below_it_alone(home: Path) -> None:
    (home / "docs").mkdir()
    for place, linked in (("rows.md", True), ("docs/rows.md", False)):
        assert gatemark("coverage", RUN, "--out", place, cwd=home).code == 0
        page = (home / place).read_text()
        assert ("](" in page) == linked
        label = f"[{RUN}]({RUN}/report.html)" if linked else RUN
        assert f"| {label} | " in page
        assert "`gatemark run quick --line 1000/500 --seed 1380693621` |" in page


def test_the_page_names_runs_as_the_program_that_makes_them(tmp_path: Path) -> None:
    page = PAGE.read_text().partition("\n## Runs\n")[2].partition("\n## ")[0]
    rows = [line.strip("|` ").split(" | ") for line in page.splitlines() if "`gatemark " in line]
    named = {row[0]: re.sub(r" --(seed|set) \S+", "", row[-1]).strip("`").split() for row in rows}
    made = {run.name: ["gatemark", *run.words] for run in wanted(tmp_path, None, None)}
    assert named
    assert {name: sorted(words) for name, words in named.items()} == {
        name: sorted(word.replace(str(tmp_path), "DIR") for word in made.get(name, ()))
        for name in named
    }
