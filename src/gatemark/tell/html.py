# SPDX-License-Identifier: Apache-2.0
"""Templates and assets of our HTML files."""

import base64
import functools
import hashlib
import importlib.resources
import re
from collections.abc import Sequence
from typing import Final

import jinja2

from gatemark.tell.fact import say


def policy(style: str, scripts: Sequence[str]) -> str:
    """A Content Security Policy (CSP, level 3): these and nothing else, nothing from elsewhere.

    Each is named by its hash, so what a stranger's text might bring in is neither run nor drawn
    by, and `eval` is forbidden.
    """
    allowed = {
        "default-src": ["'none'"],
        "script-src": [_hash(script) for script in scripts],
        "style-src": [_hash(style)],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in allowed.items())


def _hash(text: str) -> str:
    """The hash of an element's text, as a browser takes it from the file: in UTF-8."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# Files of a run's directory that its page leads to.
FILE: Final = re.compile(r"packets/[0-9]{5,9}\.pcapng")


def firm(text: str) -> str:
    """The text with numbers held to their units and intervals where lines break."""
    return re.sub(
        r"(?<=[\d±≥]) (?=[\dkMGµ%±(]|packets|bit|[mn]?s\b|B\b)", "\N{NO-BREAK SPACE}", text
    )


def asset(name: str) -> str:
    """A file of the page's own."""
    return (importlib.resources.files("gatemark.tell") / "asset" / name).read_text("utf-8")


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
    rules.filters["say"] = say.words
    rules.globals["policy"] = policy
    rules.tests["file"] = FILE.fullmatch
    return rules.get_template(name)
