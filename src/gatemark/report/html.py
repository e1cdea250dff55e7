# SPDX-License-Identifier: Apache-2.0
"""Templates and assets of our HTML files."""

import functools
import importlib.resources
import re

import jinja2


def firm(text: str) -> str:
    """The text with numbers held to their units and intervals where lines break."""
    return re.sub(
        r"(?<=[\d±≥]) (?=[\dkMGµ%±(]|packets|bit|[mn]?s\b|B\b)", "\N{NO-BREAK SPACE}", text
    )


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
