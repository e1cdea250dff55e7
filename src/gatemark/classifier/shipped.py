# SPDX-License-Identifier: Apache-2.0
"""The models that ship, each beside its card."""

from importlib import resources
from pathlib import Path

SUFFIX = ".c45"


def names() -> list[str]:
    """Return the models that a command line may name."""
    return sorted(path.stem for path in _folder().glob(f"*{SUFFIX}"))


def path(name: str) -> Path:
    """The file of a model that ships."""
    return _folder() / f"{name}{SUFFIX}"


def card(name: str) -> Path:
    """Return the path of a model's card: its training data and its errors."""
    return _folder() / f"{name}.md"


def _folder() -> Path:
    return Path(str(resources.files("gatemark"))) / "classifier" / "models"
