# SPDX-License-Identifier: Apache-2.0
"""Kernel modules: those that a gateway may want, with what they depend on, and nothing else.

A package has no modules.dep, which depmod(8) makes where a kernel is installed; but each module
says itself on what it depends and under which names the kernel asks for it. A package may have them
compressed, which busybox's modprobe cannot read.
"""

import lzma
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from gatemark.station.image.elf import modinfo

SUFFIX: Final = ".ko"
COMPRESSED: Final = ".xz"
SUFFIXES: Final = (SUFFIX, SUFFIX + COMPRESSED)
GENERIC: Final = "_generic"


@dataclass(frozen=True, slots=True)
class Module:
    """A module, whole."""

    path: str  # lib/modules/VERSION/kernel/net/8021q/8021q.ko, as it goes into an image
    data: bytes
    depends: tuple[str, ...]  # names of modules, with `_`
    aliases: tuple[str, ...]  # names that the kernel asks for: rtnl-link-vlan


def name_of(path: str) -> str:
    """A module's name by its file's: nf-tables.ko is nf_tables."""
    return PurePosixPath(path).name.removesuffix(COMPRESSED).removesuffix(SUFFIX).replace("-", "_")


def read(path: str, data: bytes) -> Module:
    """A module of a package, with what it says of itself. Raises ValueError if the file is none."""
    if path.endswith(COMPRESSED):
        path, data = path.removesuffix(COMPRESSED), _whole(data)
    text = list(modinfo(data))
    depends = [value for key, value in text if key == "depends" and value]
    # `softdep=pre: crc32c`: not linked to it, but without use before it.
    depends += [value.removeprefix("pre: ") for key, value in text if _soft(key, value)]
    names = ",".join(depends).replace(" ", ",").split(",") if depends else []
    aliases = tuple(value for key, value in text if key == "alias")
    return Module(path, data, tuple(name.replace("-", "_") for name in names), aliases)


def _whole(data: bytes) -> bytes:
    try:
        return lzma.decompress(data)
    except lzma.LZMAError as error:
        raise ValueError(f"not compressed by xz ({error})") from None


def _soft(key: str, value: str) -> bool:
    return key == "softdep" and value.startswith("pre: ") and "post:" not in value


def depends(modules: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """Return the modules that each module depends on, by their own names.

    A soft dependency may name an algorithm, `crc32c`: its generic module works on every processor,
    where one for an instruction that a guest lacks would fail, and what depends on it too.
    """
    return {
        name: tuple(other if other in modules else f"{other}{GENERIC}" for other in module.depends)
        for name, module in modules.items()
    }


def ordered(there: Mapping[str, tuple[str, ...]], wanted: Iterable[str]) -> list[str]:
    """Modules by name, each after all that it depends on; what is not there is built in."""
    results: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in results or name in above or name not in there:
            return
        for other in there[name]:
            visit(other, (*above, name))
        results[name] = None

    for name in wanted:
        visit(name, ())
    return list(results)


def indexes(modules: Mapping[str, Module], folder: str) -> dict[str, str]:
    """modules.dep and modules.alias of a folder, as modprobe reads them (modules.dep(5))."""
    above = depends(modules)

    def place(name: str) -> str:
        return modules[name].path.removeprefix(f"{folder}/")

    deps = [
        f"{place(name)}: {' '.join(map(place, reversed(ordered(above, [name])[:-1])))}".rstrip()
        for name in sorted(modules)
    ]
    names = [f"alias {alias} {name}" for name in sorted(modules) for alias in modules[name].aliases]
    return {"modules.dep": _lines(deps), "modules.alias": _lines(names)}


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
