# SPDX-License-Identifier: Apache-2.0
"""Numbers as facts have them."""

from gatemark.number import duration, si


def percent(share: float) -> str:
    """A share: `2.0 %`, `0.15 %`, `34 %`."""
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 else f"{value:.1f} %" if value >= 1 else f"{value:.2g} %"


def ms(length: float) -> str:
    """A time of so many ms, as all times are written."""
    return duration(length * 1e6)


def pps(rate: float) -> str:
    """A rate: `27.1 k packets/s`."""
    return si(rate, "packets/s")


def grouped(count: int) -> str:
    """A count of packets, in groups of three figures: 3 188."""
    return f"{count:,}".replace(",", " ")


def upper(text: str) -> str:
    """The same as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def ordinal(number: int) -> str:
    """`2nd`, `13th`, `61st`."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    teen = 10 < number % 100 < 14
    return f"{number}{'th' if teen else ends.get(number % 10, 'th')}"
