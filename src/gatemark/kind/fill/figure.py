# SPDX-License-Identifier: Apache-2.0
"""Memory over the flows that a gateway's table holds."""

from typing import Final

from gatemark.tell.chart import fill
from gatemark.tell.chart.figure import Figures

KIND: Final = Figures(lambda source: fill.figures(source.judgement, source.records))
