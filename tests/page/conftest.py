# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a window, and the pages that it opens."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import builder
import msgspec
import pytest
import studies
from playwright.sync_api import Browser, sync_playwright

from gatemark.report import page

# Nothing but our page: no GPU, no updates, no sync, no first run. Playwright adds --no-sandbox
# (we may be root) and a profile that is thrown away.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# As a title, as an arm's name and in a cell of a CSV file.
HOSTILE = '=1+1</script><img src=x onerror="window.struck=1"><script>window.struck=1</script>'


# For this folder alone: while it is open, its event loop keeps asyncio.run() from other tests.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium here")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every kind of figure."""
    path = tmp_path_factory.mktemp("whole") / "report.html"
    return page.write(builder.run(), builder.trials(), builder.judgement(), path)


@pytest.fixture(scope="package")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TCP by path and size, bars by length, what arms cost, published values beside ours."""
    path = tmp_path_factory.mktemp("studied") / "report.html"
    judged, beside = studies.judgement(), studies.beside()
    return page.write(studies.run(), studies.trials(), judged, path, beside)


@pytest.fixture(scope="package")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was cut before its first trial."""
    path = tmp_path_factory.mktemp("empty") / "report.html"
    run = msgspec.structs.replace(builder.run(), trials=(), finished="")
    return page.write(run, [], builder.nothing(), path)


@pytest.fixture(scope="package")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's plan: markup wherever it gives a name."""
    run, judged = builder.run(), builder.judgement()
    replace = msgspec.structs.replace
    plans = tuple(replace(plan, title=HOSTILE, why=HOSTILE, reading=HOSTILE) for plan in run.plans)
    judged = replace(
        judged,
        knees=tuple(replace(knee, arm=HOSTILE, setup=HOSTILE) for knee in judged.knees),
        points=tuple(replace(p, arm=HOSTILE, setup=HOSTILE, why=HOSTILE) for p in judged.points),
    )
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    return page.write(replace(run, title=HOSTILE, plans=plans), builder.trials(), judged, path)
