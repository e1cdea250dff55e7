# SPDX-License-Identifier: Apache-2.0
"""Values of a host's output, or an error that names host, what was read and the odd text.

A device may print anything: another version of a tool, half a line, nonsense. A function that makes
values of such text is a `reader`: whatever it stumbles over becomes a NodeError, which makes one
trial invalid and not the end of a run. All readers are in `READERS`, so a test can give each of
them nonsense.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import isgeneratorfunction
from itertools import islice
from typing import Any, Final, ParamSpec, Self, TypeVar

from gatemark.error import NodeError

ODD: Final = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
SHOWN = 60  # characters of an odd text
LOOKED_AT = 8  # items of a list, for a text that knows its host

Given = ParamSpec("Given")
Value = TypeVar("Value")

READERS: dict[str, Callable[..., Any]] = {}  # by module and name


class Printed(str):
    """A host's output: a text that knows whose it is.

    For readers alone: what they and the methods of a text make of it is an ordinary text, and only
    such are kept.
    """

    __slots__ = ("host",)
    host: str

    @classmethod
    def by(cls, host: str, text: str) -> Self:
        """A text of the host that messages call `host`."""
        printed = cls(text)
        printed.host = host
        return printed


def reader(what: str) -> Callable[[Callable[Given, Value]], Callable[Given, Value]]:
    """Wrap a function that reads `what` out of printed text: it raises NodeError for an odd one.

    It is no generator: what that stumbles over is raised where it is iterated.
    """

    def made(read: Callable[Given, Value]) -> Callable[Given, Value]:
        assert not isgeneratorfunction(read), read

        @wraps(read)
        def checked(*args: Given.args, **kwargs: Given.kwargs) -> Value:
            try:
                return read(*args, **kwargs)
            except ODD as error:
                text = _printed([*args, *kwargs.values()])
                raise odd(getattr(text, "host", ""), what, text or str(error)) from error

        READERS[f"{read.__module__}.{read.__qualname__}"] = checked
        return checked

    return made


def odd(host: str, what: str, text: str) -> NodeError:
    """Return the error for a text of a host that is not `what` it should be, with its beginning."""
    text = text.strip()
    shown = f"{text[:SHOWN]}..." if len(text) > SHOWN else text
    return NodeError(f"{host or 'a host'}: {what} cannot be read: {shown!r}")


def _printed(given: Iterable[Any]) -> str:
    """The first text among what a reader was given, rather one that knows its host."""
    texts = list(_texts(given, 3))
    return next((text for text in texts if isinstance(text, Printed)), next(iter(texts), ""))


def _texts(given: Iterable[Any], depth: int) -> Iterable[str]:
    for item in islice(given, LOOKED_AT):
        match item:
            case str():
                yield item
            case Mapping() if depth:
                yield from _texts(item.values(), depth - 1)
            case list() | tuple() if depth:
                yield from _texts(item, depth - 1)
