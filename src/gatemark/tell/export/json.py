# SPDX-License-Identifier: Apache-2.0
"""One JSON document: an array with an object for each row, as `gatemark export --schema` has it."""

from collections.abc import Sequence

import msgspec

from gatemark.tell.export.row import Row


def export(rows: Sequence[Row]) -> bytes:
    """The rows as an array."""
    return msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n"
