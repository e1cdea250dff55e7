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
from sample import unpack

from gatemark.commands.runs import reading
from gatemark.tell import index, page, several
from gatemark.tell.group import source

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
    return page.write([builder.source()], path)


@pytest.fixture(scope="package")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TCP by path and size, bars by length, what arms cost, published values beside ours."""
    path = tmp_path_factory.mktemp("studied") / "report.html"
    return page.write([studies.source()], path)


@pytest.fixture(scope="package")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that README shows."""
    run = unpack(tmp_path_factory.mktemp("sample"))
    return page.write([source.judged(reading.read(run), run)], run / "report.html")


@pytest.fixture(scope="package")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was cut before its first trial."""
    path = tmp_path_factory.mktemp("empty") / "report.html"
    run = msgspec.structs.replace(builder.run(), trials=(), finished="")
    return page.write([builder.source(run, [], builder.nothing())], path)


@pytest.fixture(scope="package")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs side by side, the second a tenth slower."""
    folder = tmp_path_factory.mktemp("compared")
    kept = [builder.keep(folder / "old"), builder.keep(folder / "new", builder.trials(0.9))]
    labels = several.labelled(len(kept))
    sources = [
        source.judged(one.contents(), one.path, label)
        for one, label in zip(kept, labels, strict=True)
    ]
    return page.write(sources, folder / "compared.html")


@pytest.fixture(scope="package")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new run, an old one further down, and one that cannot be read."""
    folder = tmp_path_factory.mktemp("indexed")
    builder.keep(folder / "new")
    builder.keep(folder / "deep" / "old", started="2025-01-01T00:00:00Z")
    builder.keep(folder / "torn").run_file.write_text("{")
    return index.write(folder, folder / "index.html")


@pytest.fixture(scope="package")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a line that no longer can be read, and a last one that was cut."""
    directory = builder.keep(tmp_path_factory.mktemp("damaged") / "run")
    lines = directory.trials_file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"{", b"[")
    directory.trials_file.write_bytes(b"".join(lines)[:-40])
    return page.write([source.judged(directory.contents(), directory.path)], directory.page)


@pytest.fixture(scope="package")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an ordinary user."""
    station = msgspec.structs.replace(builder.run().station, missing=("No CPU.", "No brake."))
    run = msgspec.structs.replace(builder.run(), station=station)
    path = tmp_path_factory.mktemp("lacking") / "report.html"
    return page.write([builder.source(run)], path)


@pytest.fixture(scope="package")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's plan: markup wherever it gives a name."""
    run, judged = builder.run(), builder.judgement()
    replace = msgspec.structs.replace
    plans = tuple(replace(plan, title=HOSTILE, why=HOSTILE, reading=HOSTILE) for plan in run.plans)
    judged = replace(
        judged,
        knees=tuple(knee.about(arm=HOSTILE, setup=HOSTILE) for knee in judged.knees),
        points=tuple(
            replace(p.about(arm=HOSTILE, setup=HOSTILE), why=HOSTILE) for p in judged.points
        ),
    )
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    return page.write(
        [builder.source(replace(run, title=HOSTILE, plans=plans), judged=judged)], path
    )
