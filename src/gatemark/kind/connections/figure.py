# SPDX-License-Identifier: Apache-2.0
"""The figure of connections held, and of those a second."""

from typing import Final

from gatemark.tell.chart import bar
from gatemark.tell.chart.figure import Entries, Figures

KIND: Final = Figures(Entries(bar.connected, bar.CONNECTED).figures)
