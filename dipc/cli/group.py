"""The page that ``dipc --help`` shows, and what all sub-commands share."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from dipc.cli.terminal import TEXT, colour_option
from dipc.shipped import asked_by, system_of
from dipc.suggest import did_you_mean
from dipc.systems import LOOK, PROVE, SYSTEMS, WRITE, Entry, imported

TOOL = "This tool"
SECTIONS = (PROVE, LOOK, WRITE, TOOL)

GENERAL = {
    "verify": Entry(
        PROVE, "cli.verify:verify", "Check a certificate.", "dipc verify svt1.json --program svt1"
    ),
    "programs": Entry(
        WRITE, "cli.programs:programs", "List the programs that come with dipc.", "dipc programs"
    ),
    "papers": Entry(TOOL, "papers:papers", "Compute every number of the papers anew.", "dipc papers"),
    "completion": Entry(
        TOOL,
        "cli.main:completion",
        "Teach a shell to complete commands and names.",
        "dipc completion bash >> ~/.bashrc",
    ),
}
ENTRIES = {name: entry for system in SYSTEMS for name, entry in system.commands.items()} | GENERAL


def command_at(home: str) -> click.Command:
    """The command at ``module:name``, imported without looking for garbage: all of it stays.

    Frozen, it is not looked through later either, nor copied to the memory of a child process.
    """
    gc.disable()
    command: click.Command = imported(home)
    gc.freeze()
    gc.enable()
    return command


class Group(click.Group):
    """A group of sub-commands.  A command is imported when it is used, since that takes time."""

    def __init__(self, *arguments: Any, homes: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.homes:
            self.add_command(command_at(self.homes[cmd_name]), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments; for an unknown one, the error suggests what may have been meant."""
        name = args[0]
        if not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            near = self.meant(name)
            if near.startswith("did"):
                raise click.UsageError(f"no such command `{name}`: {near}", ctx)
        return super().resolve_command(ctx, args)

    def meant(self, name: str) -> str:
        """What may have been meant by an unknown command."""
        return did_you_mean(name, self.homes)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:  # some errors of click's parser lack the command
            name = ctx.invoked_subcommand
            if error.ctx is None and name is not None and (command := self.get_command(ctx, name)):
                error.ctx = click.Context(command, ctx, name)
            raise

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with ``--color`` and with texts from any locale."""
        super().add_command(cmd, name)
        finished(cmd)


def finished(command: click.Command) -> None:
    """Give a command ``--color``, and texts from any locale, unless it has them."""
    if any("--color" in parameter.opts for parameter in command.params):
        return
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = TEXT
    command.params.append(colour_option())


def forwarded(name: str, arguments: Sequence[str]) -> str | None:
    """The home of the command of another system than that of programs, if only its files are given, or its
    flag."""
    for system in SYSTEMS:
        named = system.flag in arguments or any(system_of(each) is system for each in arguments)
        if named and (home := system.forwards.get(name)) is not None:
            files = [each for each in words(command_at(home), arguments) if asked_by(each) is not None]
            if system.flag in arguments or (files and all(system_of(each) is system for each in files)):
                return home
    return None


def words(command: click.Command, arguments: Sequence[str]) -> Iterator[str]:
    """The arguments that are no options of the command, nor values of such."""
    options = [param for param in command.params if isinstance(param, click.Option) and not param.is_flag]
    values = {name: param.nargs for param in options for name in param.opts}
    rest = iter(arguments)
    for each in rest:
        if each.startswith("-"):
            for _ in range(values.get(each, 0)):
                next(rest, None)
        else:
            yield each


class Commands(Group):
    """The group of all commands; a file decides which system a command is about."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        if (home := forwarded(name, rest)) is None:
            return super().resolve_command(ctx, args)
        command = command_at(home)
        finished(command)
        return name, command, rest

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if command is not None and cmd_name in ENTRIES:
            command.short_help = ENTRIES[cmd_name].does
        return command

    def meant(self, name: str) -> str:
        if (command := asked_by(name)) is not None:
            return f"did you mean `dipc {command} {name}`?"
        return super().meant(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their sections, each with an example."""
        width = max(map(len, ENTRIES))
        for heading in SECTIONS:
            with formatter.section(heading):
                indent = " " * formatter.current_indent
                entries = ((name, entry) for name, entry in ENTRIES.items() if entry.section == heading)
                for name, entry in entries:
                    formatter.write(f"{indent}{name:<{width}}  {entry.does}\n")
                    formatter.write(f"{indent}{'':<{width}}    {entry.example}\n")
