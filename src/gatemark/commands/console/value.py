# SPDX-License-Identifier: Apache-2.0
"""Words and paths of a command line, read without pydantic, by which Typer reads all values.

To import it takes longer than all else that `--help` does.
"""

from functools import partial
from pathlib import Path
from typing import Any, Final

PLAIN: Final = (str, Path)
SEVERAL: Final = {list[str]: str, list[Path]: Path}


def read_plainly(param: Any) -> Any:
    """Let an option or argument of Typer's read a word, a path, or nothing by itself."""
    param.process_value = partial(_value, param)
    return param


def _value(param: Any, ctx: Any, given: Any) -> Any:
    """The value of a parameter (`click.Parameter.process_value`)."""
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    if given in (None, ()) and not param.required:
        value: Any = () if param.multiple or param.nargs != 1 else None
    elif isinstance(given, str) and kind in PLAIN:
        value = kind(given)
    elif kind in SEVERAL and given and all(isinstance(each, str) for each in given):
        value = [SEVERAL[kind](each) for each in given]
    else:
        return type(param).process_value(param, ctx, given)
    return param.callback(ctx, param, value) if param.callback else value
