# SPDX-License-Identifier: Apache-2.0
"""Values in a shell script: each is one word, whatever is in it; templates that cannot hold it."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.error import GatemarkError
from gatemark.node.quoted import Script, joined, literal, sh, shell, word
from gatemark.node.shell import Local

HOST = Local("host")
HOSTILE = (
    "; touch {planted}",
    "$(touch {planted})",
    "`touch {planted}`",
    "' ; touch {planted} ; '",
    '" ; touch {planted} ; "',
    "\n touch {planted}\n",
    "| touch {planted}",
    "&& touch {planted}",
    "> {planted}",
    "\\'; touch {planted} #",
    "-n",
    "*",
    "ä\u202e\x1b[0m",
    "",
    "x" * 5000,
)


def run(script: Script) -> str:
    return asyncio.run(HOST.run(*sh(script)))


def test_a_value_is_one_word_of_a_real_shell(tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    texts = [value.format(planted=planted) for value in HOSTILE]
    script = joined(shell("printf '%s|' {text} end", text=text) for text in texts)
    assert run(script) == "".join(f"{text}|end|" for text in texts)
    assert not planted.exists()


@settings(max_examples=10)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_any_texts_come_out_as_they_went_in(texts: list[str]) -> None:
    output = run(shell("for text in {texts}; do printf '%s@@' \"$text\"; done", texts=texts))
    assert output == "".join(f"{text}@@" for text in texts)


def test_a_nul_is_refused_in_one_line() -> None:
    with pytest.raises(GatemarkError, match=r"^'a\\x00b' has a NUL, which no shell takes$"):
        shell("echo {text}", text="a\0b")


def test_what_runs_a_script_takes_no_other_text() -> None:
    """The type checker holds it: to it an `ignore` that is not needed is an error."""
    sh("true")  # type: ignore[arg-type]
    sh(f"{literal('true')}; true")  # type: ignore[arg-type]
    word("true")  # type: ignore[arg-type]
    joined(["true"])  # type: ignore[list-item]
    joined((literal("true"), "true" + literal("false")))  # type: ignore[arg-type]


def test_each_of_several_texts_is_a_word() -> None:
    assert run(shell("printf '%s|' {texts}", texts=("a b", "$HOME", 'c"'))) == 'a b|$HOME|c"|'


def test_a_script_is_put_in_as_it_is_or_as_a_word() -> None:
    inner = shell("echo {text}", text="it's")
    assert run(shell("{inner}; sh -c {again}", inner=inner, again=word(inner))) == "it's\nit's\n"


def test_scripts_are_joined() -> None:
    assert run(joined((literal("true"), shell("echo {n}", n=3)), by=" && ")) == "3\n"


UNREAD = (  # where a value's own quotes are not read
    "echo '{x}'",
    'echo "{x}"',
    'echo "a\\"{x}"',
    "echo 'a'\"'{x}'\"",
    "echo \\{x}",
    "echo ${x}",
    "echo # {x}",
    "cat <<EOF\n{x}\nEOF",
    "cat <<'EOF'\n{x}\nEOF",
)
PARTS = ("{x[0]}", "{x.y}", "{x!r}", "{x:>9}", "{}", "{0}")
ELSEWHERE = (
    "echo {x}",
    "echo 'a'{x}\"b\"",
    'echo "it\'s" {x}',
    "echo ${{d##*/}} {x}",
    "echo $#{x}",
    "# it's\necho {x}",
    "echo a#b{x}",
    "cat < {x}",
    "echo $(({x} + 1))",
    "case {x} in *) ;; esac",
)


def refusal(template: str) -> str:
    """What is said of a template that takes no value; nothing of one that does."""
    try:
        assert "'a b'" in shell(template, x="a b")
    except ValueError as error:
        return str(error)
    return ""


def test_no_value_goes_where_its_quotes_are_not_read() -> None:
    assert [t for t in UNREAD if not refusal(t).startswith("{x} stands behind")] == []


def test_no_part_of_a_value_goes_in() -> None:
    assert [t for t in PARTS if "is to be a name alone" not in refusal(t)] == []


def test_elsewhere_a_value_goes() -> None:
    assert [t for t in ELSEWHERE if refusal(t)] == []
