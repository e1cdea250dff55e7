# SPDX-License-Identifier: Apache-2.0
"""A namespace whose helper process does not answer is asked again, and then told in plain words."""

import pytest

from gatemark.error import StationError
from gatemark.node.inside import netlink


@pytest.mark.parametrize("late", [0, netlink.TRIES - 1])
def test_a_helper_that_is_late_once_is_asked_again(
    late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = _answers(monkeypatch, late)
    assert netlink.inside("gm-0-lan") is answers[-1]


def test_one_that_never_answers_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _answers(monkeypatch, netlink.TRIES)
    with pytest.raises(StationError, match="gm-0-lan: no answer from within in 20 s: end what"):
        netlink.inside("gm-0-lan")


def _answers(monkeypatch: pytest.MonkeyPatch, late: int) -> list[object]:
    """Have pyroute2 answer after so many that are late, as it does on a busy machine."""
    answers = [*[TimeoutError("no response from the child pid 1")] * late, object()]
    waiting = iter(answers)

    def answer(netns: str) -> object:
        del netns
        made = next(waiting)
        if isinstance(made, TimeoutError):
            raise made
        return made

    monkeypatch.setattr(netlink, "IPRoute", answer)
    return answers
