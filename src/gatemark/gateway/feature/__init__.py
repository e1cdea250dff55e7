# SPDX-License-Identifier: Apache-2.0
"""Features: what a gateway does besides forwarding, one file each.

A file is found by its feature's name in plan.feature.FEATURES, where its properties stand.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from gatemark.gateway.feature.asked import Asked, Feature, Running, Seen, Wanted
from gatemark.station.mode import Mode


def feature_of(name: str, mode: Mode = Mode.APPLY) -> Feature:
    """The file that applies a feature: by OpenWrt's own means where it is set so and has some."""
    rooms = (name, f"port.{name}", f"program.{name}", f"openwrt.{name}")
    places = [place for place in rooms if _is_there(place)]
    return cast(Feature, _file(places[-1 if mode is Mode.OPENWRT else 0]))


def running(name: str) -> Running:
    """The file of a feature that is a program."""
    return cast(Running, _file(f"program.{name}"))


def _is_there(name: str) -> bool:
    return find_spec(_module(name)) is not None


def _file(name: str) -> object:
    return import_module(_module(name))


def _module(name: str) -> str:
    return f"{__name__}.{name.replace('-', '_')}"


__all__ = ["Asked", "Feature", "Running", "Seen", "Wanted", "feature_of", "running"]
