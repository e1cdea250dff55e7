# SPDX-License-Identifier: Apache-2.0
"""A real game is found among real uploads and put first, and no upload is."""

import importlib.util
import shutil

import pytest

from gatemark.gateway.attached import guard
from lab.live import game
from lab.live.scene import GAME, QUIC, UDP, Scene, play

# Packets, from the game's first: two windows of the model that ships. How long they take is the
# client's doing, which loads its map meanwhile.
FOUND_WITHIN = 20
MOST_OF_A_GAME = 0.9  # of its packets: a window may look even
MOST_OF_BULK = 0.02  # of an upload's bytes: the goal of the specification
BULK = 1.2  # times the guard's bound: a slower upload may go first, and only other work slows it so
# Mbit/s of the uplink, and of the upload by UDP. On the slow one QUIC takes less than the guard of
# a fast line, and its gaps look like a game's to the model (docs/classifier.md).
LINES = ((20.0, 10.0), (5.0, 4.0))

# Others may measure first.
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture(scope="module", params=LINES, ids=lambda line: f"{line[0]:g}-Mbit")
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """One evening for all tests, which each ask something else of it."""
    for name in (game.lacking(), "" if shutil.which("iperf3") else "iperf3"):
        if name:
            pytest.skip(f"no {name} here")
    if not importlib.util.find_spec("aioquic"):
        pytest.skip("no aioquic here")
    return play(tmp_path_factory.mktemp("live"), *request.param)


def test_a_game_is_found_within_its_first_packets(scene: Scene) -> None:
    first = scene.packets[GAME][:FOUND_WITHIN]
    assert ("realtime", "class") in {(packet.class_, packet.verdict) for packet in first}


def test_a_game_is_marked(scene: Scene) -> None:
    forwarded, _ = scene.since(GAME)
    assert forwarded.packets > 100
    assert forwarded.marked >= MOST_OF_A_GAME * forwarded.packets


def test_what_is_marked_leaves_first_and_arrives(scene: Scene) -> None:
    forwarded, arrived = scene.since(GAME)
    others = sum(scene.since(upload)[0].marked for upload in (QUIC, UDP))
    assert scene.first - others >= MOST_OF_A_GAME * forwarded.packets
    assert arrived.packets >= 0.99 * forwarded.packets


@pytest.mark.parametrize("upload", [QUIC, UDP])
def test_an_upload_is_not_put_first(upload: str, scene: Scene) -> None:
    forwarded, _ = scene.since(upload)
    assert forwarded.bytes_ > 100_000
    if forwarded.bytes_ < BULK * guard(1e6 * scene.up_mbit) * scene.looks[-1].at_s:
        pytest.skip("other work leaves the upload no bulk")
    assert forwarded.marked_bytes <= MOST_OF_BULK * forwarded.bytes_
