"""The core program: what the rest of dipc works on.

A core program is checked and unrolled.  Parameters and ``for`` variables have been replaced by
numbers, constant expressions have been folded, and the statements are a flat list of
instructions addressed by position (``pc``).  Only a ``while`` loop jumps backwards.

Expressions and distributions are those of :mod:`dipc.dipwhile.syntax.ast`, of which only these
remain: ``Number``; ``Name`` of a scalar variable, of a whole array (as an argument of a
function), or of an atom; ``Index``; ``Eps``; ``Unary``; ``Binary``; ``Call``.  (``Fold`` has
been unrolled; an atom is a ``Name`` that is not a declared or assigned variable.)
"""

from __future__ import annotations

from flint import fmpq

from dipc.claims.ratios import Measure
from dipc.dipwhile.syntax.ast import AccurateClaim, Binary, Distribution, Expr, Index, Name, Secret, Unknown
from dipc.errors import Source, Span
from dipc.frozen import frozen
from dipc.models.values import Value
from dipc.signs.eps_range import EpsRange

Cell = tuple[str, int]  # a variable and the index into it, 0 for a scalar


@frozen
class Put:
    """``target <- value`` for an expression."""

    target: Name | Index
    value: Expr
    span: Span


@frozen
class Draw:
    """``target <- distribution``."""

    target: Name | Index
    distribution: Distribution
    span: Span


def assignment(target: Name | Index, value: Expr | Distribution, span: Span) -> Put | Draw:
    """The instruction that assigns a value or draws from a distribution."""
    return Put(target, value, span) if isinstance(value, Expr) else Draw(target, value, span)


def value_of(assignment: Put | Draw) -> Expr | Distribution:
    """What is assigned or drawn from."""
    return assignment.value if isinstance(assignment, Put) else assignment.distribution


@frozen
class Test:
    """Go on at the next instruction if the condition holds, else at ``otherwise``."""

    condition: Expr
    otherwise: int
    span: Span
    is_loop: bool = False  # the test of a ``while``

    __test__ = False  # not a pytest class


@frozen
class Jump:
    """Go on at ``to``."""

    to: int


@frozen
class Halt:
    """The program ends here: at an ``exit`` or after the last statement."""

    span: Span


Instruction = Put | Draw | Test | Jump | Halt


# --- for every size: loops without numbers, and what rewriting has introduced -------------------


@frozen
class Round:
    """The head of a loop over ``low..high``: go on with another round, or at ``otherwise``.

    ``site`` is the number of the loop; a :class:`Pick` of the same loop has the same.
    """

    variable: str
    site: int
    low: Expr
    high: Expr
    otherwise: int
    span: Span


@frozen
class Pick:
    """``variable`` becomes some number of ``low..high``, which the conditions that follow decide.

    If it is ``required``, an empty range is a failure; else the way here is not taken then.  Up to ``end``
    draws are in another order than in the text.  The variable of one number is in none of the operations.
    """

    variable: str
    site: int
    low: Expr
    high: Expr
    required: bool
    end: int
    span: Span


@frozen
class Either:
    """Go on, or at ``otherwise``, as the conditions that follow decide; texts for a reader say which."""

    otherwise: int
    text: str
    other: str
    span: Span


@frozen
class Assume:
    """The run has this condition: of all choices before it, it has made those that lead here."""

    condition: Binary
    span: Span


@frozen
class Enter:
    """The loop ``site`` is entered, possibly not for the first time."""

    site: int


@frozen
class Cut:
    """A round of a loop over a size that is a number: paths are cut here."""

    text: str
    span: Span


Operation = Instruction | Round | Pick | Either | Assume | Enter | Cut
Code = tuple[Operation, ...]
"""The code of a program; without sizes that are symbols it consists of instructions only."""


@frozen
class Variable:
    """A declared input or output: its cells are ``name[1..size]``, or ``name`` if size is None."""

    name: str
    size: int | None
    domain: tuple[Value, ...]
    start: Value | None
    span: Span

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, a scalar being the cell with index 0."""
        return tuple((self.name, i) for i in (range(1, self.size + 1) if self.size is not None else (0,)))


@frozen
class CoreAdjacency:
    """Which inputs are adjacent."""

    kind: str  # "linf", "l1", "hamming", "all" or "formula"
    distance: fmpq | None
    formula: Expr | None  # over the inputs and the primed inputs, folds unrolled
    span: Span


@frozen
class CoreClaim:
    """``epsilon`` and ``delta`` are expressions in eps; ``measure`` is what is bounded, if not the loss.

    ``of_pair`` are numbers that depend on the pair of inputs, by the names that epsilon has for them.
    ``number``: epsilon is one such as ``ln(2)``, not a multiple of eps.
    """

    epsilon: Expr
    delta: Expr | None
    budgets: EpsRange
    span: Span
    measure: Measure | None = None
    of_pair: tuple[tuple[str, Expr], ...] = ()
    text: str = ""  # epsilon as written, if it depends on the pair
    number: bool = False


# --- questions of ``dipc pufferfish`` -----------------------------------------------------------


@frozen
class CorePrior:
    """A program without loops that assigns the inputs; only its probabilities mention unknowns.

    ``variables`` and ``arrays`` are as in :class:`CoreProgram`, for this program.
    """

    name: str | None
    code: tuple[Instruction, ...]
    variables: frozenset[str]
    arrays: tuple[tuple[str, int], ...]
    span: Span


@frozen
class CoreQuestion:
    """What a program says for ``dipc pufferfish`` only, without constants and loops.

    The ends of the range of an unknown are expressions over the unknowns before it.
    """

    unknowns: tuple[Unknown, ...] = ()
    priors: tuple[CorePrior, ...] = ()
    secrets: tuple[Secret, ...] = ()


@frozen
class CoreProgram:
    """A checked, unrolled program (see the module's text)."""

    source: Source
    parameters: tuple[tuple[str, fmpq], ...]
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    adjacency: CoreAdjacency | None  # None: the program does not say which inputs are neighbours
    claim: CoreClaim | None
    code: tuple[Instruction, ...]
    variables: frozenset[str]  # every declared or assigned name: any other Name is an atom
    arrays: tuple[tuple[str, int], ...]  # name and size of every array, inputs and outputs included
    question: CoreQuestion = CoreQuestion()
    empty_ranges: tuple[tuple[Span, str], ...] = ()  # of its text, where that can hardly be meant
    with_eps: bool = True  # its text mentions eps
    accurate: AccurateClaim | None = None
    unit: bool = False  # it does not: a rate r is r*eps here, and probabilities are those at eps = 1
