# SPDX-License-Identifier: Apache-2.0
"""Gatemark: a benchmark laboratory for Linux gateways."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from gatemark.tell.export.results import Results

__version__ = "0.2.0"


def read(path: "str | PathLike[str]") -> "Results":
    """One run, from its directory: what was asked, its records, its judged values.

    Raises GatemarkError (`gatemark.error`) where there is no run, or none to read.
    """
    from pathlib import Path  # here, and nothing above: `import gatemark` loads no laboratory

    from gatemark.tell.export import results

    return results.read(Path(path))
