# SPDX-License-Identifier: Apache-2.0
"""Whether a request waited for a lost segment, by what TCP says at its begin and at its end."""

import socket

import pytest

from gatemark.kind.responsiveness.repair import Repair


@pytest.mark.parametrize(
    ("begin", "end", "repairs"),
    [
        (Repair(3, False), Repair(3, False), 0),
        (Repair(3, False), Repair(5, True), 2),
        (Repair(3, True), Repair(3, False), 1),  # sent again before, and it was still on its way
    ],
)
def test_what_was_repaired_in_between(begin: Repair, end: Repair, repairs: int) -> None:
    assert begin.until(end) == repairs


def test_a_sound_connection_repairs_nothing() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as sock,
    ):
        assert Repair.of(sock) == Repair(0, False)
