# SPDX-License-Identifier: Apache-2.0
"""Makes `tests/` importable (`import builder`) and adds the golden files' switch."""

import gc
import os
import time

import MLRsearch  # noqa: F401  first: it reads the source of each module that is loaded by then
import pytest
from hypothesis import is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

# A test checks what a function says, not how fast a shared machine lets it. `make test` tries the
# same examples each time; `make fuzz` hunts for others (--hypothesis-profile=hunt).
settings.register_profile("gatemark", deadline=None, derandomize=True, database=None)
settings.register_profile("hunt", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("gatemark")
os.environ["GATEMARK_BUILD"] = "no"  # set-up built what tests need; what lacks more is skipped

gc.disable()  # what is collected stays until the end: nothing of it is garbage


def pytest_configure(config: pytest.Config) -> None:
    """Where no example is drawn, no constants for them are read out of all that is loaded."""
    if config.option.collectonly:
        providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A hunt is for property tests alone; the others would find nothing new."""
    if config.getoption("--hypothesis-profile") != "hunt":
        return
    hunted = [item for item in items if is_hypothesis_test(getattr(item, "obj", None))]
    config.hook.pytest_deselected(items=[item for item in items if item not in hunted])
    items[:] = hunted


def pytest_collection_finish() -> None:
    """From here on garbage is looked for again, but not among all that was collected."""
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """CI has so much time and no more (UNTIL, by the clock): what is left comes in its quarter."""
    if time.time() > float(os.environ.get("UNTIL", "inf")) and item.get_closest_marker("long"):
        pytest.skip("CI's time is over")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
