# SPDX-License-Identifier: Apache-2.0
"""What the package ships, read once for all tests of plans."""

import pytest

from gatemark.plan.load import load, suites
from gatemark.plan.model import Plan


@pytest.fixture(scope="session")
def shipped() -> dict[str, tuple[Plan, ...]]:
    """The plans of each suite."""
    return {suite: tuple(load(suite)[1]) for suite in suites()}


@pytest.fixture(scope="session")
def variants(shipped: dict[str, tuple[Plan, ...]]) -> list[tuple[Plan, Plan]]:
    """Each plan with each of its variants."""
    return [
        (plan, load(plan.name, name)[1][0])
        for plans in shipped.values()
        for plan in plans
        for name in plan.variants
    ]
