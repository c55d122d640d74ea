"""The paths of a program that lead to some outputs, each with its exact probability.

A path is what happens at random on the way: which noise is drawn, which option of a finite choice is taken,
and how every comparison of samples comes out.  The chain of :mod:`dipc.dipwhile.semantics.chain` merges
states; here nothing is merged, so that every sample keeps its name, and the probability of a path is the mass
of its last state.  The chain only says which states can still lead to the outputs: the others are not walked.

A ``while`` loop is one step: infinitely many ways lead through it, and they are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from dipc.clock import Progress
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.evaluate import Datum
from dipc.dipwhile.semantics.noise import Random
from dipc.dipwhile.semantics.run import transitions
from dipc.dipwhile.semantics.state import Key, State
from dipc.dipwhile.semantics.step import Move, Outcome, Stepper, Transition
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Put, Test
from dipc.errors import Span
from dipc.integration.linear import Linear
from dipc.numbers.quotient import Quotient


@dataclass(frozen=True, slots=True)
class Sample:
    """Noise drawn on a path, and the cell that gets it."""

    cell: Cell
    law: Random


class Event(Enum):
    """What a step is."""

    NOISE = "noise"  # a sample is drawn
    CHOICE = "choice"  # an option of a finite distribution, with a probability
    BRANCH = "branch"  # comparisons of samples come out in one way
    LOOP = "loop"  # a whole loop, from its head to one of the states in which it is left
    OUTPUT = "output"  # an output gets a value, with certainty


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens on a path.

    ``value`` is what ``cell`` gets, a random one as an expression of the numbered samples of the path;
    ``taken`` says which way a test goes.  The ``conditions`` (in normal form, of the samples of the path) are
    those under which it happens.  ``left`` are the values with which a loop is left.
    """

    event: Event
    place: int
    span: Span
    cell: Cell | None = None
    value: Datum | None = None
    sample: int | None = None
    probability: Quotient | None = None
    conditions: tuple[Linear, ...] = ()
    taken: bool | None = None
    left: tuple[tuple[Cell, Datum], ...] = ()

    @property
    def random(self) -> bool:
        """Whether it could have come differently."""
        return self.event is not Event.OUTPUT

    def compares_as(self, other: Step) -> bool:
        """Whether the same forms are compared with numbers, whatever comes out."""
        own, its = (
            tuple(abs(c) for f in step.conditions for _, c in f.coefficients) for step in (self, other)
        )
        return own == its

    def sign(self, samples: tuple[Sample, ...]) -> tuple[object, ...]:
        """The same for steps on two inputs that make the same random choice.

        Of a comparison it is the form without its constant, which may depend on the input.
        """
        forms = tuple(condition.coefficients for condition in self.conditions)
        if self.sample is not None:
            law = samples[self.sample].law
            return self.event, self.place, law.kind.name, law.rate, law.inverse, forms
        chosen = (self.value, self.left) if self.event in (Event.CHOICE, Event.LOOP) else self.taken
        return self.event, self.place, chosen, forms


@dataclass(frozen=True, slots=True)
class Path:
    """One way to an outcome and its exact probability."""

    steps: tuple[Step, ...]
    samples: tuple[Sample, ...]
    outcome: Outcome
    probability: Quotient

    @property
    def choices(self) -> tuple[Step, ...]:
        """The random steps."""
        return tuple(step for step in self.steps if step.random)

    @property
    def signature(self) -> tuple[object, ...]:
        """The same for paths on two inputs that make the same random choices."""
        return tuple(step.sign(self.samples) for step in self.choices)

    @property
    def conditions(self) -> tuple[Linear, ...]:
        """The conditions of all steps."""
        return tuple(condition for step in self.steps for condition in step.conditions)

    @property
    def has_loop(self) -> bool:
        """Whether a loop is on the path."""
        return any(step.event is Event.LOOP for step in self.steps)


@dataclass(frozen=True, slots=True)
class Found:
    """The first paths in the order of the program; ``complete`` if these are all."""

    paths: tuple[Path, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """How far the random choices of a path can be made on another input.

    ``step`` is the first of them that cannot, None if all can; then ``path`` is the path that they make
    there, or None if further choices have to be made.  ``reached`` says whether the place of the step is
    reached at all; ``other`` is a random choice that is made there instead, or next, and ``law`` that of the
    noise that it draws.
    """

    step: Step | None
    path: Path | None
    reached: bool = True
    other: Step | None = None
    law: Random | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a walk is; ``known`` are the samples of the path that are live in the state, in its order."""

    state: State
    known: tuple[int, ...] = ()
    samples: tuple[Sample, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def signature(self) -> tuple[object, ...]:
        """The random choices made up to here, see :attr:`Path.signature`."""
        return tuple(step.sign(self.samples) for step in self.steps if step.random)


class Walk:
    """All ways through a program on one input."""

    def __init__(self, program: CoreProgram, inputs: Input, tick: Progress = lambda *_: None) -> None:
        self.program, self.inputs, self.tick = program, inputs, tick
        self.stepper = Stepper(program)
        self._outputs = frozenset(cell for v in program.outputs for cell in v.cells)

    def paths(self, outcomes: Iterable[Outcome] | None = None, most: int | None = None) -> Found:
        """The paths to some outcomes (by default to all), and to no more than ``most`` of them."""
        wanted = None if outcomes is None else frozenset(outcomes)
        useful = None if wanted is None else self._leading_to(wanted)
        found: list[Path] = []
        for place in self._places(lambda place: useful is None or place.state.key in useful):
            if isinstance(self.program.code[place.state.pc], Halt) and self.stepper.mass(place.state.joint):
                path = self._ended(place)
                if wanted is None or path.outcome in wanted:
                    if len(found) == most:
                        return Found(tuple(found), False)
                    found.append(path)
        return Found(tuple(found), True)

    def follow(self, path: Path) -> Stop:
        """Make the random choices of a path on this input, as long as they are possible."""
        wanted, choices = path.signature, path.choices
        others: dict[int, _Place] = {}  # by the number of choices before: where another one is made

        def alike(place: _Place) -> bool:
            made = place.signature
            if not self.stepper.mass(place.state.joint):
                return False
            if made != wanted[: len(made)]:
                if made[:-1] == wanted[: len(made) - 1]:
                    others.setdefault(len(made) - 1, place)
                return False
            return True

        reached = [False] * (len(choices) + 1)  # for each choice, whether its place is reached
        most = 0
        for place in self._places(alike):
            made = len(place.signature)
            most = max(most, made)
            if made < len(choices):
                reached[made] = reached[made] or place.state.pc == choices[made].place
            elif isinstance(self.program.code[place.state.pc], Halt):
                return Stop(None, self._ended(place))
        step = choices[most] if most < len(choices) else None
        if most not in others:
            return Stop(step, None, reached[most])
        other = next(s for s in reversed(others[most].steps) if s.random)
        law = None if other.sample is None else others[most].samples[other.sample].law
        return Stop(step, None, reached[most], other, law)

    def _leading_to(self, wanted: frozenset[Outcome]) -> frozenset[Key]:
        """The states from which one of the outcomes can be reached."""
        useful: set[Key] = set()
        for node in reversed(Chain(self.program, self.inputs).nodes):  # ordered by place: targets come later
            if node.outcome in wanted or any(target.state.key in useful for target, _ in node.edges):
                useful.add(node.state.key)
        return frozenset(useful)

    def _places(self, keep: Callable[[_Place], bool]) -> Iterator[_Place]:
        """The places that are kept, depth first; what comes after the others is not looked at."""
        todo = [_Place(self.stepper.start())]
        done = 0
        while todo:
            place = todo.pop()
            self.tick("paths", done := done + 1, None)
            if keep(place):
                yield place
                found = reversed([*transitions(self.stepper, place.state, self.inputs)])
                todo += [self._arrived(place, transition) for transition in found if transition.state.joint]

    def _ended(self, place: _Place) -> Path:
        state = place.state
        return Path(place.steps, place.samples, self.stepper.outcome(state), self.stepper.mass(state.joint))

    def _arrived(self, place: _Place, transition: Transition) -> _Place:
        known, samples, move = place.known, place.samples, transition.move
        step = self._loop(place, transition.state) if move is None else self._step(place, move)
        if move is not None and move.noise is not None:
            assert move.cell is not None
            known, samples = (*known, len(samples)), (*samples, Sample(move.cell, move.noise))
        steps = place.steps if step is None else (*place.steps, step)
        return _Place(transition.state, tuple(known[i] for i in transition.kept), samples, steps)

    def _loop(self, place: _Place, after: State) -> Step:
        """A loop, by the values with which it is left."""
        before, pc = place.state.env, place.state.pc
        finite = ((c, v) for c, v in after.env.items() if not isinstance(v, Linear))
        left = tuple(sorted((c, v) for c, v in finite if before.get(c) != v))
        head = self.program.code[pc]
        assert isinstance(head, Test)
        return Step(Event.LOOP, pc, head.span, left=left)

    def _step(self, place: _Place, move: Move) -> Step | None:
        """What a move adds to a path: nothing, if it is certain and gives no output."""
        pc, cell = place.state.pc, move.cell
        names = dict(enumerate(place.known))
        conditions = tuple(c.renamed(names).condition(strict=False) for c in move.branch.conditions)
        value = None if cell is None else move.env[cell]
        if isinstance(value, Linear) and move.noise is None:
            value = value.renamed(names)
        match self.program.code[pc]:
            case Draw(span=span) if move.noise is not None:
                return Step(Event.NOISE, pc, span, cell, sample=len(place.samples), conditions=conditions)
            case Draw(span=span):
                p = move.probability
                return Step(Event.CHOICE, pc, span, cell, value, probability=p, conditions=conditions)
            case Put(span=span) if conditions:
                return Step(Event.BRANCH, pc, span, cell, value, conditions=conditions)
            case Put(span=span) if cell in self._outputs:
                return Step(Event.OUTPUT, pc, span, cell, value)
            case Test(span=span) if conditions:
                return Step(Event.BRANCH, pc, span, conditions=conditions, taken=move.pc == pc + 1)
        return None
