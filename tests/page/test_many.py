# SPDX-License-Identifier: Apache-2.0
"""Ten thousand records: the page stays small beside its data, and everything is drawn."""

import json
import re
from pathlib import Path

import builder
import pytest
from playwright.sync_api import Browser

from gatemark.tell import page
from page.visit import opened

pytestmark = pytest.mark.long
RECORDS = 10_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repeats = -(-RECORDS * builder.REPEATS // len(builder.trials()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder, "REPEATS", repeats)
        records = builder.trials()
        assert len(records) >= RECORDS
        made = builder.source(records=records, judged=builder.judgement(records))
        return page.write([made], tmp_path_factory.mktemp("many") / "report.html")


def test_the_page_is_small_beside_its_data(many: Path) -> None:
    text = many.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    assert json.loads(found[1])["figures"]
    assert len(text.encode()) - len(found[1].encode()) < 2_000_000


def test_every_figure_of_many_trials_is_drawn_in_silence(browser: Browser, many: Path) -> None:
    with opened(browser, many) as visit:
        visit.wait()
        assert visit.said == []
