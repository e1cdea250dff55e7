# SPDX-License-Identifier: Apache-2.0
"""Kernels of one input side by side."""

from typing import Final

from gatemark.tell.chart import kernel
from gatemark.tell.chart.figure import Figures

KIND: Final = Figures(lambda source: kernel.figures(source.judgement, source.records))
