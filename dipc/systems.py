"""The systems that dipc decides questions about: a folder and a row each.

The rest of the package reads this table and imports nothing of a system by itself.  A row names what its
folder has; it is imported when it is asked for.  To add a system, add both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

PROVE, LOOK, WRITE = "Prove and refute", "Look inside", "Write programs"
"""The sections of ``dipc --help``."""


class Entry(NamedTuple):
    """A command on the first page of the help: its section and home, what it does, and an example."""

    section: str
    home: str
    does: str
    example: str


@dataclass(frozen=True, slots=True)
class System:
    """A system: its files, its commands, and the homes (``module:name`` in its folder) of what it offers.

    Every system offers ``load(file, **parameters)``, the object that answers in Python.  ``judge`` compares a
    certificate whose statement is one of ``statements`` with what is wanted.  ``views`` are the modules that
    say how its results are shown.  ``asks`` are the commands that decide the claim of a file, by the folder
    of shipped ones ("" for all others).  ``forwards`` are the commands for all systems that take its files,
    too, and ``flag`` is an option that only it has.
    """

    folder: str
    noun: str
    suffixes: tuple[str, ...]
    commands: Mapping[str, Entry]
    homes: Mapping[str, str]
    asks: Mapping[str, str]
    taken_by: str = ""
    forwards: Mapping[str, str] = field(default_factory=dict)
    flag: str | None = None
    statements: tuple[str, ...] = ()
    views: tuple[str, ...] = ()

    def offer(self, what: str) -> Any:
        """What the folder offers under a name."""
        return imported(f"{self.folder}.{self.homes[what]}")


def imported(home: str) -> Any:
    """What is at ``module:name`` in the package.

    >>> imported("errors:InputError").__name__
    'InputError'
    """
    module, _, name = home.partition(":")
    return attrgetter(name)(import_module(f"dipc.{module}"))


def offered(what: str) -> Iterator[Any]:
    """What the systems offer under a name, of those that do."""
    return (system.offer(what) for system in SYSTEMS if what in system.homes)


def statement_system(certificate: object) -> System:
    """The system that a certificate of the kernel is about, by the module of its statement."""
    statement = type(certificate).__module__.rpartition(".")[2]
    return next(system for system in SYSTEMS if statement in system.statements)


PROGRAMS = System(
    folder="dipwhile",
    noun="program",
    suffixes=(".dip",),
    commands={
        "check": Entry(
            PROVE,
            "dipwhile.commands.check:check",
            "Prove a claim, or refute it by a counterexample.",
            "dipc check svt1",
        ),
        "prove": Entry(
            PROVE,
            "dipwhile.commands.prove:prove",
            "Prove a claim for every size and all inputs.",
            "dipc prove svt1",
        ),
        "explain": Entry(
            PROVE,
            "dipwhile.commands.tightness:explain",
            "Explain where the privacy loss comes from.",
            "dipc explain svt4 -D N=2",
        ),
        "budget": Entry(
            PROVE,
            "dipwhile.commands.tightness:budget",
            "Find the least privacy budget that is enough.",
            "dipc budget svt1",
        ),
        "sweep": Entry(
            PROVE,
            "dipwhile.commands.sweep:sweep",
            "Ask a question for many values of parameters.",
            "dipc sweep svt1 --each N=1..5 --ask budget",
        ),
        "profile": Entry(
            PROVE,
            "dipwhile.commands.tightness:profile",
            "Find the least delta that is enough.",
            'dipc profile sparse --epsilon "eps/2"',
        ),
        "regions": Entry(
            PROVE,
            "dipwhile.commands.tightness:regions",
            "Find all eps at which a claim is violated.",
            "dipc regions hist2",
        ),
        "accuracy": Entry(
            PROVE,
            "dipwhile.commands.accuracy:accuracy",
            "Find the least probability of an error.",
            'dipc accuracy nmax1 --of "q[out] = max(q)"',
        ),
        "expect": Entry(
            PROVE,
            "dipwhile.commands.accuracy:expect",
            "Find expectations as functions of eps.",
            'dipc expect truncated_geometric --of "out - q"',
        ),
        "decide": Entry(
            PROVE,
            "dipwhile.commands.distribution:decide",
            "Decide a sentence about eps.",
            'dipc decide "forall eps > 0: exp(eps) >= 1 + eps"',
        ),
        "distribution": Entry(
            LOOK,
            "dipwhile.commands.distribution:distribution",
            "Print the exact probability of every output.",
            'dipc distribution svt1 --input "q=[0,1,1]"',
        ),
        "plot": Entry(
            LOOK,
            "dipwhile.commands.files:plot",
            "Plot privacy loss, profile and distributions.",
            "dipc plot svt4 -o svt4.png",
        ),
        "report": Entry(
            LOOK,
            "dipwhile.commands.files:report",
            "Write all about a program on one HTML page.",
            "dipc report svt4 -o svt4.html",
        ),
        "export": Entry(
            LOOK,
            "dipwhile.commands.files:export",
            "Carry the question to another tool.",
            "dipc export svt1 --to mathematica -o svt1.wl",
        ),
        "new": Entry(WRITE, "dipwhile.commands.new:new", "Write a program to start from.", "dipc new mine"),
        "format": Entry(
            WRITE,
            "dipwhile.commands.format:format_",
            "Put programs into canonical style.",
            "dipc format mine.dip",
        ),
    },
    homes={
        "load": "mechanisms:Mechanism.load",
        "python": "modules:mechanism_of",
        "judge": "commands.judge:judge",
        "star": "star:read_star",
        "secrets": "mechanisms:read_secrets",
        "asks about secrets": "commands.options:asks_about_secrets",
    },
    asks={"": "check", "hidden_markov": "pufferfish check", "every_size": "prove"},
    statements=("privacy", "measures", "sizes"),
    views=("panels.notebook", "panels.plots", "panels.page"),
)

MODELS = System(
    folder="dpctl",
    noun="Markov model",
    suffixes=(".dpm", ".drn", ".csv"),
    commands={
        "model": Entry(
            PROVE,
            "dpctl.commands.model:model",
            "Decide formulas of dpCTL* on Markov models.",
            'dipc model check survey.dpm "D[ln 3, 0](X out_1)"',
        ),
    },
    homes={"load": "model:load", "judge": "commands.judge:judge"},
    asks={"": "model check"},
    taken_by="`dipc model` takes it, and `dipc check`, `plot`, `report`, `export`; in Python `dipc.load`",
    forwards={
        "check": "dpctl.commands.model:check",
        "budget": "dpctl.commands.model:budget",
        "regions": "dpctl.commands.model:regions",
        "plot": "dpctl.commands.pages:plot",
        "report": "dpctl.commands.pages:report",
        "export": "dpctl.commands.files:export",
    },
    flag="--formula",
    statements=("chains", "curves", "processes"),
    views=("views", "panels", "page"),
)

HIDDEN_MODELS = System(
    folder="pufferfish",
    noun="hidden Markov model",
    suffixes=(".hmm",),
    commands={
        "pufferfish": Entry(
            PROVE,
            "pufferfish.commands.pufferfish:pufferfish",
            "Decide Pufferfish privacy of hidden Markov models.",
            "dipc pufferfish check ex3",
        ),
    },
    homes={
        "load": "hmm:HiddenMarkovModel.load",
        "judge": "commands.judge:judge",
        "about secrets": "programs:ProgramQuestion",
    },
    asks={"": "pufferfish check"},
    taken_by="`dipc pufferfish` takes it, and `dipc check`, `plot`, `report`; in Python `dipc.load`",
    forwards={
        "check": "pufferfish.commands.pufferfish:check",
        "budget": "pufferfish.commands.pufferfish:budget",
        "distribution": "pufferfish.commands.files:distribution",
        "plot": "pufferfish.commands.files:plot",
        "export": "pufferfish.commands.files:export",
        "report": "pufferfish.commands.files:report",
    },
    statements=("pufferfish",),
    views=("views", "panels", "page"),
)

SYSTEMS = (PROGRAMS, MODELS, HIDDEN_MODELS)
