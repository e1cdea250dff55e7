# SPDX-License-Identifier: Apache-2.0
"""A word that must be of a list: where it is not, the nearest is named."""

from collections.abc import Iterable

from gatemark.error import UsageError


def check(before: str, word: str, words: Iterable[str]) -> None:
    """Raise UsageError unless it is one of `words`; `before` is the option, or what it is."""
    from gatemark.plan.toml import nearest

    known = list(words)
    if word not in known:
        raise UsageError(f"{before} {word}: no such name{nearest(word, known)}")
