"""The page that ``dipc --help`` shows, and what all sub-commands have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from dipc.cli.terminal import colour_option
from dipc.cli.text import TEXT
from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.shipped import paths

SECTIONS = {
    "Prove and refute": ("check", "explain", "budget", "profile", "regions", "decide", "verify"),
    "Look inside": ("distribution", "plot", "report", "export"),
    "Write programs": ("programs", "new", "format"),
    "This tool": ("completion",),
}
"""Which commands belong together; others come last."""


class PipeClosed(Exception):
    """Whoever read our output has gone.  Click would end with 1, which means a violation."""


@contextmanager
def reader_may_go() -> Iterator[None]:
    """A broken pipe becomes :class:`PipeClosed`, which click does not know."""
    try:
        yield
    except BrokenPipeError:
        raise PipeClosed from None


class Commands(click.Group):
    """The group of all sub-commands.  A command is imported when it is used, since that takes time."""

    def __init__(self, *arguments: Any, modules: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.modules, *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.modules:
            module, _, attribute = self.modules[cmd_name].partition(":")
            self.add_command(getattr(import_module(module), attribute))
        return super().get_command(ctx, cmd_name)

    def all(self, ctx: click.Context) -> dict[str, click.Command]:
        """The commands by name."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return {name: command for name, command in found if command is not None}

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with reader_may_go():
            return super().make_context(*arguments, **more)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A misspelt command is told the nearest one."""
        unknown = not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None
        if unknown and (args[0] in paths() or Path(args[0]).suffix == ".dip"):
            raise click.UsageError(f"no such command `{args[0]}`: did you mean `dipc check {args[0]}`?", ctx)
        near = did_you_mean(args[0], self.list_commands(ctx)) if unknown else ""
        if near.startswith("did"):
            raise click.UsageError(f"no such command `{args[0]}`: {near}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with reader_may_go():
                return super().invoke(ctx)
        except click.UsageError as error:  # not every one knows the command that it is about
            name = ctx.invoked_subcommand
            if error.ctx is None and name is not None and (command := self.get_command(ctx, name)):
                error.ctx = click.Context(command, ctx, name)
            raise

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Every command has ``--color``, and its texts may come in another locale."""
        super().add_command(cmd, name)
        for parameter in cmd.params:
            if parameter.type is click.STRING:
                parameter.type = TEXT
        cmd.params.append(colour_option())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their sections, each with an example."""
        commands = self.all(ctx)
        known = {name for names in SECTIONS.values() for name in names}
        others = tuple(name for name in commands if name not in known)
        for heading, names in (*SECTIONS.items(), ("More", others)):
            present = [commands[name] for name in names if name in commands]
            if present:
                with formatter.section(heading):
                    for command in present:
                        describe(command, formatter, max(map(len, commands)))


def describe(command: click.Command, formatter: click.HelpFormatter, width: int) -> None:
    """What a command does, in a line, and an example."""
    indent = " " * formatter.current_indent
    formatter.write(f"{indent}{command.name:<{width}}  {command.get_short_help_str(60)}\n")
    if example := example_of(command):
        formatter.write(f"{indent}{'':<{width}}    {example}\n")


def example_of(command: click.Command) -> str:
    """The first example of its help page.

    >>> example_of(click.Command("x", epilog="Examples:\\n  dipc x 1     one\\n  dipc x 2"))
    'dipc x 1'
    """
    lines = (line.strip() for line in (command.epilog or "").splitlines())
    return next((line.split("  ")[0] for line in lines if line.startswith("dipc ")), "")
