# SPDX-License-Identifier: Apache-2.0
"""Fewer examples of a property than hypothesis tries by itself; a hunt tries as many as it asks."""

from hypothesis import settings

USUAL = 100  # of hypothesis


def few(count: int = 25) -> settings:
    """For properties whose first examples are of all their classes."""
    asked = settings().max_examples
    return settings(max_examples=count if asked <= USUAL else asked)
