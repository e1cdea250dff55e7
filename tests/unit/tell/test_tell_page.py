# SPDX-License-Identifier: Apache-2.0
"""The page: self-contained, escaped, honest about what is missing, written whole."""

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import builder
import drawn
import msgspec
import pytest

from gatemark.judge.judgement import Warning_
from gatemark.tell import html, page, script
from gatemark.tell.sentence.answer import answered

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u2028'\"&"


class Reader(HTMLParser):
    """Collects tags with attributes and the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        inner = self.open[-1] if self.open else ""
        if inner == "script" and self.tags[-1][1].get("id") == "data":
            self.data += data
        elif inner not in ("script", "style"):
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.fixture(scope="module")
def whole() -> Reader:
    return read(drawn.page("builder"))


def test_nothing_is_fetched(whole: Reader) -> None:
    for tag, attributes in whole.tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:")), (tag, target)
    policy = next(m for m in whole.named("meta") if m.get("http-equiv"))
    assert (policy["content"] or "").startswith("default-src 'none'")
    style = html.asset("style.css")
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_somewhere(whole: Reader) -> None:
    names = {attributes["id"] for _, attributes in whole.tags if "id" in attributes}
    for link in whole.named("a"):
        assert (link["href"] or "").removeprefix("#") in names


def test_library_and_each_dataset_stand_once(whole: Reader) -> None:
    text = drawn.page("builder")
    assert text.count(".vegaEmbed=") == 1
    assert len(text.encode()) < 2_000_000
    data = json.loads(whole.data)
    assert {len(figure["panels"]) for figure in data["figures"]} == {1, 2}
    assert not any("datasets" in panel for f in data["figures"] for panel in f["panels"])


def test_tables_have_captions_and_scopes(whole: Reader) -> None:
    assert len(whole.named("caption")) == len(whole.named("table"))
    assert all(head.get("scope") in ("col", "row") for head in whole.named("th"))


def test_conditions_are_not_folded() -> None:
    text = drawn.page("builder")
    start = text.index('id="conditions"')
    section = text[start : text.index("</section>", start)]
    assert "<details" not in section
    for said in ("Virtual", "slowed on purpose", "411 ± 4", "trials of 1", "drift", "not run"):
        assert said in section.replace("\N{NO-BREAK SPACE}", " ")


def test_hostile_names_stay_text() -> None:
    run = builder.run()
    plans = tuple(msgspec.structs.replace(p, title=HOSTILE, why=HOSTILE) for p in run.plans)
    run = msgspec.structs.replace(
        run, title=HOSTILE, run=HOSTILE, plans=plans, notes=(HOSTILE,), before={HOSTILE: HOSTILE}
    )
    judged = builder.judgement()
    judged = msgspec.structs.replace(
        judged,
        sentence=HOSTILE,
        warnings=(Warning_(HOSTILE, HOSTILE),),
        knees=tuple(k.about(arm=HOSTILE, setup=HOSTILE) for k in judged.knees),
        points=tuple(
            msgspec.structs.replace(p.about(arm=HOSTILE), why=HOSTILE) for p in judged.points
        ),
    )
    reader = read(page.render([builder.source(run, judged=judged)]))
    assert not reader.named("img")
    assert len(reader.named("script")) == 5
    assert not any(name.startswith("on") for _, found in reader.tags for name in found)
    data = json.loads(reader.data)
    assert data["datasets"][data["figures"][0]["name"]][0]["arm"] == HOSTILE


def test_nothing_measured_still_makes_a_page() -> None:
    reader = read(page.render([builder.source(records=[], judged=builder.nothing())]))
    text = " ".join(reader.text)
    assert "Nothing was measured." in text
    assert "Not measured" in text
    assert not reader.named("figure")
    assert json.loads(reader.data)["figures"] == []


def test_judged_by_stats_it_makes_a_page() -> None:
    run, records = builder.run(), builder.trials()
    text = " ".join(read(page.render([builder.source(run, records, answered(run, records))])).text)
    assert "Capacity, slowed: route" in text
    assert "nat ↑ up: 26" in text


def test_page_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deep" / "report.html"
    nothing = builder.source(records=[], judged=builder.nothing())
    assert page.write([nothing], path) == path
    path.write_bytes(b"the page before")

    def refuse(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="disk full"):
        page.write([nothing], path)
    assert path.read_bytes() == b"the page before"
    assert [found.name for found in path.parent.iterdir()] == ["report.html"]


def test_licences_stand_above_the_script() -> None:
    text = script.library()
    licences, _, rest = text.partition("*/\n")
    for holder in ("University of Washington", "Mike Bostock", "Joachim Wester"):
        assert holder in licences
    assert "*/" not in licences[2:]
    assert "vegaEmbed" in rest


def test_licences_name_the_versions_of_the_script() -> None:
    text = script.library()
    for version in re.findall(r"Vega(?:-Lite|-Embed)? (\d+\.\d+\.\d+)", text.partition("*/")[0]):
        assert f'"{version}"' in text


def test_the_script_cannot_end_its_element() -> None:
    assert "</script" not in script.library()
    assert "<!--" not in script.library()


def test_what_stands_between_backticks_is_code_and_all_of_it_is_escaped() -> None:
    code = vars(html.template("code.html").module)["code"]
    assert str(code("a `b<i>` <c>")) == "a <code>b&lt;i&gt;</code> &lt;c&gt;"
