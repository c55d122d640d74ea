"""The page that ``dipc --help`` shows, and what all sub-commands share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import click

from dipc.cli.terminal import TEXT, colour_option
from dipc.shipped import every_size_programs, hidden_models, hidden_programs, models, paths
from dipc.suggest import did_you_mean

SECTIONS = {
    "Prove and refute": {
        "check": "check.check",
        "prove": "prove.prove",
        "explain": "tightness.explain",
        "budget": "tightness.budget",
        "profile": "tightness.profile",
        "regions": "tightness.regions",
        "decide": "distribution.decide",
        "model": "model.model",
        "pufferfish": "pufferfish.pufferfish",
        "verify": "verify.verify",
    },
    "Look inside": {
        "distribution": "distribution.distribution",
        "plot": "report.plot",
        "report": "report.report",
        "export": "report.export",
    },
    "Write programs": {"programs": "programs.programs", "new": "programs.new", "format": "format.format_"},
    "This tool": {"papers": "papers.papers", "completion": "main.completion"},
}
"""The commands under the headings of the first page, and where they are in :mod:`dipc.cli`."""

MODELS = (".dpm", ".drn")
EXAMPLE = re.compile(r"^ *(dipc .*?)(  |$)", re.MULTILINE)
"""An example on a help page."""

HOMES = {name: home for homes in SECTIONS.values() for name, home in homes.items()}


class Group(click.Group):
    """A group of sub-commands.  A command is imported when it is used, since that takes time."""

    homes: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.homes:
            module, attribute = self.homes[cmd_name].split(".")
            self.add_command(getattr(import_module(f"dipc.cli.{module}"), attribute))
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
        for parameter in cmd.params:
            if parameter.type is click.STRING:
                parameter.type = TEXT
        cmd.params.append(colour_option())


class Commands(Group):
    """The group of all commands."""

    homes = HOMES

    def meant(self, name: str) -> str:
        if name in hidden_programs():
            return f"did you mean `dipc pufferfish check {name}`?"
        if name in every_size_programs():
            return f"did you mean `dipc prove {name}`?"
        if name in paths() or Path(name).suffix == ".dip":
            return f"did you mean `dipc check {name}`?"
        if name in models() or Path(name).suffix in MODELS:
            return f"did you mean `dipc model check {name}`?"
        if name in hidden_models() or Path(name).suffix == ".hmm":
            return f"did you mean `dipc pufferfish check {name}`?"
        return super().meant(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their sections, each with an example."""
        width = max(map(len, HOMES))
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                indent = " " * formatter.current_indent
                for command in filter(None, (self.get_command(ctx, name) for name in names)):
                    formatter.write(f"{indent}{command.name:<{width}}  {command.get_short_help_str(60)}\n")
                    if example := EXAMPLE.search(command.epilog or ""):
                        formatter.write(f"{indent}{'':<{width}}    {example[1]}\n")
