# SPDX-License-Identifier: Apache-2.0
"""Packets one at a time: nothing holds back what is counted of each."""

from typing import Final

from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import Verdict
from gatemark.kind.walk.plan import INSTRUCTIONS

KIND: Final = Judge(
    quantities={INSTRUCTIONS: ""},
    decide=lambda *_: Verdict("none", "one packet at a time"),
    is_bounded=False,
)
