# SPDX-License-Identifier: Apache-2.0
"""Models that several files ask, each fitted once."""

import counted
import packets
import pytest

from gatemark.judge.capacity.model import Model
from gatemark.tell.group.source import Source


@pytest.fixture(scope="session")
def model() -> Model:
    """Of the gateway whose packets cost a known sum in time."""
    return packets.model()


@pytest.fixture(scope="session")
def shaped() -> Model:
    """The same with a shaper, whose cost is 3000 ns."""
    return packets.model([*packets.trials(), *packets.shaped_trials(3000)])


@pytest.fixture(scope="session")
def instructions() -> Source:
    """The run of a gateway whose packets execute a known number of instructions, fitted."""
    return counted.modelled()
