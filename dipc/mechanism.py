"""Programs as Python objects: what ``import dipc`` offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from dipc.clock import Progress, silent
from dipc.convert import PythonValue, PythonValues, to_input, to_rational
from dipc.decision.budgets import Budgets
from dipc.decision.counterexample import output_valuation
from dipc.decision.sentence import Sentence
from dipc.decision.verdict import Valuation, Verdict
from dipc.errors import InputError, Source
from dipc.export.formats import CHAINS, QUESTIONS
from dipc.pipeline import Options, check, distribution, goal_of
from dipc.probability.quotient import Quotient
from dipc.questions import picture, question
from dipc.semantics.advice import warnings
from dipc.semantics.chain import Chain
from dipc.shipped import source_of
from dipc.syntax.compile import compile_claim, read
from dipc.syntax.core import CoreClaim, CoreProgram
from dipc.syntax.parser import parse_claim
from dipc.syntax.values import show

TEXT = ("\n", "<-", ";")
"""What the text of a program contains, and no name of a file."""


class Distribution(Mapping[Valuation, Quotient]):
    """The exact output distribution on one input: outputs to probabilities, functions of eps.

    A key lists every output variable with its value, or its tuple of values for an array.
    """

    def __init__(self, items: Mapping[Valuation, Quotient]) -> None:
        self._items = dict(items)

    def __getitem__(self, output: Valuation) -> Quotient:
        return self._items[output]

    def __iter__(self) -> Iterator[Valuation]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return "\n".join(f"{show_valuation(output)}: {p}" for output, p in self._items.items())


def show_valuation(valuation: Valuation) -> str:
    """A valuation as text: ``out=[bot, top], n=1``."""
    return ", ".join(f"{name}={show(value)}" for name, value in valuation)


class Mechanism:
    """A program, checked and unrolled for given parameters.

    >>> coin = Mechanism.load('''
    ...     input  q in {true, false};  output out in {true, false}
    ...     adjacent all
    ...     private eps
    ...     b <- flip(exp(eps) / (1 + exp(eps)))
    ...     if b then out <- q else out <- not q end
    ... ''')
    >>> coin.check().status
    'private'
    >>> coin.check("eps/2").counterexample.epsilon
    1
    >>> coin.distribution(q=True)
    out=true: (exp(eps))/(1 + exp(eps))
    out=false: (1)/(1 + exp(eps))
    """

    def __init__(self, program: CoreProgram) -> None:
        self.program = program

    @staticmethod
    def load(program: str | Path, **parameters: PythonValue) -> Mechanism:
        """A program from a file, from its text, or a shipped one by its name (``"svt1"``).

        ``parameters`` override its ``param`` lines.  Raises :class:`InputError`, or :class:`OSError` if the
        file cannot be read.
        """
        if isinstance(program, str) and (not program.strip() or any(sign in program for sign in TEXT)):
            return Mechanism._read(Source("<text>", program), parameters)
        return Mechanism.load_file(program, parameters)

    @staticmethod
    def load_file(path: str | Path, parameters: Mapping[str, PythonValue]) -> Mechanism:
        """A program from a file, or a shipped one."""
        return Mechanism._read(source_of(path), parameters)

    @staticmethod
    def _read(source: Source, parameters: Mapping[str, PythonValue]) -> Mechanism:
        overrides = {k: to_rational(v, f"the parameter `{k}`") for k, v in parameters.items()}
        return Mechanism(read(source, overrides))

    def check(
        self,
        claim: str | None = None,
        *,
        at: PythonValue | None = None,
        pair: tuple[Mapping[str, PythonValues], Mapping[str, PythonValues]] | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        progress: Progress = silent,
        jobs: int = 1,
    ) -> Verdict:
        """Decide a claim, by default the program's own.

        ``claim`` is what may follow ``private`` in a program, for example ``"eps/2, exp(-2)"``; ``at``
        decides it for one eps only; ``pair`` for one pair of inputs only (both ways round), which must be
        neighbours if the program says who is; ``time_limit`` (seconds) and ``memory_limit`` (megabytes of the
        process at its peak) are looked at between steps; ``jobs`` processes decide inequalities, with the
        same result (more than one need ``dipc[jobs]``).

        Returns :class:`Private`, :class:`Violated` or :class:`Undecided`.  Raises :class:`InputError`.
        """
        options = Options(
            at=None if at is None else to_rational(at, "eps"),
            pair=None if pair is None else (to_input(self.program, pair[0]), to_input(self.program, pair[1])),
            time_limit=time_limit,
            memory_limit=memory_limit,
            progress=progress,
            jobs=jobs,
        )
        return check(self.program, self._claim(claim), options)

    def distribution(self, **inputs: PythonValues) -> Distribution:
        """The exact output distribution on one input, in the order of the output sets."""
        budgets = goal_of(self.program.claim).budgets if self.program.claim else Budgets.positive()
        law = distribution(self.program, to_input(self.program, inputs), budgets)
        places = [{v: i for i, v in enumerate(x.domain)} for x in self.program.outputs for _ in x.cells]
        ordered = sorted(law, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
        return Distribution({output_valuation(self.program, o): law[o] for o in ordered})

    def chain(self, **inputs: PythonValues) -> Chain:
        """The parametrized Markov chain on one input."""
        return Chain(self.program, to_input(self.program, inputs))

    def export(
        self,
        to: str,
        *,
        claim: str | None = None,
        pair: tuple[Mapping[str, PythonValues], Mapping[str, PythonValues]] | None = None,
        input: Mapping[str, PythonValues] | None = None,
    ) -> str:
        """The claim in another language (mathematica, sage, smtlib, latex), or the chain on ``input`` in one
        (dot, svg, drn, prism).

        ``pair`` restricts the claim to two inputs; ``input`` chooses whose distribution a script shows.
        """
        if to in CHAINS:
            return CHAINS[to](picture(self.program, to_input(self.program, input or {})))
        if to not in QUESTIONS:
            raise InputError(f"no export to `{to}`", hint=f"one of: {', '.join([*QUESTIONS, *CHAINS])}")
        inputs = () if input is None else (to_input(self.program, input),)
        both = None if pair is None else (to_input(self.program, pair[0]), to_input(self.program, pair[1]))
        return QUESTIONS[to](question(self.program, self._claim(claim), inputs, both))

    def sentence(self, claim: str | None = None) -> Sentence:
        """The claim as one sentence of Th_exp: the conjunction of its different inequalities."""
        return question(self.program, self._claim(claim)).sentence

    @cached_property
    def parameters(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.program.parameters}

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed in a program, but hardly ever meant: noise that grows with eps."""
        return warnings(self.program)

    def _claim(self, text: str | None) -> CoreClaim:
        if text is not None:
            return compile_claim(parse_claim(text), dict(self.program.parameters))
        if self.program.claim is None:
            raise InputError(
                f"{self.program.source.name}: the program makes no claim",
                hint="add a line such as: private eps    (or give a claim: `--claim eps`)",
            )
        return self.program.claim
