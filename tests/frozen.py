# SPDX-License-Identifier: Apache-2.0
"""What is built once and shared: a test that would change it for the others fails."""

import dataclasses
from typing import Any, Never, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Part = TypeVar("Part")


class Frozen(dict[Any, Any]):
    """A dict that stays as it was made; `|` and `copy` make one that can be changed."""

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("this is shared by tests: change a copy of it")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type["Frozen"], tuple[dict[Any, Any]]]:
        return Frozen, (dict(self),)


def frozen(part: Part) -> Part:
    """The same, in which no dict and no list, however deep, can be changed."""
    made: Any = part
    if isinstance(part, Struct):
        made = replace(
            part, **{name: frozen(getattr(part, name)) for name in part.__struct_fields__}
        )
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        names = [field.name for field in dataclasses.fields(part) if field.init]
        made = dataclasses.replace(part, **{name: frozen(getattr(part, name)) for name in names})
    elif isinstance(part, dict):
        made = Frozen({name: frozen(each) for name, each in part.items()})
    elif isinstance(part, list | tuple):
        made = tuple(frozen(each) for each in part)
    return made  # type: ignore[no-any-return]
