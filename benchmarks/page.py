# SPDX-License-Identifier: Apache-2.0
"""The report of 10 000 records: the time to make it, its size, and the time until it is visible.

python -m benchmarks.page [--repeats N]

The browser itself reports what a reader waits for: first words, first figure, every figure.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

RECORDS = 10_000
FIRST = "() => document.querySelector('.plot svg .role-mark :is(path, line, text)') !== null"
ALL = (
    "() => [...document.querySelectorAll('.plot')]"
    ".every((plot) => plot.querySelector('svg .role-mark :is(path, line, text)'))"
)
WORDS = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
NOW = "() => performance.now()"


def make(path: Path) -> Iterator[tuple[str, float, str]]:
    """Judge and write a made-up run of `RECORDS` records; yields what it took."""
    import builder  # found below tests/

    from gatemark.judge.judge import judge
    from gatemark.tell import page

    builder.REPEATS = -(-RECORDS * builder.REPEATS // len(builder.trials()))
    records = builder.trials()
    yield "records", len(records), ""
    run = builder.run()
    began = time.perf_counter()
    judged = judge(run, records)
    yield "to judge", time.perf_counter() - began, "s"
    began = time.perf_counter()
    page.write([builder.source(run, records, judged)], path)
    yield "to write", time.perf_counter() - began, "s"
    yield "size", path.stat().st_size / 1e6, "MB"


def read(browser: Browser, path: Path) -> dict[str, float]:
    """Times of one visit, in seconds from the start of loading."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    visit = context.new_page()
    visit.goto(path.as_uri(), wait_until="commit")
    times_s = {}
    for name, ready in (("first figure", FIRST), ("every figure", ALL)):
        visit.wait_for_function(ready, polling="raf")
        times_s[name] = visit.evaluate(NOW) / 1e3
    times_s["first words"] = visit.evaluate(WORDS) / 1e3
    context.close()
    return times_s


def main() -> None:
    """Print each figure with its median and range."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=6)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        for name, value, unit in make(path):
            print(f"{name:14} {value:9.3f} {unit}")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
            visits = [read(browser, path) for _ in range(repeats)]
            browser.close()
    for name in ("first words", "first figure", "every figure"):
        times = sorted(visit[name] for visit in visits)
        print(f"{name:14} {statistics.median(times):9.3f} s ({times[0]:.3f} to {times[-1]:.3f})")


if __name__ == "__main__":
    main()
