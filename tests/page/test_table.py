# SPDX-License-Identifier: Apache-2.0
"""A column of a table sorts by what its cells mean: numbers in their units, dates, names."""

import pytest
from playwright.sync_api import Browser

from gatemark.tell import html

pytestmark = pytest.mark.long
# Each from least to most, as a table prints them.
COLUMNS = {
    "dates": ["2025-01-01 00:00", "2026-03-20 07:30", "2026-11-20 00:00", "2026-11-20 00:01"],
    "runs": ["20261121-080000-quick", "20261121-161500-quick", "20261122-010000-first"],
    "rates": ["900 ± 40 k packets/s", "1.20 (1.10\N{EN DASH}1.30) M packets/s"],
    "bits": ["≥ 950 Mbit/s", "1.2 Gbit/s"],
    "delays": ["37.7 µs at 2 k packets/s", "1.68 ms at 26 k packets/s", "2 s"],
    "sizes": ["1450 B datagrams", "8 KiB writes", "1 MiB writes"],
    "changes": ["\N{MINUS SIGN}10.0 ± 0.1 %: slower", "\N{MINUS SIGN}2.0 %", "+0.5 %", "12 %"],
    "words last": ["2.0 %", "10.0 %", "not measured"],
}
SORTED = """() => {
  document.querySelector("thead button").click();
  return [...document.querySelectorAll("tbody th")].map((cell) => cell.textContent);
}"""


@pytest.mark.parametrize("cells", COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_sorts_by_what_its_cells_mean(browser: Browser, cells: list[str]) -> None:
    rows = "".join(f"<tr><th>{cell}</th></tr>" for cell in reversed(cells))
    table = f"<table class=sortable><thead><tr><th>of it</th></tr></thead><tbody>{rows}</tbody>"
    page = browser.new_page()
    page.set_content(f"{table}</table><script>{html.asset('table.js')}</script>")
    order = page.evaluate(SORTED)
    page.close()
    assert order == cells
