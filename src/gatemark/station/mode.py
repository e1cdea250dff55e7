# SPDX-License-Identifier: Apache-2.0
"""The setter of a gateway: the words of `[gateway] set = "..."` in a station file."""

from enum import StrEnum


class Mode(StrEnum):
    """The way in which a gateway comes to a path and its features."""

    APPLY = "apply"  # we set it, by ip, nft and tc in its shell, and give it back as it was
    OBSERVE = "observe"  # it is taken as it is: nothing is changed, one path can be measured
    OPENWRT = "openwrt"  # we set it by uci and nft, as OpenWrt's own tools expect it
