# SPDX-License-Identifier: Apache-2.0
"""Files of HTML: templates and assets of ours, written whole or not at all."""

import functools
import importlib.resources
import os
import re
import tempfile
from pathlib import Path

import jinja2


def put(text: str, path: Path) -> Path:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.chmod(0o644)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return path


def firm(text: str) -> str:
    """The text with numbers held to their units and intervals where lines break."""
    return re.sub(r"(?<=[\d±≥]) (?=[\dkMGµ%±(]|packets|bit|[mn]?s\b)", "\N{NO-BREAK SPACE}", text)


def asset(name: str) -> str:
    """A file of the page's own."""
    return (importlib.resources.files("gatemark.report") / "asset" / name).read_text("utf-8")


@functools.cache
def template(name: str) -> jinja2.Template:
    """A template of the folder `asset`; all that is put into it is escaped."""
    rules = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rules.filters["firm"] = firm
    return rules.get_template(name)
