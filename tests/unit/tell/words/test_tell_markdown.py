# SPDX-License-Identifier: Apache-2.0
"""Foreign words in Markdown, as a reader of CommonMark and GitHub's tables takes them."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gatemark.tell.study.markdown import _prose
from gatemark.tell.words.markdown import table, text
from gatemark.tell.words.table import Table

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = st.text(st.sampled_from(list("ab1 .)#>=+-*_~`<>[]()!&;|\\$:/\n\t")), max_size=30)
HOSTILE = [
    "# a heading",
    "a\n===",
    "a\n---",
    "- a list",
    "1. a list",
    "12) a list",
    "> a quote",
    "<img src=x onerror=alert(1)>",
    "<!-- a comment",
    "[a](javascript:alert(1))",
    "![a](http://example.org/a.png)",
    "[a]: http://example.org",
    "<http://example.org>",
    "```\na fence",
    "~~~",
    "~~gone~~ *a* _b_ __c__ **d**",
    "a | b\n--- | ---",
    "&lt;b&gt; &#42;",
    "a\\",
    "***",
    "a #",
    "$x$",
    "+ a list",
    "\ta\n    code",
    "a  \nb",
    "&#35; a heading",
    "![a][b] [b]",
    "<details><summary>a</summary>",
    "<script\n>alert(1)</script\n>",
    "[^1]: a note",
    "<?php a ?> <![CDATA[a]]>",
    "a\r# a heading",
    "|a|\n|-|\n|b|",
    "1986\\. a year",
]


def tokens(marked: str) -> Iterator[Token]:
    for token in READER.parse(marked):
        yield token
        yield from token.children or ()


def written(marked: str) -> str:
    """The text that a reader shows; a mark of any kind fails."""
    known = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak"}
    strange = {token.type for token in tokens(marked)} - known
    assert not strange, (marked, strange)
    shown = (" " if t.type == "softbreak" else t.content for t in tokens(marked))
    kinds = (t.type in ("text", "softbreak") for t in tokens(marked))
    return "".join(part for part, is_text in zip(shown, kinds, strict=True) if is_text)


@pytest.mark.parametrize("words", HOSTILE)
def test_a_mark_of_others_is_none(words: str) -> None:
    assert written(text(words)) == " ".join(words.split())


@given(WORDS)
@example("1.")
def test_words_are_read_as_they_were_written(words: str) -> None:
    assert written(text(words)) == " ".join(words.split())


@given(WORDS, st.sampled_from(["## ", "- ", "**"]))
def test_they_stay_in_their_heading_item_and_stress(words: str, mark: str) -> None:
    plain = " ".join(words.split())
    kinds = {token.type for token in tokens(f"{mark}{text('a' + plain)}{mark.strip(' -#')}")}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "code_inline", "fence"}
    assert not kinds & {"hr", "blockquote_open", "ordered_list_open", "em_open", "s_open"}


@given(st.lists(WORDS, min_size=2, max_size=2))
def test_they_stay_in_their_cells(cells: Sequence[str]) -> None:
    made = Table("caption", ("one", "two"), (tuple(cells),), frozenset())
    read = [token.content for token in READER.parse("\n".join(table(made)))]
    kinds = [token.type for token in READER.parse("\n".join(table(made)))]
    assert kinds.count("td_open") == 2
    assert kinds.count("tr_open") == 2
    assert len(read) == len(kinds)


@given(st.lists(st.sampled_from(["word" * 5, "#", "-", "---", "1.", ">", "=", "+"]), max_size=60))
def test_a_word_at_the_begin_of_a_wrapped_line_begins_no_block(words: list[str]) -> None:
    assert written("\n".join(_prose(text(" ".join(words))))) == " ".join(words)
