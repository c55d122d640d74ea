"""The page that ``dipc --help`` shows, and what all sub-commands share."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from dipc.cli.terminal import TEXT, colour_option
from dipc.shipped import every_size_programs, hidden_models, hidden_programs, models, paths
from dipc.suggest import did_you_mean


class Entry(NamedTuple):
    """A command on the first page: where it is in :mod:`dipc`, what it does, and an example."""

    home: str
    does: str
    example: str


SECTIONS = {
    "Prove and refute": {
        "check": Entry(
            "dipwhile.commands.check.check",
            "Prove a claim, or refute it by a counterexample.",
            "dipc check svt1",
        ),
        "prove": Entry(
            "dipwhile.commands.prove.prove",
            "Prove a claim for every size and all inputs.",
            "dipc prove svt1",
        ),
        "explain": Entry(
            "dipwhile.commands.tightness.explain",
            "Explain where the privacy loss comes from.",
            "dipc explain svt4 -D N=2",
        ),
        "budget": Entry(
            "dipwhile.commands.tightness.budget",
            "Find the least privacy budget that is enough.",
            "dipc budget svt1",
        ),
        "profile": Entry(
            "dipwhile.commands.tightness.profile",
            "Find the least delta that is enough.",
            'dipc profile sparse --epsilon "eps/2"',
        ),
        "regions": Entry(
            "dipwhile.commands.tightness.regions",
            "Find all eps at which a claim is violated.",
            "dipc regions hist2",
        ),
        "decide": Entry(
            "dipwhile.commands.distribution.decide",
            "Decide a sentence about eps.",
            'dipc decide "forall eps > 0: exp(eps) >= 1 + eps"',
        ),
        "model": Entry(
            "dpctl.commands.model.model",
            "Decide formulas of dpCTL* on Markov models.",
            'dipc model check survey.dpm "D[ln 3, 0](X out_1)"',
        ),
        "pufferfish": Entry(
            "pufferfish.commands.pufferfish.pufferfish",
            "Decide Pufferfish privacy of hidden Markov models.",
            "dipc pufferfish check ex3",
        ),
        "verify": Entry(
            "cli.verify.verify",
            "Check a certificate.",
            "dipc verify svt1.json --program svt1",
        ),
    },
    "Look inside": {
        "distribution": Entry(
            "dipwhile.commands.distribution.distribution",
            "Print the exact probability of every output.",
            'dipc distribution svt1 --input "q=[0,1,1]"',
        ),
        "plot": Entry(
            "cli.report.plot",
            "Plot privacy loss, profile and distributions.",
            "dipc plot svt4 -o svt4.png",
        ),
        "report": Entry(
            "cli.report.report",
            "Write all about a program on one HTML page.",
            "dipc report svt4 -o svt4.html",
        ),
        "export": Entry(
            "cli.report.export",
            "Carry the question to another tool.",
            "dipc export svt1 --to mathematica -o svt1.wl",
        ),
    },
    "Write programs": {
        "programs": Entry(
            "cli.programs.programs",
            "List the programs that come with dipc.",
            "dipc programs",
        ),
        "new": Entry("cli.programs.new", "Write a program to start from.", "dipc new mine"),
        "format": Entry(
            "dipwhile.commands.format.format_",
            "Put programs into canonical style.",
            "dipc format mine.dip",
        ),
    },
    "This tool": {
        "papers": Entry(
            "cli.papers.papers",
            "Compute every number of the papers anew.",
            "dipc papers",
        ),
        "completion": Entry(
            "cli.main.completion",
            "Teach a shell to complete commands and names.",
            "dipc completion bash >> ~/.bashrc",
        ),
    },
}
"""The commands under the headings of the first page, which imports none of them."""

MODELS = (".dpm", ".drn")
ENTRIES = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}


class Group(click.Group):
    """A group of sub-commands.  A command is imported when it is used, since that takes time."""

    def __init__(self, *arguments: Any, homes: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.homes:
            module, _, attribute = self.homes[cmd_name].rpartition(".")
            self.add_command(getattr(import_module(f"dipc.{module}"), attribute))
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

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if command is not None and cmd_name in ENTRIES:
            command.short_help = ENTRIES[cmd_name].does
        return command

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
        width = max(map(len, ENTRIES))
        for heading, entries in SECTIONS.items():
            with formatter.section(heading):
                indent = " " * formatter.current_indent
                for name, entry in entries.items():
                    formatter.write(f"{indent}{name:<{width}}  {entry.does}\n")
                    formatter.write(f"{indent}{'':<{width}}    {entry.example}\n")
