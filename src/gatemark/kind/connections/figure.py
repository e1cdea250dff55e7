# SPDX-License-Identifier: Apache-2.0
"""How many connections were held, and how many a second."""

from typing import Final

from gatemark.tell.chart import bar
from gatemark.tell.chart.figure import Entries, Figures

KIND: Final = Figures(Entries(bar.connected, bar.CONNECTED).figures)
