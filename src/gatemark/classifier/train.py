# SPDX-License-Identifier: Apache-2.0
"""A model out of labelled flows."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from gatemark.classifier.c45 import Model
from gatemark.classifier.learn import UNIT, Example, grow
from gatemark.classifier.recipe import Recipe
from gatemark.classifier.track import Track
from gatemark.error import UsageError

SHORT: Final = 16  # hex digits of a capture's SHA-256
IN_LINE: Final = 5  # digests


def train(tracks: Sequence[Track], recipe: Recipe) -> Model:
    """The tree of these flows. Raises UsageError where none of them fills a window."""
    examples = _examples(
        [t for t in tracks if t.windows and t.counts and recipe.covers(t.flow)], recipe
    )
    if not examples:
        flows = "flow" if recipe.protocol == "all" else f"{recipe.protocol} flow"
        raise UsageError(f"no {flows} has {recipe.window} packets: take a smaller --window")
    nodes = grow(examples, len(recipe.classes), recipe.bounds)
    return Model(recipe.classes, recipe.attributes, nodes, recipe.header())


def _examples(tracks: Sequence[Track], recipe: Recipe) -> list[Example]:
    """Every window. The windows of a flow share its weight, the flows of an application the
    application's, the applications of a class the class's, and the classes weigh the same.

    Whoever made the captures chose how many flows there are of each; no gateway has that share, and
    an application that has many is no better a witness for those that are not there.
    """
    flows = Counter((track.label, track.flow.application) for track in tracks)
    applications = Counter(label for label, _ in flows)
    return [
        Example(window.values, recipe.classes.index(track.label), weight)
        for track in tracks
        for weight in (
            UNIT
            * len(tracks)
            // (
                len(applications)
                * applications[track.label]
                * flows[track.label, track.flow.application]
                * len(track.windows)
            ),
        )
        for window in track.windows
    ]


def provenance(tracks: Sequence[Track], manifest: Path) -> dict[str, str]:
    """Return the origin of a model, for its header: counts and digests, by key."""
    captures = sorted({track.flow.capture for track in tracks})
    digests = sorted({digest(capture)[:SHORT] for capture in captures})
    lines = [digests[at : at + IN_LINE] for at in range(0, len(digests), IN_LINE)]
    return {
        "flows": str(len(tracks)),
        "windows": str(sum(len(track.windows) for track in tracks)),
        "manifest": f"sha256 {digest(manifest)}",
        "captures": f"{len(captures)}, by the first {SHORT} digits of their SHA-256",
        **{f"captures {_letters(at)}": " ".join(line) for at, line in enumerate(lines)},
    }


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def seen(model: Model, captures: Iterable[Path]) -> list[Path]:
    """The captures that a model was trained on."""
    known = {
        word
        for key, value in model.header.items()
        if key.startswith("captures ")
        for word in value.split()
    }
    return [capture for capture in captures if digest(capture)[:SHORT] in known]


def _letters(number: int) -> str:
    """A key of letters that sorts as the number does: aa, ab, ..."""
    return chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
