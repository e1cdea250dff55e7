# SPDX-License-Identifier: Apache-2.0
"""A page with 60 scripts, over HTTP/1.1, HTTP/2 and HTTP/3: the time until it has loaded.

nginx serves it (HTTP/3: caddy), chromium loads it with an empty cache and new connections, again
and again. A first load, before the judged time, is not counted: the browser itself is slower then.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage
from gatemark.kind.application.web import NEEDS, served

SCRIPTS: Final = 60
LEAST_BYTES, MOST_BYTES = 1_000, 24_500  # of a script: 767 kB in all
FIRST_S: Final = 30.0  # of the load that is not counted
BEYOND_S: Final = 8.0  # the judged time: for a first load that is not done by then
LOADED: Final = "performance.getEntriesByType('navigation')[0].{}"


def write(stage: Stage) -> None:
    """Write the page: scripts of random letters, so that nothing packs them."""
    letters = random.Random(1)  # noqa: S311  nothing secret
    tags = []
    for at in range(SCRIPTS):
        size = LEAST_BYTES + (MOST_BYTES - LEAST_BYTES) * at // (SCRIPTS - 1)
        stage.file(f"www/{at}.js", f"//{letters.randbytes(size // 2).hex()}\n")
        tags.append(f'<script src="{at}.js"></script>')
    stage.file("www/index.html", f"<!doctype html><title>page</title>{''.join(tags)}")


def serve(stage: Stage, words: str) -> Iterator[Report]:
    """Serve the page."""
    write(stage)
    served(stage, words)
    yield {}


def use(stage: Stage, protocol: str, *options: str) -> Iterator[Report]:
    """Load it as often as the time allows, and once at least; `options`: of the browser."""
    url = f"https://{stage.far}/index.html"
    browser = stage.browser("--ignore-certificate-errors", *options)
    first = browser.page()
    first.go(url, FIRST_S)
    spoken = first.run(LOADED.format("nextHopProtocol"))
    first.close()
    if spoken != protocol:
        raise RuntimeError(f"the page was loaded by {spoken}, not {protocol}")
    yield {}
    took: list[float] = []
    began = time.monotonic()
    while time.monotonic() - began < stage.seconds:
        page, at = browser.page(), time.monotonic()
        left_s = stage.seconds - (at - began) + (0.5 if took else BEYOND_S)
        if page.go(url, left_s):
            took.append(page.run(LOADED.format("loadEventEnd")) * 1e6)
        elif not took:
            took.append((time.monotonic() - at) * 1e9)
        page.close()
    yield {"samples": {"page": took}}


H1: Final = Application(
    name="page-h1",
    title="page (HTTP/1.1)",
    about="page",
    label="web",
    needs=NEEDS,
    qualities=(
        Quality(
            quantity="page_p50_ns",
            good=1.5,
            bad=3.0,
            of_clean=True,
            source="our choice, as a share of the load without anything beside",
        ),
    ),
    waits=1.0,
    serve=partial(serve, words=""),
    use=partial(use, protocol="http/1.1"),
    least_s=5.0,
)
H2: Final = replace(
    H1,
    name="page-h2",
    title="page (HTTP/2)",
    serve=partial(serve, words="http2"),
    use=partial(use, protocol="h2"),
)
