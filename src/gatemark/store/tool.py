# SPDX-License-Identifier: Apache-2.0
"""Files of other tools: what they measured, in our quantities, and what they do not tell."""

import gzip
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.store import flent, iperf3
from gatemark.store.measured import Measured

KINDS: Final = "a run's directory, iperf3's JSON (iperf3 -J) or flent's data file (.flent.gz)"
MAGIC: Final = b"\x1f\x8b"  # of gzip
# What a document that is not whole leads to.
DAMAGED: Final = (KeyError, TypeError, IndexError, AttributeError, ZeroDivisionError)
MOST_BYTES: Final = 32 << 20  # of a file, unpacked


@dataclass(frozen=True, slots=True)
class Kind:
    """A tool's format: whether a document is of it, and how it is read."""

    is_of: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], Measured]


FORMATS: Final = (Kind(iperf3.is_of, iperf3.read), Kind(flent.is_of, flent.read))


def read(path: Path) -> Measured:
    """Return a tool's values. Raises UsageError where the file is damaged or of no tool."""
    document = _document(path)
    for kind in FORMATS:
        if kind.is_of(document):
            try:
                return _sound(kind.read(document))
            except (ValueError, OverflowError) as error:
                raise UsageError(f"{path}: {error}") from None
            except DAMAGED as error:
                why = f"{type(error).__name__}: {error}".splitlines()[0]
                raise UsageError(f"{path}: damaged ({why}): measure anew") from None
    raise UsageError(f"{path}: of no tool that is known: give {KINDS}")


def _sound(measured: Measured) -> Measured:
    if not all(0 <= value < inf for value in measured.values.values()):
        raise ValueError("it has a value that is no number: measure anew")
    return measured


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == MAGIC
        with gzip.open(path) if packed else path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB, unpacked: measure less")
        document = json.loads(data)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}: give {KINDS}") from None
    except (ValueError, EOFError, zlib.error, RecursionError):
        raise UsageError(f"{path}: no whole JSON: give {KINDS}") from None
    if not isinstance(document, dict):
        raise UsageError(f"{path}: of no tool that is known: give {KINDS}")
    return document
