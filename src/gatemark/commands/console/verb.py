# SPDX-License-Identifier: Apache-2.0
"""The reading of a verb's command line: help without types of Python, errors in one line."""

import os
import re
import select
import sys
from collections.abc import Iterator
from typing import Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup

from gatemark.commands.console import rule
from gatemark.commands.console.value import read_plainly
from gatemark.error import UsageError

HELP: Final = ["-h", "--help"]
READER_GONE: Final = 141  # exit code: as shells count an end by SIGPIPE
# Everyone tries them, a fault of ours names them, or README does; the manual has all.
UNLISTED: Final = ("help", "version", "debug", "completion")
RARE: Final = ("rank", "coverage", "agent")  # one line of the first help has them
LEAD: Final = 8  # characters for a section in front of its verbs
# What Typer raises for a wrong command line; it has no public name.
Refused: Final = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class Verb(TyperCommand):
    """One verb."""

    def get_help_option_names(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Both names, whoever asks: the option is made once, by the first context, and kept."""
        return HELP

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments, `--help` too."""
        return list(map(read_plainly, super().get_params(ctx)))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words that are no options. Raises UsageError."""
        try:
            words = super().parse_args(ctx, args)
        except Refused as error:
            raise UsageError(_mistake(error, ctx)) from None
        if not ctx.resilient_parsing:
            rule.check(ctx.command_path.partition(" ")[2], rule.given(ctx))
        return words

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] OLD NEW`; what may be left out stands in brackets."""
        return usage(self, ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options; whoever reads this has found `--help`."""
        _sections(self, ctx, formatter)


class Verbs(TyperGroup):
    """A group of verbs, in sections where they have some."""

    def get_help_option_names(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Both names, as of a verb."""
        return HELP

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments, `--help` too."""
        return list(map(read_plainly, super().get_params(ctx)))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The verb and its words. Raises UsageError; without a word the help is shown."""
        if not args:
            return super().parse_args(ctx, args)
        try:
            return super().parse_args(ctx, args)
        except Refused as error:
            raise UsageError(_mistake(error, ctx)) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb by its name. Raises UsageError that names the nearest."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            from gatemark.commands.console import hint
            from gatemark.plan.toml import nearest

            suggest = nearest if ctx.parent else hint.of_verb
            near = suggest(args[0], list(self.commands))
            raise UsageError(f"{_place(ctx)}no verb '{args[0]}'{near}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; a reader of its data that goes away, as `head` does, is no failure."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, SystemExit) as end:  # rich ends the process where it fails
            if not (isinstance(end.__context__, BrokenPipeError) or _reader_is_gone()):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(READER_GONE) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[--debug] COMMAND ...`: its options stand here, as one screen has no room for a list."""
        own = [param for param in _params(self, ctx, "option") if param.name != "help"]
        pieces = [f"[{p.opts[0]}{'' if p.is_flag else f' {_name(p)}'}]" for p in own]
        return [*pieces, self.subcommand_metavar]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the verb's purpose right below its usage: one screen holds all verbs."""
        with formatter.indentation():
            formatter.write_text(self.help or "")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write its arguments and verbs."""
        _sections(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """A section in front of its verbs: one screen holds them all."""
        rows, before = [], ""
        shown = {name: verb for name, verb in self.commands.items() if not verb.hidden}
        sections = [_section(verb) for verb in shown.values()]
        for (name, verb), section in zip(shown.items(), sections, strict=True):
            lead = "" if section == before else section
            rows.append((f"{lead:{LEAD}} {name}" if any(sections) else name, summary(verb)))
            before = section
        if any(sections):  # without the empty line of a section
            rows = [row for row in rows if row[0][LEAD:].strip() not in RARE]
            if rare := [name for name in shown if name in RARE]:
                rows.append(("Rarely", f"{', '.join(rare)}: each has its own --help."))
            formatter.write_heading("Commands")
            with formatter.indentation():
                formatter.write_dl(rows)
            return
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def summary(verb: Any) -> str:
    """Return what a verb does, by its first sentence."""
    return str(verb.get_short_help_str(200))


def usage(command: Any, ctx: Any) -> list[str]:
    """The words that follow a verb, as its usage has them."""
    needed = [param for param in _params(command, ctx, "option") if param.required]
    pieces = [word for param in needed for word in (param.opts[0], _name(param))]
    pieces += ["[OPTIONS]"] if any(_rows(command, ctx, "option")) else []
    for param in _params(command, ctx, "argument"):
        more = "..." if param.nargs == -1 else ""
        pieces.append(_name(param) + more if param.required else f"[{_name(param)}]{more}")
    return pieces


def _sections(command: Any, ctx: Any, formatter: Any) -> None:
    for kind in ("argument", "option"):
        if rows := list(_rows(command, ctx, kind)):
            with formatter.section(f"{kind.title()}s"):
                formatter.write_dl(rows)


def _rows(command: Any, ctx: Any, kind: str) -> Iterator[tuple[str, str]]:
    for param in _params(command, ctx, kind):
        if kind == "argument":
            yield _name(param), param.help or ""
        elif param.name not in UNLISTED:
            value = "" if param.is_flag else f" {_name(param)}"
            yield f"{', '.join(param.opts)}{value}", param.help or ""


def _params(command: Any, ctx: Any, kind: str) -> list[Any]:
    return [param for param in command.get_params(ctx) if param.param_type_name == kind]


def _name(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _section(verb: Any) -> str:
    return getattr(verb, "rich_help_panel", None) or ""


def _mistake(error: typer.BadParameter, ctx: Any) -> str:
    """Return the fault of a command line, and the fix."""
    from gatemark.commands.console import hint

    param, option = getattr(error, "param", None), getattr(error, "option_name", "")
    options = [name for param in _params(ctx.command, ctx, "option") for name in param.opts]
    text = error.message.rstrip(".")
    if option and option not in options:
        return f"{_place(ctx)}no option '{option}'{hint.of_option(option, options)}"
    if option:
        text = f"{option} {'takes no value' if 'does not take' in text else 'needs a value'}"
    elif param is not None:
        word = param.opts[0] if param.param_type_name == "option" else _name(param)
        text = f"{word}: {_wrong(text)}" if text else f"{word} is missing"
    elif extra := re.search(r"unexpected extra argument.*\((.*)\)", text):
        text = f"'{extra[1]}' is more than it takes"
    return f"{_place(ctx)}{text}; see `{ctx.command_path} --help`"


def _wrong(text: str) -> str:
    """Why a value was refused, in plain words."""
    plain = text.replace("Input should be ", "write ").partition(", unable")[0]
    return plain.replace("a valid integer", "a whole number").replace("a valid number", "a number")


def _place(ctx: Any) -> str:
    """The verb in front of what is wrong with it; nothing for gatemark itself."""
    verb = ctx.command_path.partition(" ")[2]
    return f"{verb}: " if verb else ""


def _reader_is_gone() -> bool:
    """Return whether nobody reads stdout any more."""
    try:
        watch = select.poll()
        watch.register(sys.stdout.fileno(), 0)
        return bool(watch.poll(0))
    except (OSError, ValueError, AttributeError):  # closed, or none at all
        return False
