# SPDX-License-Identifier: Apache-2.0
"""One version: of the package, of the agent, of the newest notes."""

import re
from pathlib import Path

from gatemark import __version__

ROOT = Path(__file__).resolve().parents[3]


def test_the_agent_and_the_notes_have_the_version_of_the_package() -> None:
    header = (ROOT / "agent/src/version.h").read_text()
    notes = (ROOT / "CHANGELOG.md").read_text()
    assert re.findall(r'AGENT_VERSION "(.*)"', header) == [__version__]
    assert re.findall(r"^## (\S+)", notes, re.MULTILINE)[0] == __version__
